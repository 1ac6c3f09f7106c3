//! Results as JSON: structs that derive `Serialize`.
//!
//! Numbers without a value are null: means before the first game, and bounds that are infinite.

use serde::Serialize;

use super::results::{ContestResults, EntrantResults, RunningSprt};
use super::statistics::{HeadToHead, Pairs, Sprt};

/// All results of a match or a tournament.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ContestReport<'a> {
    #[serde(flatten)]
    results: &'a ContestResults,
    players: Vec<PlayerReport<'a>>,
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
    elo: Option<f64>,
    elo_error: Option<f64>,
    #[serde(flatten)]
    results: &'a EntrantResults,
}

/// The score of one player against another; errors are halves of 95 % intervals.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StandingReport {
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
pub(crate) struct SprtReport<'a> {
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
    pub(crate) fn new(test: &Sprt, pairs: Pairs) -> SprtReport<'static> {
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
    pub(crate) fn new(
        names: &'a [String],
        results: &'a ContestResults,
        tests: &[RunningSprt],
    ) -> ContestReport<'a> {
        let rated = results.ratings();
        let player = |(index, (name, results)): (usize, (&'a String, &'a EntrantResults))| {
            let rating = rated.as_ref().map(|rated| rated.players[index]);
            let (elo, elo_error) = rating.map(|rating| (rating.elo, rating.error)).unzip();
            PlayerReport { name, elo, elo_error, results }
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
            results,
            players: names.iter().zip(&results.entrants).enumerate().map(player).collect(),
            score: two.then(|| StandingReport::from(&results.standing(0, 1))),
            sprt: if two { sprts.pop() } else { None },
            sprts,
        }
    }
}
