//! Games for the page: reads a game from a request, draws its positions, and writes it as text.

use std::fmt::Display;

use serde_json::{Value, json};

use super::paste::{labels, read_paste};
use super::{board, result};
use crate::analysis::answer::territory;
use crate::analysis::fields::{FieldError, Fields};
use crate::analysis::query::{read_game, read_moves};
use crate::botzone::CheckedGame;
use crate::endgame::{Effort, Solver};
use crate::formats::{self, Format};
use crate::game::{Fen, FullMove, Game, GameEnd, Ply, Point, Position, Variation};

/// Answers with the game of a request: its `text`, or its `board`, `start`, `position` and `moves`
/// as in a query. `since` leaves out the positions before that number of moves. Of a text with
/// several games, `game` chooses one by its number from 0; without it the answer lists them as
/// `games`.
///
/// # Errors
/// If it means none; names the field.
pub fn answer(body: &[u8], default_board: usize) -> Result<Value, FieldError> {
    let mut fields = object(body)?;
    let text = fields.text("text")?;
    let since = fields.whole("since", 0..=1000)?;
    let number =
        fields.whole("game", 0..=i64::from(u32::MAX))?.and_then(|number| usize::try_from(number).ok());
    let pasted = text.is_some();
    let CheckedGame { game, disagreements, .. } = match text {
        Some(text) => {
            let board = fields.whole("board", 1..=10)?.and_then(|side| usize::try_from(side).ok());
            let error = |error: &dyn Display| FieldError::new("text", error);
            let mut found = read_paste(&text, board.unwrap_or(default_board)).map_err(|why| error(&why))?;
            let count = found.len();
            if number.is_none() && count > 1 {
                fields.finish()?;
                return Ok(json!({"games": labels(&found)}));
            }
            let number = number.unwrap_or(0);
            if number >= count {
                let message = format!("game {number} of {count}: expected a number below {count}");
                return Err(error(&message));
            }
            found.swap_remove(number).game.map_err(|why| error(&why))?
        }
        None => read_game(&mut fields, default_board)?.into(),
    };
    fields.finish()?;
    let since = since.and_then(|since| usize::try_from(since).ok()).unwrap_or(0);
    let mut answer = json(&game, since);
    if pasted {
        answer["about"] = disagreements.iter().take(3).map(ToString::to_string).collect();
        answer["result"] = if result::is_known(&game) { result::json(&game) } else { Value::Null };
        answer["comment"] = game.comment.as_str().into();
        answer["comments"] = game.plies().iter().map(|ply| ply.facts.comment.as_str()).collect();
        answer["variations"] = game.variations().iter().map(variation).collect();
    }
    Ok(answer)
}

/// A variation as the page has it: where it begins, its moves, and what is remarked after each.
fn variation(variation: &Variation) -> Value {
    let Variation { from, plies } = variation;
    json!({
        "line": from.line,
        "ply": from.ply,
        "moves": plies.iter().map(|ply| ply.full.to_string()).collect::<Vec<_>>(),
        "comments": plies.iter().map(|ply| ply.facts.comment.as_str()).collect::<Vec<_>>(),
    })
}

/// Answers a game as text: `form` is `sgf`, `ggf`, `log` (Botzone's), `moves`, or `fen` (the
/// position after `ply` moves). `comment` is a remark on the start, `comments` are a text a move;
/// `variations` have the form of those that [`answer`] gives.
///
/// # Errors
/// If the request means no game, or one that this form cannot hold.
pub fn save(body: &[u8], default_board: usize) -> Result<Value, FieldError> {
    let mut fields = object(body)?;
    let game = read_game(&mut fields, default_board);
    let form = fields.text("form");
    let ply = fields.whole("ply", 0..=1000);
    let comment = fields.text("comment");
    let comments = fields.value("comments");
    let variations = fields.value("variations");
    fields.finish()?;
    let (played, ply, comment) = (game?, ply?, comment?);
    let format = match form?.as_deref() {
        Some("sgf") => Format::Sgf,
        Some("ggf") => Format::Ggf,
        Some("log") => Format::Botzone,
        Some("moves") => Format::Moves,
        Some("fen") => {
            let ply = ply.and_then(|ply| usize::try_from(ply).ok()).unwrap_or(played.plies().len());
            if ply > played.plies().len() {
                return Err(FieldError::new("ply", format!("got {ply}: the game is shorter")));
            }
            return Ok(json!({"text": Fen(played.position_after(ply)).to_string()}));
        }
        other => {
            let got = other.unwrap_or_default();
            return Err(FieldError::new(
                "form",
                format!("got '{got}': expected sgf, ggf, log, moves or fen"),
            ));
        }
    };
    let mut game = Game::new(*played.start());
    game.comment = comment.unwrap_or_default();
    let plies = plies(&played.moves(), &comments.unwrap_or_default());
    game.extend(plies).map_err(|error| FieldError::new("moves", error))?;
    for variation in variations.iter().filter_map(Value::as_array).flatten() {
        add(&mut game, variation).map_err(|message| FieldError::new("variations", message))?;
    }
    game.end = game.position().winner().map(|winner| GameEnd::at(game.position(), winner));
    let bytes = formats::write(format, &[game], "quiver serve");
    let bytes = bytes.map_err(|error| FieldError::new("position", error))?;
    Ok(json!({"text": String::from_utf8_lossy(&bytes)}))
}

fn plies(moves: &[FullMove], comments: &Value) -> Vec<Ply> {
    let ply = |(index, &full)| Ply::commented(full, comments[index].as_str().unwrap_or_default());
    moves.iter().enumerate().map(ply).collect()
}

/// Adds a variation to a game.
fn add(game: &mut Game, variation: &Value) -> Result<(), String> {
    let number = |name: &str| variation[name].as_u64().and_then(|number| usize::try_from(number).ok());
    let from = number("line").zip(number("ply")).map(|(line, ply)| Point { line, ply });
    let exists = |at: &Point| game.line(at.line).is_some_and(|plies| at.ply < plies.len());
    let mut at = from.filter(exists).ok_or("expected line and ply of a move that it replaces")?;
    let moves = read_moves(Some(variation["moves"].clone())).map_err(|error| error.to_string())?;
    for ply in plies(&moves, &variation["comments"]) {
        at = game.play_at(at, ply).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// A game as the page reads it, with the positions from `since` on.
#[must_use]
pub fn json(game: &Game, since: usize) -> Value {
    let size = game.start().size();
    let positions = game.positions();
    let positions = positions.iter().enumerate();
    json!({
        "width": size.width(),
        "height": size.height(),
        "board": (since == 0).then(|| board::frame(game.start(), None)),
        "start": Fen(*game.start()).to_string(),
        "moves": game.moves().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "since": since,
        "positions": positions.skip(since).map(|(ply, position)| one(position, game.move_to(ply))).collect::<Vec<_>>(),
        "about": [],
    })
}

fn one(position: &Position, last: Option<FullMove>) -> Value {
    json!({
        "fen": Fen(*position).to_string(),
        "to_move": position.to_move().to_string(),
        "winner": position.winner().map(|side| side.to_string()),
        "left": moves_left(position),
        "pieces": board::pieces(position, last),
        "territory": territory(position),
    })
}

/// How many moves the winner of a finished game had left; `None` while it goes on, or where that is
/// too hard to count.
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
    use crate::botzone::read_logs;

    #[test]
    fn a_game_goes_on_where_the_page_knows_it() {
        let whole = answer(br#"{"board":6,"moves":["b1-b4/b5","a5-a3/a4"]}"#, 10).unwrap();
        assert_eq!((whole["positions"].as_array().unwrap().len(), &whole["width"]), (3, &json!(6)));
        let rest = answer(br#"{"board":6,"moves":["b1-b4/b5","a5-a3/a4"],"since":2}"#, 10).unwrap();
        assert_eq!((rest["positions"].as_array().unwrap().len(), &rest["board"]), (1, &Value::Null));
        assert_eq!(rest["positions"][0], whole["positions"][2]);
    }

    #[test]
    fn of_several_games_one_is_chosen() {
        let ask = |number: Option<usize>| {
            let text = "c1-c3/c5 a6-b6/b5\nc1-c3/c5\n";
            answer(json!({"text": text, "game": number}).to_string().as_bytes(), 8)
        };
        assert_eq!(ask(None).unwrap()["games"].as_array().unwrap().len(), 2);
        assert_eq!(ask(Some(1)).unwrap()["moves"].as_array().unwrap().len(), 1);
        assert!(ask(Some(2)).unwrap_err().to_string().contains("game 2 of 2"));
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
        let checked = read_logs(log.as_bytes()).unwrap().remove(0).game.unwrap();
        assert!(checked.disagreements.is_empty() && checked.agreed_counts == 4, "{checked:?}");
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
    fn variations_are_saved_and_read_again() {
        let tree = json!({
            "board": 8, "moves": ["c1-c3/c5", "a6-b6/b5"], "comments": ["", "main"], "comment": "start",
            "form": "sgf",
            "variations": [
                {"line": 0, "ply": 1, "moves": ["a6-b6/c6", "f1-f4/f6"], "comments": ["other", ""]},
                {"line": 1, "ply": 1, "moves": ["f1-f4/e5"], "comments": [""]},
            ],
        });
        let text = save(tree.to_string().as_bytes(), 10).unwrap()["text"].clone();
        let again = answer(json!({"text": text}).to_string().as_bytes(), 10).unwrap();
        for field in ["moves", "comments", "comment", "variations"] {
            assert_eq!(again[field], tree[field], "{text}");
        }
        for (field, value) in [("line", json!(2)), ("ply", json!(2)), ("moves", json!(["c1-c3/c5"]))] {
            let mut wrong = tree.clone();
            wrong["variations"][1][field] = value;
            assert_eq!(save(wrong.to_string().as_bytes(), 10).unwrap_err().field, "variations", "{field}");
        }
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
