//! Games for the page: reads a game from a request, draws its positions, and writes it as text.

use amazons::move_list::MoveListStart;
use amazons::{
    FoundGame, Game, GameEnd, InputError, Language, Line, Move, PlayedMove, Point, Position, TurnFacts,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::board;
use super::page::result_json;
use crate::analysis::TerritoryMap;
use crate::analysis::fields::{FieldError, Fields};
use crate::analysis::query::read_game;
use crate::botzone::CheckedGame;
use crate::endgame::{Effort, Solver};
use crate::formats::{self, Format};

/// Games whose labels a person can choose from.
const MOST_LABELS: usize = 5_000;

/// A variation as the page has it: the line and ply where it begins, its moves, and the remark
/// after each.
#[derive(Serialize, Deserialize)]
struct PageVariation {
    line: usize,
    ply: usize,
    moves: Vec<Move>,
    comments: Vec<String>,
}

/// Answers with the game of a request: its `text`, or its `board`, `start`, `position` and `moves`
/// as in a query. `since` leaves out the positions before that number of moves. Of a text with
/// several games, `game` chooses one by its number from 0; without it the answer lists them as
/// `games`.
pub fn answer(body: &[u8], default_board: usize) -> Result<Value, FieldError> {
    let mut fields = Fields::parse(body)?;
    let text = fields.text("text")?;
    let since = fields.whole("since", 0..=1000)?.unwrap_or(0);
    let number = fields.whole("game", 0..=u32::MAX as usize)?;
    let Some(text) = text else {
        let game = read_game(&mut fields, default_board)?;
        fields.finish()?;
        return Ok(json(&game, since));
    };
    let board = fields.whole("board", 1..=10)?.unwrap_or(default_board);
    fields.finish()?;
    let wrong = |error: InputError| FieldError::new("text", error);
    let found = formats::read(text.as_bytes(), MoveListStart::From(board));
    let (_, found) = found.map_err(wrong)?;
    let count = found.len();
    if number.is_none() && count > 1 {
        let labels = (1..).zip(&found).take(MOST_LABELS).map(|(number, found)| label(number, found));
        return Ok(json!({"games": labels.collect::<Vec<_>>()}));
    }
    let number = number.unwrap_or(0);
    let missing = || wrong(InputError(format!("game {number} of {count}: expected a number below {count}")));
    let found = found.into_iter().nth(number).ok_or_else(missing)?;
    let CheckedGame { game, disagreements, .. } = found.game.map_err(wrong)?;
    let mut answer = json(&game, since);
    answer["about"] = disagreements.iter().take(3).map(ToString::to_string).collect();
    answer["result"] = if is_result_known(&game) { result_json(&game) } else { Value::Null };
    answer["comment"] = game.comment.as_str().into();
    answer["comments"] = json!(comments(game.plies()));
    answer["variations"] = game.lines()[1..].iter().map(variation).collect();
    Ok(answer)
}

fn label(number: usize, found: &FoundGame<CheckedGame>) -> String {
    let text = match &found.game {
        Ok(CheckedGame { game, .. }) if is_result_known(game) => game.result(Language::English),
        Ok(CheckedGame { game, .. }) => {
            format!("moves: {}, board: {}", game.plies().len(), game.start().size())
        }
        Err(error) => error.to_string(),
    };
    format!("{number}. {text}")
}

fn is_result_known(game: &Game) -> bool {
    game.end.is_some() || game.players.iter().any(Option::is_some)
}

fn variation(Line { from, plies, .. }: &Line) -> Value {
    let moves = plies.iter().map(|ply| ply.full).collect();
    json!(PageVariation { line: from.line, ply: from.ply, moves, comments: comments(plies) })
}

fn comments(plies: &[PlayedMove]) -> Vec<String> {
    plies.iter().map(|ply| ply.facts.comment.clone()).collect()
}

/// Answers a game as text: `form` is `sgf`, `log` (Botzone's), `moves`, or `fen` (the
/// position after `ply` moves). `players` are names, `comment` is a remark on the start, `comments`
/// are a text a move; `variations` have the form of those that [`answer`] gives.
pub fn save(body: &[u8], default_board: usize) -> Result<Value, FieldError> {
    let mut fields = Fields::parse(body)?;
    let played = read_game(&mut fields, default_board)?;
    let form = fields.text("form")?.unwrap_or_default();
    let ply = fields.whole("ply", 0..=1000)?;
    let players: Option<[Option<String>; 2]> = fields.read(&["players"], "a list of two names")?;
    let comment = fields.text("comment")?;
    let comments: Option<Vec<String>> = fields.read(&["comments"], "a list of texts")?;
    let expected = "a list of variations, each with line, ply, moves and comments";
    let variations: Option<Vec<PageVariation>> = fields.read(&["variations"], expected)?;
    fields.finish()?;
    let format = match form.as_str() {
        "sgf" => Format::Sgf,
        "log" => Format::Botzone,
        "moves" => Format::Moves,
        "fen" => {
            let ply = ply.unwrap_or(played.plies().len());
            let shorter = || FieldError::new("ply", format!("got {ply}: the game is shorter"));
            return Ok(json!({"text": played.positions().get(ply).ok_or_else(shorter)?}));
        }
        _ => {
            let message = format!("got '{form}': expected sgf, log, moves or fen");
            return Err(FieldError::new("form", message));
        }
    };
    let mut game = Game::new(*played.start());
    game.players = players.unwrap_or_default();
    game.comment = comment.unwrap_or_default();
    let extended = game.extend(plies(&played.moves(), comments.unwrap_or_default()));
    extended.map_err(|error| FieldError::new("moves", error))?;
    for variation in variations.into_iter().flatten() {
        add(&mut game, variation).map_err(|message| FieldError::new("variations", message))?;
    }
    game.end = game.position().winner().map(|winner| GameEnd::at(game.position(), winner));
    let text = formats::write(format, &[game], "quiver serve");
    Ok(json!({"text": text.map_err(|error| FieldError::new("position", error))?}))
}

fn plies(moves: &[Move], comments: Vec<String>) -> impl Iterator<Item = PlayedMove> {
    let comments = comments.into_iter().chain(std::iter::repeat(String::new()));
    moves
        .iter()
        .zip(comments)
        .map(|(&full, comment)| PlayedMove { full, facts: TurnFacts { comment, ..TurnFacts::default() } })
}

fn add(game: &mut Game, PageVariation { line, ply, moves, comments }: PageVariation) -> Result<(), String> {
    if game.lines().get(line).is_none_or(|line| ply >= line.plies.len()) {
        return Err("expected line and ply of a move that it replaces".to_owned());
    }
    let mut at = Point { line, ply };
    for ply in plies(&moves, comments) {
        at = game.play_at(at, ply).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// A game as the page reads it, with the positions from `since` on.
pub(super) fn json(game: &Game, since: usize) -> Value {
    let size = game.start().size();
    json!({
        "width": size.width(),
        "height": size.height(),
        "board": (since == 0).then(|| board::frame(game.start(), None)),
        "start": game.start(),
        "moves": game.moves(),
        "positions": game.positions().iter().skip(since).map(one).collect::<Vec<_>>(),
        "about": [],
    })
}

fn one(position: &Position) -> Value {
    let winner = position.winner();
    // The moves that the winner of a finished game had left, if they are not too hard to count.
    let moves_left =
        winner.and_then(|_| Solver::new(1 << 16).prove(position, &Effort::nodes(1_000)).margin());
    json!({
        "fen": position,
        "to_move": position.to_move(),
        "winner": winner,
        "left": moves_left,
        "territory": TerritoryMap::of(position),
    })
}
