//! Reviews a game: searches every position and finds the plies that cost most.

use crate::game::{FullMove, Position, Side};
use crate::search::{Engine, Limits};

/// A game as the engine sees it.
#[derive(Clone, Debug)]
pub struct Review {
    /// The start position and the one after each ply.
    pub points: Vec<ReviewPoint>,
    plies: Vec<FullMove>,
}

/// A position of the game.
#[derive(Clone, Debug)]
pub struct ReviewPoint {
    /// The side to move.
    pub to_move: Side,
    /// The chance of winning of the first player, from 0 to 1; exactly 0 or 1 if proven.
    pub first: f64,
    /// Whether the value is proven.
    pub proven: bool,
    /// What the engine would play; `None` where there is no move.
    pub best: Option<FullMove>,
    /// Playouts spent here.
    pub playouts: u64,
}

/// What a ply cost the side that played it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// The ply, from 1.
    pub ply: usize,
    /// Who played it.
    pub side: Side,
    /// The move.
    pub played: FullMove,
    /// What the engine would have played.
    pub best: Option<FullMove>,
    /// The chance of winning it gave away, above 0 and at most 1.
    pub lost: f64,
}

impl ReviewPoint {
    /// The chance of winning of `side`, from 0 to 1.
    #[must_use]
    pub fn value(&self, side: Side) -> f64 {
        match side {
            Side::First => self.first,
            Side::Second => 1.0 - self.first,
        }
    }
}

impl Review {
    /// Searches a start position and the one after each of `plies`, which must be legal in turn.
    ///
    /// `limits` is asked once a position, so that a clock begins there; `progress` is told how many
    /// are done.
    pub fn new(
        engine: &mut Engine,
        start: &Position,
        plies: &[FullMove],
        limits: impl Fn() -> Limits,
        mut progress: impl FnMut(usize),
    ) -> Review {
        engine.set_position(start);
        let mut points = Vec::with_capacity(plies.len() + 1);
        for index in 0..=plies.len() {
            points.push(point(engine, &limits()));
            progress(index + 1);
            if let Some(&full) = plies.get(index) {
                engine.advance(full);
            }
        }
        Review { points, plies: plies.to_vec() }
    }

    /// The cost of every ply that had one, dearest first.
    #[must_use]
    pub fn losses(&self) -> Vec<Loss> {
        let mut losses: Vec<Loss> = (1..=self.plies.len()).filter_map(|ply| self.loss(ply)).collect();
        losses.sort_by(|a, b| b.lost.total_cmp(&a.lost));
        losses
    }

    /// What a ply, counted from 1, cost the side that played it; `None` if nothing, or if there is
    /// no such ply.
    #[must_use]
    pub fn loss(&self, ply: usize) -> Option<Loss> {
        let (before, after) = (self.points.get(ply.checked_sub(1)?)?, self.points.get(ply)?);
        let side = before.to_move;
        let lost = before.value(side) - after.value(side);
        (lost > 0.0).then(|| Loss { ply, side, played: self.plies[ply - 1], best: before.best, lost })
    }

    /// The ply, from 1, after which `loser` stood below one half for the rest of the game; `None`
    /// if it never did, or did from the start.
    #[must_use]
    pub fn turning_point(&self, loser: Side) -> Option<usize> {
        let last = self.points.iter().rposition(|point| point.value(loser) >= 0.5)?;
        (last + 1 < self.points.len()).then_some(last + 1)
    }
}

fn point(engine: &mut Engine, limits: &Limits) -> ReviewPoint {
    let to_move = engine.position().to_move();
    let of_first = |value: f64| if to_move == Side::First { value } else { 1.0 - value };
    match engine.search(limits) {
        // The side to move has no move and has lost.
        None => ReviewPoint { to_move, first: of_first(0.0), proven: true, best: None, playouts: 0 },
        Some(report) => ReviewPoint {
            to_move,
            first: of_first(report.value),
            proven: report.proven,
            best: Some(report.best),
            playouts: report.playouts,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A review of made-up values for the first player, who begins.
    fn review(values: &[f64]) -> Review {
        let full: FullMove = "a1-a2/a3".parse().unwrap();
        let side = |index: usize| Side::BOTH[index % 2];
        let point = |(index, &first): (usize, &f64)| ReviewPoint {
            to_move: side(index),
            first,
            proven: false,
            best: None,
            playouts: 1,
        };
        let points = values.iter().enumerate().map(point).collect();
        Review { points, plies: vec![full; values.len() - 1] }
    }

    #[test]
    fn a_loss_is_what_the_mover_gives_away() {
        let review = review(&[0.5, 0.6, 0.9, 0.2, 0.1]);
        let losses: Vec<_> = review.losses().iter().map(|loss| (loss.ply, loss.side)).collect();
        assert_eq!(losses, [(3, Side::First), (2, Side::Second)]);
        assert!((review.losses()[0].lost - 0.7).abs() < 1e-9);
        assert_eq!((review.loss(0), review.loss(1), review.loss(5)), (None, None, None));
    }

    #[test]
    fn a_game_turns_where_its_loser_falls_behind_for_good() {
        let turn = |values: &[f64], loser| review(values).turning_point(loser);
        assert_eq!(turn(&[0.5, 0.6, 0.9, 0.2, 0.1], Side::First), Some(3));
        assert_eq!(turn(&[0.4, 0.3, 0.2], Side::First), None);
        assert_eq!(turn(&[0.4, 0.6, 0.3, 0.7, 0.8], Side::Second), Some(3));
        assert_eq!(turn(&[0.4, 0.3], Side::Second), None);
    }
}
