//! Positions before a move, and half plies between a queen move and its arrow.

use alloc::vec::Vec;

use super::bitboard::Bitboard;
use super::moves::{HalfMove, Move, QueenMove};
use super::play_error::PlayError;
use super::rays::{line, queen_reach, queen_reach_count};
use super::side::{MAX_AMAZONS, Side};
use super::size::{SetupError, Size};
use super::square::{Square, SquareContent};

/// A position before a move, in 32 bytes. Every board with at most [`MAX_AMAZONS`] amazons a side
/// is legal. Prints and parses as [FEN](#impl-Display-for-Position). The amazons of a side are
/// sorted by square, so positions that look the same are equal.
///
/// ```
/// use amazons::{Position, Side, Size};
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
    empty: Bitboard,
    amazons: [[Square; MAX_AMAZONS]; 2],
    counts: [u8; 2],
    size: Size,
    mover: Side,
}

const _: () = assert!(size_of::<Position>() == 32);

impl Position {
    /// The last square of the largest board. It fills the places of the field `amazons` that hold
    /// no amazon, so that the whole array stays sorted.
    const FILLER: Square = Square::new(Size::MAX - 1, Size::MAX - 1).unwrap();

    /// An empty board with the first player to move.
    ///
    /// ```
    /// use amazons::{Position, Side, Size, SquareContent};
    ///
    /// let mut position = Position::new(Size::new(5, 4)?);
    /// position.put("a1".parse()?, SquareContent::Amazon(Side::First))?;
    /// position.put("e4".parse()?, SquareContent::Amazon(Side::Second))?;
    /// assert_eq!(position.with_mover(Side::Second).to_string(), "4q/5/5/Q4 b - - 0 1");
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn new(size: Size) -> Position {
        let amazons = [[Position::FILLER; MAX_AMAZONS]; 2];
        Position { empty: size.mask(), amazons, counts: [0; 2], size, mover: Side::First }
    }

    /// The usual start position of a square board with side N, which must be even and at least 6.
    /// On every edge stand two amazons, each `(N - 1) / 3` squares (rounded down) from a corner.
    /// The four amazons in the lower half belong to the first player.
    ///
    /// # Errors
    /// If the board is not square, or its side is odd or below 6.
    pub fn start(size: Size) -> Result<Position, SetupError> {
        let n = size.width();
        if n != size.height() || n < 6 || !n.is_multiple_of(2) {
            return Err(SetupError::NoStart(size));
        }
        let (k, far, last) = ((n - 1) / 3, n - 1 - (n - 1) / 3, n - 1);
        let low = [(0, k), (k, 0), (far, 0), (last, k)];
        let high = [(0, far), (k, last), (far, last), (last, far)];
        let mut position = Position::new(size);
        for (side, squares) in Side::BOTH.into_iter().zip([low, high]) {
            for square in squares.iter().filter_map(|&(x, y)| Square::new(x, y)) {
                position.put(square, SquareContent::Amazon(side))?;
            }
        }
        Ok(position)
    }

    /// True if this is the usual start position of its board.
    pub fn is_start(&self) -> bool {
        Position::start(self.size()) == Ok(*self)
    }

    /// Puts `content` on a square and replaces what is there.
    ///
    /// # Errors
    /// If the square is not on this board, or if the amazon's side already has [`MAX_AMAZONS`] on
    /// other squares. The position is then unchanged.
    pub fn put(&mut self, square: Square, content: SquareContent) -> Result<(), SetupError> {
        if !self.size.contains(square) {
            return Err(SetupError::OffBoard { square, size: self.size });
        }
        let mut next = *self;
        for side in Side::BOTH {
            let others = self.amazons(side).iter().copied().filter(|&other| other != square);
            let added = (content == SquareContent::Amazon(side)).then_some(square);
            let mut amazons: Vec<Square> = others.chain(added).collect();
            if amazons.len() > MAX_AMAZONS {
                return Err(SetupError::TooManyAmazons { side, square });
            }
            amazons.sort_unstable();
            next.counts[side.index()] = amazons.len() as u8;
            amazons.resize(MAX_AMAZONS, Position::FILLER);
            next.amazons[side.index()].copy_from_slice(&amazons);
        }
        next.empty.remove(square);
        if content == SquareContent::Empty {
            next.empty.insert(square);
        }
        *self = next;
        Ok(())
    }

    /// The same board with this side to move.
    #[must_use]
    pub fn with_mover(self, mover: Side) -> Position {
        Position { mover, ..self }
    }

    /// The side to move.
    #[inline]
    pub const fn to_move(&self) -> Side {
        self.mover
    }

    /// The size of the board.
    #[inline]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// The squares that an amazon or an arrow may enter: neither burnt nor held by an amazon.
    #[inline]
    pub const fn empty(&self) -> Bitboard {
        self.empty
    }

    /// The burnt squares of the board.
    pub fn burnt(&self) -> Bitboard {
        self.size.mask() - self.empty - self.amazon_set(Side::First) - self.amazon_set(Side::Second)
    }

    /// The squares of a side's amazons in ascending order; at most four.
    #[inline]
    pub fn amazons(&self, side: Side) -> &[Square] {
        // `min` changes nothing: it shows the compiler that the count is at most `MAX_AMAZONS`.
        &self.amazons[side.index()][..usize::from(self.counts[side.index()]).min(MAX_AMAZONS)]
    }

    #[inline]
    fn amazon_set(&self, side: Side) -> Bitboard {
        self.amazons(side).iter().copied().collect()
    }

    /// The content of `square`; `None` if it is not on this board.
    pub fn content(&self, square: Square) -> Option<SquareContent> {
        if !self.size.contains(square) {
            return None;
        }
        if self.empty.contains(square) {
            return Some(SquareContent::Empty);
        }
        let owner = Side::BOTH.into_iter().find(|&side| self.amazons(side).contains(&square));
        Some(owner.map_or(SquareContent::Burnt, SquareContent::Amazon))
    }

    fn content_on_board(&self, square: Square) -> Result<SquareContent, PlayError> {
        self.content(square).ok_or(PlayError::OffBoard { square, size: self.size })
    }

    fn blocked_error(&self, half_move: HalfMove, from: Square) -> PlayError {
        let to = half_move.target();
        let content = |square| Some((square, self.content(square)?));
        let obstacle = line(from, to).filter_map(content).find(|(_, at)| *at != SquareContent::Empty);
        let found = self.content(to).unwrap_or(SquareContent::Empty);
        PlayError::Blocked { half_move, from, found, obstacle }
    }

    /// The contents of the squares in row `y`, from left to right. Row 0 is at the bottom.
    pub fn row(&self, y: u8) -> impl Iterator<Item = SquareContent> + '_ {
        (0..self.size().width()).filter_map(move |x| self.content(Square::new(x, y)?))
    }

    /// Iterates over the queen moves of the side to move, in the order of [`Position::amazons`].
    #[inline]
    pub fn queen_moves(&self) -> impl Iterator<Item = QueenMove> + '_ {
        self.amazons(self.to_move())
            .iter()
            .flat_map(|&from| queen_reach(from, self.empty).iter().map(move |to| QueenMove { from, to }))
    }

    /// Iterates over the full moves of the side to move, sorted by queen move.
    #[inline]
    pub fn legal_moves_iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.queen_moves().flat_map(|queen| {
            let half = self.move_queen_unchecked(queen);
            half.arrows().iter().map(move |arrow| Move::new(queen, arrow))
        })
    }

    /// All full moves of the side to move.
    pub fn legal_moves(&self) -> Vec<Move> {
        self.legal_moves_iter().collect()
    }

    /// The number of full moves that `side` could make here if it were its turn.
    pub fn count_legal_moves(&self, side: Side) -> u64 {
        let mut count = 0;
        for &from in self.amazons(side) {
            // The arrow may enter the square `from`, but not `to`, where the amazon now stands.
            let open = self.empty.with(from);
            for to in queen_reach(from, self.empty) {
                count += u64::from(queen_reach_count(to, open));
            }
        }
        count
    }

    /// True if `side` could move here if it were its turn.
    #[inline]
    pub fn can_move(&self, side: Side) -> bool {
        let beside = self.amazon_set(side).king_reach();
        !(beside & self.empty).is_empty()
    }

    /// True if the side to move has no legal move.
    #[inline]
    pub fn is_game_over(&self) -> bool {
        !self.can_move(self.to_move())
    }

    /// The winner, if the side to move has no move; there are no draws.
    #[inline]
    pub fn winner(&self) -> Option<Side> {
        if self.can_move(self.to_move()) { None } else { Some(!self.to_move()) }
    }

    /// Moves an amazon of the side to move. Its arrow must follow: see [`HalfPly::shoot`].
    ///
    /// # Errors
    /// If the queen move is illegal.
    pub fn move_queen(&self, queen: QueenMove) -> Result<HalfPly, PlayError> {
        let QueenMove { from, to } = queen;
        let (found, mover) = (self.content_on_board(from)?, self.to_move());
        if found != SquareContent::Amazon(mover) {
            return Err(PlayError::NotOwn { square: from, found, mover });
        }
        self.content_on_board(to)?;
        if !queen_reach(from, self.empty).contains(to) {
            return Err(self.blocked_error(HalfMove::Queen(queen), from));
        }
        Ok(self.move_queen_unchecked(queen))
    }

    /// Moves an amazon without checking the move. The result for an illegal move is meaningless.
    #[inline]
    #[must_use]
    pub fn move_queen_unchecked(&self, QueenMove { from, to }: QueenMove) -> HalfPly {
        let mut position = *self;
        // Replaces `from` by `to` and keeps the list of amazons sorted, without conditional jumps.
        let [a, b, c, d] = self.amazons[self.mover.index()];
        let stay = |square, next| if square < from { square } else { next };
        let (a, b, c) = (stay(a, b), stay(b, c), stay(c, d));
        position.amazons[self.mover.index()] = [a.min(to), a.max(b.min(to)), b.max(c.min(to)), c.max(to)];
        position.empty.insert(from);
        position.empty.remove(to);
        HalfPly { position, shooter: to }
    }

    /// True if the side to move may play this move.
    pub fn is_legal(&self, chosen: Move) -> bool {
        self.play(chosen).is_ok()
    }

    /// Plays a full move.
    ///
    /// # Errors
    /// If the move is illegal.
    pub fn play(&self, chosen: Move) -> Result<Position, PlayError> {
        self.move_queen(chosen.queen())?.shoot(chosen.arrow)
    }

    /// Plays a full move without checking it. The result for an illegal move is meaningless.
    #[inline]
    #[must_use]
    pub fn play_unchecked(&self, chosen: Move) -> Position {
        self.move_queen_unchecked(chosen.queen()).shoot_unchecked(chosen.arrow)
    }
}

/// The usual start position of the 10x10 board.
impl Default for Position {
    fn default() -> Position {
        let size = Size::square(10).unwrap_or_else(|_| unreachable!("10x10 is a board"));
        Position::start(size).unwrap_or_else(|_| unreachable!("10x10 has a start position"))
    }
}

/// A position in the middle of a ply: the mover has moved an amazon and must shoot its arrow.
///
/// ```
/// use amazons::{Move, Position, Size};
///
/// let start = Position::start(Size::square(10)?)?;
/// let opening: Move = "d1-d7/g7".parse()?;
/// let half = start.move_queen(opening.queen())?;
/// // The queen may shoot back to where it came from.
/// assert!(half.arrows().contains(opening.from));
/// assert_eq!(half.shoot(opening.arrow)?, start.play(opening)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HalfPly {
    /// The board after the queen move. The side that moved the amazon is still to move.
    position: Position,
    shooter: Square,
}

impl HalfPly {
    /// The side that has moved its amazon and must shoot.
    #[inline]
    pub const fn to_move(&self) -> Side {
        self.position.mover
    }

    /// The square of the amazon that shoots.
    #[inline]
    pub const fn shooter(&self) -> Square {
        self.shooter
    }

    /// The size of the board.
    #[inline]
    pub const fn size(&self) -> Size {
        self.position.size
    }

    /// The squares neither burnt nor held by an amazon, including the square that the amazon left.
    #[inline]
    pub const fn empty(&self) -> Bitboard {
        self.position.empty
    }

    /// The squares of a side's amazons in ascending order; at most four.
    #[inline]
    pub fn amazons(&self, side: Side) -> &[Square] {
        self.position.amazons(side)
    }

    /// The content of `square` after the queen move; `None` if it is not on this board.
    pub fn content(&self, square: Square) -> Option<SquareContent> {
        self.position.content(square)
    }

    /// The squares that the arrow may burn, including the square that the amazon left.
    #[inline]
    pub fn arrows(&self) -> Bitboard {
        queen_reach(self.shooter, self.position.empty)
    }

    /// Shoots the arrow and passes the turn.
    ///
    /// # Errors
    /// If the arrow cannot reach the square.
    pub fn shoot(&self, arrow: Square) -> Result<Position, PlayError> {
        self.position.content_on_board(arrow)?;
        if !self.arrows().contains(arrow) {
            return Err(self.position.blocked_error(HalfMove::Arrow(arrow), self.shooter));
        }
        Ok(self.shoot_unchecked(arrow))
    }

    /// Shoots the arrow without checking it. The result for an illegal arrow is meaningless.
    #[inline]
    #[must_use]
    pub fn shoot_unchecked(&self, arrow: Square) -> Position {
        let mut next = self.position;
        next.empty.remove(arrow);
        next.mover = !next.mover;
        next
    }
}
