//! Games as moves: from a start position or from a FEN, on one line or on several.

use super::game::{FoundGame, Game};
use super::input_error::InputError;
use super::moves::{Coordinates, Move};
use super::position::Position;
use super::start::Start;

/// The starts of moves without a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveListStart {
    /// The start of the board of this side, then those of all other boards that have one.
    From(usize),
    /// This position only.
    Only(Position),
}

/// More words than any game has. What follows them is not read, so that a hostile text takes no memory.
const MOST_WORDS: usize = 1_000;

/// Reads games: one a line, or one on all lines if these are numbered on or make no games by
/// themselves. `#` begins a comment. A game is moves, or a FEN and perhaps moves; moves may be
/// numbered, and may be Botzone's six numbers. Moves without a FEN begin where `choice` says.
pub fn read(text: &str, choice: MoveListStart) -> Vec<FoundGame> {
    let lines = || {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        (1..).zip(lines).filter(|(_, line)| !line.is_empty())
    };
    let game = |(line, text): (usize, &str)| FoundGame { line, game: read_game(text, choice) };
    let games = FoundGame::until_given_up(lines().map(game));
    let numbered_on = lines().skip(1).any(|(_, line)| {
        let number = line.split_once('.').and_then(|(number, _)| number.parse::<u32>().ok());
        number.is_some_and(|number| number > 1)
    });
    // Botzone's numbers begin with six that are no move, and go on line by line.
    let judged = lines().next().is_some_and(|(_, line)| line.parse() == Ok(Coordinates::NONE));
    let readable = games.iter().filter(|found| found.game.is_ok()).count();
    if games.len() > 1 && (numbered_on || judged || readable < games.len()) {
        let whole = lines().take(MOST_WORDS).map(|(_, line)| line.to_owned() + " ").collect::<String>();
        let whole = game((games[0].line, &whole));
        // Lines that are numbered may be games of their own, too, and one of these may be wrong.
        if whole.game.is_ok() || judged || (numbered_on && 2 * readable <= games.len()) {
            return vec![whole];
        }
    }
    games
}

/// Reads one game. Moves without a FEN begin at the first start of the choice that they can be played
/// from; an error is about the start that most of them can be played from.
fn read_game(text: &str, choice: MoveListStart) -> Result<Game, InputError> {
    let words: Vec<&str> = text.split_whitespace().take(MOST_WORDS).collect();
    if words.first().is_some_and(|word| is_fen(word)) {
        let whole = words.len() >= 6 && words[2] == "-";
        let (fen, rest) = words.split_at(if whole { 6 } else { words.len().min(2) });
        let start = fen.join(" ").parse();
        let start = start.map_err(|error: InputError| error.at("a position that cannot be read"))?;
        let rest = rest.strip_prefix(&["moves"]).unwrap_or(rest);
        return Game::of(start, &moves(rest)?);
    }
    let words = words.strip_prefix(&["startpos"]).unwrap_or(&words);
    let words = words.strip_prefix(&["moves"]).unwrap_or(words);
    let moves = moves(words)?;
    let (starts, place): (Vec<Position>, _) = match choice {
        MoveListStart::Only(start) => (vec![start], "the start"),
        MoveListStart::From(board) => {
            let mut starts: Vec<_> = Start::positions().map(|(_, position)| position).collect();
            starts.sort_by_key(|position| usize::from(position.size().width()) != board);
            (starts, "the start of any board:")
        }
    };
    let mut furthest: Option<(Game, InputError)> = None;
    for position in starts {
        let mut game = Game::new(position);
        let Err(error) = game.extend(moves.iter().map(|&full| full.into())) else { return Ok(game) };
        if furthest.as_ref().is_none_or(|(other, _)| other.plies().len() < game.plies().len()) {
            furthest = Some((game, error));
        }
    }
    let (game, error) = furthest.unwrap_or_else(|| unreachable!("a board is tried"));
    Err(error.at(format_args!("the moves cannot be played from {place} on {}", game.start().size())))
}

/// True if a word looks like the rows of a FEN: it begins with one, and has a piece or another row.
fn is_fen(word: &str) -> bool {
    let is_cell = |character: char| character.is_ascii_digit() || matches!(character, 'Q' | 'q' | '*');
    word.starts_with(is_cell) && word.contains(['Q', 'q', '*', '/']) && !word.contains(['-', '.'])
}

/// Moves in any notation, with or without numbers before them; Botzone's six integers a move.
fn moves(words: &[&str]) -> Result<Vec<Move>, InputError> {
    if !words.is_empty() && words.iter().all(|word| word.parse::<i64>().is_ok()) {
        let sixes = words.chunks(6).map(|six| six.join(" "));
        let played = sixes.filter(|six| six.parse() != Ok(Coordinates::NONE));
        return played.map(|six| six.parse()).collect();
    }
    let bare = words.iter().map(|word| {
        let numbered = word.split_once('.').filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()));
        numbered.map_or(*word, |(_, rest)| rest.trim_start_matches('.')).trim_end_matches([',', ';'])
    });
    bare.filter(|word| !word.is_empty()).map(str::parse).collect()
}

/// Writes a game on one line: its moves, after a FEN where it has no usual start or no move.
pub fn write(game: &Game) -> String {
    let moves: Vec<String> = game.plies().iter().map(|ply| ply.full.to_string()).collect();
    let (start, moves) = (game.start(), moves.join(" "));
    if moves.is_empty() {
        format!("{start}\n")
    } else if Start::of(start) == Some(Start::Formula) {
        format!("{moves}\n")
    } else {
        format!("{start} moves {moves}\n")
    }
}
