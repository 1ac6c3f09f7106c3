//! Reviews a game: searches every position and judges every ply by what it cost.

use crate::game::{FullMove, Game, Side};
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

/// A word for a ply that gave chances away. The bounds are those of lichess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// At least 5 % lost.
    Inaccuracy,
    /// At least 10 % lost.
    Mistake,
    /// At least 15 % lost.
    Blunder,
}

impl Judgement {
    /// Every word with its name and the least loss it stands for, the mildest first.
    pub const ALL: [(Judgement, &str, f64); 3] = [
        (Judgement::Inaccuracy, "inaccuracy", 0.05),
        (Judgement::Mistake, "mistake", 0.1),
        (Judgement::Blunder, "blunder", 0.15),
    ];

    /// The name of the word.
    #[must_use]
    pub fn name(self) -> &'static str {
        Judgement::ALL[self as usize].1
    }
}

impl Loss {
    /// The word for the ply; `None` if it cost too little for one.
    #[must_use]
    pub fn judgement(&self) -> Option<Judgement> {
        Judgement::ALL.iter().rfind(|(_, _, least)| self.lost >= *least).map(|(word, _, _)| *word)
    }
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
    /// A review of plies whose positions are known already.
    ///
    /// # Errors
    /// If there is not one point more than plies; the message says how many there are.
    pub fn of(points: Vec<ReviewPoint>, plies: Vec<FullMove>) -> Result<Review, String> {
        match points.len() == plies.len() + 1 {
            true => Ok(Review { points, plies }),
            false => Err(format!("{} positions of {} plies: expected one more", points.len(), plies.len())),
        }
    }

    /// Searches every position of a game.
    ///
    /// `limits` is asked once a position, so that a clock begins there; `progress` is told how many
    /// are done.
    pub fn new(
        engine: &mut Engine,
        game: &Game,
        limits: impl Fn() -> Limits,
        mut progress: impl FnMut(usize),
    ) -> Review {
        engine.set_position(game.start());
        let mut points = Vec::with_capacity(game.plies().len() + 1);
        for ply in 0..=game.plies().len() {
            if let Some(full) = game.move_to(ply) {
                engine.advance(full);
            }
            points.push(point(engine, &limits()));
            progress(ply + 1);
        }
        Review { points, plies: game.moves() }
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
    ///
    /// The engine's own choice costs nothing, even if a search after it changes its mind.
    #[must_use]
    pub fn loss(&self, ply: usize) -> Option<Loss> {
        let (before, after) = (self.points.get(ply.checked_sub(1)?)?, self.points.get(ply)?);
        let (side, played) = (before.to_move, self.plies[ply - 1]);
        let lost = before.value(side) - after.value(side);
        (lost > 0.0 && before.best != Some(played)).then_some(Loss {
            ply,
            side,
            played,
            best: before.best,
            lost,
        })
    }

    /// The mean accuracy of the plies of a side, from 0 to 1; `None` if it has played none.
    ///
    /// A ply's accuracy falls exponentially with its loss, by the formula of lichess
    /// (<https://lichess.org/page/accuracy>): 64 % for 10 % lost, 15 % for 40 % lost.
    #[must_use]
    pub fn accuracy(&self, side: Side) -> Option<f64> {
        let own = (1..=self.plies.len()).filter(|ply| self.points[ply - 1].to_move == side);
        let lost = |ply| self.loss(ply).map_or(0.0, |loss| loss.lost);
        let accuracies: Vec<f64> =
            own.map(|ply| (1.031668 * (-4.354 * lost(ply)).exp() - 0.031669).clamp(0.0, 1.0)).collect();
        (!accuracies.is_empty()).then(|| accuracies.iter().sum::<f64>() / accuracies.len() as f64)
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
        Review::of(points, vec![full; values.len() - 1]).unwrap()
    }

    #[test]
    fn words_follow_the_loss_and_the_best_move_has_none() {
        let mut review = review(&[0.5, 0.46, 0.52, 0.42, 0.58]);
        let words =
            |review: &Review| [1, 2, 3, 4].map(|ply| review.loss(ply).and_then(|loss| loss.judgement()));
        let [inaccuracy, mistake, blunder] = Judgement::ALL.map(|(word, _, _)| Some(word));
        assert_eq!(words(&review), [None, inaccuracy, mistake, blunder]);
        let before = review.accuracy(Side::Second).unwrap();
        review.points[3].best = Some(review.plies[3]);
        assert_eq!(words(&review), [None, inaccuracy, mistake, None]);
        assert!(review.accuracy(Side::Second).unwrap() > before && before > 0.5);
        assert_eq!(self::review(&[0.5]).accuracy(Side::First), None);
    }

    #[test]
    fn a_side_that_loses_nothing_is_perfectly_accurate() {
        let review = review(&[0.5, 0.5, 0.5]);
        assert!((review.accuracy(Side::First).unwrap() - 1.0).abs() < 1e-5);
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
