//! The site's replies: why a call failed, and the body of a poll.
//!
//! Line 1 of the body is `m n`. Then come m times two lines, a match's id and its request, and n
//! lines `id slot p score_0 .. score_{p-1}`, where p is 2, or 0 for a match that was aborted. Lines
//! may end in CR.

use std::fmt;
use std::str::FromStr;

use amazons::Side;

use crate::messages::excerpt;

/// The name that the site gives a match or a version of a bot; that of a match is sent back in a
/// header's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SiteId(String);

impl FromStr for SiteId {
    type Err = String;

    fn from_str(text: &str) -> Result<SiteId, String> {
        let expected = "expected 1 to 64 letters, digits, - and _";
        (text.len() <= 64 && is_name(text))
            .then(|| SiteId(text.to_owned()))
            .ok_or_else(|| format!("'{}' is no id of the site: {expected}", excerpt(text, 40)))
    }
}

/// True if a text consists of the characters that the site uses for ids and secrets.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

impl fmt::Display for SiteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The cause why a call brought nothing. No message contains the secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// A lost connection, 502 or 504: the call may be made again after a short wait.
    #[error("{0}")]
    Lost(String),
    /// A technical problem or maintenance: the call may be made again after a longer wait.
    #[error("{0}")]
    Trouble(String),
    /// A redirection, a status that the site does not document or a body of another kind. If the
    /// site has never spoken as documented, the address is wrong.
    #[error("this is not the site speaking: {0}")]
    Strange(String),
    /// The site has done what was asked, and its message is cut off or not as documented.
    #[error("the site's message cannot be read: {0}")]
    Unreadable(String),
    /// The site said nothing within the timeout, or before the user wanted to stop.
    #[error("the site did not answer in time")]
    Silence,
    #[error("the site refuses this call (400: {0})")]
    Refused(String),
    #[error(
        "the site does not know this account (401: {0}): expected the user and the secret (密钥) that it shows \
         under 本地AI, of an account whose level allows it"
    )]
    Account(String),
}

impl CallError {
    /// Sorts a reply by its status. `body` is the error if the body did not come whole.
    pub(super) fn sort(status: u16, body: Result<String, String>) -> Result<String, CallError> {
        let text = body.as_ref().unwrap_or_else(|error| error);
        let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let said = if text.is_empty() { String::from("without a word") } else { excerpt(&text, 200) };
        let answers = format!("the site answers {status}: {said}");
        Err(match status {
            200 => return body.map_err(CallError::Unreadable),
            400 => CallError::Refused(said),
            401 => CallError::Account(said),
            502 | 504 => CallError::Lost(answers),
            // 408 and 429 say themselves that a later try may do.
            408 | 429 | 500..=599 => CallError::Trouble(answers),
            300..=399 => CallError::Strange(format!(
                "a redirection ({status}), which is not followed since the address holds the secret"
            )),
            _ => CallError::Strange(answers),
        })
    }
}

#[derive(Debug, PartialEq)]
pub struct Poll {
    /// Matches that wait for a move of ours, each with its request as it was written.
    pub requests: Vec<(SiteId, String)>,
    pub(super) results: Vec<MatchResult>,
}

#[derive(Debug, PartialEq)]
pub(super) struct MatchResult {
    pub(super) id: SiteId,
    /// `won`, `lost`, `drawn` or `aborted`.
    pub(super) word: &'static str,
    /// The result in a line for the user.
    pub(super) line: String,
}

impl Poll {
    /// Reads a body, all of it or nothing.
    pub fn parse(body: &str) -> Result<Poll, CallError> {
        let lines: Vec<&str> = body.trim_end().lines().map(str::trim).collect();
        let (first, rest) = lines.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
        let begins = excerpt(first, 40);
        let numbers: Result<Vec<u32>, _> = first.split_whitespace().map(str::parse).collect();
        let Ok(&[m, n]) = numbers.as_deref() else {
            let expected = "expected the numbers of requests and of finished matches";
            return Err(CallError::Strange(format!("the body begins with '{begins}': {expected}")));
        };
        let (got, announced) = (rest.len(), 2 * m as usize + n as usize);
        if got != announced {
            return Err(CallError::Unreadable(format!(
                "the body has {got} lines after the first: expected {announced} for '{begins}'"
            )));
        }
        let (request_lines, result_lines) = rest.split_at(2 * m as usize);
        let read = || {
            let request = |pair: &[&str]| Ok((pair[0].parse()?, pair[1].to_owned()));
            let requests = request_lines.chunks(2).map(request).collect::<Result<_, String>>()?;
            let expected = "expected a match's id, our slot (0 or 1), 2 players or 0, and their scores";
            let error = |line: &str| format!("'{}' is no finished match: {expected}", excerpt(line, 40));
            let result = |line: &&str| match_result(line).ok_or_else(|| error(line));
            Ok(Poll { requests, results: result_lines.iter().map(result).collect::<Result<_, _>>()? })
        };
        read().map_err(CallError::Unreadable)
    }
}

fn match_result(line: &str) -> Option<MatchResult> {
    let mut words = line.split_ascii_whitespace();
    let id = words.next()?.parse().ok()?;
    let mut count = || words.next()?.parse::<usize>().ok();
    let (side, players) = (*Side::BOTH.get(count()?)?, count()?);
    let score = |word: &str| word.parse().ok().filter(|score: &f64| score.is_finite());
    let scores: Vec<f64> = words.map(score).collect::<Option<_>>()?;
    if scores.len() != players || ![0, 2].contains(&players) {
        return None;
    }
    let word = match scores.get(side.index()) {
        None => "aborted",
        Some(ours) if scores.iter().any(|score| score > ours) => "lost",
        Some(ours) if scores.iter().filter(|score| *score == ours).count() > 1 => "drawn",
        Some(_) => "won",
    };
    let listed = scores.iter().map(f64::to_string).collect::<Vec<_>>().join("-");
    let about = if players == 0 { String::new() } else { format!(" {listed} as the {side} player") };
    let line = format!("match {id}: {word}{about}");
    Some(MatchResult { id, word, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_before_results_and_lines_may_end_in_cr() {
        let body = "2 4\n5f0a\n{\"x0\":-1}\nb_7-C\n0 5 4 5 3 4\n77 1 2 0 2\n78 0 0\n79 1 2 2 0\n7a 0 2 1 1\n";
        let id = |text: &str| text.parse::<SiteId>().unwrap();
        for body in [body, &body.replace('\n', "\r\n"), body.trim_end()] {
            let Poll { requests, results } = Poll::parse(body).unwrap();
            let expected = [(id("5f0a"), "{\"x0\":-1}".into()), (id("b_7-C"), "0 5 4 5 3 4".into())];
            assert_eq!(requests, expected);
            let expected = [
                "match 77: won 0-2 as the second player",
                "match 78: aborted",
                "match 79: lost 2-0 as the second player",
                "match 7a: drawn 1-1 as the first player",
            ];
            assert!(results.iter().map(|result| &result.line).eq(expected), "{results:?}");
        }
        for nothing in ["0 0", "0 0\r\n", " 0  0 \n\n\n"] {
            assert_eq!(Poll::parse(nothing), Ok(Poll { requests: vec![], results: vec![] }));
        }
    }

    #[test]
    fn what_is_no_body_says_what_it_is_instead() {
        for foreign in ["", "<html>502</html>", "1", "1 -1", "99999999999 0", "\u{fffd}"] {
            let error = Poll::parse(foreign).unwrap_err();
            assert!(matches!(error, CallError::Strange(_)), "{error}");
            assert!(error.to_string().contains(&format!("the body begins with '{foreign}'")), "{error}");
        }
        let cases = [
            ("1 0\n5f0a\n", "the body has 1 lines after the first: expected 2 for '1 0'"),
            ("0 1\n", "the body has 0 lines"),
            ("0 0\nmore\n", "the body has 1 lines after the first: expected 0"),
            ("1 0\na b\n{}\n", "'a b' is no id of the site"),
            ("1 0\nX: 1\\r\n{}\n", "is no id of the site"),
            ("0 1\n77 1 2 0", "'77 1 2 0' is no finished match: expected"),
            ("0 1\n77 2 2 0 2", "is no finished match"),
            ("0 1\n77 2 0", "our slot (0 or 1)"),
            ("0 1\n77 0 3 0 1 2", "2 players or 0, and their scores"),
            ("0 1\n77 0 2 nan 2", "is no finished match"),
            ("0 1\n77 0", "is no finished match"),
        ];
        for (body, expected) in cases {
            let error = Poll::parse(body).unwrap_err();
            assert!(
                matches!(&error, CallError::Unreadable(why) if why.contains(expected)),
                "{body:?}: {error}"
            );
        }
    }

    #[test]
    fn a_cut_body_is_never_taken_for_a_whole_one_with_fewer_lines() {
        let body = "2 1\n5f0a\n0 5 4 5 3 4\nb7\n{\"x0\":1,\"y0\":2}\n77 1 2 0 2\n";
        assert!(Poll::parse(body).is_ok());
        for length in 0..body.len() - 1 {
            // Within the last line only the score can be cut, and one of two players is missed.
            assert!(Poll::parse(&body[..length]).is_err(), "{length}");
        }
    }
}
