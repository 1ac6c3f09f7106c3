//! The verdict on a line of the page: what each move cost and in which word, and the sum of a side.

use serde_json::{Map, Value, json};

use super::game::object;
use crate::analysis::fields::{FieldError, unexpected};
use crate::analysis::{Judgement, Loss, Review, ReviewPoint};
use crate::game::{FullMove, Side};

/// Answers with the judgement of a line: `points` holds its positions as far as the engine knows
/// them (`to_move`, `first`, `best`), each with the `move` that led to it.
///
/// # Errors
/// If the request has another form; names the field.
pub fn answer(body: &[u8]) -> Result<Value, FieldError> {
    let mut fields = object(body)?;
    let points = fields.value("points");
    fields.finish()?;
    let list = points.as_ref().and_then(Value::as_array);
    let list = list.filter(|list| !list.is_empty()).ok_or_else(|| {
        unexpected("points", points.as_ref().unwrap_or(&Value::Null), "a list of positions")
    })?;
    let plies = list[1..].iter().map(|point| full(&point["move"])).collect::<Result<Vec<_>, _>>()?;
    let points = list.iter().map(point).collect::<Result<Vec<_>, _>>()?;
    let review = Review::of(points, plies).map_err(|error| FieldError::new("points", error))?;
    let plies: Vec<Value> = (1..list.len()).map(|ply| verdict(&review, ply)).collect();
    let sides = Side::BOTH.map(|side| (side.to_string(), sum(&review, side)));
    Ok(json!({"plies": plies, "sides": Map::from_iter(sides)}))
}

fn verdict(review: &Review, ply: usize) -> Value {
    let loss = review.loss(ply);
    let word = loss.and_then(|loss| loss.judgement()).map(Judgement::name);
    json!({"lost": loss.map_or(0.0, |loss| loss.lost), "word": word})
}

/// The accuracy of a side, and how many of its plies each word stands for.
fn sum(review: &Review, side: Side) -> Value {
    let mut sum = json!({"accuracy": review.accuracy(side)});
    for (word, name, _) in Judgement::ALL {
        let own = |loss: &&Loss| loss.side == side && loss.judgement() == Some(word);
        sum[name] = review.losses().iter().filter(own).count().into();
    }
    sum
}

fn point(point: &Value) -> Result<ReviewPoint, FieldError> {
    let first = point["first"].as_f64().filter(|first| (0.0..=1.0).contains(first));
    let to_move = Side::BOTH.into_iter().find(|side| point["to_move"] == side.to_string());
    Ok(ReviewPoint {
        to_move: to_move.ok_or_else(|| unexpected("to_move", &point["to_move"], "first or second"))?,
        first: first.ok_or_else(|| unexpected("first", &point["first"], "a number from 0 to 1"))?,
        proven: false,
        best: if point["best"].is_null() { None } else { Some(full(&point["best"])?) },
        playouts: 0,
    })
}

fn full(value: &Value) -> Result<FullMove, FieldError> {
    let text = value.as_str().ok_or_else(|| unexpected("move", value, "a move as a text"))?;
    text.parse().map_err(|error| FieldError::new("move", error))
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
        assert_eq!(
            (&answer["sides"]["first"]["blunder"], &answer["sides"]["second"]["blunder"]),
            (&json!(1), &json!(0))
        );
        assert!(answer["sides"]["second"]["accuracy"].as_f64().unwrap() > 0.99);
    }

    #[test]
    fn another_form_names_its_field() {
        for (body, field) in [
            ("{}", "points"),
            (r#"{"points":[]}"#, "points"),
            (r#"{"points":[1]}"#, "to_move"),
            (r#"{"points":[{"to_move":"first","first":2}]}"#, "first"),
            (r#"{"points":[{"to_move":"first","first":0.5},{"move":5}]}"#, "move"),
            (r#"{"points":[{"to_move":"first","first":0.5,"best":"x"}]}"#, "move"),
        ] {
            assert_eq!(answer(body.as_bytes()).unwrap_err().field, field, "{body}");
        }
    }
}
