//! Start positions of Botzone, about which its page and its judge disagree.

use std::fmt;

use amazons::{Position, SetupError, Side, Size, Square, SquareContent};
use serde::{Deserialize, Serialize};

/// The assignment of the start squares to the players.
///
/// The squares are the same in both: see [`Position::start`].
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
    /// The lower half belongs to the first player, by the judge's own formula.
    #[default]
    Formula,
    /// The left half belongs to the first player, as Botzone's page says for 10x10.
    Left,
}

/// The choice between the two readings of the 10x10 start position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartChoice {
    /// The judge's formula, unless the history is legal only under the left start.
    #[default]
    Formula,
    /// The left start, unless the history is legal only under the formula.
    Left,
    /// Like the formula, but until the history proves one, plays only moves legal under both.
    Auto,
}

impl Start {
    /// The start position of a board.
    ///
    /// # Errors
    /// If the board is not square, or its side is odd or below 6.
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

    /// The assignment whose start is this position; `None` for any other position.
    pub fn of(position: &Position) -> Option<Start> {
        let is_start = |start: &Start| start.position(position.size()) == Ok(*position);
        [Start::Formula, Start::Left].into_iter().find(is_start)
    }

    /// All start positions, the likeliest first. The boards share no start square, so a first move
    /// is legal on at most one of them. On 10x10 Botzone's page and its judge disagree about the
    /// owners of four squares.
    pub fn positions() -> impl Iterator<Item = (Start, Position)> {
        let starts = [(8, Start::Formula), (10, Start::Formula), (6, Start::Formula), (10, Start::Left)];
        starts
            .into_iter()
            .filter_map(|(side, start)| Some((start, start.position(Size::square(side).ok()?).ok()?)))
    }

    /// The start positions in the order in which a list of moves tries them: first those of the
    /// board with this side, then all others.
    pub fn positions_from(board: usize) -> Vec<Position> {
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
