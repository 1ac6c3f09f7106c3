//! The review of a line of the page: what each move cost and in which word, and the sum of a side.

use amazons::{Move, Side};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::analysis::fields::{FieldError, Fields};
use crate::analysis::{BySide, JUDGEMENTS, Loss, Review, ReviewPoint};

/// A position of the line as far as the engine knows it, and the move that led to it.
#[derive(Deserialize)]
struct JudgedPoint {
    r#move: Option<String>,
    #[serde(flatten)]
    point: ReviewPoint,
}

/// Answers the positions of a line with the cost of each move, the word for it, and the sum of each
/// side.
pub(super) fn answer(body: &[u8]) -> Result<Value, FieldError> {
    let mut fields = Fields::parse(body)?;
    let expected = "a list of positions, each with move, to_move, first and best";
    let points: Option<Vec<JudgedPoint>> = fields.read(&["points"], expected)?;
    fields.finish()?;
    let wrong = |message: &str| FieldError::new("points", message);
    let line =
        points.filter(|points| !points.is_empty()).ok_or_else(|| wrong(&format!("expected {expected}")))?;
    if line.iter().any(|JudgedPoint { point, .. }| !(0.0..=1.0).contains(&point.first)) {
        return Err(wrong("first: expected a number from 0 to 1"));
    }
    let plies = line[1..].iter().map(|point| point.r#move.as_deref().unwrap_or_default().parse());
    let plies: Result<Vec<Move>, _> = plies.collect();
    let plies = plies.map_err(|error| wrong(&format!("move: {error}")))?;
    let review = Review::of(line.into_iter().map(|judged| judged.point).collect(), plies);
    let verdict = |ply| {
        let (lost, word) = review.loss(ply).map_or((0.0, None), |loss| (loss.lost, loss.judgement()));
        json!({"lost": lost, "word": word})
    };
    let plies: Vec<Value> = (1..review.points.len()).map(verdict).collect();
    Ok(json!({"plies": plies, "sides": BySide::of(|side| sum(&review, side))}))
}

/// The accuracy of a side, and how many of its plies each word stands for.
fn sum(review: &Review, side: Side) -> Value {
    let mut sum = json!({"accuracy": review.accuracy(side)});
    for (word, _) in JUDGEMENTS {
        let own = |loss: &&Loss| loss.side == side && loss.judgement() == Some(word);
        sum[word] = review.losses().iter().filter(own).count().into();
    }
    sum
}
