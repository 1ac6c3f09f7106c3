//! The body of a poll: requests of matches, and matches that are over.
//!
//! Line 1 is `m n`. Then come m times two lines, a match's id and its request, and n lines `id slot
//! p score_0 .. score_{p-1}`, where p = 0 says that the match was aborted. Lines may end in CR.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::botzone::request::excerpt;

/// The most requests, and the most results, that one body may announce: far more than an account
/// can play.
const MAX_ENTRIES: usize = 10_000;

/// The name that the site gives a match or a version of a bot; that of a match is sent back in a
/// header's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct SiteId(String);

/// Text that is no id of the site.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{got}' is no id of the site: expected 1 to 64 letters, digits, - and _")]
pub struct SiteIdError {
    /// The beginning of the text.
    pub got: String,
}

impl TryFrom<String> for SiteId {
    type Error = SiteIdError;

    fn try_from(text: String) -> Result<SiteId, SiteIdError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if (1..=64).contains(&text.len()) && text.bytes().all(plain) {
            Ok(SiteId(text))
        } else {
            Err(SiteIdError { got: excerpt(&text) })
        }
    }
}

impl FromStr for SiteId {
    type Err = SiteIdError;

    fn from_str(text: &str) -> Result<SiteId, SiteIdError> {
        text.to_owned().try_into()
    }
}

impl fmt::Display for SiteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the site had to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Poll {
    /// Matches that wait for a move of ours, each with its request as it was written.
    pub requests: Vec<(SiteId, String)>,
    /// Matches that are over.
    pub finished: Vec<Finished>,
}

/// A match that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// The match.
    pub id: SiteId,
    /// Our place in it, from 0.
    pub slot: usize,
    /// The players' scores; `None` if the match was aborted.
    pub scores: Option<Vec<f64>>,
}

/// Why the body of a poll is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum PollError {
    #[error("the body begins with '{got}': expected the numbers of requests and of finished matches")]
    Foreign { got: String },
    #[error("the body has {got} lines after the first: expected {expected} for '{counts}'")]
    Truncated { got: usize, expected: usize, counts: String },
    #[error("line {line} of the body is '{got}': expected {expected}")]
    Line { line: usize, got: String, expected: &'static str },
}

impl Poll {
    /// Reads a body, all of it or nothing.
    ///
    /// # Errors
    /// If it is not what the protocol says, or cut off.
    pub fn parse(body: &[u8]) -> Result<Poll, PollError> {
        let text = String::from_utf8_lossy(body);
        let mut lines = text.lines().map(str::trim).enumerate();
        let first = lines.next().map_or("", |(_, line)| line);
        let counts = counts(first).ok_or_else(|| PollError::Foreign { got: excerpt(first) })?;
        let (requests, finished) = counts;
        let expected = 2 * requests + finished;
        // An empty line may be an empty request, but never the last thing announced.
        let got = text.trim_end().lines().count().saturating_sub(1);
        if got < expected {
            return Err(PollError::Truncated { got, expected, counts: excerpt(first) });
        }
        let mut poll = Poll::default();
        for _ in 0..requests {
            let Some(((at, id), (_, request))) = lines.next().zip(lines.next()) else { break };
            poll.requests.push((match_id(at, id)?, request.to_owned()));
        }
        for (at, line) in lines.by_ref().take(finished) {
            poll.finished.push(parse_finished(at, line)?);
        }
        match lines.find(|(_, line)| !line.is_empty()) {
            None => Ok(poll),
            Some((at, line)) => Err(line_error(at, line, "the end of the body")),
        }
    }
}

fn counts(line: &str) -> Option<(usize, usize)> {
    let mut numbers = line.split_ascii_whitespace().map(|number| number.parse::<usize>());
    match (numbers.next()?, numbers.next()?, numbers.next()) {
        (Ok(requests), Ok(finished), None) if requests.max(finished) <= MAX_ENTRIES => {
            Some((requests, finished))
        }
        _ => None,
    }
}

fn match_id(at: usize, text: &str) -> Result<SiteId, PollError> {
    text.parse().map_err(|_| line_error(at, text, "a match id of letters, digits, - and _"))
}

fn parse_finished(at: usize, line: &str) -> Result<Finished, PollError> {
    const EXPECTED: &str = "a finished match: its id, our slot, the number of players and their scores";
    let error = || line_error(at, line, EXPECTED);
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [id, slot, players, scores @ ..] = words.as_slice() else { return Err(error()) };
    let slot = slot.parse().map_err(|_| error())?;
    let players: usize = players.parse().map_err(|_| error())?;
    let scores: Result<Vec<f64>, _> = scores.iter().map(|score| score.parse()).collect();
    let scores = scores.ok().filter(|scores| scores.len() == players).ok_or_else(error)?;
    if players > 0 && (slot >= players || scores.iter().any(|score| !score.is_finite())) {
        return Err(error());
    }
    Ok(Finished { id: match_id(at, id)?, slot, scores: (players > 0).then_some(scores) })
}

fn line_error(at: usize, got: &str, expected: &'static str) -> PollError {
    PollError::Line { line: at + 1, got: excerpt(got), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> SiteId {
        text.parse().unwrap()
    }

    #[test]
    fn requests_come_before_results_and_lines_may_end_in_cr() {
        let body = "2 2\n5f0a\n{\"x0\":-1}\nb_7-C\n0 5 4 5 3 4\n77 1 2 0 2\n78 0 0\n";
        let expected = Poll {
            requests: vec![(id("5f0a"), "{\"x0\":-1}".into()), (id("b_7-C"), "0 5 4 5 3 4".into())],
            finished: vec![
                Finished { id: id("77"), slot: 1, scores: Some(vec![0.0, 2.0]) },
                Finished { id: id("78"), slot: 0, scores: None },
            ],
        };
        assert_eq!(Poll::parse(body.as_bytes()), Ok(expected.clone()));
        assert_eq!(Poll::parse(body.replace('\n', "\r\n").as_bytes()), Ok(expected.clone()));
        assert_eq!(Poll::parse(body.trim_end().as_bytes()), Ok(expected));
        for nothing in ["0 0", "0 0\r\n", " 0  0 \n\n\n"] {
            assert_eq!(Poll::parse(nothing.as_bytes()), Ok(Poll::default()));
        }
    }

    #[test]
    fn what_is_no_body_says_which_line_and_why() {
        let cases = [
            ("", "the body begins with ''"),
            ("<html>502</html>", "the body begins with '<html>502</html>': expected the numbers"),
            ("1", "begins with '1'"),
            ("1 -1", "begins with"),
            ("99999999999 0", "begins with"),
            ("1 0\n5f0a\n", "the body has 1 lines after the first: expected 2 for '1 0'"),
            ("1 0", "0 lines"),
            ("0 1\n", "0 lines after the first: expected 1"),
            ("1 0\na b\n{}\n", "line 2 of the body is 'a b': expected a match id"),
            ("1 0\nX: 1\\r\n{}\n", "line 2 of the body"),
            ("0 1\n77 1 2 0", "line 2 of the body is '77 1 2 0': expected a finished match"),
            ("0 1\n77 2 2 0 2", "expected a finished match"),
            ("0 1\n77 0 2 nan 2", "expected a finished match"),
            ("0 1\n77 0", "expected a finished match"),
            ("0 0\nmore\n", "line 2 of the body is 'more': expected the end of the body"),
        ];
        for (body, expected) in cases {
            let message = Poll::parse(body.as_bytes()).unwrap_err().to_string();
            assert!(message.contains(expected), "{body:?}: {message}");
        }
        assert!(matches!(Poll::parse(b"\xff\xfe"), Err(PollError::Foreign { .. })));
    }

    #[test]
    fn a_cut_body_is_never_taken_for_a_whole_one_with_fewer_lines() {
        let body = "2 1\n5f0a\n0 5 4 5 3 4\nb7\n{\"x0\":1,\"y0\":2}\n77 1 2 0 2\n";
        let whole = Poll::parse(body.as_bytes()).unwrap();
        for length in 0..body.len() - 1 {
            // Within the last line only the score can be cut, and one of two players is missed.
            assert!(Poll::parse(&body.as_bytes()[..length]).is_err(), "{length}");
        }
        assert_eq!(Poll::parse(&body.as_bytes()[..body.len() - 1]), Ok(whole));
    }
}
