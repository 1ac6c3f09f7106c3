//! Moves in Botzone's notation, which has six numbers.

use std::fmt;
use std::str::FromStr;

use amazons::{Move, Square};
use serde::{Deserialize, Serialize};

use crate::InputError;
use crate::messages::excerpt;

/// A move in Botzone's notation, `x0 y0 x1 y1 x2 y2`: column and row of the origin, the target and
/// the arrow, each counted from 0. Six times -1 means that there is no move yet.
///
/// The numbers may be any integers; [`Coordinates::full_move`] checks whether they are squares. In
/// JSON they are an object with the fields `x0` to `y2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "CoordinateFields", into = "CoordinateFields")]
pub struct Coordinates(pub [i64; 6]);

#[derive(Serialize, Deserialize)]
struct CoordinateFields {
    x0: i64,
    y0: i64,
    x1: i64,
    y1: i64,
    x2: i64,
    y2: i64,
}

impl Coordinates {
    /// Six times -1, which the judge sends to the first player before any move.
    pub const NONE: Coordinates = Coordinates([-1; 6]);

    /// The move with these numbers; `None` if a square is outside the largest board.
    pub fn full_move(self) -> Option<Move> {
        let square = |at: usize| {
            let (x, y) = (u8::try_from(self.0[at]).ok()?, u8::try_from(self.0[at + 1]).ok()?);
            Square::new(x, y)
        };
        Some(Move { from: square(0)?, to: square(2)?, arrow: square(4)? })
    }
}

impl From<Coordinates> for CoordinateFields {
    fn from(Coordinates([x0, y0, x1, y1, x2, y2]): Coordinates) -> CoordinateFields {
        CoordinateFields { x0, y0, x1, y1, x2, y2 }
    }
}

impl From<CoordinateFields> for Coordinates {
    fn from(CoordinateFields { x0, y0, x1, y1, x2, y2 }: CoordinateFields) -> Coordinates {
        Coordinates([x0, y0, x1, y1, x2, y2])
    }
}

impl From<Move> for Coordinates {
    fn from(played: Move) -> Coordinates {
        let Move { from, to, arrow } = played;
        Coordinates([from.x(), from.y(), to.x(), to.y(), arrow.x(), arrow.y()].map(i64::from))
    }
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x0, y0, x1, y1, x2, y2] = self.0;
        write!(f, "{x0} {y0} {x1} {y1} {x2} {y2}")
    }
}

impl FromStr for Coordinates {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Coordinates, InputError> {
        let numbers: Result<Vec<i64>, _> = text.split_ascii_whitespace().map(str::parse).collect();
        numbers.ok().and_then(|numbers| numbers.try_into().ok()).map(Coordinates).ok_or_else(|| {
            InputError::new(format_args!("'{}'", excerpt(text, 40)), "six integers x0 y0 x1 y1 x2 y2")
        })
    }
}
