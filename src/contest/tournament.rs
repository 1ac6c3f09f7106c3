//! A tournament's file: who takes part, on which terms.

use serde::Deserialize;

use super::fixtures::Format;

/// A tournament as its TOML file describes it. What a player does not say, the file's head says for all; what neither
/// says, the command line does.
///
/// ```toml
/// format = "round-robin"   # or "gauntlet": the first player against all others
/// games = 100              # each pairing
/// playouts = 400
/// anchor = "base"          # the player whose rating is given
/// anchor_elo = 1000
///
/// [[player]]
/// name = "base"
/// spec = "quiver"
///
/// [[player]]
/// name = "bold"
/// spec = "quiver:exploration=0.5"
/// playouts = 800
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tournament {
    /// How players are paired.
    #[serde(default)]
    pub format: Format,
    /// Games for each pairing.
    pub games: Option<usize>,
    /// Seconds a move.
    pub time: Option<f64>,
    /// Playouts a move.
    pub playouts: Option<u64>,
    /// The player whose rating is given, by its name or SPEC; the errors of others are then those of the difference.
    pub anchor: Option<String>,
    /// The anchor's rating.
    #[serde(default)]
    pub anchor_elo: f64,
    /// Those who take part, the leader of a gauntlet first.
    #[serde(default)]
    pub player: Vec<TournamentPlayer>,
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
    /// Playouts a move.
    pub playouts: Option<u64>,
    /// Options of a UCI engine, as `NAME=VALUE`.
    #[serde(default)]
    pub options: Vec<String>,
}
