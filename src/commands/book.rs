//! `quiver book make`: makes an opening book by searching the positions near the start.

use std::path::PathBuf;

use amazons::Move;
use anyhow::{Context, ensure};

use super::options::{BoardArgs, EngineArgs, expect_writable};
use super::value_parsers::parse_concurrency;
use super::{failed, interrupt, progress_bar, write_result};
use crate::files::sealed_line;
use crate::messages::{counted, printable};
use crate::training::{BYTES_PER_PLAYOUT, BookRecipe};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Args {
    /// Search the positions near the start, beginning with those at which games are most likely to
    /// leave the book
    Make(MakeArgs),
}

const AFTER_HELP: &str = "\
Each search has the memory of --memory, and needs 800 bytes a playout. Every position is written to OUT.journal as \
soon as it is searched. The same command resumes from the journal, and a larger --positions extends a finished book. \
`tuning/python -m tuning book` makes a book on many machines, with the help of --next and --line.

The book has a line for each position: the moves from the start, then the move to play, and its value as a comment. \
`quiver bot --book FILE` plays from the book.";

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct MakeArgs {
    /// Number of positions to search in all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    positions: u32,
    /// Playouts of each search
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
    /// The book to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of simultaneous searches; a different number gives a different book
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_concurrency)]
    concurrency: usize,
    /// Do not search: create the journal OUT.journal, and print the moves to each position that
    /// must be searched next
    #[arg(long)]
    next: bool,
    /// Search only the position after these moves, and print its result as a line of the journal
    #[arg(long, value_name = "MOVES", conflicts_with = "next")]
    line: Option<String>,
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let Args::Make(args) = args;
    let MakeArgs { playouts, concurrency, ref out, .. } = *args;
    let (start, engine) = (args.board.start()?, args.engine.options()?);
    let min_memory = BYTES_PER_PLAYOUT.saturating_mul(playouts);
    ensure!(
        engine.memory as u64 >= min_memory,
        "--memory: {} bytes for {playouts} playouts: expected at least {min_memory}",
        engine.memory
    );
    let recipe = BookRecipe { start, playouts, engine };
    if let Some(text) = &args.line {
        let moves: Vec<Move> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let line = recipe.evaluate_as_journal_line(&moves);
        let line = line.with_context(|| format!("--line '{text}': expected legal moves from the start"))?;
        return super::print(sealed_line(&line));
    }
    expect_writable("--out", Some(out))?;
    let journal = out.with_added_extension("journal");
    let mut making = recipe.resume(&journal)?;
    let total = args.positions as usize;
    if args.next {
        for line in making.tree.next_lines(total, concurrency) {
            let moves: Vec<String> = line.iter().map(ToString::to_string).collect();
            super::print(format_args!("{}\n", moves.join(" ")))?;
        }
        return Ok(());
    }
    let interrupted = interrupt::stop_on_interrupt("ending after the searches in progress")?;
    let bar = progress_bar(total, making.tree.evaluated.min(total));
    let tell = |evaluated| bar.set_position(evaluated as u64);
    making.run(total, concurrency, &interrupted, tell).map_err(failed)?;
    bar.finish_and_clear();
    let (text, evaluated) = (making.tree.text(), making.tree.evaluated);
    let positions = counted(evaluated, "position", "positions");
    let version = env!("CARGO_PKG_VERSION");
    let moves = counted(text.lines().count(), "move", "moves");
    let head = format!(
        "# {moves} for {positions} searched with {playouts} playouts each, quiver {version}; each value is a \
         probability of winning, for the side to move\n"
    );
    write_result("--out", out, head + &text)?;
    interrupt::expect_complete(&interrupted, evaluated >= total, &positions)?;
    super::print(printable(&format!("{positions}, {moves} in {}\n", out.display())))
}
