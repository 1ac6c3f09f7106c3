//! Lines of a bounded length, one at a time.

use std::io::{self, BufRead, Read};

/// The longest line that is read, in bytes.
///
/// A history is some 10 KB; the data and the global data that come with it are at most 100 KB each,
/// six times that if every character is escaped. Whatever is longer than this is not from a judge.
pub const MAX_LINE: usize = 4 << 20;

/// Reads one line with its line break. Returns false if it has more than `limit` bytes; the rest is
/// still to be read.
///
/// # Errors
/// If the input cannot be read.
pub fn read_line(input: &mut impl BufRead, limit: usize, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    input.take(limit as u64 + 1).read_until(b'\n', line)?;
    Ok(line.len() <= limit)
}

/// The next item of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line without the white space around it, maybe empty; the last one needs no line break.
    Text(&'a str),
    /// A line of more than [`MAX_LINE`] bytes; the rest of it has not been read.
    TooLong,
    /// A line that is not UTF-8.
    NotText,
    /// Nothing: the input is at its end.
    End,
}

/// Waits for the next line: in keep-running mode the input never ends.
///
/// # Errors
/// If the input cannot be read.
pub fn next_line<'a>(input: &mut impl BufRead, buffer: &'a mut Vec<u8>) -> io::Result<Line<'a>> {
    Ok(match read_line(input, MAX_LINE, buffer)? {
        false => Line::TooLong,
        true if buffer.is_empty() => Line::End,
        true => std::str::from_utf8(buffer).map_or(Line::NotText, |text| Line::Text(text.trim())),
    })
}
