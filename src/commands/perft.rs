//! `quiver perft`: counts the lines of play of a given length from a position.

use amazons::{divide, perft};

use super::options::PositionArgs;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    position: PositionArgs,
    /// Length of the counted lines, in plies
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(0..=10))]
    depth: u32,
    /// Also print, for each first move, the number of lines that begin with it
    #[arg(long)]
    divide: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let position = args.position.position()?;
    // A line of play of length 0 has no first move.
    let count = if args.divide && args.depth > 0 {
        let mut sum = 0;
        for (first_move, count) in divide(&position, args.depth) {
            super::print(format_args!("{first_move}: {count}\n"))?;
            sum += count;
        }
        sum
    } else {
        perft(&position, args.depth)
    };
    super::print(format_args!("perft({}) = {count}\n", args.depth))
}
