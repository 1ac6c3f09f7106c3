//! A game as the page has it: drawn position by position, read from whatever is pasted, written as text.

use serde_json::{Value, json};

use super::board;
use super::paste::{Found, Pasted, read_paste};
use crate::analysis::GameLine;
use crate::analysis::answer::territory;
use crate::analysis::fields::{FieldError, Fields};
use crate::analysis::query::read_line;
use crate::endgame::{Effort, Solver};
use crate::formats::{self, Format};
use crate::game::{Fen, Game, Outcome, Ply, Position};

/// Answers what game a request means: its `text`, or its `board`, `start`, `position` and `moves` as in a query.
/// `since` leaves out the positions before that number of moves. Of a text with several games, `game`
/// chooses one by its number from 0; without it the answer lists them as `games`.
///
/// # Errors
/// If it means none; names the field.
pub fn answer(body: &[u8], default_board: usize) -> Result<Value, FieldError> {
    let mut fields = object(body)?;
    let text = fields.text("text")?;
    let since = fields.whole("since", 0..=1000)?;
    let number =
        fields.whole("game", 0..=i64::from(u32::MAX))?.and_then(|number| usize::try_from(number).ok());
    let pasted = match text {
        Some(text) => {
            let board = fields.whole("board", 1..=10)?.and_then(|side| usize::try_from(side).ok());
            let found = read_paste(&text, board.unwrap_or(default_board), number);
            match found.map_err(|error| FieldError::new("text", error))? {
                Found::Game(game) => *game,
                Found::Several(labels) => {
                    fields.finish()?;
                    return Ok(json!({"games": labels}));
                }
            }
        }
        None => {
            let line = read_line(&mut fields, default_board)?;
            Pasted { line, comments: Vec::new(), about: Vec::new() }
        }
    };
    fields.finish()?;
    let since = since.and_then(|since| usize::try_from(since).ok()).unwrap_or(0);
    let mut answer = json(&pasted.line, since, pasted.about);
    answer["comments"] = pasted.comments.into();
    Ok(answer)
}

/// Answers a game as text: `form` is `sgf`, `ggf`, `log` (Botzone's), `moves`, or `fen` (the position
/// after `ply` moves). `comments` are remarks, a text a move.
///
/// # Errors
/// If the request means no game, or one that this form cannot hold.
pub fn save(body: &[u8], default_board: usize) -> Result<Value, FieldError> {
    let mut fields = object(body)?;
    let line = read_line(&mut fields, default_board);
    let form = fields.text("form");
    let ply = fields.whole("ply", 0..=1000);
    let comments = fields.value("comments");
    fields.finish()?;
    let (line, ply) = (line?, ply?);
    let format = match form?.as_deref() {
        Some("sgf") => Format::Sgf,
        Some("ggf") => Format::Ggf,
        Some("log") => Format::Botzone,
        Some("moves") => Format::Moves,
        Some("fen") => {
            let ply = ply.and_then(|ply| usize::try_from(ply).ok()).unwrap_or(line.moves().len());
            let position = line.positions().get(ply);
            let position =
                position.ok_or_else(|| FieldError::new("ply", format!("got {ply}: the game is shorter")))?;
            return Ok(json!({"text": Fen(*position).to_string()}));
        }
        other => {
            let got = other.unwrap_or_default();
            return Err(FieldError::new(
                "form",
                format!("got '{got}': expected sgf, ggf, log, moves or fen"),
            ));
        }
    };
    let mut game = Game::new(line.positions()[0]);
    let comments = comments.unwrap_or_default();
    let plies = line.moves().iter().enumerate().map(|(index, &full)| Ply {
        comment: comments[index].as_str().unwrap_or_default().to_owned(),
        ..full.into()
    });
    game.extend(plies).map_err(|error| FieldError::new("moves", error))?;
    let end = game.end();
    game.outcome = end.winner().map(|winner| Outcome::at(&end, winner));
    let bytes = formats::write(format, &[game], "quiver serve");
    let bytes = bytes.map_err(|error| FieldError::new("position", error))?;
    Ok(json!({"text": String::from_utf8_lossy(&bytes)}))
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
        "left": moves_left(position),
        "pieces": board::pieces(position, line.last(turn)),
        "territory": territory(position),
    })
}

/// How many moves the winner of a finished game had left; `None` while it goes on, or where that is too hard to count.
fn moves_left(position: &Position) -> Option<u32> {
    position.winner()?;
    Solver::new(1 << 16).prove(position, &Effort::nodes(1_000)).margin()
}

/// The fields of a request's body.
///
/// # Errors
/// If it is no JSON object.
pub(super) fn object(body: &[u8]) -> Result<Fields, FieldError> {
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
    fn what_is_saved_is_read_again() {
        let moves = r#"["c1-c3/c5","a6-b6/b5","f1-f4/f6"]"#;
        let text = |form: &str| {
            let answer =
                save(format!(r#"{{"board":8,"moves":{moves},"form":"{form}","ply":1}}"#).as_bytes(), 10);
            answer.unwrap()["text"].as_str().unwrap().to_owned()
        };
        let log = text("log");
        let found = match_log::read(log.as_bytes()).unwrap();
        let replay = check(found[0].log.as_ref().unwrap());
        assert!(replay.disagreements.is_empty() && replay.agreed_counts == 4, "{replay:?}");
        for (text, plies) in
            [(log, 3), (text("sgf"), 3), (text("ggf"), 3), (text("moves"), 3), (text("fen"), 0)]
        {
            let again = answer(json!({"text": text}).to_string().as_bytes(), 10).unwrap();
            assert_eq!(again["moves"].as_array().unwrap().len(), plies, "{text}");
        }
        let commented = br#"{"board":8,"moves":["c1-c3/c5"],"form":"sgf","comments":["a good start]"]}"#;
        let text = save(commented, 10).unwrap()["text"].clone();
        let again = answer(json!({"text": text}).to_string().as_bytes(), 10).unwrap();
        assert_eq!(again["comments"], json!(["a good start]"]));
        assert_eq!(save(br#"{"position":"Q1q w","form":"log"}"#, 8).unwrap_err().field, "position");
        assert_eq!(save(br#"{"form":"picture"}"#, 8).unwrap_err().field, "form");
        assert_eq!(save(br#"{"form":"fen","ply":1}"#, 8).unwrap_err().field, "ply");
    }

    #[test]
    fn a_finished_game_says_how_many_moves_were_left() {
        // The first player is walled in; the second has four squares for itself.
        let over = answer(br#"{"position":"Q*q4 w"}"#, 8).unwrap();
        assert_eq!(
            (&over["positions"][0]["winner"], &over["positions"][0]["left"]),
            (&json!("second"), &json!(4))
        );
        assert_eq!(answer(b"{}", 8).unwrap()["positions"][0]["left"], Value::Null);
    }
}
