//! Lines of bounded length.

use std::io::{self, BufRead, Read};

/// The longest line that is read, in bytes.
///
/// A history is some 10 KB; the data and the global data that come with it are at most 100 KB each,
/// six times that if every character is escaped. Whatever is longer than this is not from a judge.
pub const MAX_LINE: usize = 4 << 20;

/// Reads the next line with its line break into `line`, which is empty at the end of the input.
/// Returns false if the line has more than `limit` bytes; the rest stays unread.
///
/// # Errors
/// If the input cannot be read.
pub fn read_line(input: &mut impl BufRead, limit: usize, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    input.take(limit as u64 + 1).read_until(b'\n', line)?;
    Ok(line.len() <= limit)
}
