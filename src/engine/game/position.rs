//! A legal position, a side about to move.

use super::bitboard::Bitboard;
use super::board::Board;
use super::half_ply::HalfPly;
use super::moves::{FullMove, QueenMove};
use super::rays::{queen_reach, queen_reach_count};
use super::side::Side;
use super::size::Size;
use super::square::Square;

/// A position between two plies. Always legal: built from a [`Setup`](super::Setup), a start or a
/// move.
///
/// ```
/// use quiver_engine::game::{Side, Size, Start};
///
/// let start = Start::Formula.position(Size::square(10)?)?;
/// assert_eq!(start.full_moves().count(), 2176);
/// let next = start.play("d1-d7/g7".parse()?)?;
/// assert_eq!(next.to_move(), Side::Second);
/// assert!(next.play("d1-d7/g7".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub(super) board: Board,
}

/// Why a move cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// A square of the move is not on this board.
    #[error("{square} is not on a board of {size}")]
    OffBoard {
        /// The square named.
        square: Square,
        /// The board's size.
        size: Size,
    },
    /// The square left does not hold an amazon of the side to move.
    #[error("{from} holds {found}, expected an amazon of the {mover} player")]
    NoAmazon {
        /// The square left.
        from: Square,
        /// What is there instead.
        found: Content,
        /// The side to move.
        mover: Side,
    },
    /// The amazon does not reach its square along empty squares of one line.
    #[error("the amazon on {from} does not reach {to}, which holds {found}: expected an open line")]
    QueenBlocked {
        /// The square left.
        from: Square,
        /// The square to be reached.
        to: Square,
        /// What is on it.
        found: Content,
    },
    /// The arrow does not reach its square along empty squares of one line.
    #[error("the arrow from {from} does not reach {to}, which holds {found}: expected an open line")]
    ArrowBlocked {
        /// The square shot from.
        from: Square,
        /// The square to be burnt.
        to: Square,
        /// What is on it.
        found: Content,
    },
}

/// What a square of the board holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// Nothing: a piece or an arrow may enter.
    Empty,
    /// An arrow.
    Burnt,
    /// An amazon of this side.
    Amazon(Side),
}

impl std::fmt::Display for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Content::Empty => f.write_str("nothing"),
            Content::Burnt => f.write_str("an arrow"),
            Content::Amazon(side) => write!(f, "an amazon of the {side} player"),
        }
    }
}

impl Position {
    /// The side that moves next.
    #[inline]
    #[must_use]
    pub const fn to_move(&self) -> Side {
        self.board.mover
    }

    /// The size of the board.
    #[inline]
    #[must_use]
    pub const fn size(&self) -> Size {
        self.board.size
    }

    /// The squares that may be entered: neither burnt nor held by an amazon.
    #[inline]
    #[must_use]
    pub const fn empty(&self) -> Bitboard {
        self.board.empty
    }

    /// The burnt squares of the board.
    #[must_use]
    pub fn burnt(&self) -> Bitboard {
        self.board.burnt()
    }

    /// The squares of a side's amazons, ascending; at most four.
    #[inline]
    #[must_use]
    pub fn amazons(&self, side: Side) -> &[Square] {
        self.board.amazons(side)
    }

    /// What `square` holds; `None` off this board.
    #[must_use]
    pub fn content(&self, square: Square) -> Option<Content> {
        self.board.content(square)
    }

    /// The squares that the amazon on `from` may go to, of either side.
    #[inline]
    #[must_use]
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

    /// How many full moves `side` could make here if it were its turn.
    #[must_use]
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

    /// Whether `side` could move here if it were its turn.
    #[inline]
    #[must_use]
    pub fn can_move(&self, side: Side) -> bool {
        let beside = self.board.amazon_set(side).king_reach();
        !(beside & self.board.empty).is_empty()
    }

    /// The winner, if the side to move has no move; there are no draws.
    #[inline]
    #[must_use]
    pub fn winner(&self) -> Option<Side> {
        if self.can_move(self.to_move()) { None } else { Some(!self.to_move()) }
    }

    /// Moves a queen of the side to move; the arrow is to come.
    ///
    /// # Errors
    /// If the move is illegal here.
    pub fn move_queen(&self, queen: QueenMove) -> Result<HalfPly, IllegalMove> {
        let QueenMove { from, to } = queen;
        let found = self.content_checked(from)?;
        if found != Content::Amazon(self.to_move()) {
            return Err(IllegalMove::NoAmazon { from, found, mover: self.to_move() });
        }
        let found = self.content_checked(to)?;
        if !self.queen_targets(from).contains(to) {
            return Err(IllegalMove::QueenBlocked { from, to, found });
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
    ///
    /// # Errors
    /// If the move is illegal here.
    pub fn play(&self, full: FullMove) -> Result<Position, IllegalMove> {
        self.move_queen(full.queen())?.shoot(full.arrow)
    }

    /// [`Position::play`] for a move known to be legal; for any other the result is meaningless.
    #[inline]
    #[must_use]
    pub fn play_unchecked(&self, full: FullMove) -> Position {
        self.move_queen_unchecked(full.queen()).shoot_unchecked(full.arrow)
    }

    fn content_checked(&self, square: Square) -> Result<Content, IllegalMove> {
        self.content(square).ok_or(IllegalMove::OffBoard { square, size: self.size() })
    }
}
