//! Quiver as an engine of other programs: UCI, GTP and the contest platform.
//!
//! Each protocol is a session that takes lines in and writes answers, so that a whole conversation is
//! a test. [`SearchThread`](search_thread::SearchThread) searches while a session reads on.

pub mod contest_platform;
pub mod gtp;
mod search_thread;
pub mod uci;

use std::io::{self, Write};
use std::sync::Arc;

use parking_lot::Mutex;

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
