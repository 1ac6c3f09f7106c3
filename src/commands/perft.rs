//! `quiver perft`: counts lines of play.

use amazons::{divide, perft};

use super::options::PositionOptions;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionOptions,
    /// Plies to look ahead
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(0..=10))]
    depth: u32,
    /// Also print the count below each first move
    #[arg(long)]
    divide: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let position = args.position.position()?;
    // A depth of 0 has no moves to divide by.
    let count = if args.divide && args.depth > 0 {
        let mut sum = 0;
        for (candidate, count) in divide(&position, args.depth) {
            super::print(format_args!("{candidate}: {count}\n"))?;
            sum += count;
        }
        sum
    } else {
        perft(&position, args.depth)
    };
    super::print(format_args!("perft({}) = {count}\n", args.depth))
}
