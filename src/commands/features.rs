//! `quiver features`: what the evaluator or the policy network sees in self-play games, for
//! programs that fit them.

use std::path::PathBuf;

use super::Failed;
use crate::files::Replacement;
use crate::messages::counted;
use crate::training::{Library, features, policy_rows};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folders of games, as `quiver selfplay` writes them, all on one size of board
    #[arg(long, value_name = "DIR", required = true, num_args = 1..)]
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
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let library = Library::open(&args.games)?;
    let failed = |error| Failed(format!("{}: {error}", args.out.display()));
    let file = Replacement::create(&args.out).map_err(failed)?;
    let (rows, kind) = if args.policy {
        (policy_rows::write(&library, file), "for the policy network".to_owned())
    } else {
        (features::write(&library, args.every, file), format!("of {} columns", features::COUNT))
    };
    let rows = rows.map_err(failed)?;
    let games = counted(library.games().count(), "game", "games");
    super::print(format_args!("{rows} rows {kind}, from {games}\n"))
}
