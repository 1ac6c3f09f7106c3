//! `quiver features`: writes the inputs of the evaluator or of the policy network from self-play
//! games, as training data.

use std::fmt::Display;
use std::path::PathBuf;

use super::options::{expect_no_input, expect_writable, networks};
use super::value_parsers::parse_concurrency;
use super::{Failed, interrupt, progress_bar};
use crate::files::Replacement;
use crate::messages::counted;
use crate::search::EngineOptions;
use crate::training::{BYTES_PER_PLAYOUT, Library, Searches, features, policy_rows};

const AFTER_HELP: &str = "\
With --playouts N, every position of a game is searched for N/8 playouts. One position is then drawn from that search \
tree and searched for N playouts. In the tree of this second search, each node with at least N/8 visits becomes a \
row, at most 128 nodes a search. Each search is written to OUT.journal as soon as it ends. The same command resumes \
from the journal, also if further files of games follow the earlier ones. All rows are held in memory: about 60 KB a \
game on 8x8.";

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Records of games that `quiver selfplay` wrote, all on one size of board
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    games: Vec<PathBuf>,
    /// The file to write: one line of JSON that describes the format of the rows, then the rows of
    /// data (see src/training/features.rs)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Use only every K-th ply of a game
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Write training data of the policy network, not of the evaluator (see
    /// src/training/policy_rows.rs)
    #[arg(long, conflicts_with = "every")]
    policy: bool,
    /// Make the rows from new searches of N playouts, not from the visits that the games record
    #[arg(long, value_name = "N", requires = "policy", conflicts_with = "every", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    playouts: Option<u64>,
    /// Number of searches that run at the same time
    #[arg(long, value_name = "N", default_value = "1", requires = "playouts", value_parser = parse_concurrency)]
    concurrency: usize,
    /// Seed of the searches and of the random choice of positions
    #[arg(long, value_name = "N", default_value_t = 1, requires = "playouts")]
    seed: u64,
    /// Search with a network that the tuning command fit-policy wrote, not with the shipped one
    #[arg(long, value_name = "FILE", requires = "playouts")]
    net: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    expect_no_input("--out", Some(&args.out), &args.games)?;
    let library = Library::open(&args.games)?;
    let failed = |error| Failed(format!("{}: {error}", args.out.display()));
    let games = counted(library.games().count(), "game", "games");
    if let Some(playouts) = args.playouts {
        let rows = write_searched_rows(args, &library, playouts)?;
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

fn write_searched_rows(args: &Args, library: &Library, playouts: u64) -> anyhow::Result<usize> {
    let failed = |error: &dyn Display| Failed(format!("{}: {error}", args.out.display()));
    let about = policy_rows::rows_header(library).map_err(|error| failed(&error))?;
    let journal = args.out.with_added_extension("journal");
    expect_writable("--out", Some(&args.out))?;
    // A search ends when its tree has filled the memory. The header of the rows states `playouts`,
    // so the memory must be enough for all these playouts.
    let memory = (BYTES_PER_PLAYOUT * playouts).max(16 << 20) as usize;
    let (seed, networks) = (args.seed, networks(args.net.as_ref())?);
    let engine = EngineOptions { memory, seed, networks, ..EngineOptions::default() };
    let mut run = Searches::resume(playouts, engine, library, &journal)?;
    let interrupted = interrupt::stop_on_interrupt("ending after the searches in progress")?;
    let [total, done] = run.total_and_done();
    let bar = progress_bar(total, done);
    run.run(args.concurrency, &interrupted, || bar.inc(1)).map_err(|error| failed(&error))?;
    bar.finish_and_clear();
    let [_, done] = run.total_and_done();
    interrupt::expect_complete(&interrupted, done == total, &counted(done, "search", "searches"))?;
    let file = Replacement::create(&args.out).map_err(|error| failed(&error))?;
    let rows = run.write(about, file).map_err(|error| failed(&error))?;
    std::fs::remove_file(&journal).map_err(|error| Failed(format!("{}: {error}", journal.display())))?;
    Ok(rows)
}
