//! A legal position, a side about to move, and half a ply: the queen has moved, its arrow is still to
//! come.

use super::bitboard::Bitboard;
use super::board::{Board, SquareContent};
use super::input_error::InputError;
use super::moves::{FullMove, QueenMove};
use super::random::mix;
use super::rays::{queen_reach, queen_reach_count};
use super::side::Side;
use super::size::Size;
use super::square::Square;

/// A position between two plies. Always legal: built from a [`Setup`](super::Setup), a start or a
/// move.
///
/// ```
/// use quiver_engine::game::{Position, Side, Size};
///
/// let start = Position::start(Size::square(10)?)?;
/// assert_eq!(start.legal_moves().len(), 2176);
/// let next = start.play("d1-d7/g7".parse()?)?;
/// assert_eq!(next.to_move(), Side::Second);
/// assert!(next.play("d1-d7/g7".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    pub(super) board: Board,
}

impl Position {
    /// The side that moves next.
    #[inline]
    pub const fn to_move(&self) -> Side {
        self.board.mover
    }

    /// The size of the board.
    #[inline]
    pub const fn size(&self) -> Size {
        self.board.size
    }

    /// The squares that may be entered: neither burnt nor held by an amazon.
    #[inline]
    pub const fn empty(&self) -> Bitboard {
        self.board.empty
    }

    /// The burnt squares of the board.
    pub fn burnt(&self) -> Bitboard {
        self.board.burnt()
    }

    /// The squares of a side's amazons, ascending; at most four.
    #[inline]
    pub fn amazons(&self, side: Side) -> &[Square] {
        self.board.amazons(side)
    }

    /// The content of `square`; `None` off this board.
    pub fn content(&self, square: Square) -> Option<SquareContent> {
        self.board.content(square)
    }

    /// The contents of a row, from 0, from left to right.
    pub fn row(&self, y: u8) -> impl Iterator<Item = SquareContent> + '_ {
        (0..self.size().width()).filter_map(move |x| self.content(Square::new(x, y)?))
    }

    /// A 64-bit hash of the position: the same on every machine, and different for positions that
    /// differ except by chance.
    ///
    /// ```
    /// use quiver_engine::{Position, Size};
    ///
    /// let start = Position::start(Size::square(8)?)?;
    /// let there = start.play("c1-c2/c1".parse()?)?;
    /// assert_eq!(start.key(), Position::start(Size::square(8)?)?.key());
    /// assert_ne!(start.key(), there.key());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn key(&self) -> u64 {
        let [low, high] = self.empty().halves();
        let bytes =
            |side| self.amazons(side).iter().fold(0, |sum, at| sum << 8 | u64::from(at.to_byte() + 1));
        let [first, second] = Side::BOTH.map(bytes);
        let size = u64::from(self.size().width()) << 8 | u64::from(self.size().height());
        mix(&[low, high, first << 32 | second, size << 1 | self.to_move() as u64])
    }

    /// The squares that the amazon on `from` may go to, of either side.
    #[inline]
    pub fn queen_targets(&self, from: Square) -> Bitboard {
        queen_reach(from, self.board.empty)
    }

    /// Every queen move of the side to move, amazon by amazon, without collecting.
    #[inline]
    pub fn queen_moves(&self) -> impl Iterator<Item = QueenMove> + '_ {
        self.amazons(self.to_move())
            .iter()
            .flat_map(|&from| self.queen_targets(from).iter().map(move |to| QueenMove { from, to }))
    }

    /// Every full move of the side to move, queen move by queen move, without collecting.
    #[inline]
    pub fn full_moves(&self) -> impl Iterator<Item = FullMove> + '_ {
        self.queen_moves().flat_map(|queen| {
            let half = self.move_queen_unchecked(queen);
            half.arrows().iter().map(move |arrow| FullMove::new(queen, arrow))
        })
    }

    /// Every full move of the side to move, as a list.
    pub fn legal_moves(&self) -> Vec<FullMove> {
        self.full_moves().collect()
    }

    /// The number of full moves that `side` could make here if it were its turn.
    pub fn count_full_moves(&self, side: Side) -> u64 {
        let mut count = 0;
        for &from in self.amazons(side) {
            // The square just left is open to the arrow; the amazon's own new square never counts.
            let open = self.board.empty.with(from);
            for to in self.queen_targets(from) {
                count += u64::from(queen_reach_count(to, open));
            }
        }
        count
    }

    /// True if `side` could move here if it were its turn.
    #[inline]
    pub fn can_move(&self, side: Side) -> bool {
        let beside = self.board.amazon_set(side).king_reach();
        !(beside & self.board.empty).is_empty()
    }

    /// The winner, if the side to move has no move; there are no draws.
    #[inline]
    pub fn winner(&self) -> Option<Side> {
        if self.can_move(self.to_move()) { None } else { Some(!self.to_move()) }
    }

    /// Moves a queen of the side to move; the arrow is to come.
    pub fn move_queen(&self, queen: QueenMove) -> Result<HalfPly, InputError> {
        let QueenMove { from, to } = queen;
        let (found, expected) = (self.board.on_board(from)?, SquareContent::Amazon(self.to_move()));
        if found != expected {
            return Err(InputError(format!("{from} holds {found}, expected {expected}")));
        }
        let found = self.board.on_board(to)?;
        if !self.queen_targets(from).contains(to) {
            return Err(blocked("the amazon on", from, to, found));
        }
        Ok(self.move_queen_unchecked(queen))
    }

    /// [`Position::move_queen`] for a move known to be legal; for any other the result is
    /// meaningless.
    #[inline]
    #[must_use]
    pub fn move_queen_unchecked(&self, queen: QueenMove) -> HalfPly {
        let mut board = self.board;
        board.relocate(queen.from, queen.to);
        HalfPly { board, shooter: queen.to }
    }

    /// Plays a full move.
    pub fn play(&self, full: FullMove) -> Result<Position, InputError> {
        self.move_queen(full.queen())?.shoot(full.arrow)
    }

    /// [`Position::play`] for a move known to be legal; for any other the result is meaningless.
    #[inline]
    #[must_use]
    pub fn play_unchecked(&self, full: FullMove) -> Position {
        self.move_queen_unchecked(full.queen()).shoot_unchecked(full.arrow)
    }
}

/// A position in the middle of a ply. The mover is still to act; no [`Position`]
/// ever stands for it.
///
/// ```
/// use quiver_engine::game::{FullMove, Position, Size};
///
/// let start = Position::start(Size::square(10)?)?;
/// let full: FullMove = "d1-d7/g7".parse()?;
/// let half = start.move_queen(full.queen())?;
/// // The queen may shoot back to where it came from.
/// assert!(half.arrows().contains(full.from));
/// assert_eq!(half.shoot(full.arrow)?, start.play(full)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct HalfPly {
    pub(super) board: Board,
    pub(super) shooter: Square,
}

impl HalfPly {
    /// The side that has moved and shoots next.
    #[inline]
    pub const fn mover(&self) -> Side {
        self.board.mover
    }

    /// The square of the amazon that shoots.
    #[inline]
    pub const fn shooter(&self) -> Square {
        self.shooter
    }

    /// The size of the board.
    #[inline]
    pub const fn size(&self) -> Size {
        self.board.size
    }

    /// The squares neither burnt nor held by an amazon; the square just left is one of them.
    #[inline]
    pub const fn empty(&self) -> Bitboard {
        self.board.empty
    }

    /// The squares of a side's amazons, ascending; at most four.
    #[inline]
    pub fn amazons(&self, side: Side) -> &[Square] {
        self.board.amazons(side)
    }

    /// The squares the arrow may burn: at least one, the square just left.
    #[inline]
    pub fn arrows(&self) -> Bitboard {
        queen_reach(self.shooter, self.board.empty)
    }

    /// Shoots the arrow and passes the turn.
    pub fn shoot(&self, arrow: Square) -> Result<Position, InputError> {
        let found = self.board.on_board(arrow)?;
        if !self.arrows().contains(arrow) {
            return Err(blocked("the arrow from", self.shooter, arrow, found));
        }
        Ok(self.shoot_unchecked(arrow))
    }

    /// [`HalfPly::shoot`] for an arrow known to be legal; for any other the result is meaningless.
    #[inline]
    #[must_use]
    pub fn shoot_unchecked(&self, arrow: Square) -> Position {
        let mut board = self.board;
        board.empty.remove(arrow);
        board.mover = !board.mover;
        Position { board }
    }
}

fn blocked(piece: &str, from: Square, to: Square, found: SquareContent) -> InputError {
    let got = format_args!("{piece} {from} does not reach {to}, which holds {found}");
    InputError::new(got, "an open line")
}

/// The number of different lines of `depth` plies from here; 1 for a depth of 0.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        // The last ply is counted, not played.
        1 => position.count_full_moves(position.to_move()),
        _ => position.full_moves().map(|full| perft(&position.play_unchecked(full), depth - 1)).sum(),
    }
}

/// [`perft`] for each first move, in the order of generation; nothing for a depth of 0.
pub fn divide(position: &Position, depth: u32) -> impl Iterator<Item = (FullMove, u64)> + '_ {
    let moves = (depth > 0).then(|| position.full_moves()).into_iter().flatten();
    moves.map(move |full| (full, perft(&position.play_unchecked(full), depth - 1)))
}
