//! Reads requests from a stream of lines.

use std::io::BufRead;

use quiver_engine::platform::Instant;

use crate::bot_error::{BotError, turn_error};
use crate::files::{MAX_LINE, read_line_within};
use crate::log::Log;
use crate::request::{JudgeRequest, missing_lines, turns};

/// The most bytes that the judge stores for a bot: 100 KB for the match, 100 KB for all matches.
const MAX_STORED_BYTES: usize = 2 * 100 * 1024;

/// Assembles requests from lines, and never waits for a line after the end of a request.
///
/// After a full history in text form, the judge may send data that it stores for the bot. The
/// reader does not wait for the data, but skips them when it looks for the next request.
pub(super) struct RequestReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// The largest number of bytes of stored data that may still come before the next request.
    stored_bytes_left: usize,
}

impl<R: BufRead> RequestReader<R> {
    pub(super) fn new(input: R) -> RequestReader<R> {
        RequestReader { input, buffer: Vec::new(), stored_bytes_left: 0 }
    }

    /// Waits for a request. Returns the request with the time at which its first line was read, or
    /// `None` at the end of the input.
    pub(super) fn next(
        &mut self,
        turn: usize,
        log: &mut Log,
    ) -> Result<Option<(JudgeRequest, Instant)>, BotError> {
        while let Some(mut text) = self.line(turn, log)? {
            let (read, is_history) = (Instant::now(), turns(&text).is_some());
            while missing_lines(&text) > 0
                && let Some(line) = self.line(turn, log)?
            {
                text = text + "\n" + &line;
            }
            match text.parse::<JudgeRequest>() {
                Ok(request) => {
                    self.stored_bytes_left = if is_history { MAX_STORED_BYTES } else { 0 };
                    return Ok(Some((request, read)));
                }
                // Skips stored data. A history that cannot be read is an error, not stored data.
                Err(_) if text.len() <= self.stored_bytes_left && !is_history && !is_numbers(&text) => {
                    self.stored_bytes_left -= text.len();
                }
                Err(fault) => return Err(turn_error(turn, fault)),
            }
        }
        Ok(None)
    }

    /// Waits for a line that is not blank. Returns it trimmed, or `None` at the end of the input.
    fn line(&mut self, turn: usize, log: &mut Log) -> Result<Option<String>, BotError> {
        let no_request = |got| turn_error(turn, format_args!("{got}: expected a request"));
        loop {
            let is_whole = read_line_within(&mut self.input, MAX_LINE, &mut self.buffer)
                .map_err(|cause| BotError::Input { turn, cause })?;
            if !is_whole {
                return Err(no_request(format!("a line of more than {MAX_LINE} bytes")));
            }
            let line = std::str::from_utf8(&self.buffer)
                .map_err(|_| no_request("a line that is not UTF-8".to_owned()))?;
            if line.is_empty() {
                return Ok(None);
            }
            let text = line.trim();
            if !text.is_empty() {
                log.entry('<', text);
                return Ok(Some(text.to_owned()));
            }
        }
    }
}

/// True if a line consists of several integers. Such a line is a malformed move, not stored data.
fn is_numbers(line: &str) -> bool {
    line.contains([' ', '\t']) && line.split_ascii_whitespace().all(|word| word.parse::<i64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Coordinates;
    use crate::request::RequestBody;

    fn read(text: &str) -> Result<Vec<RequestBody>, String> {
        let mut reader = RequestReader::new(text.as_bytes());
        let mut found = Vec::new();
        while let Some((request, _)) =
            reader.next(1, &mut Log::default()).map_err(|error| error.to_string())?
        {
            found.push(request.content);
        }
        Ok(found)
    }

    fn numbers(text: &str) -> Coordinates {
        text.parse().unwrap()
    }

    #[test]
    fn history_ends_with_its_last_ply() {
        let entries = ["-1 -1 -1 -1 -1 -1", "5 0 3 2 6 5", "0 5 4 5 3 4"];
        let history = RequestBody::History(entries.map(numbers).to_vec());
        let lines = entries.join("\n");
        assert_eq!(read(&format!("2\n{lines}")), Ok(vec![history.clone()]));
        assert_eq!(read(&format!("\n\n2\r\n\n{lines}\n\n")), Ok(vec![history]));
        let text = "1\n-1 -1 -1 -1 -1 -1\nhello\n";
        let mut input = text.as_bytes();
        let mut reader = RequestReader::new(&mut input);
        assert!(reader.next(1, &mut Log::default()).unwrap().is_some());
        assert_eq!(input, b"hello\n", "a line too many was read");
    }

    #[test]
    fn skips_stored_data_after_history() {
        let history = RequestBody::History(vec![Coordinates::NONE]);
        let turn = RequestBody::Turn(numbers("0 5 4 5 3 4"));
        let text = "1\n-1 -1 -1 -1 -1 -1\nsome data\n{\"global\": 1}\n99\n\n0 5 4 5 3 4\n";
        assert_eq!(read(text), Ok(vec![history, turn]));
        // Stored data follow only a full history, not a single ply.
        assert!(read(&format!("{text}\nsome data\n")).unwrap_err().contains("'some data' is no request"));
        // A move that lacks a number is an error, not stored data.
        assert!(read("1\n-1 -1 -1 -1 -1 -1\n0 5 4 5 3").unwrap_err().contains("'0 5 4 5 3'"));
        let flood = "garbage\n".repeat(MAX_STORED_BYTES);
        assert!(read(&format!("1\n-1 -1 -1 -1 -1 -1\n{flood}")).unwrap_err().contains("'garbage'"));
    }
}
