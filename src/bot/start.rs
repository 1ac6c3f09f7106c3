//! The start positions of Botzone, whose page and judge disagree about the start on 10x10.

use std::fmt;

use amazons::{Position, SetupError, Side, Size, Square, SquareContent};
use serde::{Deserialize, Serialize};

/// The owners of the amazons in a start position, in one of two variants. The occupied squares are
/// the same in both variants, as in [`Position::start`].
///
/// ```
/// use amazons::{Position, Size};
/// use quiver_bot::Start;
///
/// let size = Size::square(10)?;
/// assert_eq!(Start::Formula.position(size)?, Position::start(size)?);
/// assert_ne!(Start::Left.position(size)?, Position::start(size)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// The first player owns the amazons in the lower half, as the judge's program computes.
    #[default]
    Formula,
    /// The first player owns the amazons in the left half, as Botzone's page says for 10x10.
    Left,
}

/// A bot's choice between the two variants of the start position on 10x10.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartChoice {
    /// [`Start::Formula`], unless the moves of the match are legal only from [`Start::Left`].
    #[default]
    Formula,
    /// [`Start::Left`], unless the moves of the match are legal only from [`Start::Formula`].
    Left,
    /// As `Formula`, but until the match shows its start position, the bot plays only moves that
    /// are legal from both start positions.
    Auto,
}

impl Start {
    /// The start position of this variant on a board of this size.
    ///
    /// # Errors
    /// If the board is not square, or if its side is odd or shorter than 6 squares.
    pub fn position(self, size: Size) -> Result<Position, SetupError> {
        let formula = Position::start(size)?;
        if self == Start::Formula {
            return Ok(formula);
        }
        let is_left = |square: Square| 2 * square.x() < size.width();
        let mut position = Position::new(size);
        for square in Side::BOTH.into_iter().flat_map(|side| formula.amazons(side).to_vec()) {
            let side = if is_left(square) { Side::First } else { Side::Second };
            position.put(square, SquareContent::Amazon(side))?;
        }
        Ok(position)
    }

    /// The variant of this start position; `None` if the position is not a start position.
    pub fn of(position: &Position) -> Option<Start> {
        let is_start = |start: &Start| start.position(position.size()) == Ok(*position);
        [Start::Formula, Start::Left].into_iter().find(is_start)
    }

    /// All start positions of Botzone, the most probable first.
    pub fn positions() -> impl Iterator<Item = (Start, Position)> {
        let starts = [(8, Start::Formula), (10, Start::Formula), (6, Start::Formula), (10, Start::Left)];
        starts
            .into_iter()
            .filter_map(|(side, start)| Some((start, start.position(Size::square(side).ok()?).ok()?)))
    }

    /// The start positions in the order in which a reader of moves tries them: first the board with
    /// `board` squares along a side, then the others.
    pub fn positions_preferring(board: usize) -> Vec<Position> {
        let mut starts: Vec<_> = Start::positions().map(|(_, position)| position).collect();
        starts.sort_by_key(|position| usize::from(position.size().width()) != board);
        starts
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Start::Formula => "formula",
            Start::Left => "left",
        })
    }
}
