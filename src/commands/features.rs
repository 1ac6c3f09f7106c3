//! `quiver features`: what the evaluator or the policy network sees in self-play games, for
//! programs that fit them.

use std::fmt::Display;
use std::path::PathBuf;

use super::options::{expect_writable, networks, parse_concurrency};
use super::{Failed, interrupt, progress_bar};
use crate::files::Replacement;
use crate::messages::counted;
use crate::search::EngineOptions;
use crate::training::{BYTES_PER_PLAYOUT, Library, Searches, features, policy_rows};

const AFTER_HELP: &str = "\
With --playouts each position of a game is searched for an eighth of these playouts. A position drawn from the tree of \
that search is then searched for all of them, and the nodes of that tree with an eighth of the visits make rows, 128 at \
most. Each search is written to OUT.journal as soon as it is made; the same command goes on from there, \
also with further files of games after the earlier ones. All rows are held in memory: some 60 KB a game on 8x8.";

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Records of games, as `quiver selfplay` writes them, all on one size of board
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    games: Vec<PathBuf>,
    /// The file to write: a line of JSON that says what a row is, then rows (see
    /// src/training/features.rs)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Take every K-th ply of a game only
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Write the rows that the policy network learns from (see src/training/policy_rows.rs)
    #[arg(long, conflicts_with = "every")]
    policy: bool,
    /// Make the rows by searches of N playouts, in place of the visits that the games record
    #[arg(long, value_name = "N", requires = "policy", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    playouts: Option<u64>,
    /// Searches at a time
    #[arg(long, value_name = "N", default_value = "1", requires = "playouts", value_parser = parse_concurrency)]
    concurrency: usize,
    /// Seed of the searches and of what is drawn
    #[arg(long, value_name = "N", default_value_t = 1, requires = "playouts")]
    seed: u64,
    /// Search with a network from a file, as fit-policy writes it, instead of the shipped one
    #[arg(long, value_name = "FILE", requires = "playouts")]
    net: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let library = Library::open(&args.games)?;
    let failed = |error| Failed(format!("{}: {error}", args.out.display()));
    let games = counted(library.games().count(), "game", "games");
    if let Some(playouts) = args.playouts {
        let rows = searched(args, &library, playouts)?;
        return super::print(format_args!("{rows} rows for the policy network, from {games}\n"));
    }
    let file = Replacement::create(&args.out).map_err(failed)?;
    let (rows, kind) = match args.policy {
        true => (policy_rows::write(&library, file), "for the policy network".to_owned()),
        false => {
            (features::write(&library, args.every, file), format!("of {} columns", features::COLUMN_COUNT))
        }
    };
    super::print(format_args!("{} rows {kind}, from {games}\n", rows.map_err(failed)?))
}

/// Makes the searches of these games, and writes their rows; returns how many.
fn searched(args: &Args, library: &Library, playouts: u64) -> anyhow::Result<usize> {
    let failed = |error: &dyn Display| Failed(format!("{}: {error}", args.out.display()));
    let about = policy_rows::about(library).map_err(|error| failed(&error))?;
    let journal = args.out.with_added_extension("journal");
    expect_writable([("--out", &Some(args.out.clone()))])?;
    // A tree that gets full would be of fewer playouts than its rows say.
    let memory = (BYTES_PER_PLAYOUT * playouts).max(16 << 20) as usize;
    let (seed, networks) = (args.seed, networks(args.net.as_ref())?);
    let engine = EngineOptions { memory, seed, networks, ..EngineOptions::default() };
    let mut run = Searches::resume(playouts, engine, library, &journal)?;
    let interrupted = interrupt::watch("ending; searches in progress go on to their end")?;
    let [total, done] = run.counts();
    let bar = progress_bar(total, done);
    run.run(args.concurrency, &interrupted, || bar.inc(1)).map_err(|error| failed(&error))?;
    bar.finish_and_clear();
    let [_, done] = run.counts();
    interrupt::expect_whole(&interrupted, done == total, &counted(done, "search", "searches"))?;
    let file = Replacement::create(&args.out).map_err(|error| failed(&error))?;
    let rows = run.write(about, file).map_err(|error| failed(&error))?;
    std::fs::remove_file(&journal).map_err(|error| Failed(format!("{}: {error}", journal.display())))?;
    Ok(rows)
}
