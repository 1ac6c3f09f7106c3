//! The board a match is played on and the start it began from.
//!
//! The judge names neither. The squares of the first move tell the board, since the starts of 6x6,
//! 8x8 and 10x10 share none. On 10x10 Botzone's page and its judge disagree about who owns four of
//! the start squares (see [`Start`]), so a match there has two readings until a move proves one of
//! them.

use serde::{Deserialize, Serialize};

use crate::game::{FullMove, Position, Size, Start, StartError};

/// The boards that Botzone's matches are known on.
const SIZES: [usize; 3] = [10, 8, 6];

/// The board whose start is in doubt.
const DOUBTFUL: u8 = 10;

/// What to make of the doubt about the 10x10 start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartChoice {
    /// The judge's formula, unless the history is legal under the left start only.
    #[default]
    Formula,
    /// The left start, unless the history is legal under the formula only.
    Left,
    /// As the formula, but until the history proves one of them play nothing that is illegal under
    /// either.
    Auto,
}

/// The start positions that a match can have begun from.
#[derive(Clone, Debug)]
pub struct Starts {
    usual: Opening,
    others: Vec<Opening>,
    fixed: bool,
    choice: StartChoice,
}

/// The readings of one board's start: the likelier, and the other one where there is a doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The position to go by.
    pub likely: Position,
    /// The position that it may have been as well.
    pub rival: Option<Position>,
}

/// A history of one board where another was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the first move is one of a board of {got}, expected {expected} as --board says")]
pub struct BoardClash {
    /// The board of the history.
    pub got: Size,
    /// The board asked for.
    pub expected: Size,
}

impl Opening {
    fn new(size: Size, choice: StartChoice) -> Result<Opening, StartError> {
        let formula = Start::Formula.position(size)?;
        if size.width() != DOUBTFUL {
            return Ok(Opening { likely: formula, rival: None });
        }
        let left = Start::Left.position(size)?;
        Ok(match choice {
            StartChoice::Formula | StartChoice::Auto => Opening { likely: formula, rival: Some(left) },
            StartChoice::Left => Opening { likely: left, rival: Some(formula) },
        })
    }

    /// Whether `full` leaves a square from which the first player can start in one of the readings.
    fn opens_with(&self, full: FullMove) -> bool {
        let readings = [Some(self.likely), self.rival];
        readings.into_iter().flatten().any(|start| start.amazons(start.to_move()).contains(&full.from))
    }
}

impl Starts {
    /// The starts for a match on `board` or, unless that is `fixed`, on whichever board its history
    /// is of.
    ///
    /// # Errors
    /// If there is no start for `board`.
    pub fn new(board: Size, fixed: bool, choice: StartChoice) -> Result<Starts, StartError> {
        let usual = Opening::new(board, choice)?;
        let mut others = Vec::new();
        for size in SIZES.into_iter().filter_map(|side| Size::square(side).ok()).filter(|&size| size != board)
        {
            others.push(Opening::new(size, choice)?);
        }
        Ok(Starts { usual, others, fixed, choice })
    }

    /// The start to go by while there is no history.
    #[must_use]
    pub fn usual(&self) -> Opening {
        self.usual
    }

    /// The start of a history that begins with this move. A move of no board is left to the usual
    /// one to refuse.
    ///
    /// # Errors
    /// If the move is one of another board and the board is fixed.
    pub fn of_history(&self, first: FullMove) -> Result<Opening, BoardClash> {
        if self.usual.opens_with(first) {
            return Ok(self.usual);
        }
        match self.others.iter().find(|opening| opening.opens_with(first)) {
            None => Ok(self.usual),
            Some(other) if self.fixed => {
                Err(BoardClash { got: other.likely.size(), expected: self.usual.likely.size() })
            }
            Some(other) => Ok(*other),
        }
    }

    /// Whether to play on only what is legal under both readings as long as there are two.
    #[must_use]
    pub fn cautious(&self) -> bool {
        self.choice == StartChoice::Auto
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(board: usize, fixed: bool, choice: StartChoice) -> Starts {
        Starts::new(Size::square(board).unwrap(), fixed, choice).unwrap()
    }

    #[test]
    fn the_first_square_left_tells_the_board() {
        for (name, side) in [
            ("b1-b2/b1", 6),
            ("a2-b2/a2", 6),
            ("c1-c2/c1", 8),
            ("h3-g3/h3", 8),
            ("d1-d2/d1", 10),
            ("d10-d9/d10", 10),
        ] {
            let first: FullMove = name.parse().unwrap();
            for usual in [6, 8, 10] {
                let opening = starts(usual, false, StartChoice::Formula).of_history(first).unwrap();
                assert_eq!(opening.likely.size().width(), side, "{name} with {usual} by default");
                let clash = starts(usual, true, StartChoice::Formula).of_history(first);
                assert_eq!(clash.is_err(), usual != usize::from(side), "{name} with {usual} fixed");
            }
        }
        let clash = starts(10, true, StartChoice::Auto).of_history("c1-c2/c1".parse().unwrap()).unwrap_err();
        assert_eq!(
            clash.to_string(),
            "the first move is one of a board of 8x8, expected 10x10 as --board says"
        );
    }

    #[test]
    fn a_move_of_no_board_stays_with_the_usual_one() {
        // No player starts from d8 on any board.
        let opening = starts(8, true, StartChoice::Formula).of_history("d8-d7/d8".parse().unwrap()).unwrap();
        assert_eq!(opening.likely.size().width(), 8);
    }

    #[test]
    fn only_10x10_has_two_readings() {
        for choice in [StartChoice::Formula, StartChoice::Left, StartChoice::Auto] {
            assert_eq!(starts(8, false, choice).usual().rival, None);
            assert_eq!(starts(6, false, choice).usual().rival, None);
            let opening = starts(10, false, choice).usual();
            let size = opening.likely.size();
            let left = Start::Left.position(size).unwrap();
            assert_eq!(opening.likely == left, choice == StartChoice::Left);
            assert_eq!(opening.rival == Some(left), choice != StartChoice::Left);
        }
        assert!(Starts::new(Size::square(7).unwrap(), false, StartChoice::Formula).is_err());
    }
}
