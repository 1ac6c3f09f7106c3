//! Games for the page: reads a game from a request, draws its positions, and writes it as text.

use amazons::move_list::MoveListStart;
use amazons::{
    FoundGame, Game, GameEnd, InputError, Language, Line, Move, PlayedMove, Point, Position, Side, TurnFacts,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::board;
use super::page::result_json;
use crate::analysis::TerritoryMap;
use crate::analysis::fields::{FieldError, Whole, read_strictly};
use crate::analysis::query::{BoardSide, GameFields};
use crate::botzone::CheckedGame;
use crate::endgame::{Effort, Solver};
use crate::formats::{self, Format};

/// Games whose labels a person can choose from.
const MOST_LABELS: usize = 5_000;

/// A variation as the page has it: the line and ply where it begins, its moves, and the remark
/// after each.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PageVariation {
    line: usize,
    ply: usize,
    moves: Vec<Move>,
    comments: Vec<String>,
}

/// A question about a game.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GameQuestion {
    /// The game as a query names it. Ignored if there is a text.
    game: Option<GameFields>,
    /// A file with one game or several.
    text: Option<String>,
    /// The side of the board of a text that does not say it.
    board_x_size: Option<BoardSide>,
    /// The game of a text with several, from 0; without it the answer lists them.
    number: Option<Whole<0, { u32::MAX as i64 }>>,
    /// Leaves out the positions before this many moves.
    since: Option<Whole<0, 1000>>,
}

/// The games of a text with several, as a list to choose from.
#[derive(Serialize)]
struct Labels {
    games: Vec<String>,
}

/// Answers with a game: its moves and positions, and, if it was read from a text, what the text says
/// of it.
pub fn answer(body: &[u8], default_board: usize) -> Result<Value, FieldError> {
    let GameQuestion { game, text, board_x_size, number, since } = read_strictly(body)?;
    let since = since.map_or(0, Whole::index);
    let Some(text) = text else {
        let missing = || FieldError::new("game", "missing: expected a game or a text");
        let game = game.ok_or_else(missing)?.game(default_board).map_err(|error| error.within("game"))?;
        return Ok(json!(GameAnswer::new(&game, since)));
    };
    let board = board_x_size.map_or(default_board, Whole::index);
    let wrong = |error: InputError| FieldError::new("text", error);
    let (_, found) = formats::read(text.as_bytes(), MoveListStart::From(board)).map_err(wrong)?;
    let count = found.len();
    if number.is_none() && count > 1 {
        let labels = (1..).zip(&found).take(MOST_LABELS).map(|(number, found)| label(number, found));
        return Ok(json!(Labels { games: labels.collect() }));
    }
    let number = number.map_or(0, Whole::index);
    let missing = || wrong(InputError(format!("game {number} of {count}: expected a number below {count}")));
    let found = found.into_iter().nth(number).ok_or_else(missing)?;
    let CheckedGame { game, disagreements, .. } = found.game.map_err(wrong)?;
    Ok(json!(GameAnswer {
        about: disagreements.iter().take(3).map(ToString::to_string).collect(),
        result: is_result_known(&game).then(|| result_json(&game)),
        comment: game.comment.clone(),
        comments: comments(game.plies()),
        variations: game.lines()[1..].iter().map(variation).collect(),
        ..GameAnswer::new(&game, since)
    }))
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

fn variation(Line { from, plies, .. }: &Line) -> PageVariation {
    let moves = plies.iter().map(|ply| ply.full).collect();
    PageVariation { line: from.line, ply: from.ply, moves, comments: comments(plies) }
}

fn comments(plies: &[PlayedMove]) -> Vec<String> {
    plies.iter().map(|ply| ply.facts.comment.clone()).collect()
}

/// A question for a game as text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SaveQuestion {
    game: GameFields,
    form: TextForm,
    /// Moves before the position of [`TextForm::Fen`]; all of them if it is missing.
    ply: Option<Whole<0, 1000>>,
    #[serde(default)]
    players: [Option<String>; 2],
    /// A remark on the start.
    #[serde(default)]
    comment: String,
    /// A remark on each move.
    #[serde(default)]
    comments: Vec<String>,
    #[serde(default)]
    variations: Vec<PageVariation>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TextForm {
    Sgf,
    /// A log of Botzone.
    Log,
    Moves,
    Fen,
}

/// A game as text.
#[derive(Serialize)]
struct SaveAnswer {
    text: String,
}

/// Answers with a game as text.
pub fn save(body: &[u8], default_board: usize) -> Result<Value, FieldError> {
    let SaveQuestion { game, form, ply, players, comment, comments, variations } = read_strictly(body)?;
    let played = game.game(default_board).map_err(|error| error.within("game"))?;
    let format = match form {
        TextForm::Sgf => Format::Sgf,
        TextForm::Log => Format::Botzone,
        TextForm::Moves => Format::Moves,
        TextForm::Fen => {
            let ply = ply.map_or(played.plies().len(), Whole::index);
            let shorter = || FieldError::new("ply", format!("got {ply}: the game is shorter"));
            let text = played.positions().get(ply).ok_or_else(shorter)?.to_string();
            return Ok(json!(SaveAnswer { text }));
        }
    };
    let mut game = Game::new(*played.start());
    game.players = players;
    game.comment = comment;
    let extended = game.extend(plies(&played.moves(), comments));
    extended.map_err(|error| FieldError::new("game.moves", error))?;
    for variation in variations {
        add(&mut game, variation).map_err(|message| FieldError::new("variations", message))?;
    }
    game.end = game.position().winner().map(|winner| GameEnd::at(game.position(), winner));
    let text = formats::write(format, &[game], "quiver serve");
    Ok(json!(SaveAnswer { text: text.map_err(|error| FieldError::new("game.position", error))? }))
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

/// A game as the page reads it.
#[derive(Serialize)]
pub(super) struct GameAnswer {
    width: u8,
    height: u8,
    /// The picture of the start; none if the first positions are left out.
    board: Option<String>,
    start: Position,
    moves: Vec<Move>,
    positions: Vec<PositionFacts>,
    /// Contradictions between the text of the game and the rules.
    about: Vec<String>,
    result: Option<Value>,
    comment: String,
    comments: Vec<String>,
    variations: Vec<PageVariation>,
}

impl GameAnswer {
    /// A game of which only the moves are known, with the positions from `since` on.
    pub(super) fn new(game: &Game, since: usize) -> GameAnswer {
        let size = game.start().size();
        GameAnswer {
            width: size.width(),
            height: size.height(),
            board: (since == 0).then(|| board::frame(game.start(), None)),
            start: *game.start(),
            moves: game.moves(),
            positions: game.positions().iter().skip(since).map(PositionFacts::of).collect(),
            about: Vec::new(),
            result: None,
            comment: String::new(),
            comments: Vec::new(),
            variations: Vec::new(),
        }
    }
}

#[derive(Serialize)]
struct PositionFacts {
    fen: Position,
    to_move: Side,
    winner: Option<Side>,
    /// The moves that the winner of a finished game had left, if they are not too hard to count.
    left: Option<u32>,
    territory: TerritoryMap,
}

impl PositionFacts {
    fn of(position: &Position) -> PositionFacts {
        let winner = position.winner();
        let count = || Solver::new(1 << 16).prove(position, &Effort::nodes(1_000)).margin();
        PositionFacts {
            fen: *position,
            to_move: position.to_move(),
            winner,
            left: winner.and_then(|_| count()),
            territory: TerritoryMap::of(position),
        }
    }
}
