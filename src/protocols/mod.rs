//! Quiver as an engine of other programs: UCI, GTP and the contest platform.
//!
//! Each protocol is a session that takes lines in and writes answers, so that a whole conversation is
//! a test. [`SearchThread`](search_thread::SearchThread) searches while a session reads on.

pub mod contest_platform;
pub mod gtp;
mod search_thread;
pub mod uci;

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::files::{MAX_LINE, read_line};

/// The writer of answers, shared with the thread that searches.
pub(crate) type Output = Arc<Mutex<dyn Write + Send>>;

/// Characters of a received text that a message shows.
const SHOWN: usize = 40;

/// Writes a line, or several, and flushes it.
fn say(output: &Output, text: &str) -> io::Result<()> {
    let mut output = output.lock();
    writeln!(output, "{text}")?;
    output.flush()
}

/// A conversation with another program, line by line.
trait Session {
    /// Takes a line in, with its end. Returns whether to go on reading.
    fn take(&mut self, line: &[u8]) -> io::Result<bool>;

    /// Tells the other program, or the log, of a line that is left out.
    fn refuse(&mut self, why: String) -> io::Result<()>;

    /// Ends what still runs.
    fn end_of_input(&mut self) -> io::Result<()>;
}

/// Hands a session its lines, until it has had enough or the input ends.
fn converse(mut input: impl BufRead, session: &mut impl Session) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        if !read_line(&mut input, MAX_LINE, &mut line)? {
            input.skip_until(b'\n')?;
            session.refuse(format!("a line of more than {MAX_LINE} bytes: expected less"))?;
        } else if line.is_empty() {
            return session.end_of_input();
        } else if !session.take(&line)? {
            return Ok(());
        }
    }
}
