//! A position as the evaluator sees it.

use amazons::{AnyPosition, Bitboard, HalfPly, Position, Size, Square};

/// A position or half ply, seen from the side that acts next.
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
    /// The squares that may be entered.
    pub empty: Bitboard,
    /// The amazons of the mover, then of the opponent, each side's in any order.
    pub amazons: [&'a [Square]; 2],
    /// The amazon that shoots, where the mover's queen has moved and its arrow is to come.
    pub shooter: Option<Square>,
    /// The size of the board: weights differ.
    pub size: Size,
    /// Squares that one side alone reaches and that are not certain to become moves, the mover's
    /// less the opponent's, as [`Solver::defect`](crate::endgame::Solver::defect) counts them.
    /// Conversions set it to 0.
    pub defect: i16,
}

impl View<'_> {
    /// The same view with this waste.
    #[inline]
    #[must_use]
    pub fn with_defect(self, defect: i16) -> Self {
        View { defect, ..self }
    }
}

impl<'a> From<&'a Position> for View<'a> {
    #[inline]
    fn from(position: &'a Position) -> View<'a> {
        let mover = position.to_move();
        let amazons = [mover, !mover].map(|side| position.amazons(side));
        View { empty: position.empty(), amazons, shooter: None, size: position.size(), defect: 0 }
    }
}

impl<'a> From<&'a HalfPly> for View<'a> {
    #[inline]
    fn from(half: &'a HalfPly) -> View<'a> {
        let mover = half.to_move();
        let amazons = [mover, !mover].map(|side| half.amazons(side));
        View { empty: half.empty(), amazons, shooter: Some(half.shooter()), size: half.size(), defect: 0 }
    }
}

impl<'a> From<&'a AnyPosition> for View<'a> {
    #[inline]
    fn from(moment: &'a AnyPosition) -> View<'a> {
        match moment {
            AnyPosition::Position(position) => View::from(position),
            AnyPosition::HalfPly(half) => View::from(half),
        }
    }
}
