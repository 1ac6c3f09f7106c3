//! Runs Quiver as an engine of other programs by three protocols: UCI, GTP and the protocol of the
//! contest platform.
//!
//! Each protocol is a [`Session`], which receives lines and writes answers. A session searches on a
//! [`SearchThread`](search_thread::SearchThread) and reads further lines during the search.

pub mod contest_platform;
pub mod gtp;
mod search_thread;
#[cfg(test)]
mod transcript;
pub mod uci;

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::files::{MAX_LINE, read_line_within};
use crate::search::{Engine, Limits, Report, Watch};

/// A writer of answers or of a log, which the session shares with its search thread.
pub type Output = Arc<Mutex<dyn Write + Send>>;

/// Shares a writer between a session and its search thread.
pub fn output(writer: impl Write + Send + 'static) -> Output {
    Arc::new(Mutex::new(writer))
}

/// The largest number of characters of a received text that an error message quotes.
const MAX_QUOTED: usize = 40;

fn write_line(output: &Output, text: &str) -> io::Result<()> {
    let mut output = output.lock();
    writeln!(output, "{text}")?;
    output.flush()
}

/// Writes a line, unless it is empty. In GTP an empty line would end the answer.
fn write_unless_empty(output: &Output, line: &str) -> io::Result<()> {
    if line.is_empty() { Ok(()) } else { write_line(output, line) }
}

/// Searches. After each interval, writes the line that `line` makes from an interim report. The
/// search also ends if writing fails.
fn search_with_reports(
    engine: &mut Engine,
    limits: &Limits,
    interval: Duration,
    output: &Output,
    line: impl Fn(&Report) -> String,
) -> io::Result<Option<Report>> {
    let mut written = Ok(());
    let mut write = |report: &Report| {
        if written.is_ok() {
            written = write_unless_empty(output, &line(report)).inspect_err(|_| limits.stop.stop());
        }
    };
    let report = engine.search_watched(limits, &mut Watch::new(interval, &mut write));
    written.map(|()| report)
}

/// A conversation in one of the protocols with the program that controls the engine.
pub trait Session {
    /// Handles a line, which includes its line break. Returns false if the session is over.
    fn handle_line(&mut self, line: &[u8]) -> io::Result<bool>;

    /// Reports to the controlling program or to the log why a line is ignored.
    fn refuse_line(&mut self, why: String) -> io::Result<()>;

    /// Finishes or stops a running search at the end of the input.
    fn end_of_input(&mut self) -> io::Result<()>;
}

/// Hands the lines of the input to a session until the session is over or the input ends.
///
/// # Errors
/// If the input cannot be read or an answer cannot be written.
pub fn converse(mut input: impl BufRead, session: &mut impl Session) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        if !read_line_within(&mut input, MAX_LINE, &mut line)? {
            input.skip_until(b'\n')?;
            session.refuse_line(format!("a line of more than {MAX_LINE} bytes: expected a shorter line"))?;
        } else if line.is_empty() {
            return session.end_of_input();
        } else if !session.handle_line(&line)? {
            return Ok(());
        }
    }
}
