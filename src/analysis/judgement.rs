//! Reviews a line of moves whose positions the caller has searched.

use std::collections::BTreeMap;

use amazons::{Move, Side};
use serde::{Deserialize, Serialize};

use super::answer::Colour;
use super::fields::{FieldError, read_strictly};
use super::{BySide, JUDGEMENTS, Loss, Review, ReviewPoint};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReviewQuestion {
    points: Vec<JudgedPoint>,
}

/// A position of the line with the engine's results, and the move that led to it.
#[derive(Deserialize)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "an object with currentPlayer and winrate"
)]
struct JudgedPoint {
    r#move: Option<Move>,
    current_player: Colour,
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
    pub word: Option<&'static str>,
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

/// Reviews a line whose positions the caller has searched.
///
/// # Errors
/// If a field is wrong.
pub fn judge(question: &[u8]) -> Result<ReviewAnswer, FieldError> {
    let ReviewQuestion { points } = read_strictly(question)?;
    let wrong = |index: usize, field: &str, message| {
        Err(FieldError::new(&format!("points[{index}].{field}"), message))
    };
    if points.is_empty() {
        return Err(FieldError::new("points", "got []: expected at least one position"));
    }
    let mut plies = Vec::new();
    for (index, point) in points.iter().enumerate() {
        if !(0.0..=1.0).contains(&point.winrate) {
            return wrong(index, "winrate", format!("got {}: expected a number from 0 to 1", point.winrate));
        }
        match point.r#move {
            Some(played) if index > 0 => plies.push(played),
            None if index > 0 => {
                return wrong(index, "move", "missing: expected the move that led here".to_owned());
            }
            _ => {}
        }
    }
    let point = |JudgedPoint { current_player, winrate, best, .. }: JudgedPoint| {
        ReviewPoint::new(current_player.into(), winrate, best)
    };
    let review = Review::of(points.into_iter().map(point).collect(), plies);
    let verdict = |ply| {
        let (lost, word) = review.loss(ply).map_or((0.0, None), |loss| (loss.lost, loss.judgement()));
        Verdict { lost, word }
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
