//! `quiver elo`: computes Elo and a sequential test from the results of pairs of games. The user
//! may add up the results of several matches.

use serde::Serialize;

use crate::contest::statistics::{HeadToHead, PairCounts, Sprt, SprtReport};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The numbers of pairs in which the player won no game, one game and both, as in 96,111,136
    #[arg(value_name = "NONE,ONE,BOTH", value_parser = parse_pairs)]
    pairs: PairCounts,
    /// Also print a sequential test's decision for ELO0 or ELO1, with error probabilities of 5 %
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let [none, one, both] = args.pairs;
    let score = HeadToHead::new(one + 2 * both, one + 2 * none, args.pairs);
    let sprt = args.sprt.map(|test| test.report(args.pairs));
    let decision = sprt.as_ref().map_or(String::new(), |sprt| format!("{sprt}\n"));
    let text = format!("{score}\n{decision}");
    super::print_result(args.json, &EloReport { games: score.wins + score.losses, score, sprt }, || text)
}

#[derive(Serialize)]
struct EloReport {
    games: u64,
    score: HeadToHead,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtReport>,
}

/// The largest accepted number of pairs for each result. All sums of pairs are then exact in `f64`.
const MAX_PAIRS: u64 = 1 << 50;

fn parse_pairs(text: &str) -> Result<PairCounts, String> {
    let numbers: Option<Vec<u64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let pairs = numbers.and_then(|numbers| PairCounts::try_from(numbers).ok());
    pairs
        .filter(|pairs| pairs.iter().all(|&count| count <= MAX_PAIRS))
        .ok_or_else(|| format!("expected three numbers of pairs from 0 to {MAX_PAIRS}, as in 96,111,136"))
}
