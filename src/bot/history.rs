//! The plies of a match and the position that they lead to.
//!
//! Botzone's judge names neither the board size nor the start position. The first move shows the
//! size, because the start positions of 6x6, 8x8 and 10x10 have no occupied square in common. On
//! 10x10 Botzone's page and its judge disagree about the owners of four start squares (see
//! [`Start`]). The bot therefore keeps two possible positions, called readings, until a move is
//! legal in only one of them.

use amazons::{Bitboard, Move, Position, Size};

use crate::{Coordinates, InputError, Start, StartChoice};

/// A legal history: the plies from a start position to the current position.
#[derive(Clone, Debug)]
pub struct History {
    plies: Vec<Move>,
    /// The current position for each start position from which all plies are legal. Never empty.
    /// Sorted: the board size and the start position that the bot's settings prefer come first.
    readings: Vec<Position>,
    fixed_board: Option<Size>,
    /// True if the bot moves only amazons that it owns in both possible positions.
    cautious: bool,
}

impl History {
    /// The history of a match before its first ply, on a board with `board` squares along a side.
    /// If `fixed` is false, the first ply may show another board size.
    ///
    /// # Errors
    /// If the board has no start position.
    pub fn new(board: usize, fixed: bool, choice: StartChoice) -> Result<History, InputError> {
        let board = Size::square(board)?;
        Start::Formula.position(board)?;
        let preferred = if choice == StartChoice::Left { Start::Left } else { Start::Formula };
        let mut starts: Vec<_> = Start::positions().collect();
        starts.sort_by_key(|(start, position)| (position.size() != board, *start != preferred));
        Ok(History {
            plies: Vec::new(),
            readings: starts.into_iter().map(|(_, position)| position).collect(),
            fixed_board: fixed.then_some(board),
            cautious: choice == StartChoice::Auto,
        })
    }

    /// This history extended by the plies of a request. The first ply may be [`Coordinates::NONE`].
    ///
    /// # Errors
    /// If a ply is illegal.
    pub fn extended(&self, entries: &[Coordinates]) -> Result<History, InputError> {
        let mut history = self.clone();
        for &coordinates in entries.strip_prefix(&[Coordinates::NONE]).unwrap_or(entries) {
            history.push(coordinates)?;
        }
        Ok(history)
    }

    /// Adds a ply.
    ///
    /// # Errors
    /// If the ply is not a move, or if it is illegal from every possible start position. The
    /// history is then unchanged.
    pub fn push(&mut self, got: Coordinates) -> Result<(), InputError> {
        let error = |fault: String| InputError(format!("ply {}: {fault}", self.plies.len() + 1));
        let outside =
            || error(format!("{got} are no squares of a board: expected -1 only in the first request"));
        let played = got.full_move().ok_or_else(outside)?;
        // Possible positions of the same board size differ only in the owners of amazons. The move
        // is checked in the first position where its amazon belongs to the side to move.
        let is_own = |reading: &&Position| reading.amazons(reading.to_move()).contains(&played.from);
        let reading = self.readings.iter().find(is_own).unwrap_or(self.position());
        if let Some(expected) = self.fixed_board.filter(|&board| board != reading.size()) {
            let board = reading.size();
            return Err(error(format!(
                "the first move is from a board of {board}: expected {expected}, as --board says"
            )));
        }
        reading.play(played).map_err(|fault| error(format!("illegal move {got}: {fault}")))?;
        self.readings.retain_mut(|reading| reading.play(played).map(|next| *reading = next).is_ok());
        self.plies.push(played);
        Ok(())
    }

    /// The current position, for the most probable of the possible start positions.
    pub fn position(&self) -> &Position {
        &self.readings[0]
    }

    /// The plies of the match.
    pub fn plies(&self) -> &[Move] {
        &self.plies
    }

    /// The amazons that belong to the bot in both possible positions; `None` if the bot may move
    /// all its amazons.
    ///
    /// With `--start auto` the bot moves only the returned amazons until the match shows its start
    /// position. With other values of `--start` the bot moves only the returned amazons in the
    /// first ply of the match. In the first ply this restriction costs no strength, because the
    /// start positions are symmetric and the mirror image of each excluded move is allowed.
    pub fn certainly_own_amazons(&self) -> Option<Bitboard> {
        let own = |position: &Position| -> Bitboard {
            position.amazons(position.to_move()).iter().copied().collect()
        };
        let size = self.position().size();
        let rival = self.readings[1..].iter().find(|reading| reading.size() == size)?;
        (self.cautious || self.plies.is_empty()).then(|| own(self.position()) & own(rival))
    }
}

#[cfg(test)]
mod tests {
    use amazons::Side;

    use super::*;

    fn begun(board: usize, fixed: bool) -> History {
        History::new(board, fixed, StartChoice::Auto).unwrap()
    }

    fn read(start: &History, text: &str) -> Result<History, InputError> {
        let entries: Vec<_> = text.split(", ").map(|numbers| numbers.parse().unwrap()).collect();
        start.extended(&entries)
    }

    #[test]
    fn moves_show_left_start() {
        let left = Start::Left.position(Size::square(10).unwrap()).unwrap();
        // The first player owns the amazon on d10 only in the start position `Left`.
        let first = "3 9 3 8 3 9";
        let history = read(&begun(10, true), first).unwrap();
        assert_eq!(history.position(), &left.play("d10-d9/d10".parse().unwrap()).unwrap());
        assert_eq!(history.certainly_own_amazons(), None);
        // Here only ply 4 shows that the match began from the start position `Left`.
        let history = read(&begun(10, true), "0 3 1 3 0 3, 6 9 6 8 6 9, 1 3 2 3 1 3, 6 0 6 1 6 0").unwrap();
        assert_eq!(history.position().amazons(Side::Second).len(), 4);
        assert!(history.position().amazons(Side::Second).contains(&"g2".parse().unwrap()));
        // No single start position allows both of these plies.
        let error = read(&begun(10, true), "6 0 6 1 6 0, 9 3 8 3 9 3").unwrap_err();
        assert_eq!(
            error.to_string(),
            "ply 2: illegal move 9 3 8 3 9 3: j4 holds an amazon of the first player, expected an \
             amazon of the second player"
        );
    }

    #[test]
    fn safe_amazons_belong_to_bot_in_both_readings() {
        let names = |history: &History| -> Vec<String> {
            history.certainly_own_amazons().unwrap().iter().map(|square| square.to_string()).collect()
        };
        let mut history = begun(10, false);
        assert_eq!(names(&history), ["d1", "a4"]);
        for (ply, expected) in [("0 3 1 3 0 3", ["j7", "g10"]), ("6 9 6 8 6 9", ["d1", "b4"])] {
            history.push(ply.parse().unwrap()).unwrap();
            assert_eq!(names(&history), expected);
        }
        history.push("6 9 6 9 6 9".parse().unwrap()).unwrap_err();
        assert_eq!((history.plies().len(), names(&history)), (2, vec!["d1".into(), "b4".into()]));
        history.push("6 0 6 1 6 0".parse().unwrap()).unwrap();
        assert_eq!(history.certainly_own_amazons(), None);
    }

    #[test]
    fn first_move_shows_board() {
        for (first, side) in [
            ("1 0 1 1 1 0", 6),
            ("0 1 1 1 0 1", 6),
            ("2 0 2 1 2 0", 8),
            ("7 2 6 2 7 2", 8),
            ("3 0 3 1 3 0", 10),
            ("3 9 3 8 3 9", 10),
        ] {
            for usual in [6, 8, 10] {
                let history = read(&begun(usual, false), first).unwrap();
                assert_eq!(history.position().size().width(), side, "{first} with {usual} by default");
                let fixed = read(&begun(usual, true), first);
                assert_eq!(fixed.is_err(), usual != usize::from(side), "{first} with {usual} fixed");
            }
        }
    }

    #[test]
    fn errors_name_ply_and_reason() {
        let cases = [
            ("0 3 1 3 0 3, -1 -1 -1 -1 -1 -1", "ply 2: -1 -1 -1 -1 -1 -1 are no squares of a board"),
            ("0 3 0 10 0 3", "ply 1: 0 3 0 10 0 3 are no squares of a board"),
            ("2 0 2 8 2 0", "ply 1: illegal move 2 0 2 8 2 0: c9 is not on the board of 8x8"),
            ("4 4 5 5 4 4", "ply 1: illegal move 4 4 5 5 4 4: e5 holds nothing"),
            ("0 3 1 3 0 3, 6 9 6 8 6 9, 0 3 1 3 2 3", "ply 3: illegal move 0 3 1 3 2 3: a4 holds an arrow"),
            ("2 0 2 1 2 1", "ply 1: illegal move 2 0 2 1 2 1: the arrow from c2 does not reach c2"),
            ("0 5 0 4 0 5", "ply 1: illegal move 0 5 0 4 0 5: a6 holds nothing"),
        ];
        for (text, expected) in cases {
            let message = read(&begun(10, false), text).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{text}: {message}");
        }
        let message = read(&begun(8, false), "0 5 0 4 0 5").unwrap_err().to_string();
        assert!(message.contains("a6 holds an amazon of the second player"), "{message}");
    }
}
