//! `quiver uci`: this engine as a UCI engine with the variant `amazons`, in Fairy-Stockfish's notation.
//!
//! The start position is that of the 10x10 board, or of `amazons8` and `amazons6`; any other board comes as a FEN.
//!
//! A search says an `info` line twice a second, and one at its end, with its `bestmove`.

mod options;
mod request;
mod session;

use std::io::{BufRead, BufReader, Write};

use super::options::EngineArgs;
use session::{Next, Session};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    engine: EngineArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let mut session = Session::new(args.engine.options()?, Box::new(std::io::stdout()));
    serve(BufReader::new(std::io::stdin()), &mut session)
}

/// Answers line by line until `quit` or the end of the input.
fn serve(mut input: impl BufRead, session: &mut Session) -> anyhow::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return session.end_of_input();
        }
        if matches!(session.take(&String::from_utf8_lossy(&line))?, Next::Quit) {
            return Ok(());
        }
    }
}

/// Where answers go: shared with the thread that searches.
type Output = Box<dyn Write + Send>;

#[cfg(test)]
mod tests;
