//! `quiver selfplay`: plays games of the engine against itself, as training data for evaluators.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::options::{BoardArgs, EvaluatorArgs, ParameterArgs};
use super::value_parsers::{parse_concurrency, parse_memory, within};
use super::{failed, interrupt, progress_bar};
use crate::contest::GameRecord;
use crate::files::JournalError;
use crate::jobs;
use crate::messages::{counted, printable, warn};
use crate::search::EngineOptions;
use crate::training::SelfPlayRecipe;

const AFTER_HELP: &str = "\
The same command resumes an interrupted run, and a larger --games extends a finished one. The command refuses a file \
whose games have other settings (board, seed, playouts, parameters, weights, version). The games do not depend on \
--concurrency.

The file is a match record that also has the visits of the searches. src/contest/record.md defines the format.";

/// Time between two progress messages, which are printed if no progress bar is visible.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(30);

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Number of games in the file at the end, including earlier games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    games: u32,
    /// Playouts of each search
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
    /// The file to write games to
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    board: BoardArgs,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of games that are played at the same time
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_concurrency)]
    concurrency: usize,
    /// Number of random plies at the beginning of each game [default: 2 to 8, drawn for each game]
    #[arg(long, value_name = "K")]
    random_plies: Option<usize>,
    /// Probability that a random move replaces the search's move; the result of a game labels only
    /// the positions after its last random move
    #[arg(long, value_name = "RATE", default_value = "0.01", value_parser = within(0.0..=1.0, "a number from 0 to 1"))]
    blunders: f64,
    /// Memory for each search tree in bytes, or with a suffix K, M or G
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = parse_memory)]
    memory: usize,
    #[command(flatten)]
    parameters: ParameterArgs,
    #[command(flatten)]
    evaluator: EvaluatorArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let Args { games, playouts, random_plies, blunders, memory, seed, concurrency, .. } = *args;
    let (start, engine) = (args.board.start()?, EngineOptions { memory, seed, ..EngineOptions::default() });
    let engine = args.evaluator.engine_options(engine, &args.parameters)?;
    let recipe = SelfPlayRecipe { start, playouts, random_plies, blunders, engine };
    recipe.check_openings().context("--random-plies")?;
    let interrupted = interrupt::stop_on_interrupt("ending after the games in progress")?;
    let (mut journal, played) = recipe.resume(&args.out)?;
    let played: BTreeSet<u32> = played.iter().map(|record| record.number as u32).collect();
    let to_play: Vec<u32> = (0..games).filter(|number| !played.contains(number)).collect();
    let (total, done) = (games as usize, games as usize - to_play.len());
    let bar = progress_bar(total, done);
    let (mut last_report, mut plies, mut new) = (Instant::now(), 0, 0);
    let rate = |played: usize| played as f64 / bar.elapsed().as_secs_f64().max(1e-9);
    let take = |record: GameRecord| {
        journal.append(&record.line())?;
        plies += record.game.plies().len();
        new += 1;
        bar.inc(1);
        let rate = rate(new);
        bar.set_message(format!("{rate:.2} games/s"));
        if last_report.elapsed() >= PROGRESS_INTERVAL && bar.is_hidden() {
            last_report = Instant::now();
            let have = done + new;
            let left = (total - have) as f64 / rate;
            warn(format_args!("{have} of {total} games, {rate:.2} games/s, {left:.0} s left"));
        }
        Ok::<_, JournalError>(())
    };
    jobs::run(concurrency, &interrupted, &to_play, |&number| Some(recipe.play(number)), take)
        .map_err(failed)?;
    bar.finish_and_clear();
    interrupt::expect_complete(&interrupted, done + new == total, &counted(done + new, "game", "games"))?;
    let (games, file) = (counted(games, "game", "games"), args.out.display());
    let summary = match new {
        0 => String::new(),
        _ => format!(", {:.1} plies each, {:.2} games/s", plies as f64 / new as f64, rate(new)),
    };
    super::print(printable(&format!("{games} in {file}, {new} of them new{summary}\n")))
}
