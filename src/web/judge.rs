//! The verdict on a line of the page: what each move cost and in which word, and the sum of a side.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::analysis::fields::{FieldError, Fields};
use crate::analysis::{BySide, JUDGEMENTS, Loss, Review, ReviewPoint};
use crate::game::{FullMove, Side};

/// A position of the line as far as the engine knows it, and the move that led to it.
#[derive(Deserialize)]
struct JudgedPoint {
    r#move: Option<String>,
    #[serde(flatten)]
    point: ReviewPoint,
}

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
    let plies: Result<Vec<FullMove>, _> = plies.collect();
    let plies = plies.map_err(|error| wrong(&format!("move: {error}")))?;
    let review = Review::of(line.into_iter().map(|judged| judged.point).collect(), plies);
    let plies: Vec<Value> = (1..review.points.len()).map(|ply| verdict(&review, ply)).collect();
    Ok(json!({"plies": plies, "sides": BySide::of(|side| sum(&review, side))}))
}

fn verdict(review: &Review, ply: usize) -> Value {
    let loss = review.loss(ply);
    let word = loss.and_then(|loss| loss.judgement());
    json!({"lost": loss.map_or(0.0, |loss| loss.lost), "word": word})
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_judged_and_summed_up() {
        let body = json!({"points": [
            {"move": "", "to_move": "first", "first": 0.5, "best": "b1-b2/b3"},
            {"move": "b1-b4/b5", "to_move": "second", "first": 0.3, "best": "a5-a4/a3"},
            {"move": "a5-a4/a3", "to_move": "first", "first": 0.6, "best": null},
        ]});
        let answer = answer(body.to_string().as_bytes()).unwrap();
        assert_eq!(answer["plies"][0]["word"], "blunder");
        // The engine's own move loses nothing.
        assert_eq!(answer["plies"][1], json!({"lost": 0.0, "word": null}));
        let sides = &answer["sides"];
        assert!(sides["first"]["blunder"] == 1 && sides["second"]["blunder"] == 0, "{sides}");
        assert!(sides["second"]["accuracy"].as_f64() > Some(0.99), "{sides}");
    }

    #[test]
    fn another_form_names_its_field() {
        for (points, expected) in [
            ("[]", "expected a list of positions"),
            ("[1]", "got [1]: expected a list of positions"),
            (r#"[{"to_move":"first","first":2}]"#, "first: expected a number from 0 to 1"),
            (r#"[{"to_move":"first","first":0.5},{"to_move":"second","first":0.5,"move":"5"}]"#, "move: '5'"),
            (r#"[{"to_move":"first","first":0.5,"best":"x"}]"#, "each with move, to_move, first and best"),
        ] {
            let error = answer(format!("{{\"points\":{points}}}").as_bytes()).unwrap_err();
            assert!(error.field == "points" && error.message.contains(expected), "{points}: {error}");
        }
        assert_eq!(answer(b"{}").unwrap_err().field, "points");
    }
}
