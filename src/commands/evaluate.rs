//! `quiver evaluate`: measures how well the static evaluator predicts who wins.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use amazons::Position;
use anyhow::{Context, anyhow, ensure};
use clap::ArgGroup;
use serde::Serialize;

use super::options::WeightsArgs;
use super::value_parsers::within;
use crate::contest::table::Table;
use crate::endgame::{Effort, Solver};
use crate::files::{self, MAX_LINE, read_line_within};
use crate::messages::warn;
use crate::search::{Cpu, Stopwatch};
use crate::territory::{View, campya, logistic};
use crate::training::{Bin, BinnedScores, Library, ProofCounts, Scores, parse_labelled_position};

/// The size of the endgame solver's tables in bytes, the same as in the engine's searches.
const SOLVER_MEMORY: usize = 4 << 20;

const EXPECTED_BINS: &str = "ascending numbers from 1 to 100, as in 20,28,35";

#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("source").required(true).args(["positions", "games"])))]
pub(super) struct Args {
    /// Labelled positions, one a line as {"position": FEN, "result": 1}; the result is 1 if the
    /// side to move won, and else 0
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Records of games that `quiver selfplay` wrote; positions before a queen move and before an
    /// arrow are measured separately
    #[arg(long, value_name = "FILE", num_args = 1..)]
    games: Vec<PathBuf>,
    /// Measure the published formula of Campya instead, for comparison
    #[arg(long, conflicts_with = "weights")]
    campya: bool,
    /// Let the endgame solver search each position for MS milliseconds of CPU time, and count the
    /// positions that it proves
    #[arg(long, value_name = "MS", value_parser = within(f64::MIN_POSITIVE..=1e9, "milliseconds above 0 and up to 1e9, as in 10"), requires = "positions", conflicts_with = "games")]
    solve: Option<f64>,
    /// Group the positions by number of empty squares: one bin begins at 0, and one at each N, in
    /// ascending order
    #[arg(long, value_name = "N,N,...", default_value = "20,35,50,65,80,95", value_delimiter = ',', value_parser = within::<u32>(1..=100, EXPECTED_BINS))]
    bins: Vec<u32>,
    #[command(flatten)]
    weights: WeightsArgs,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let learned = args.weights.evaluator()?;
    let mut solver = Solver::new(SOLVER_MEMORY);
    let chance = |view: &View<'_>| {
        let view = &view.with_dead_squares(solver.dead_squares(view.empty, view.amazons).unwrap_or(0));
        logistic(if args.campya { campya::log_odds(view) } else { learned.log_odds(view) })
    };
    ensure!(args.bins.is_sorted_by(|a, b| a < b), "--bins: expected {EXPECTED_BINS}");
    let blank = BinnedScores::new(&args.bins, args.solve.is_some());
    let solve = args.solve.map(|milliseconds| Duration::from_secs_f64(milliseconds / 1e3));
    let scores = match &args.positions {
        Some(path) => vec![("positions", measure_positions(path, chance, solve, blank)?)],
        None => measure_games(&Library::open(&args.games)?, chance, &blank),
    };
    let mut report = Report::of(&scores[0].1);
    report.half_plies = scores.get(1).map(|(_, half_plies)| Box::new(Report::of(half_plies)));
    super::print_result(args.json, &report, || {
        let tables = scores.iter().map(|(what, scores)| table(what, scores));
        tables.collect::<Vec<_>>().join("\n")
    })
}

/// Scores `chance`, an estimate of the probability that the side to act next wins, on the labelled
/// positions of a file.
fn measure_positions(
    path: &Path,
    mut chance: impl FnMut(&View<'_>) -> f64,
    solve: Option<Duration>,
    mut scores: BinnedScores,
) -> anyhow::Result<BinnedScores> {
    let place = || format!("--positions {}", path.display());
    let mut input = BufReader::new(files::open(path).with_context(place)?);
    let mut buffer = Vec::new();
    for number in 1.. {
        let place = || format!("--positions {}, line {number}", path.display());
        let is_whole = read_line_within(&mut input, MAX_LINE, &mut buffer).with_context(place)?;
        ensure!(is_whole, "{}: more than {MAX_LINE} bytes, expected a shorter line", place());
        if buffer.is_empty() {
            break;
        }
        let line =
            str::from_utf8(&buffer).map_err(|_| anyhow!("{}: not UTF-8, expected a position", place()))?;
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        let (position, won) =
            parse_labelled_position(text).map_err(|error| anyhow!("{}: {error}", place()))?;
        let proven = solve.and_then(|limit| mover_wins_if_proven(&position, limit));
        if proven == Some(!won) {
            warn(format_args!("{}: the solver proves the opposite of the label: {position}", place()));
        }
        scores.add(position.empty().count(), chance(&View::from(&position)), won, proven);
    }
    ensure!(scores.all.positions > 0, "{}: no positions, expected one a line", place());
    Ok(scores)
}

/// True if the side to move is proven to win, and false if that side is proven to lose. `None` if
/// the solver finds no proof within `limit` of CPU time.
fn mover_wins_if_proven(position: &Position, limit: Duration) -> Option<bool> {
    let mut solver = Solver::new(SOLVER_MEMORY);
    let stopwatch = Stopwatch::cpu(Cpu::Thread);
    let late = || stopwatch.elapsed() >= limit;
    let solution = solver.prove(position, &Effort { nodes: u64::MAX, stop: &late });
    // The solver reads the clock every few nodes only, so a proof may come after the limit.
    let winner = solution.winner.filter(|_| !late())?;
    Some(winner == position.to_move())
}

/// Scores `chance` on positions before a queen move and, separately, before an arrow ("half
/// plies"). Skips games lost by a fault, and positions up to the last deliberate blunder of a game.
fn measure_games(
    library: &Library,
    mut chance: impl FnMut(&View<'_>) -> f64,
    blank: &BinnedScores,
) -> Vec<(&'static str, BinnedScores)> {
    let (mut positions, mut half_plies) = (blank.clone(), blank.clone());
    for (_, sample) in library.samples().filter(|(_, sample)| sample.result_usable) {
        let scores = if sample.state.is_half_ply() { &mut half_plies } else { &mut positions };
        scores.add(sample.state.empty_squares(), chance(&View::from(&sample.state)), sample.won, None);
    }
    vec![("positions", positions), ("half plies", half_plies)]
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    all: Scores,
    by_empty: Vec<&'a Bin>,
    /// The scores for positions before an arrow. `None` if the input is a file of positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    half_plies: Option<Box<Report<'a>>>,
}

impl Report<'_> {
    fn of(scores: &BinnedScores) -> Report<'_> {
        Report { all: scores.all, by_empty: scores.bins().collect(), half_plies: None }
    }
}

fn table(what: &str, scores: &BinnedScores) -> String {
    let cell = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.4}"));
    let percent =
        |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
    let row = |name: String, scores: Scores| {
        let (loss, brier, share) = (cell(scores.log_loss), cell(scores.brier), percent(scores.accuracy));
        let proofs = scores.proofs.map(|ProofCounts { proven, contradicted }| {
            let proven = (scores.positions > 0).then(|| proven as f64 / scores.positions as f64);
            [percent(proven), contradicted.to_string()]
        });
        let cells = [name, scores.positions.to_string(), loss, brier, share].into_iter();
        cells.chain(proofs.into_iter().flatten()).collect::<Vec<_>>()
    };
    let bins = scores.bins().rev().map(|bin| row(format!("{} to {}", bin.from, bin.to - 1), bin.scores));
    let rows: Vec<_> = bins.chain([row("all".to_owned(), scores.all)]).collect();
    let heads = ["empty squares", what, "log-loss", "Brier", "accuracy", "proven", "contradicted"];
    Table::new(heads.into_iter().take(rows[0].len()), rows).text()
}
