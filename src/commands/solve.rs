//! `quiver solve`: tries to prove who wins, and gives bounds of the first player's lead in moves.

use std::time::{Duration, Instant};

use amazons::{Move, Side};
use serde::Serialize;

use super::Failed;
use super::options::{DEFAULT_MEMORY, PositionArgs};
use super::value_parsers::{parse_memory, parse_seconds};
use crate::endgame::{BestMoveError, Effort, Solution, Solver};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// Time limit; without it the solver searches until the position is proven
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Memory for the solver's tables in bytes, or with a suffix K, M or G
    #[arg(long, value_name = "SIZE", default_value = DEFAULT_MEMORY, value_parser = parse_memory)]
    memory: usize,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

/// The result of `solve`. `json.md` describes the fields, which are printed in alphabetical order,
/// as in earlier versions.
#[derive(Serialize)]
struct SolveReport {
    best: Option<Move>,
    least: i32,
    margin: Option<u32>,
    most: i32,
    nodes: u64,
    seconds: f64,
    to_move: Side,
    winner: Option<Side>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let position = args.position.position()?;
    // Without this check, a failed allocation of the tables would abort the program.
    let bytes = args.memory;
    let available = Vec::<u8>::new().try_reserve_exact(bytes);
    available
        .map_err(|_| Failed(format!("--memory: the system does not give {bytes} bytes, expected fewer")))?;
    let mut solver = Solver::new(args.memory);
    let begun = Instant::now();
    let late = || args.time.is_some_and(|time| begun.elapsed() >= time);
    let effort = Effort { nodes: u64::MAX, stop: &late };
    let solution = solver.prove(&position, &effort);
    let best = solution.winner.map(|winner| solver.best_move(&position, winner, &effort));
    let time = begun.elapsed();
    let (least, most) = solution.bounds;
    let report = SolveReport {
        best: best.and_then(Result::ok),
        least,
        margin: solution.margin(),
        most,
        nodes: solution.nodes,
        seconds: time.as_secs_f64(),
        to_move: position.to_move(),
        winner: solution.winner,
    };
    super::print_result(args.json, &report, || text(&solution, best, time))
}

fn text(solution: &Solution, best: Option<Result<Move, BestMoveError>>, time: Duration) -> String {
    let mut text = match (solution.winner, solution.margin()) {
        (Some(winner), Some(margin)) => format!("the {winner} player wins by {margin}"),
        (Some(winner), None) => format!("the {winner} player wins"),
        (None, _) => String::from("not proven"),
    };
    match best {
        Some(Ok(best)) => text += &format!(", best move {best}"),
        Some(Err(why)) => text += &format!(", but {why}"),
        None => {}
    }
    let (least, most) = solution.bounds;
    if least < most {
        text += &format!("; the proven bounds put the first player ahead by {least} to {most} moves");
    }
    text + &format!("; {} nodes, {:.3} s\n", solution.nodes, time.as_secs_f64())
}
