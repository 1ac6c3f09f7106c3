//! `quiver book make`: an opening book.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::Context;

use super::options::{BoardOptions, EngineArgs, parse_concurrency};
use super::{Failed, interrupt, progress_bar};
use crate::files;
use crate::messages::counted;
use crate::training::BookRecipe;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Args {
    /// Search the positions near the start, those first at which a game would most likely leave the
    /// book
    Make(MakeArgs),
}

const AFTER_HELP: &str = "\
Give the tree enough --memory: some 800 bytes a playout. Every position is written to OUT.journal as soon as it is \
searched; the same command goes on from there, and extends a book with fewer positions.

The book has a line for each position: the moves from the start, and last the move to play; a comment has its value. \
`quiver bot --book FILE` plays by it.";

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct MakeArgs {
    /// Positions that are searched in all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    positions: u32,
    /// Playouts of each search
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
    /// The book to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Positions searched at a time; the book depends on it
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_concurrency)]
    concurrency: usize,
    #[command(flatten)]
    board: BoardOptions,
    #[command(flatten)]
    engine: EngineArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let Args::Make(args) = args;
    let recipe =
        BookRecipe { start: args.board.start()?, playouts: args.playouts, engine: args.engine.options()? };
    let mut journal = args.out.clone().into_os_string();
    journal.push(".journal");
    let interrupted = interrupt::watch("ending; searches in progress go on to their end", || ())?;
    let total = args.positions as usize;
    let bar = progress_bar(total, 0);
    let told = |evaluated| bar.set_position(evaluated as u64);
    let tree = recipe.make(journal.as_ref(), total, args.concurrency, &interrupted, told)?;
    bar.finish_and_clear();
    let (text, positions) = (tree.text(), counted(tree.evaluated, "position", "positions"));
    let version = env!("CARGO_PKG_VERSION");
    let head =
        format!("# {positions} of {} playouts, quiver {version}; the value is the mover's\n", args.playouts);
    files::replace(&args.out, head + &text).with_context(|| format!("--out {}", args.out.display()))?;
    if interrupted.load(Ordering::Relaxed) {
        return Err(Failed(format!("interrupted after {positions}; the same command goes on")).into());
    }
    let (moves, out) = (counted(text.lines().count(), "move", "moves"), args.out.display());
    super::print(format_args!("{positions}, {moves} in {out}\n"))
}
