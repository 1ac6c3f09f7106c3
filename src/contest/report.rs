//! Results as JSON: structs that derive `Serialize`.
//!
//! Numbers without a value are null: means before the first game, and bounds that are infinite.

use std::collections::BTreeMap;

use serde::Serialize;

use super::game_clock::TimeControl;
use super::results::{ContestResults, RunningSprt};
use super::statistics::{HeadToHead, Pairs, Sprt};
use crate::game::EndKind;

/// All results of a match or a tournament.
#[derive(Clone, Debug, Serialize)]
pub struct ContestReport<'a> {
    games: u64,
    first_wins: u64,
    mean_plies: f64,
    faults: u64,
    proven: u64,
    refuted: u64,
    repeated: u64,
    players: Vec<PlayerReport<'a>>,
    wins: &'a [Vec<u64>],
    /// Of a match of two.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<StandingReport>,
    /// Of a match of two.
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtReport<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sprts: Vec<SprtReport<'a>>,
}

/// A player's results.
#[derive(Clone, Debug, Serialize)]
struct PlayerReport<'a> {
    name: &'a str,
    version: &'a str,
    elo: Option<f64>,
    elo_error: Option<f64>,
    moves: u64,
    mean_time: f64,
    worst_time: f64,
    tc: Option<TimeControl>,
    restarts: u64,
    least_left: Option<f64>,
    playouts_per_second: Option<f64>,
    losses: BTreeMap<EndKind, u64>,
}

/// The score of one player against another; errors are halves of 95 % intervals.
#[derive(Clone, Debug, Serialize)]
pub struct StandingReport {
    wins: u64,
    losses: u64,
    score: Option<f64>,
    score_error: Option<f64>,
    elo: Option<f64>,
    elo_error: Option<f64>,
    elo_interval: Option<[f64; 2]>,
    normalised_elo: Option<f64>,
    normalised_elo_error: Option<f64>,
    los: Option<f64>,
    pairs: Pairs,
}

/// A sequential test after some pairs.
#[derive(Clone, Debug, Serialize)]
pub struct SprtReport<'a> {
    elo0: f64,
    elo1: f64,
    llr: f64,
    bounds: [f64; 2],
    pairs: Pairs,
    verdict: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    players: Option<[&'a str; 2]>,
}

impl From<&HeadToHead> for StandingReport {
    fn from(standing: &HeadToHead) -> StandingReport {
        let (normalised_elo, normalised_elo_error) = standing.normalised_elo().unzip();
        StandingReport {
            wins: standing.wins,
            losses: standing.losses,
            score: standing.score(),
            score_error: standing.score_error(),
            elo: standing.elo(),
            elo_error: standing.elo_error(),
            elo_interval: standing.elo_interval(),
            normalised_elo,
            normalised_elo_error,
            los: standing.superiority(),
            pairs: standing.pairs,
        }
    }
}

impl SprtReport<'_> {
    /// The test after these pairs.
    #[must_use]
    pub fn new(test: &Sprt, pairs: Pairs) -> SprtReport<'static> {
        SprtReport {
            elo0: test.elo0,
            elo1: test.elo1,
            llr: test.llr(pairs),
            bounds: test.bounds(),
            pairs,
            verdict: test.verdict(pairs).map(|decision| decision.to_string()),
            players: None,
        }
    }
}

impl<'a> ContestReport<'a> {
    /// The results of these players.
    #[must_use]
    pub fn new(names: &'a [String], results: &'a ContestResults, tests: &[RunningSprt]) -> ContestReport<'a> {
        let rated = results.ratings();
        let player = |(index, name): (usize, &'a String)| {
            let entrant = &results.entrants[index];
            let rating = rated.as_ref().map(|rated| rated.players[index]);
            let losses =
                EndKind::ALL.into_iter().map(|kind| (kind, *entrant.losses.get(&kind).unwrap_or(&0)));
            let (least_left, tc) = entrant.least_left.unzip();
            PlayerReport {
                name,
                version: &entrant.version,
                elo: rating.map(|rating| rating.elo),
                elo_error: rating.map(|rating| rating.error),
                moves: entrant.moves,
                mean_time: entrant.seconds / entrant.moves as f64,
                worst_time: entrant.worst,
                tc,
                restarts: entrant.restarts,
                least_left,
                playouts_per_second: (entrant.playouts > 0)
                    .then(|| entrant.playouts as f64 / entrant.playout_seconds),
                losses: losses.collect(),
            }
        };
        let two = names.len() == 2;
        let mut sprts: Vec<SprtReport<'a>> = tests
            .iter()
            .map(|running| SprtReport {
                players: (!two).then(|| running.players.map(|player| names[player].as_str())),
                ..SprtReport::new(&running.test, running.pairs)
            })
            .collect();
        ContestReport {
            games: results.games,
            first_wins: results.first_wins,
            mean_plies: results.plies as f64 / results.games as f64,
            faults: results.faults(),
            proven: results.proven,
            refuted: results.refuted,
            repeated: results.repeated,
            players: names.iter().enumerate().map(player).collect(),
            wins: &results.wins,
            score: two.then(|| StandingReport::from(&results.standing(0, 1))),
            sprt: if two { sprts.pop() } else { None },
            sprts,
        }
    }
}
