//! A tournament's file: its players and their time limits.

use serde::Deserialize;

use super::fixtures::TournamentFormat;
use super::game_clock::TimeControl;

/// A tournament as its TOML file describes it. A setting of a player overrides the one at the head
/// of the file, which overrides the command line. `guide.md` has an example.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tournament {
    /// How players are paired.
    #[serde(default)]
    pub format: TournamentFormat,
    /// Games for each pairing.
    pub games: Option<usize>,
    /// How far apart in the list two neighbours may stand.
    pub reach: Option<usize>,
    /// Seconds a move.
    pub time: Option<f64>,
    /// A game clock, instead of seconds a move.
    pub tc: Option<TimeControl>,
    /// Playouts a move.
    pub playouts: Option<u64>,
    /// The player whose rating is given, by its name or SPEC; the errors of others are then those
    /// of the difference.
    pub anchor: Option<String>,
    /// The anchor's rating.
    #[serde(default)]
    pub anchor_elo: f64,
    /// Those who take part, the leader of a gauntlet first.
    #[serde(default)]
    pub player: Vec<TournamentPlayer>,
}

/// The file of the ladder that is shipped for a board with this many squares along a side.
#[must_use]
pub fn shipped(side: usize) -> Option<&'static str> {
    match side {
        8 => Some(include_str!("ladders/8.toml")),
        10 => Some(include_str!("ladders/10.toml")),
        _ => None,
    }
}

/// A player of a tournament.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TournamentPlayer {
    /// What reports call it; its SPEC if missing.
    pub name: Option<String>,
    /// Which player it is, as in `--a`.
    pub spec: String,
    /// Seconds a move.
    pub time: Option<f64>,
    /// A game clock, instead of seconds a move.
    pub tc: Option<TimeControl>,
    /// Playouts a move.
    pub playouts: Option<u64>,
    /// Games of each of its pairings; the smaller number of two players counts.
    pub games: Option<usize>,
    /// How far away in the list its neighbours stand; the smaller number of two players counts.
    pub reach: Option<usize>,
    /// Options of a UCI engine, as `NAME=VALUE`.
    #[serde(default)]
    pub options: Vec<String>,
}
