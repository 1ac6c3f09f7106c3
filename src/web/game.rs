//! A game as the page has it: drawn position by position, read from whatever is pasted, written as a Botzone log.

use serde_json::{Value, json};

use super::board;
use super::paste::{Pasted, read_paste};
use crate::analysis::GameLine;
use crate::analysis::answer::territory;
use crate::analysis::fields::{FieldError, Fields};
use crate::analysis::query::read_line;
use crate::botzone::match_log::written;
use crate::game::{Fen, Game, Position};

/// Answers what game a request means: its `text`, or its `board`, `start`, `position` and `moves` as in a query.
/// `since` leaves out the positions before that number of moves.
///
/// # Errors
/// If it means none; names the field.
pub fn answer(body: &[u8], default_board: usize) -> Result<Value, FieldError> {
    let mut fields = object(body)?;
    let text = fields.text("text")?;
    let since = fields.whole("since", 0..=1000)?;
    let pasted = match text {
        Some(text) => {
            let board = fields.whole("board", 1..=10)?.and_then(|side| usize::try_from(side).ok());
            read_paste(&text, board.unwrap_or(default_board))
                .map_err(|error| FieldError::new("text", error))?
        }
        None => Pasted { line: read_line(&mut fields, default_board)?, about: Vec::new() },
    };
    fields.finish()?;
    let since = since.and_then(|since| usize::try_from(since).ok()).unwrap_or(0);
    Ok(json(&pasted.line, since, pasted.about))
}

/// Answers the log that Botzone's judge would have written of a game.
///
/// # Errors
/// If the request means no game, or one that Botzone does not know.
pub fn log(body: &[u8], default_board: usize) -> Result<Value, FieldError> {
    let mut fields = object(body)?;
    let line = read_line(&mut fields, default_board)?;
    fields.finish()?;
    let game =
        Game::of(line.positions()[0], line.moves()).map_err(|error| FieldError::new("moves", error))?;
    written(&game).map_err(|error| FieldError::new("position", error))
}

/// What the page reads of a game; `about` is what else is known of it.
#[must_use]
pub fn json(line: &GameLine, since: usize, about: Vec<String>) -> Value {
    let start = &line.positions()[0];
    let turns = line.positions().iter().enumerate().skip(since);
    json!({
        "width": start.size().width(),
        "height": start.size().height(),
        "board": (since == 0).then(|| board::frame(start, None)),
        "start": Fen(*start).to_string(),
        "moves": line.moves().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "since": since,
        "positions": turns.map(|(turn, position)| one(line, turn, position)).collect::<Vec<_>>(),
        "about": about,
    })
}

fn one(line: &GameLine, turn: usize, position: &Position) -> Value {
    json!({
        "fen": Fen(*position).to_string(),
        "to_move": position.to_move().to_string(),
        "winner": position.winner().map(|side| side.to_string()),
        "pieces": board::pieces(position, line.last(turn)),
        "territory": territory(position),
    })
}

fn object(body: &[u8]) -> Result<Fields, FieldError> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Ok(Fields::new(object)),
        Ok(_) => Err(FieldError::new("", "expected an object")),
        Err(error) => Err(FieldError::new("", format!("no JSON: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::botzone::match_log::{self, check};

    #[test]
    fn a_game_goes_on_where_the_page_knows_it() {
        let whole = answer(br#"{"board":6,"moves":["b1-b4/b5","a5-a3/a4"]}"#, 10).unwrap();
        assert_eq!((whole["positions"].as_array().unwrap().len(), &whole["width"]), (3, &json!(6)));
        let rest = answer(br#"{"board":6,"moves":["b1-b4/b5","a5-a3/a4"],"since":2}"#, 10).unwrap();
        assert_eq!((rest["positions"].as_array().unwrap().len(), &rest["board"]), (1, &Value::Null));
        assert_eq!(rest["positions"][0], whole["positions"][2]);
    }

    #[test]
    fn what_means_no_game_names_its_field() {
        for (body, field) in [
            ("[]", ""),
            (r#"{"text":"hello"}"#, "text"),
            (r#"{"position":"3/2 w"}"#, "position"),
            (r#"{"moves":["a1-a2/a3"]}"#, "moves"),
            (r#"{"position":"Q1q w","colour":1}"#, "colour"),
        ] {
            assert_eq!(answer(body.as_bytes(), 8).unwrap_err().field, field, "{body}");
        }
    }

    #[test]
    fn a_log_that_is_written_is_read_again() {
        let moves = r#"["c1-c3/c5","a6-b6/b5","f1-f4/f6"]"#;
        let log = log(format!(r#"{{"board":8,"moves":{moves}}}"#).as_bytes(), 10).unwrap();
        let found = match_log::read(log.to_string().as_bytes()).unwrap();
        let replay = check(found[0].log.as_ref().unwrap());
        assert!(replay.disagreements.is_empty() && replay.agreed_counts == 4, "{replay:?}");
        let again = answer(json!({"text": log.to_string()}).to_string().as_bytes(), 10).unwrap();
        assert_eq!(again["moves"].to_string(), moves);
        assert_eq!(super::log(br#"{"position":"Q1q w"}"#, 8).unwrap_err().field, "position");
    }
}
