//! The words of the contest platform, split from its bytes.

use amazons::{Move, Side};

use crate::contest::PlatformMove;
use crate::messages::excerpt;
use crate::protocols::SHOWN;

/// What the platform says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// Asks for the name of the engine.
    Name,
    /// Begins a game, in which the engine has this side.
    New(Side),
    /// The opponent's move.
    Move(Move),
    /// The engine's last move was illegal and was not made.
    Error,
    /// The game is over; the winner where the platform names one.
    End(Option<Side>),
    Quit,
    /// A word that has no meaning in this game, or none at all, and what was expected.
    Unknown(String),
}

/// Splits lines into words, across the lines where a parameter is missing.
#[derive(Debug, Default)]
pub(super) struct WordReader {
    /// A command whose parameter has not come yet.
    open: Option<String>,
}

impl WordReader {
    /// The words of a line. NUL and white space of any kind separate them.
    pub(super) fn read(&mut self, line: &[u8]) -> Vec<Word> {
        let text = String::from_utf8_lossy(line);
        let parts = text.split(|c: char| c.is_whitespace() || c == '\0').filter(|part| !part.is_empty());
        let mut parts = self.open.take().into_iter().chain(parts.map(str::to_owned)).peekable();
        let mut words = Vec::new();
        while let Some(part) = parts.next() {
            match part.as_str() {
                "name?" => words.push(Word::Name),
                "error" => words.push(Word::Error),
                "quit" => words.push(Word::Quit),
                "end" => words
                    .push(Word::End(parts.next_if(|next| side(next).is_some()).and_then(|next| side(&next)))),
                "new" | "move" => match parts.next() {
                    Some(parameter) => words.push(with_parameter(&part, &parameter)),
                    None => self.open = Some(part),
                },
                // These belong to other games.
                "accept" | "refuse" | "take" | "taked" => {}
                other => words.push(Word::Unknown(format!(
                    "'{}': expected name?, new, move, error, end or quit",
                    excerpt(other, SHOWN)
                ))),
            }
        }
        words
    }
}

fn side(text: &str) -> Option<Side> {
    match text {
        "black" => Some(Side::First),
        "white" => Some(Side::Second),
        _ => None,
    }
}

fn with_parameter(command: &str, parameter: &str) -> Word {
    let got = excerpt(parameter, SHOWN);
    match command {
        "new" => side(parameter)
            .map_or_else(|| Word::Unknown(format!("new '{got}': expected black or white")), Word::New),
        _ => match parameter.parse() {
            Ok(PlatformMove(played)) => Word::Move(played),
            Err(error) => Word::Unknown(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_joined_and_split() {
        let mut reader = WordReader::default();
        let played = "DJDDGD".parse::<PlatformMove>().unwrap().0;
        assert_eq!(reader.read(b"name?\r\n"), [Word::Name]);
        assert_eq!(reader.read(b"\0new black\r\n"), [Word::New(Side::First)]);
        assert_eq!(
            reader.read(b"\0move DJDDGD end white\n"),
            [Word::Move(played), Word::End(Some(Side::Second))]
        );
        assert_eq!(reader.read(b"end\n"), [Word::End(None)]);
        assert_eq!(reader.read(b"new\0\n"), []);
        assert_eq!(reader.read(b"white\0error\n"), [Word::New(Side::Second), Word::Error]);
        assert_eq!(reader.read(b"move\n"), []);
        assert_eq!(reader.read(b"DJDDGD\nquit\n"), [Word::Move(played), Word::Quit]);
        assert_eq!(reader.read(b"accept refuse take taked\n"), []);
        for (line, expected) in [
            (&b"new red"[..], "new 'red': expected black or white"),
            (b"move A1B2C3", "move 'A1B2C3': expected three squares"),
            (b"\xb5\xda\xd2\xbb", "expected name?, new, move, error, end or quit"),
        ] {
            let words = reader.read(line);
            let [Word::Unknown(message)] = &words[..] else { panic!("{words:?}") };
            assert!(message.contains(expected), "{message}");
        }
    }
}
