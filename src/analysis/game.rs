//! Answers questions that ask for the moves and positions of a game, or for a game as text.

use amazons::{Move, Point, Position, Side};
use quiver_bot::InputError;
use quiver_bot::Start;
use quiver_bot::messages::printable;
use quiver_engine::endgame::{Effort, Solver};
use serde::{Deserialize, Serialize};

use super::TerritoryMap;
use super::fields::{FieldError, Whole, read_strictly};
use super::formats::{self, CheckedGame, Format, FoundGames};
use super::game_fields::{BoardSide, GameFields};
use crate::games::{EndKind, FoundGame, Game, GameEnd, Line, MatchGame, PlayedMove, TurnFacts};
use crate::words::{self, Bilingual, Language};

/// The largest number of games that an answer lists if a text has several games.
const MAX_LISTED_GAMES: usize = 5_000;

/// A variation of a game. Its first move replaces the move with index `ply` in line `line`, where
/// line 0 is the main line. `comments` has the comment after each move of the variation.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Variation {
    line: usize,
    ply: usize,
    moves: Vec<Move>,
    comments: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GameQuestion {
    /// The game, given as fields. Ignored if the question has `text` or `bytes`.
    game: Option<GameFields>,
    text: Option<String>,
    /// The bytes of a file with games, each byte as a character up to U+00FF. Overrides `text`.
    bytes: Option<String>,
    /// The width of the board, for a text that does not state it.
    board_x_size: Option<BoardSide>,
    /// The number of the game in the text, from 0. Without a number, the answer to a text with
    /// several games is a list of the games.
    number: Option<Whole<0, { u32::MAX as i64 }>>,
    /// The number of positions that the answer leaves out at the beginning of the game.
    since: Option<Whole<0, 1000>>,
}

/// The answer to a question that asks for the moves and positions of a game.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum GameOrList {
    /// The moves and positions of the game.
    Game(Box<GameAnswer>),
    /// A list of games, if the text has several games and the question has no field `number`.
    Several {
        /// A label for each game, such as its result in English.
        games: Vec<String>,
    },
}

/// Returns the moves and positions of a game. If the question states no board, the board has
/// `board` squares along a side. The function `read` parses a game given as text. The caller passes
/// [`formats::read`], or a function that knows more formats.
///
/// # Errors
/// If a field is wrong.
pub fn game(
    question: &[u8],
    board: usize,
    read: fn(&[u8], &[Position]) -> Result<FoundGames, InputError>,
) -> Result<GameOrList, FieldError> {
    let GameQuestion { game, text, bytes, board_x_size, number, since } = read_strictly(question)?;
    let since = since.map_or(0, Whole::to_usize);
    let byte = |it: char| {
        u8::try_from(it).map_err(|_| FieldError::new("bytes", format!("'{it}': expected U+0000 to U+00FF")))
    };
    let bytes = bytes.map(|bytes| bytes.chars().map(byte).collect::<Result<Vec<u8>, _>>()).transpose()?;
    let Some(file) = bytes.or(text.map(String::into_bytes)) else {
        let missing = || FieldError::new("game", "missing: expected a game or a text");
        let game = game.ok_or_else(missing)?.game(board).map_err(|error| error.within("game"))?;
        return Ok(GameOrList::Game(Box::new(GameAnswer::new(&game, since))));
    };
    let board = board_x_size.map_or(board, Whole::to_usize);
    let wrong = |error: InputError| FieldError::new("text", error);
    let (_, found) = read(&file, &Start::positions_preferring(board)).map_err(wrong)?;
    let count = found.len();
    if number.is_none() && count > 1 {
        let labels = (1..).zip(&found).take(MAX_LISTED_GAMES).map(|(number, found)| label(number, found));
        return Ok(GameOrList::Several { games: labels.collect() });
    }
    let number = number.map_or(0, Whole::to_usize);
    let missing = || wrong(InputError(format!("got game number {number}: expected a number below {count}")));
    let found = found.into_iter().nth(number).ok_or_else(missing)?;
    let CheckedGame { game, disagreements, .. } = found.game.map_err(wrong)?;
    Ok(GameOrList::Game(Box::new(GameAnswer {
        about: disagreements.iter().take(3).map(ToString::to_string).chain(game.notes.clone()).collect(),
        result: has_result_or_players(&game).then(|| GameResult::of(&game)),
        date: game.date.as_deref().map(printable),
        comment: game.comment.clone(),
        comments: comments(game.plies()),
        variations: game.lines()[1..].iter().map(variation).collect(),
        ..GameAnswer::new(&game, since)
    })))
}

fn label(number: usize, found: &FoundGame<CheckedGame>) -> String {
    let text = match &found.game {
        Ok(CheckedGame { game, .. }) if has_result_or_players(game) => words::result(game, Language::English),
        Ok(CheckedGame { game, .. }) => {
            format!("moves: {}, board: {}", game.plies().len(), game.start().size())
        }
        Err(error) => error.to_string(),
    };
    format!("{number}. {text}")
}

fn has_result_or_players(game: &Game) -> bool {
    game.end.is_some() || game.players.iter().any(Option::is_some)
}

fn variation(Line { from, plies, .. }: &Line) -> Variation {
    let moves = plies.iter().map(|ply| ply.played).collect();
    Variation { line: from.line, ply: from.ply, moves, comments: comments(plies) }
}

fn comments(plies: &[PlayedMove]) -> Vec<String> {
    plies.iter().map(|ply| ply.facts.comment.clone()).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SaveQuestion {
    game: GameFields,
    form: TextForm,
    /// [`TextForm::Fen`] writes the position after this number of moves (default: all moves).
    ply: Option<Whole<0, 1000>>,
    #[serde(default)]
    players: [Option<String>; 2],
    date: Option<String>,
    /// The end of the game. Ignored if the side to move has no legal move.
    end: Option<SavedEnd>,
    #[serde(default)]
    comment: String,
    #[serde(default)]
    comments: Vec<String>,
    #[serde(default)]
    variations: Vec<Variation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedEnd {
    winner: Side,
    kind: EndKind,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TextForm {
    Sgf,
    /// A log of Botzone's judge.
    Log,
    Moves,
    Fen,
}

/// The answer to a question that asks for a game as text.
#[derive(Debug, Serialize)]
pub struct SaveAnswer {
    text: String,
}

/// Returns a game as text. By default, the board has `board` squares along a side.
///
/// # Errors
/// If a field is wrong.
pub fn save(question: &[u8], board: usize) -> Result<SaveAnswer, FieldError> {
    let SaveQuestion { game, form, ply, players, date, end, comment, comments, variations } =
        read_strictly(question)?;
    let played = game.game(board).map_err(|error| error.within("game"))?;
    let format = match form {
        TextForm::Sgf => Format::Sgf,
        TextForm::Log => Format::Botzone,
        TextForm::Moves => Format::Moves,
        TextForm::Fen => {
            let last = played.plies().len();
            let ply = ply.map_or(last, Whole::to_usize);
            let shorter = || FieldError::new("ply", format!("got {ply}: expected a number from 0 to {last}"));
            let text = played.positions().get(ply).ok_or_else(shorter)?.to_string();
            return Ok(SaveAnswer { text });
        }
    };
    let mut game = Game::new(*played.start());
    (game.players, game.date) = (players, date);
    game.comment = comment;
    let extended = game.extend(plies(&played.moves(), comments));
    extended.map_err(|error| FieldError::new("game.moves", error))?;
    for variation in variations {
        add_variation(&mut game, variation).map_err(|message| FieldError::new("variations", message))?;
    }
    let by_rules =
        game.position().winner().map(|winner| GameEnd::with_inferred_kind(game.position(), winner));
    game.end = by_rules.or(end.map(|SavedEnd { winner, kind }| GameEnd::new(winner, kind)));
    let text = formats::write(format, &[game], "quiver serve");
    Ok(SaveAnswer { text: text.map_err(|error| FieldError::new("game.position", error))? })
}

fn plies(moves: &[Move], comments: Vec<String>) -> impl Iterator<Item = PlayedMove> {
    let comments = comments.into_iter().chain(std::iter::repeat(String::new()));
    moves
        .iter()
        .zip(comments)
        .map(|(&played, comment)| PlayedMove { played, facts: TurnFacts { comment, ..TurnFacts::default() } })
}

fn add_variation(game: &mut Game, Variation { line, ply, moves, comments }: Variation) -> Result<(), String> {
    if game.lines().get(line).is_none_or(|line| ply >= line.plies.len()) {
        return Err("expected line and ply to name a move that the variation replaces".to_owned());
    }
    let mut at = Point { line, ply };
    for ply in plies(&moves, comments) {
        at = game.play_at(at, ply).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The moves and positions of a game, and its players, result and comments if a text states them.
#[derive(Debug, Default, Serialize)]
pub struct GameAnswer {
    width: u8,
    height: u8,
    start: Position,
    moves: Vec<Move>,
    positions: Vec<PositionFacts>,
    /// Disagreements between the text and the rules, and remarks of the parser.
    about: Vec<String>,
    /// The players and result of a game from a text; `None` if no player and no winner is known.
    result: Option<GameResult>,
    date: Option<String>,
    comment: String,
    comments: Vec<String>,
    variations: Vec<Variation>,
}

impl GameAnswer {
    /// Builds the answer for a game that is not from a text. Skips the first `since` positions.
    pub fn new(game: &Game, since: usize) -> GameAnswer {
        let size = game.start().size();
        GameAnswer {
            width: size.width(),
            height: size.height(),
            start: *game.start(),
            moves: game.moves(),
            positions: game.positions().iter().skip(since).map(PositionFacts::of).collect(),
            ..GameAnswer::default()
        }
    }
}

/// The players and result of a game, with sentences in English and Chinese.
#[derive(Debug, Serialize)]
pub struct GameResult {
    names: [Option<String>; 2],
    winner: Option<Side>,
    kind: Option<EndKind>,
    sentence: Bilingual,
    failure: Option<LoserAction>,
}

#[derive(Debug, Serialize)]
struct LoserAction {
    side: Side,
    action: Bilingual,
}

impl GameResult {
    /// Describes the result of a game.
    pub fn of(game: &Game) -> GameResult {
        let failure = game.end.as_ref().filter(|end| end.kind.is_fault_or_resignation());
        GameResult {
            names: game.players.each_ref().map(|name| name.as_deref().map(printable)),
            winner: game.winner(),
            kind: game.end.as_ref().map(|end| end.kind),
            sentence: Bilingual::of(|language| words::result(game, language)),
            failure: failure.map(|end| LoserAction {
                side: !end.winner,
                action: Bilingual::of(|language| words::loser_action(end, language)),
            }),
        }
    }
}

#[derive(Debug, Serialize)]
struct PositionFacts {
    fen: Position,
    to_move: Side,
    winner: Option<Side>,
    /// The number of moves that the winner has left; `None` if the game is not finished, or if the
    /// solver cannot count the moves within 1,000 nodes.
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
