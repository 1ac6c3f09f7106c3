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

/// Reads lines as they come: in keep-running mode the input never ends.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
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

impl<R: BufRead> Lines<R> {
    /// The lines of `input`.
    pub fn new(input: R) -> Lines<R> {
        Lines { input, buffer: Vec::new() }
    }

    /// Waits for the next line.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn next_line(&mut self) -> io::Result<Line<'_>> {
        if !read_line(&mut self.input, MAX_LINE, &mut self.buffer)? {
            return Ok(Line::TooLong);
        }
        if self.buffer.is_empty() {
            return Ok(Line::End);
        }
        Ok(std::str::from_utf8(&self.buffer).map_or(Line::NotText, |text| Line::Text(text.trim())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_by_one_and_trimmed() {
        let mut lines = Lines::new(&b" a b \r\n\n\xff\nlast"[..]);
        for expected in
            [Line::Text("a b"), Line::Text(""), Line::NotText, Line::Text("last"), Line::End, Line::End]
        {
            assert_eq!(lines.next_line().unwrap(), expected);
        }
    }

    #[test]
    fn a_line_without_end_is_not_read_to_its_end() {
        let mut longest = vec![b'x'; MAX_LINE - 1];
        longest.push(b'\n');
        assert!(matches!(Lines::new(&longest[..]).next_line().unwrap(), Line::Text(_)));
        let endless = io::BufReader::new(io::repeat(b'x'));
        assert_eq!(Lines::new(endless).next_line().unwrap(), Line::TooLong);
    }
}
