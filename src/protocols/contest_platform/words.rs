//! The words of the contest platform: split from its bytes, with the squares as it names them.
//!
//! A square is two capital letters: the column from the left, then the row from the top. Black moves
//! first and stands below, as the first player does in this project, so row `A` is row 10.

use amazons::{Move, QueenMove, Side, Square};

use crate::messages::excerpt;
use crate::protocols::SHOWN;

/// The rows of the board that the platform plays on.
const ROWS: u8 = 10;

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
        _ => read_move(parameter).map_or_else(
            || Word::Unknown(format!("move '{got}': expected three squares, as in DJDDGD")),
            Word::Move,
        ),
    }
}

/// Reads from, to and arrow.
fn read_move(text: &str) -> Option<Move> {
    let square = |letters: &[u8]| {
        let [x, row] = [letters[0], letters[1]].map(|letter| letter.wrapping_sub(b'A'));
        Square::new(x, (ROWS - 1).checked_sub(row)?)
    };
    let bytes = text.as_bytes();
    if bytes.len() != 6 {
        return None;
    }
    let [from, to, arrow] = [0, 2, 4].map(|place| square(&bytes[place..place + 2]));
    Some(Move::new(QueenMove { from: from?, to: to? }, arrow?))
}

/// Writes from, to and arrow.
pub(super) fn write_move(played: Move) -> String {
    let letters = |square: Square| [square.x(), ROWS - 1 - square.y()].map(|place| char::from(b'A' + place));
    [played.from, played.to, played.arrow].into_iter().flat_map(letters).collect()
}

#[cfg(test)]
mod tests {
    use amazons::{Position, Size};

    use super::*;

    #[test]
    fn black_stands_below_and_columns_come_first() {
        let start = Position::start(Size::square(10).unwrap()).unwrap();
        let played = read_move("DJDDGD").unwrap();
        assert_eq!(played.to_string(), "d1-d7/g7");
        assert_eq!(write_move(played), "DJDDGD");
        for (side, squares) in [(Side::First, "AGDJGJJG"), (Side::Second, "ADDAGAJD")] {
            for letters in squares.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap()) {
                let played = read_move(&letters.repeat(3)).unwrap();
                assert!(start.amazons(side).contains(&played.from), "{letters}");
            }
        }
        for wrong in ["", "DJDDG", "DJDDGDA", "djddgd", "DKDDGD", "KADDGD", "D1D7G7", "中中"] {
            assert_eq!(read_move(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn words_come_joined_and_split() {
        let mut reader = WordReader::default();
        let played = read_move("DJDDGD").unwrap();
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
