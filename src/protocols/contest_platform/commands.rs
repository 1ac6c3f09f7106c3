//! Parses the commands that the contest platform sends.

use amazons::{Move, Side};

use crate::contest::PlatformMove;
use crate::messages::excerpt;
use crate::protocols::MAX_QUOTED;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlatformCommand {
    /// Asks for the name of the engine.
    Name,
    /// Begins a game, in which the engine plays this side.
    New(Side),
    /// Tells the opponent's move.
    Move(Move),
    /// Tells that the engine's last move was illegal and was not made.
    Error,
    /// Ends the game, with the winner if the platform names one.
    End(Option<Side>),
    Quit,
    /// A text that is no command of this protocol. The message says what was expected instead.
    Unknown(String),
}

/// Splits received lines into commands. A command's parameter may be on the next line.
#[derive(Debug, Default)]
pub(super) struct CommandReader {
    /// A command that was read without its parameter, which the next line will have.
    open: Option<String>,
}

impl CommandReader {
    pub(super) fn read(&mut self, line: &[u8]) -> Vec<PlatformCommand> {
        let text = String::from_utf8_lossy(line);
        let parts = text.split(|c: char| c.is_whitespace() || c == '\0').filter(|part| !part.is_empty());
        let mut parts = self.open.take().into_iter().chain(parts.map(str::to_owned)).peekable();
        let mut words = Vec::new();
        while let Some(part) = parts.next() {
            match part.as_str() {
                "name?" => words.push(PlatformCommand::Name),
                "error" => words.push(PlatformCommand::Error),
                "quit" => words.push(PlatformCommand::Quit),
                "end" => words.push(PlatformCommand::End(
                    parts.next_if(|next| side(next).is_some()).and_then(|next| side(&next)),
                )),
                "new" | "move" => match parts.next() {
                    Some(parameter) => words.push(with_parameter(&part, &parameter)),
                    None => self.open = Some(part),
                },
                // The platform uses these commands only in games other than Amazons.
                "accept" | "refuse" | "take" | "taked" => {}
                other => words.push(PlatformCommand::Unknown(format!(
                    "'{}': expected name?, new, move, error, end or quit",
                    excerpt(other, MAX_QUOTED)
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

fn with_parameter(command: &str, parameter: &str) -> PlatformCommand {
    let got = excerpt(parameter, MAX_QUOTED);
    match command {
        "new" => side(parameter).map_or_else(
            || PlatformCommand::Unknown(format!("new '{got}': expected black or white")),
            PlatformCommand::New,
        ),
        _ => match parameter.parse() {
            Ok(PlatformMove(played)) => PlatformCommand::Move(played),
            Err(error) => PlatformCommand::Unknown(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_joined_and_split() {
        let mut reader = CommandReader::default();
        let played = "DJDDGD".parse::<PlatformMove>().unwrap().0;
        assert_eq!(reader.read(b"name?\r\n"), [PlatformCommand::Name]);
        assert_eq!(reader.read(b"\0new black\r\n"), [PlatformCommand::New(Side::First)]);
        assert_eq!(
            reader.read(b"\0move DJDDGD end white\n"),
            [PlatformCommand::Move(played), PlatformCommand::End(Some(Side::Second))]
        );
        assert_eq!(reader.read(b"end\n"), [PlatformCommand::End(None)]);
        assert_eq!(reader.read(b"new\0\n"), []);
        assert_eq!(
            reader.read(b"white\0error\n"),
            [PlatformCommand::New(Side::Second), PlatformCommand::Error]
        );
        assert_eq!(reader.read(b"move\n"), []);
        assert_eq!(reader.read(b"DJDDGD\nquit\n"), [PlatformCommand::Move(played), PlatformCommand::Quit]);
        assert_eq!(reader.read(b"accept refuse take taked\n"), []);
        for (line, expected) in [
            (&b"new red"[..], "new 'red': expected black or white"),
            (b"move A1B2C3", "move 'A1B2C3': expected three squares"),
            (b"\xb5\xda\xd2\xbb", "expected name?, new, move, error, end or quit"),
        ] {
            let words = reader.read(line);
            let [PlatformCommand::Unknown(message)] = &words[..] else { panic!("{words:?}") };
            assert!(message.contains(expected), "{message}");
        }
    }
}
