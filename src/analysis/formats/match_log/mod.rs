//! Reads logs of Botzone matches in every form that Botzone offers, and checks them by the rules.
//!
//! A file holds one match, or one match on each line, or it is a page saved from Botzone with the
//! log in a script.

mod form;
mod verify;

use std::iter;

use amazons::Side;
use quiver_bot::InputError;
use quiver_bot::messages;
use serde_json::{Deserializer, Value};

use crate::games::FoundGame;
pub use verify::{CheckedGame, Disagreement, WrongMoveCounts};

/// The largest size of one match in bytes. A real match has some tens of thousands of bytes.
const MAX_MATCH_BYTES: usize = 8 << 20;

/// The JavaScript variable that holds the log in a page saved from Botzone.
const PAGE_VARIABLE: &str = "_rawLogJSON";

/// One match as its log states it. Its moves may be illegal.
#[derive(Debug, Default)]
struct MatchLog {
    id: Option<String>,
    players: [Option<String>; 2],
    /// The judge's requests, each with its answer and the player who gave it.
    turns: Vec<(Value, Option<(Side, Value)>)>,
    /// The judge's `finish` output; `None` if the log stops before it.
    finish: Option<Value>,
}

pub(crate) fn read(text: &str) -> Result<Vec<FoundGame<CheckedGame>>, InputError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_end();
    if text.trim_start().starts_with(['[', '{', '"']) {
        return Ok(FoundGame::collect_limited(read_matches(text, 1)));
    }
    let unknown = || {
        let got = excerpt(text.trim_start().lines().next().unwrap_or_default());
        let expected = "a match log as JSON, or a page saved from Botzone with";
        InputError(format!("the text begins with \"{got}\": expected {expected} {PAGE_VARIABLE}"))
    };
    let at = log_offset(text).ok_or_else(unknown)?;
    // Only the JSON value at `at` is a log. The page's scripts and markup follow this value.
    Ok(read_matches(&text[at..], 1 + newlines(&text[..at])).take(1).collect())
}

fn log_offset(page: &str) -> Option<usize> {
    page.match_indices(PAGE_VARIABLE).find_map(|(at, name)| {
        let after = page[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
        after.starts_with(['"', '[', '{']).then(|| page.len() - after.len())
    })
}

/// Reads the matches in a text that begins on line `line` and is a sequence of JSON values. After a
/// broken value, continues at the next line that begins a value.
fn read_matches(mut text: &str, mut line: usize) -> impl Iterator<Item = FoundGame<CheckedGame>> {
    iter::from_fn(move || {
        let body = text.trim_start();
        line += newlines(&text[..text.len() - body.len()]);
        let window = &body.as_bytes()[..body.len().min(MAX_MATCH_BYTES)];
        let mut stream = Deserializer::from_slice(window).into_iter::<Value>();
        // The iterator of matches ends if only white space is left.
        let (game, end) = match stream.next()? {
            Ok(value) => (form::match_log(value).map(|log| verify::verify(&log)), stream.byte_offset()),
            Err(error) => {
                let is_cut = error.is_eof() && window.len() < body.len();
                let error = match is_cut {
                    true => format!("the match is too long: expected at most {MAX_MATCH_BYTES} bytes"),
                    false => json_error(&error, line),
                };
                (Err(InputError(error)), next_value_offset(body))
            }
        };
        let found = FoundGame { line, game };
        // This value, or the broken text that is skipped, ends at `end`. `end` is above 0, so each
        // call shortens `text`, and the iterator ends.
        line += newlines(&body[..end]);
        text = &body[end..];
        Some(found)
    })
}

/// The byte offset of the next line that may begin a value. Lines within a value are indented.
fn next_value_offset(text: &str) -> usize {
    let starts = text.match_indices('\n').map(|(at, _)| at + 1);
    starts.into_iter().find(|&at| text[at..].starts_with(['[', '{', '"'])).unwrap_or(text.len())
}

fn json_error(error: &serde_json::Error, first_line: usize) -> String {
    let text = error.to_string();
    // serde counts lines from the beginning of the value, not from the beginning of the file.
    let what = text.split(" at line ").next().unwrap_or(&text);
    let line = first_line + error.line().saturating_sub(1);
    format!("no JSON at line {line}, column {}: {what}", error.column())
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'\n').count()
}

fn excerpt(text: &str) -> String {
    messages::excerpt(text, 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &str = r#"{"output":{"command":"request","content":{"0":{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1}},"display":{"blackCount":1232,"whiteCount":1232}}}"#;

    fn bare() -> String {
        format!("[{REQUEST}]")
    }

    fn lines(text: &str) -> (Vec<usize>, Vec<usize>) {
        let found = read(text).unwrap();
        let (good, bad): (Vec<_>, Vec<_>) = found.iter().partition(|found| found.game.is_ok());
        (good.iter().map(|found| found.line).collect(), bad.iter().map(|found| found.line).collect())
    }

    #[test]
    fn reads_on_after_broken_lines() {
        let bare = bare();
        assert_eq!(lines(&format!("\u{feff}\n{bare}\n\n{bare}\n")), (vec![2, 4], vec![]));
        assert_eq!(lines(&format!("{bare}\n{{\"log\": [1,2\n{bare}\n[]\n")), (vec![1, 3], vec![2, 4]));
        // The last line of an indented value does not begin a new match.
        assert_eq!(lines(&format!("{{\"log\": [\n  x\n  ]}}\n{bare}")), (vec![4], vec![1]));
        assert_eq!(lines(&format!("{bare}\n{{\"log\": [{REQUEST}")), (vec![1], vec![2]));
    }

    #[test]
    fn reads_log_of_saved_page() {
        let log = serde_json::to_string(&bare()).unwrap();
        let page = |value: &str| {
            format!("<html>\n<script>if (_rawLogJSON) x();\nvar _rawLogJSON = {value};</script>")
        };
        assert_eq!(lines(&page(&log)), (vec![3], vec![]));
        assert_eq!(lines(&page("\"not a log\"")), (vec![], vec![3]));
        let error = read(&page("null")).unwrap_err().to_string();
        assert!(error.contains("a page saved from Botzone with _rawLogJSON"), "{error}");
    }

    #[test]
    fn gives_up_after_many_errors() {
        assert_eq!(lines(&"[!]\n".repeat(1000)).1, Vec::from_iter(1..=101));
        let foreign = read("hello\x1b[31m\nworld").unwrap_err().to_string();
        assert!(foreign.contains("the text begins with \"hello\\u{1b}[31m\""), "{foreign}");
    }
}
