//! `quiver uci`: this engine as a UCI engine with the variant `amazons`, in Fairy-Stockfish's
//! notation.
//!
//! The start position is that of the 10x10 board, or of `amazons8` and `amazons6`; any other board
//! comes as a FEN.
//!
//! A search says an `info` line twice a second, and one at its end, with its `bestmove`.

mod options;
mod request;
mod session;

use std::io::{self, BufRead, BufReader, Write};
use std::sync::Arc;

use parking_lot::Mutex;

use super::options::EngineArgs;
use crate::files::{MAX_LINE, read_line};
use crate::players::EngineOptions;
use session::UciSession;

pub(super) fn run(engine: &EngineArgs) -> anyhow::Result<()> {
    Ok(converse(BufReader::new(io::stdin()), engine.options()?, io::stdout())?)
}

/// Answers line by line until `quit` or the end of the input.
pub fn converse(
    input: impl BufRead,
    engine: EngineOptions,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    answer(input, UciSession::new(engine, Arc::new(Mutex::new(output))))
}

fn answer(mut input: impl BufRead, mut session: UciSession) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        if !read_line(&mut input, MAX_LINE, &mut line)? {
            input.skip_until(b'\n')?;
            session.complain(&format!("a line of more than {MAX_LINE} bytes: expected less"))?;
            continue;
        }
        if line.is_empty() {
            return session.end_of_input();
        }
        if !session.take(&String::from_utf8_lossy(&line))? {
            return Ok(());
        }
    }
}

/// The writer of answers, shared with the thread that searches.
type Output = Arc<Mutex<dyn Write + Send>>;

#[cfg(test)]
mod tests;
