//! Lines of a bounded length, one at a time.

use std::io::{self, BufRead, Read};

/// The longest line that is read, in bytes.
///
/// A history is some 10 KB; the data and the global data that come with it are at most 100 KB each, six times
/// that if every character is escaped. Whatever is longer than this is not from a judge.
pub const MAX_LINE: usize = 4 << 20;

/// Reads lines as they come: in keep-running mode the input never ends.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
}

/// What the input holds next.
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
        self.buffer.clear();
        let limit = MAX_LINE as u64 + 1;
        let count = self.input.by_ref().take(limit).read_until(b'\n', &mut self.buffer)?;
        if count == 0 {
            return Ok(Line::End);
        }
        if count > MAX_LINE {
            return Ok(Line::TooLong);
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
