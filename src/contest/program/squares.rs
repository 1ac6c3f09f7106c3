//! The notations of squares and moves in GTP and on the contest platform.
//!
//! In GTP programs of the KataGo family, black moves first and starts at the top. In Quiver the
//! first player starts at the bottom, so row `r` in GTP is Quiver's row `h + 1 - r` on a board of
//! height `h`. On the contest platform, black moves first and starts at the bottom, and row `A` is
//! Quiver's row 10.

use std::fmt;
use std::str::FromStr;

use crate::messages::excerpt;
use amazons::{Move, QueenMove, Size, Square};

/// The most characters of an invalid text that an error message quotes.
const MAX_QUOTED: usize = 40;

const COLUMNS: &[u8; 10] = b"ABCDEFGHJK";

/// A square in the notation of GTP: a column letter (I is not used) and a row from 1 at the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vertex {
    pub square: Square,
    pub size: Size,
}

impl Vertex {
    pub(crate) fn read(text: &str, size: Size) -> Result<Vertex, String> {
        let square = || {
            let (letter, row) = text.split_at_checked(1)?;
            let x = COLUMNS.iter().position(|column| letter.as_bytes()[0].eq_ignore_ascii_case(column))?;
            let row: u8 = row.parse().ok().filter(|row| (1..=size.height()).contains(row))?;
            let is_on_board = x < usize::from(size.width());
            Square::new(x as u8, size.height() - row).filter(|_| is_on_board)
        };
        let square = square().ok_or_else(|| {
            let last = char::from(COLUMNS[usize::from(size.width()) - 1]);
            let got = excerpt(text, MAX_QUOTED);
            format!("'{got}': expected a vertex from A1 to {last}{}", size.height())
        })?;
        Ok(Vertex { square, size })
    }
}

impl fmt::Display for Vertex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = char::from(COLUMNS[usize::from(self.square.x())]);
        write!(f, "{column}{}", self.size.height() - self.square.y())
    }
}

/// The number of rows of the platform's board.
const ROWS: u8 = 10;

/// A move in the contest platform's notation: the amazon's square, its destination and the arrow. A
/// square is two capital letters: its column, counted from the left, and its row, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlatformMove(pub Move);

impl FromStr for PlatformMove {
    type Err = String;

    fn from_str(text: &str) -> Result<PlatformMove, String> {
        let square = |letters: &[u8]| {
            let [x, row] = [letters[0], letters[1]].map(|letter| letter.wrapping_sub(b'A'));
            Square::new(x, (ROWS - 1).checked_sub(row)?)
        };
        let squares = |bytes: &[u8]| {
            let [from, to, arrow] = [0, 2, 4].map(|place| square(&bytes[place..place + 2]));
            Some(Move::new(QueenMove { from: from?, to: to? }, arrow?))
        };
        let full = Some(text.as_bytes()).filter(|bytes| bytes.len() == 6).and_then(squares);
        full.map(PlatformMove).ok_or_else(|| {
            format!("move '{}': expected three squares, as in DJDDGD", excerpt(text, MAX_QUOTED))
        })
    }
}

impl fmt::Display for PlatformMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlatformMove(Move { from, to, arrow }) = self;
        [from, to, arrow].into_iter().try_for_each(|square| {
            let [x, row] = [square.x(), ROWS - 1 - square.y()].map(|place| char::from(b'A' + place));
            write!(f, "{x}{row}")
        })
    }
}

#[cfg(test)]
mod tests {
    use amazons::{Position, Side};

    use super::*;

    fn start(side: usize) -> Position {
        Position::start(Size::square(side).unwrap()).unwrap()
    }

    #[test]
    fn black_stands_above_in_gtp() {
        for (side, black) in [(10, ["D10", "G10", "A7", "K7"]), (8, ["C8", "F8", "A6", "H6"])] {
            let start = start(side);
            for text in black {
                let vertex = Vertex::read(text, start.size()).unwrap();
                assert!(start.amazons(Side::First).contains(&vertex.square), "{text}");
                assert_eq!(Vertex::read(&vertex.to_string().to_lowercase(), vertex.size), Ok(vertex));
            }
        }
        for wrong in ["", "D", "I5", "D0", "D11", "L1", "5D", "D-1", "中1"] {
            let error = Vertex::read(wrong, start(10).size()).unwrap_err();
            assert!(error.ends_with("expected a vertex from A1 to K10"), "{error}");
        }
    }

    #[test]
    fn black_stands_below_on_the_platform() {
        let PlatformMove(played) = "DJDDGD".parse().unwrap();
        assert_eq!(played.to_string(), "d1-d7/g7");
        assert_eq!(PlatformMove(played).to_string(), "DJDDGD");
        for (side, squares) in [(Side::First, "AGDJGJJG"), (Side::Second, "ADDAGAJD")] {
            for letters in squares.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap()) {
                let PlatformMove(played) = letters.repeat(3).parse().unwrap();
                assert!(start(10).amazons(side).contains(&played.from), "{letters}");
            }
        }
        for wrong in ["", "DJDDG", "DJDDGDA", "djddgd", "DKDDGD", "KADDGD", "D1D7G7", "中中"] {
            assert!(wrong.parse::<PlatformMove>().unwrap_err().contains("expected three squares"), "{wrong}");
        }
    }
}
