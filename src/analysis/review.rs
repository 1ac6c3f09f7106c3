//! Reviews a game: finds the winning chance that each ply lost. [`Review::new`] searches the
//! positions. [`review_points`] takes the results of the caller's searches.

use std::collections::BTreeMap;

use amazons::{Move, Side};
use quiver_engine::search::{Engine, EngineOptions, Limits};
use serde::{Deserialize, Serialize};

use super::BySide;
use super::answer::Colour;
use super::fields::{FieldError, read_strictly};
use crate::games::Game;

/// The engine's review of a game.
#[derive(Debug)]
pub struct Review {
    /// The results for the start position and for the position after each ply.
    pub points: Vec<ReviewPoint>,
    plies: Vec<Move>,
}

/// A position of a game with the engine's results.
#[derive(Debug, Serialize)]
pub struct ReviewPoint {
    /// The side to move.
    #[serde(skip)]
    pub to_move: Side,
    /// The first player's chance of winning, from 0 to 1; exactly 0 or 1 if proven.
    pub first: f64,
    /// True if the winner is proven.
    pub proven: bool,
    /// The engine's move; `None` if there is no legal move.
    pub best: Option<Move>,
    playouts: u64,
}

/// The winning chance that a ply lost for the side that played it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Loss {
    /// The number of the ply, from 1.
    pub ply: usize,
    /// The side that made the move.
    pub side: Side,
    /// The move.
    #[serde(rename = "move")]
    pub played: Move,
    /// The engine's move in the position before the ply; `None` if this move is not known.
    pub best: Option<Move>,
    /// The chance of winning that the move lost, above 0 and at most 1.
    pub lost: f64,
}

/// The words for plies that lower the player's winning chance, mildest first, each word with the
/// smallest loss of winning chance for which it is used. Lichess uses the same bounds.
pub const JUDGEMENTS: [(&str, f64); 3] = [("inaccuracy", 0.05), ("mistake", 0.1), ("blunder", 0.15)];

impl Loss {
    /// The word of [`JUDGEMENTS`] for this loss; `None` if the loss is below 0.05.
    pub fn judgement(&self) -> Option<&'static str> {
        JUDGEMENTS.iter().rfind(|(_, least)| self.lost >= *least).map(|(word, _)| *word)
    }
}

impl ReviewPoint {
    /// Builds the result of one position. `value` is the winning chance of the side to move.
    fn new(to_move: Side, value: f64, best: Option<Move>) -> ReviewPoint {
        let first = if to_move == Side::First { value } else { 1.0 - value };
        ReviewPoint { to_move, first, proven: false, best, playouts: 0 }
    }

    fn value(&self, side: Side) -> f64 {
        match side {
            Side::First => self.first,
            Side::Second => 1.0 - self.first,
        }
    }
}

impl Review {
    /// Searches every position of a game in order with one new engine. `limits` holds for
    /// each position separately. Calls `progress` after each position.
    pub fn new(options: &EngineOptions, game: &Game, limits: &Limits, progress: impl Fn()) -> Review {
        let mut engine = Engine::new(options, game.start());
        let mut points = Vec::new();
        for ply in 0..=game.plies().len() {
            if let Some(played) = game.move_to(ply) {
                engine.advance_unchecked(played);
            }
            let to_move = engine.position().to_move();
            let report = engine.search(limits);
            let report = report.as_ref();
            // `report` is `None` if the side to move has no legal move and has therefore lost.
            let value = report.map_or(0.0, |report| report.value);
            points.push(ReviewPoint {
                proven: report.is_none_or(|report| report.proven),
                playouts: report.map_or(0, |report| report.playouts),
                ..ReviewPoint::new(to_move, value, report.map(|report| report.best))
            });
            progress();
        }
        Review { points, plies: game.moves() }
    }

    /// The plies that lost winning chance, the largest loss first.
    pub fn losses(&self) -> Vec<Loss> {
        let mut losses: Vec<Loss> = (1..=self.plies.len()).filter_map(|ply| self.loss(ply)).collect();
        losses.sort_by(|a, b| b.lost.total_cmp(&a.lost));
        losses
    }

    /// The loss of ply `ply`, counted from 1; `None` if the ply lost nothing or does not exist.
    ///
    /// A ply that is the engine's move loses nothing, even if the next search finds a lower value.
    pub fn loss(&self, ply: usize) -> Option<Loss> {
        let (before, after) = (self.points.get(ply.checked_sub(1)?)?, self.points.get(ply)?);
        let (side, played, best) = (before.to_move, self.plies[ply - 1], before.best);
        let lost = before.value(side) - after.value(side);
        (lost > 0.0 && best != Some(played)).then_some(Loss { ply, side, played, best, lost })
    }

    /// The mean accuracy of a side's plies, from 0 to 1; `None` if the side has not moved.
    ///
    /// A ply's accuracy falls exponentially with its loss: to 0.64 for a loss of 0.1, and to 0.15
    /// for a loss of 0.4. The formula is from lichess (<https://lichess.org/page/accuracy>).
    pub fn accuracy(&self, side: Side) -> Option<f64> {
        let own = (1..=self.plies.len()).filter(|ply| self.points[ply - 1].to_move == side);
        let lost = |ply| self.loss(ply).map_or(0.0, |loss| loss.lost);
        let accuracies: Vec<f64> =
            own.map(|ply| (1.031668 * (-4.354 * lost(ply)).exp() - 0.031669).clamp(0.0, 1.0)).collect();
        (!accuracies.is_empty()).then(|| accuracies.iter().sum::<f64>() / accuracies.len() as f64)
    }

    /// The number, from 1, of the ply that took the winning chance of `loser` below 0.5 for the
    /// last time. `None` if this chance was always below 0.5, or is at least 0.5 at the end.
    pub fn turning_point(&self, loser: Side) -> Option<usize> {
        let last = self.points.iter().rposition(|point| point.value(loser) >= 0.5)?;
        (last + 1 < self.points.len()).then_some(last + 1)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReviewQuestion {
    points: Vec<SearchedPoint>,
}

/// A position of a reviewed line of moves: the engine's results, and the move that led here.
#[derive(Deserialize)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "an object with currentPlayer and winrate"
)]
struct SearchedPoint {
    r#move: Option<Move>,
    #[serde(with = "Colour")]
    current_player: Side,
    /// The chance of winning of the side to move, from 0 to 1.
    winrate: f64,
    best: Option<Move>,
}

/// The review of a line of moves.
#[derive(Debug, Serialize)]
pub struct ReviewAnswer {
    /// A verdict on each move, in the order of play.
    pub plies: Vec<Verdict>,
    /// The accuracy and the mistakes of each side.
    pub sides: BySide<SideReview>,
}

/// The winning chance that a move lost, and a word such as `blunder` if it lost much.
#[derive(Debug, Serialize)]
pub struct Verdict {
    /// The winning chance that the move cost its player, from 0 to 1.
    pub lost: f64,
    /// A word of [`JUDGEMENTS`], such as `blunder`; `None` if the loss is below 0.05.
    #[serde(rename = "word")]
    pub judgement: Option<&'static str>,
}

/// The accuracy of a side, and the number of its mistakes.
#[derive(Debug, Serialize)]
pub struct SideReview {
    /// The mean accuracy of the side's moves, from 0 to 1; `None` if the side has not moved.
    pub accuracy: Option<f64>,
    /// The number of the side's moves for each word of [`JUDGEMENTS`].
    #[serde(flatten)]
    pub counts: BTreeMap<&'static str, usize>,
}

/// Reviews a line of moves whose positions the caller has searched.
///
/// # Errors
/// If a field is wrong.
pub fn review_points(question: &[u8]) -> Result<ReviewAnswer, FieldError> {
    let ReviewQuestion { points } = read_strictly(question)?;
    let wrong = |index: usize, field: &str, message: String| {
        FieldError::new(&format!("points[{index}].{field}"), message)
    };
    if points.is_empty() {
        return Err(FieldError::new("points", "got []: expected at least one position"));
    }
    let mut plies = Vec::new();
    for (index, point) in points.iter().enumerate() {
        if !(0.0..=1.0).contains(&point.winrate) {
            let message = format!("got {}: expected a number from 0 to 1", point.winrate);
            return Err(wrong(index, "winrate", message));
        }
        if index > 0 {
            let missing = || wrong(index, "move", "missing: expected the move that led here".to_owned());
            plies.push(point.r#move.ok_or_else(missing)?);
        }
    }
    let point = |SearchedPoint { current_player, winrate, best, .. }: SearchedPoint| {
        ReviewPoint::new(current_player, winrate, best)
    };
    let review = Review { points: points.into_iter().map(point).collect(), plies };
    let verdict = |ply| {
        let (lost, judgement) = review.loss(ply).map_or((0.0, None), |loss| (loss.lost, loss.judgement()));
        Verdict { lost, judgement }
    };
    let plies = (1..review.points.len()).map(verdict).collect();
    Ok(ReviewAnswer { plies, sides: BySide::of(|side| side_review(&review, side)) })
}

fn side_review(review: &Review, side: Side) -> SideReview {
    let losses = review.losses();
    let count = |word| {
        let own = |loss: &&Loss| loss.side == side && loss.judgement() == Some(word);
        losses.iter().filter(own).count()
    };
    let counts = JUDGEMENTS.map(|(word, _)| (word, count(word))).into();
    SideReview { accuracy: review.accuracy(side), counts }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `values` has the first player's winning chance in each position.
    fn review(values: &[f64]) -> Review {
        let played: Move = "a1-a2/a3".parse().unwrap();
        let point = |(&first, to_move)| ReviewPoint { first, ..ReviewPoint::new(to_move, 0.0, None) };
        let points = values.iter().zip(Side::BOTH.into_iter().cycle()).map(point).collect();
        Review { points, plies: vec![played; values.len() - 1] }
    }

    #[test]
    fn best_move_has_no_judgement() {
        let mut review = review(&[0.5, 0.46, 0.52, 0.42, 0.58]);
        let words =
            |review: &Review| [1, 2, 3, 4].map(|ply| review.loss(ply).and_then(|loss| loss.judgement()));
        let [inaccuracy, mistake, blunder] = JUDGEMENTS.map(|(word, _)| Some(word));
        assert_eq!(words(&review), [None, inaccuracy, mistake, blunder]);
        let before = review.accuracy(Side::Second).unwrap();
        review.points[3].best = Some(review.plies[3]);
        assert_eq!(words(&review), [None, inaccuracy, mistake, None]);
        assert!(review.accuracy(Side::Second).unwrap() > before && before > 0.5);
        assert_eq!(self::review(&[0.5]).accuracy(Side::First), None);
    }

    #[test]
    fn losses_are_sorted_largest_first() {
        let review = review(&[0.5, 0.6, 0.9, 0.2, 0.1]);
        let losses: Vec<_> = review.losses().iter().map(|loss| (loss.ply, loss.side)).collect();
        assert_eq!(losses, [(3, Side::First), (2, Side::Second)]);
        assert!((review.losses()[0].lost - 0.7).abs() < 1e-9);
        assert_eq!((review.loss(0), review.loss(1), review.loss(5)), (None, None, None));
    }

    #[test]
    fn turning_point_is_last_lead_change() {
        let turn = |values: &[f64], loser| review(values).turning_point(loser);
        assert_eq!(turn(&[0.5, 0.6, 0.9, 0.2, 0.1], Side::First), Some(3));
        assert_eq!(turn(&[0.4, 0.3, 0.2], Side::First), None);
        assert_eq!(turn(&[0.4, 0.6, 0.3, 0.7, 0.8], Side::Second), Some(3));
        assert_eq!(turn(&[0.4, 0.3], Side::Second), None);
    }
}
