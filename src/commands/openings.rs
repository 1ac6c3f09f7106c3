//! `quiver openings`: makes a suite of even openings for matches.

use anyhow::{Context, ensure};
use shell_words::quote;

use super::Failed;
use super::options::{BoardArgs, DEFAULT_MEMORY, EngineArgs};
use super::value_parsers::{parse_memory, within};
use crate::contest::Openings;
use crate::contest::openings::OpeningRecipe;
use crate::search::EngineOptions;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Number of openings to find
    #[arg(long, value_name = "N", default_value_t = 100)]
    count: usize,
    /// Plies of each opening
    #[arg(long, value_name = "K", default_value_t = 4)]
    plies: usize,
    /// Playouts of the search that chooses each ply
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..))]
    choice_playouts: u64,
    /// Playouts of the search that values the position after the opening
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
    /// Largest difference between 0.5 and the value of the position after the opening
    #[arg(long, value_name = "P", default_value_t = 0.03, value_parser = within(0.0..=0.5, "a number from 0 to 0.5"))]
    margin: f64,
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let options = args.engine.options()?;
    let Args { count, plies, choice_playouts, playouts, margin, board: BoardArgs { board, .. }, .. } = *args;
    let start = args.board.start()?;
    let recipe = OpeningRecipe { start, plies, choice_playouts, verdict_playouts: playouts, margin };
    Openings::random(start, plies, options.seed).context("--plies")?;
    let (seed, more) = (options.seed, changed_engine_options(&args.engine, &options));
    super::print(format_args!(
        "# quiver openings --board {board} --count {count} --plies {plies} --choice-playouts {choice_playouts} \
         --playouts {playouts} --margin {margin} --seed {seed}{more}\n\
         # (quiver {}; each value is a probability of winning, for the side to move)\n",
        env!("CARGO_PKG_VERSION")
    ))?;
    let mut found = 0;
    for (opening, value) in recipe.openings(&options).take(count) {
        let moves: Vec<String> = opening.moves().iter().map(ToString::to_string).collect();
        // Prints each opening as soon as it is found, so that an interrupt loses none of them.
        super::print(format_args!("{}  # {:.3}\n", moves.join(" "), value))?;
        found += 1;
    }
    ensure!(
        found == count,
        Failed(format!("{found} openings of {plies} plies valued within {margin} of 0.5, expected {count}"))
    );
    Ok(())
}

fn changed_engine_options(args: &EngineArgs, options: &EngineOptions) -> String {
    let threads = (options.threads != 1).then(|| format!(" --threads {}", options.threads));
    let files = [("weights", &args.evaluator.weights.weights), ("net", &args.evaluator.net)];
    let files = files
        .into_iter()
        .filter_map(|(name, file)| Some(format!(" --{name} {}", quote(&file.as_ref()?.to_string_lossy()))));
    let is_default_memory = parse_memory(DEFAULT_MEMORY) == Ok(options.memory);
    let memory = (!is_default_memory).then(|| format!(" --memory {}", options.memory));
    let parameters = options.parameters.overrides().map(|(name, value)| format!(" --set {name}={value}"));
    threads.into_iter().chain(memory).chain(files).chain(parameters).collect()
}
