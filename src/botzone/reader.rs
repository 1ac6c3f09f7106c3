//! Lines to requests.

use super::request::{Content, Form, Opening, Place, Request, RequestError, excerpt, parse_opening};
use crate::game::Coordinates;

/// Bytes that may follow a text history as its data and global data: 100 KB each.
const STORED: usize = 2 * 100 * 1024;

/// Puts requests together from lines as they come, and never needs one line more than a request
/// has.
///
/// This bot stores no data, so it ignores the data and global data after a text history. They may
/// be empty or missing, so the reader does not wait for them: it skips these lines when it reads
/// the next request.
#[derive(Clone, Debug)]
pub struct RequestReader {
    turn: usize,
    partial: Option<Partial>,
    stored: usize,
}

/// A text history of which some lines are still to come.
#[derive(Clone, Debug)]
struct Partial {
    turns: usize,
    entries: Vec<Coordinates>,
}

impl Partial {
    fn missing(&self) -> usize {
        2 * self.turns - 1 - self.entries.len()
    }

    /// The entry that comes next.
    fn place(&self) -> Place {
        Place::of_history(self.entries.len())
    }
}

impl Default for RequestReader {
    fn default() -> RequestReader {
        RequestReader { turn: 1, partial: None, stored: 0 }
    }
}

impl RequestReader {
    /// Says which turn of the match the next request opens: what messages name.
    pub fn expect_turn(&mut self, turn: usize) {
        self.turn = turn;
    }

    /// Whether the next line begins a request.
    #[must_use]
    pub fn is_between_requests(&self) -> bool {
        self.partial.is_none()
    }

    /// Takes a line that is not blank; gives the request that it completes.
    ///
    /// # Errors
    /// If the line is no part of any request.
    pub fn feed(&mut self, line: &str) -> Result<Option<Request>, RequestError> {
        if let Some(partial) = &mut self.partial {
            let expected = || format!("'{}': expected six integers x0 y0 x1 y1 x2 y2", excerpt(line));
            let coordinates = line.parse().map_err(|_| RequestError::new(partial.place(), expected()))?;
            partial.entries.push(coordinates);
        } else {
            match parse_opening(line, self.turn) {
                Ok(Opening::Request(request)) => {
                    self.stored = 0;
                    return Ok(Some(request));
                }
                Ok(Opening::History(turns)) => self.partial = Some(Partial { turns, entries: Vec::new() }),
                Err(_) if line.len() <= self.stored && !is_numbers(line) => self.stored -= line.len(),
                Err(error) => return Err(error),
            }
        }
        Ok(self.partial.take_if(|partial| partial.missing() == 0).map(|partial| {
            self.stored = STORED;
            Request { form: Form::Text, content: Content::History(partial.entries), time_limit: None }
        }))
    }

    /// Takes the end of the input.
    ///
    /// # Errors
    /// If it comes in the middle of a request.
    pub fn end(&self) -> Result<(), RequestError> {
        self.partial.as_ref().map_or(Ok(()), |partial| {
            let (turns, missing) = (partial.turns, partial.missing());
            let fault =
                format!("the input ended: expected {missing} more lines of the history of {turns} turns");
            Err(RequestError::new(partial.place(), fault))
        })
    }

    /// The turn that messages name at this point.
    #[must_use]
    pub fn turn(&self) -> usize {
        self.partial.as_ref().map_or(self.turn, |partial| partial.entries.len() / 2 + 1)
    }
}

/// Whether a line is several integers and nothing else: a malformed move rather than stored data.
fn is_numbers(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace().peekable();
    let first = words.next();
    words.peek().is_some() && first.into_iter().chain(words).all(|word| word.parse::<i64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds every line; the requests completed, with the number of the line that did.
    fn read(text: &str) -> Result<Vec<(usize, Content)>, String> {
        let mut reader = RequestReader::default();
        let mut found = Vec::new();
        for (index, line) in text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty()) {
            if let Some(request) = reader.feed(line).map_err(|error| error.to_string())? {
                found.push((index + 1, request.content));
            }
        }
        reader.end().map_err(|error| error.to_string())?;
        Ok(found)
    }

    fn numbers(text: &str) -> Coordinates {
        text.parse().unwrap()
    }

    #[test]
    fn a_text_history_is_complete_with_its_last_ply() {
        let entries = ["-1 -1 -1 -1 -1 -1", "5 0 3 2 6 5", "0 5 4 5 3 4"];
        let history = Content::History(entries.map(numbers).to_vec());
        let lines = entries.join("\n");
        assert_eq!(read(&format!("2\n{lines}")), Ok(vec![(4, history.clone())]));
        assert_eq!(read(&format!("\n\n2\r\n\n{lines}\n\n")), Ok(vec![(7, history.clone())]));
        let one = vec![(2, Content::History(vec![Coordinates::NONE]))];
        assert_eq!(read("1\n-1 -1 -1 -1 -1 -1\n"), Ok(one));
    }

    #[test]
    fn stored_data_after_a_text_history_is_passed_over() {
        let history = Content::History(vec![Coordinates::NONE]);
        let turn = Content::Turn(numbers("0 5 4 5 3 4"));
        let text = "1\n-1 -1 -1 -1 -1 -1\nsome data\n{\"global\": 1}\n99\n\n0 5 4 5 3 4\n";
        assert_eq!(read(text), Ok(vec![(2, history), (7, turn)]));
        // After the next request it is nothing of the kind any more.
        assert!(read(&format!("{text}\nsome data\n")).unwrap_err().contains("'some data' is no request"));
        // A move that is one number short is no data.
        assert!(read("1\n-1 -1 -1 -1 -1 -1\n0 5 4 5 3").unwrap_err().contains("'0 5 4 5 3'"));
        let flood = "garbage\n".repeat(STORED);
        assert!(read(&format!("1\n-1 -1 -1 -1 -1 -1\n{flood}")).unwrap_err().contains("'garbage'"));
    }

    #[test]
    fn what_breaks_off_or_strays_says_where() {
        assert_eq!(
            read("3\n-1 -1 -1 -1 -1 -1\n5 0 3 2 6 5").unwrap_err(),
            "turn 2, request: the input ended: expected 3 more lines of the history of 3 turns"
        );
        assert_eq!(
            read("2\n-1 -1 -1 -1 -1 -1\n5 0 3 2 6").unwrap_err(),
            "turn 1, response: '5 0 3 2 6': expected six integers x0 y0 x1 y1 x2 y2"
        );
        assert!(read("2\n\n").unwrap_err().starts_with("turn 1, request: the input ended: expected 3"));
        assert_eq!(read("\n\n"), Ok(vec![]));
    }
}
