//! The plies of a match and the position they lead to.

use super::request::Place;
use super::starts::{BoardClash, Starts};
use crate::game::{Bitboard, Coordinates, FullMove, IllegalMove, Position, Size};

/// A legal history: from a start, ply by ply, to a position.
#[derive(Clone, Debug)]
pub struct History {
    starts: Starts,
    plies: Vec<FullMove>,
    position: Position,
    /// The position under the other reading of the start, while that is legal too.
    rival: Option<Position>,
}

/// Why a match history is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum HistoryError {
    #[error("{place}: no move (all -1): expected one, only the first request may have none")]
    NoMove { place: Place },
    #[error("{place}: {got} is off the board: expected numbers from 0 to {}", size.width() - 1)]
    OffBoard { place: Place, got: Coordinates, size: Size },
    #[error("{place}: {fault}")]
    Board { place: Place, fault: BoardClash },
    #[error("{place}: illegal move {got}: {fault}")]
    Illegal { place: Place, got: Coordinates, fault: IllegalMove },
}

impl History {
    /// No ply yet.
    #[must_use]
    pub fn new(starts: &Starts) -> History {
        let opening = starts.usual();
        History { starts: starts.clone(), plies: Vec::new(), position: opening.likely, rival: opening.rival }
    }

    /// The history that a request tells: request, response, request and so on, the first maybe "no
    /// move yet".
    ///
    /// # Errors
    /// If it is not legal.
    pub fn read(starts: &Starts, entries: &[Coordinates]) -> Result<History, HistoryError> {
        let mut history = History::new(starts);
        for (index, &coordinates) in entries.iter().enumerate() {
            if index > 0 || coordinates != Coordinates::NONE {
                history.push(coordinates, Place::of_history(index))?;
            }
        }
        Ok(history)
    }

    /// Adds a ply.
    ///
    /// # Errors
    /// If it is no move, or illegal under every reading of the start that is left. The history is
    /// as before then.
    pub fn push(&mut self, coordinates: Coordinates, place: Place) -> Result<(), HistoryError> {
        if coordinates == Coordinates::NONE {
            return Err(HistoryError::NoMove { place });
        }
        let full = coordinates.full_move();
        let (mut position, mut rival) = (self.position, self.rival);
        if let Some(first) = full.filter(|_| self.plies.is_empty()) {
            let opening =
                self.starts.of_history(first).map_err(|fault| HistoryError::Board { place, fault })?;
            (position, rival) = (opening.likely, opening.rival);
        }
        let size = position.size();
        let on_board = |full: &FullMove| {
            [full.from, full.to, full.arrow].into_iter().all(|square| size.contains(square))
        };
        let Some(full) = full.filter(on_board) else {
            return Err(HistoryError::OffBoard { place, got: coordinates, size });
        };
        let rival = rival.and_then(|rival| rival.play(full).ok());
        (self.position, self.rival) = match (position.play(full), rival) {
            (Ok(next), rival) => (next, rival),
            // The likelier reading is wrong: the match began from the other start.
            (Err(_), Some(rival)) => (rival, None),
            (Err(fault), None) => return Err(HistoryError::Illegal { place, got: coordinates, fault }),
        };
        self.plies.push(full);
        Ok(())
    }

    /// The position to go by.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The plies, first to last.
    #[must_use]
    pub fn plies(&self) -> &[FullMove] {
        &self.plies
    }

    /// The turn of the side to move, counted from 1.
    #[must_use]
    pub fn turn(&self) -> usize {
        self.plies.len() / 2 + 1
    }

    /// The amazons whose moves are legal under both readings of the start; `None` when only one is
    /// left, and all moves are safe.
    ///
    /// Both readings have the same squares occupied, so an amazon that is ours in both moves alike
    /// in both.
    #[must_use]
    pub fn safe_amazons(&self) -> Option<Bitboard> {
        let rival = self.rival?;
        let ours = |position: &Position| -> Bitboard {
            position.amazons(position.to_move()).iter().copied().collect()
        };
        Some(ours(&self.position) & ours(&rival))
    }

    /// The plies that lead from `earlier` to here; `None` if they do not.
    #[must_use]
    pub fn since(&self, earlier: &History) -> Option<&[FullMove]> {
        let plies = self.plies.strip_prefix(earlier.plies.as_slice())?;
        // The same plies may have been read under the other start since.
        let reached = plies.iter().try_fold(earlier.position, |position, &full| position.play(full).ok());
        (reached == Some(self.position)).then_some(plies)
    }
}

#[cfg(test)]
mod tests {
    use super::super::starts::StartChoice;
    use super::*;
    use crate::game::{Side, Start};

    fn starts(board: usize, fixed: bool) -> Starts {
        Starts::new(Size::square(board).unwrap(), fixed, StartChoice::Formula).unwrap()
    }

    fn read(starts: &Starts, text: &str) -> Result<History, HistoryError> {
        let entries: Vec<_> = text.split(", ").map(|numbers| numbers.parse().unwrap()).collect();
        History::read(starts, &entries)
    }

    const NONE: &str = "-1 -1 -1 -1 -1 -1";

    #[test]
    fn the_match_in_the_documentation_is_one_of_8x8() {
        let text = format!("{NONE}, 5 0 3 2 6 5, 0 5 4 5 3 4, 0 2 0 3 3 0, 2 7 2 5 1 4");
        let history = read(&starts(10, false), &text).unwrap();
        assert_eq!(history.position().size(), Size::square(8).unwrap());
        assert_eq!((history.plies().len(), history.turn()), (4, 3));
        assert_eq!(history.position().to_move(), Side::First);
        assert_eq!(history.safe_amazons(), None);
        let error = read(&starts(10, true), &text).unwrap_err();
        assert_eq!(
            error.to_string(),
            "turn 1, response: the first move is one of a board of 8x8, expected 10x10 as --board says"
        );
    }

    #[test]
    fn a_history_legal_under_the_left_start_alone_is_read_under_it() {
        let left = Start::Left.position(Size::square(10).unwrap()).unwrap();
        // The first player moves an amazon that the formula gives to the second.
        let first = "3 9 3 8 3 9";
        let history = read(&starts(10, true), first).unwrap();
        assert_eq!(history.position(), &left.play("d10-d9/d10".parse().unwrap()).unwrap());
        assert_eq!(history.safe_amazons(), None);
        // The second player gives it away, some plies later.
        let history = read(&starts(10, true), "0 3 1 3 0 3, 6 9 6 8 6 9, 1 3 2 3 1 3, 6 0 6 1 6 0").unwrap();
        assert_eq!(history.position().amazons(Side::Second).len(), 4);
        assert!(history.position().amazons(Side::Second).contains(&"g2".parse().unwrap()));
        // A history that needs both starts has neither.
        let error = read(&starts(10, true), "6 0 6 1 6 0, 9 3 8 3 9 3").unwrap_err();
        assert_eq!(
            error.to_string(),
            "turn 1, response: illegal move 9 3 8 3 9 3: j4 holds an amazon of the first player, expected an \
             amazon of the second player"
        );
    }

    #[test]
    fn safe_amazons_are_those_of_both_starts_wherever_they_go() {
        let names = |history: &History| -> Vec<String> {
            history.safe_amazons().unwrap().iter().map(|square| square.to_string()).collect()
        };
        let starts = starts(10, false);
        let mut history = History::new(&starts);
        assert_eq!(names(&history), ["d1", "a4"]);
        for (ply, expected) in [("0 3 1 3 0 3", ["j7", "g10"]), ("6 9 6 8 6 9", ["d1", "b4"])] {
            history.push(ply.parse().unwrap(), Place::Request(1)).unwrap();
            assert_eq!(names(&history), expected);
        }
        history.push("6 0 6 1 6 0".parse().unwrap(), Place::Request(2)).unwrap();
        assert_eq!(history.safe_amazons(), None);
    }

    #[test]
    fn what_is_illegal_says_which_turn_and_why() {
        let cases = [
            ("0 3 1 3 0 3, -1 -1 -1 -1 -1 -1", "turn 1, response: no move (all -1)"),
            ("0 3 0 10 0 3", "turn 1, request: 0 3 0 10 0 3 is off the board: expected numbers from 0 to 9"),
            ("0 3 0 -4 0 3", "turn 1, request: 0 3 0 -4 0 3 is off the board"),
            ("2 0 2 8 2 0", "turn 1, request: 2 0 2 8 2 0 is off the board: expected numbers from 0 to 7"),
            ("4 4 5 5 4 4", "turn 1, request: illegal move 4 4 5 5 4 4: e5 holds nothing"),
            (
                "0 3 1 3 0 3, 6 9 6 8 6 9, 0 3 1 3 2 3",
                "turn 2, request: illegal move 0 3 1 3 2 3: a4 holds an arrow",
            ),
            ("2 0 2 1 2 1", "turn 1, request: illegal move 2 0 2 1 2 1: the arrow from c2 does not reach c2"),
            ("0 5 0 4 0 5", "turn 1, request: illegal move 0 5 0 4 0 5: a6 holds nothing"),
        ];
        for (text, expected) in cases {
            let message = read(&starts(10, false), text).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{text}: {message}");
        }
        let message = read(&starts(8, false), "0 5 0 4 0 5").unwrap_err().to_string();
        assert!(message.contains("a6 holds an amazon of the second player"), "{message}");
    }

    #[test]
    fn a_refused_ply_changes_nothing() {
        let mut history = read(&starts(10, false), "0 3 1 3 0 3").unwrap();
        let before = history.clone();
        assert!(history.push("6 9 6 9 6 9".parse().unwrap(), Place::Response(1)).is_err());
        assert_eq!(history.since(&before), Some(&[][..]));
        assert_eq!(history.safe_amazons(), before.safe_amazons());
    }

    #[test]
    fn what_was_played_since_is_known_unless_the_past_has_changed() {
        let starts = starts(10, false);
        let earlier = read(&starts, "0 3 1 3 0 3").unwrap();
        let later = read(&starts, "0 3 1 3 0 3, 6 9 6 8 6 9").unwrap();
        assert_eq!(later.since(&earlier).unwrap().len(), 1);
        assert_eq!(earlier.since(&later), None);
        assert_eq!(read(&starts, "3 0 4 0 3 0, 6 9 6 8 6 9").unwrap().since(&earlier), None);
        // The second player's g1 proves that the start was the left one all along.
        let proven = read(&starts, "0 3 1 3 0 3, 6 0 6 1 6 0").unwrap();
        assert_eq!(proven.since(&earlier), None);
    }
}
