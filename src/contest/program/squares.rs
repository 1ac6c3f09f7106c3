//! Squares as GTP names them: a column letter without I, and a row from 1 at the bottom.
//!
//! In programs of the KataGo family black moves first and stands above, while the first player stands
//! below in this project. So a vertex of row `r` on a board of height `h` is the square of row
//! `h + 1 - r`.

use std::fmt;

use crate::messages::excerpt;
use crate::protocols::SHOWN;
use amazons::{Size, Square};

/// The columns, from the left.
const COLUMNS: &[u8; 10] = b"ABCDEFGHJK";

/// A vertex of a board of this size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::protocols) struct Vertex {
    pub(in crate::protocols) square: Square,
    pub(in crate::protocols) size: Size,
}

impl Vertex {
    /// Reads a vertex in any case.
    pub(in crate::protocols) fn read(text: &str, size: Size) -> Result<Vertex, String> {
        let square = || {
            let (letter, row) = text.split_at_checked(1)?;
            let x = COLUMNS.iter().position(|column| letter.as_bytes()[0].eq_ignore_ascii_case(column))?;
            let row: u8 = row.parse().ok().filter(|row| (1..=size.height()).contains(row))?;
            let is_on_board = x < usize::from(size.width());
            Square::new(x as u8, size.height() - row).filter(|_| is_on_board)
        };
        let square = square().ok_or_else(|| {
            let last = char::from(COLUMNS[usize::from(size.width()) - 1]);
            let got = excerpt(text, SHOWN);
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
