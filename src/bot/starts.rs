//! The board a match is played on and the start it began from.
//!
//! The judge names neither. The squares of the first move tell the board, since the starts of 6x6,
//! 8x8 and 10x10 share none. On 10x10 Botzone's page and its judge disagree about who owns four of
//! the start squares (see [`Start`]), so a match there has two readings until a move proves one of
//! them.

use serde::{Deserialize, Serialize};

use crate::game::{InputError, Position, Size, Start};

/// The treatment of the two readings of the 10x10 start position.
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

/// How binding the board of a bot's settings is. The first move of a history tells the board of its
/// match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BoardChoice {
    /// The user named no board. The bot follows a history of another board; where it moves first,
    /// it warns that it had to assume.
    Assumed,
    /// The board where the history does not tell. The bot follows a history of another board.
    Preferred,
    /// The only board: the bot refuses a history of another one.
    Fixed,
}

/// The start positions that a match can have begun from.
#[derive(Clone, Debug)]
pub struct Starts {
    /// Those of the usual board first, and of two on one board the likelier first.
    pub(super) positions: Vec<Position>,
    fixed: bool,
    /// True if the bot plays only what is legal under both readings as long as there are two.
    pub(super) cautious: bool,
}

impl Starts {
    /// The starts for a match on `board` or, unless that is `fixed`, on whichever board its history
    /// is of.
    ///
    /// # Errors
    /// If there is no start for `board`.
    pub fn new(board: usize, fixed: bool, choice: StartChoice) -> Result<Starts, InputError> {
        let board = Size::square(board)?;
        Start::Formula.position(board)?;
        let preferred = if choice == StartChoice::Left { Start::Left } else { Start::Formula };
        let mut starts: Vec<_> = Start::positions().collect();
        starts.sort_by_key(|(start, position)| (position.size() != board, *start != preferred));
        let positions = starts.into_iter().map(|(_, position)| position).collect();
        Ok(Starts { positions, fixed, cautious: choice == StartChoice::Auto })
    }

    /// The start to go by while there is no history.
    pub fn usual(&self) -> &Position {
        &self.positions[0]
    }

    /// The only board that a history may be of.
    pub(super) fn fixed_board(&self) -> Option<Size> {
        self.fixed.then(|| self.usual().size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_board_comes_first_and_on_it_the_start_of_the_choice() {
        let left = Start::Left.position(Size::square(10).unwrap()).unwrap();
        for choice in [StartChoice::Formula, StartChoice::Left, StartChoice::Auto] {
            for side in [6, 8, 10] {
                let size = Size::square(side).unwrap();
                let starts = Starts::new(side, false, choice).unwrap();
                let usual = starts.usual();
                assert_eq!(usual.size(), size);
                assert_eq!(*usual == left, side == 10 && choice == StartChoice::Left);
                let readings = starts.positions.iter().filter(|position| position.size() == size);
                assert_eq!(readings.count(), if side == 10 { 2 } else { 1 });
            }
        }
        assert!(Starts::new(7, false, StartChoice::Formula).is_err());
    }
}
