//! The input of the evaluator: a position or half ply from one side's point of view.

use amazons::{AnyPosition, Bitboard, HalfPly, Position, Size, Square};

/// A position or half ply from the point of view of the side to act. A half ply is the state after
/// a queen move, before its arrow.
///
/// ```
/// use quiver_engine::amazons::{Position, Size};
/// use quiver_engine::territory::{Evaluator, View};
///
/// let start = Position::start(Size::square(8)?)?;
/// let log_odds = Evaluator::default().log_odds(&View::from(&start));
/// assert!(log_odds.abs() < 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The empty squares.
    pub empty: Bitboard,
    /// The mover's amazons, and then the opponent's. Each of the two lists may have any order.
    pub amazons: [&'a [Square]; 2],
    /// The amazon that must shoot; `None` if the mover must move an amazon first.
    pub shooter: Option<Square>,
    /// The size of the board, which determines the weights.
    pub size: Size,
    /// The mover's number of dead squares minus the opponent's. A dead square is reached by only
    /// one side but, as far as the solver knows, gives this side no move: see
    /// [`Solver::dead_squares`](crate::endgame::Solver::dead_squares). `View::from` sets 0 here,
    /// and [`View::with_dead_squares`] sets another number. The evaluator's term `defect` is this
    /// number.
    pub dead_squares: i16,
}

impl View<'_> {
    /// A copy of this view with another number of dead squares.
    #[inline]
    #[must_use]
    pub fn with_dead_squares(self, dead_squares: i16) -> Self {
        View { dead_squares, ..self }
    }
}

impl<'a> From<&'a Position> for View<'a> {
    #[inline]
    fn from(position: &'a Position) -> View<'a> {
        let mover = position.to_move();
        let amazons = [mover, !mover].map(|side| position.amazons(side));
        View { empty: position.empty(), amazons, shooter: None, size: position.size(), dead_squares: 0 }
    }
}

impl<'a> From<&'a HalfPly> for View<'a> {
    #[inline]
    fn from(half: &'a HalfPly) -> View<'a> {
        let (mover, shooter) = (half.to_move(), Some(half.shooter()));
        let amazons = [mover, !mover].map(|side| half.amazons(side));
        View { empty: half.empty(), amazons, shooter, size: half.size(), dead_squares: 0 }
    }
}

impl<'a> From<&'a AnyPosition> for View<'a> {
    #[inline]
    fn from(state: &'a AnyPosition) -> View<'a> {
        match state {
            AnyPosition::Position(position) => View::from(position),
            AnyPosition::HalfPly(half) => View::from(half),
        }
    }
}
