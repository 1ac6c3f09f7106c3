//! Games as GGF, the Generic Game Format of the server GGS (skatgame.net), of the kind
//! `GM[Amazons]`.
//!
//! One list of properties holds a game: `BO` the board before the first move, with the rows from 1
//! upwards and the player to move at its end; then the moves, as in `B[D1-D7-G7/11.50/5.04]`: the
//! move, what the program made of it, and the seconds used. Black, `*`, is the first player.
//!
//! The value of a move is a number of the program's own: it is read into the comment. GGF has no
//! comments, no chances and no square brackets in names, so that these are lost when it is written.

use std::fmt::Write as _;

use super::bitboard::Bitboard;
use super::board::SquareContent;
use super::end::{EndKind, GameEnd};
use super::game::{FoundGame, Game, GameError};
use super::moves::FullMove;
use super::notation::ParseMoveError;
use super::ply::Ply;
use super::position::Position;
use super::properties::{self, Property, PropertyTree, SyntaxError};
use super::setup::{Setup, SetupError};
use super::side::Side;
use super::size::{Size, SizeError};
use super::square::Square;

/// The error of a text that holds no game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GgfError {
    /// The brackets are wrong.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The game is another one.
    #[error("a game of the kind GM[{got}]: expected GM[Amazons]")]
    OtherGame {
        /// Its kind, cut to forty characters.
        got: String,
    },
    /// A property that every game has is missing.
    #[error("no {name}: expected {expected}")]
    Missing {
        /// The property.
        name: &'static str,
        /// The meaning that it would have.
        expected: &'static str,
    },
    /// The board cannot be read.
    #[error("BO: got {got}, expected {expected}")]
    Board {
        /// The text found.
        got: String,
        /// The expected text.
        expected: String,
    },
    /// The board is too large.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The pieces are no position.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A move cannot be read.
    #[error("move {number}: {cause}")]
    Move {
        /// Its number, from 1.
        number: usize,
        /// The cause.
        cause: ParseMoveError,
    },
    /// The seconds of a move are no number.
    #[error("move {number}: '{got}' as its time, expected seconds")]
    Seconds {
        /// The move's number, from 1.
        number: usize,
        /// The text found, cut to forty characters.
        got: String,
    },
    /// A player moves out of turn.
    #[error("move {number} is {got}'s, expected the other colour's")]
    Turn {
        /// The move's number, from 1.
        number: usize,
        /// The property of the move: B or W.
        got: &'static str,
    },
    /// A move is illegal.
    #[error(transparent)]
    Illegal(#[from] GameError),
}

/// Reads every game of a text.
///
/// # Errors
/// If the brackets are wrong; a game that cannot be read is an entry of the list.
pub fn read(text: &str) -> Result<Vec<FoundGame<GgfError>>, SyntaxError> {
    let trees = properties::parse(text, false)?;
    Ok(trees.iter().map(|tree| FoundGame { line: tree.line, game: game(tree) }).collect())
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

fn game(tree: &PropertyTree) -> Result<Game, GgfError> {
    let properties = || tree.main_line().iter().flat_map(|node| &node.properties);
    let find = |name: &str| properties().find(|property| property.name == name).map(value);
    match find("GM") {
        Some(kind) if kind.trim().eq_ignore_ascii_case("amazons") => {}
        got => return Err(GgfError::OtherGame { got: short(got.unwrap_or_default()) }),
    }
    let board =
        find("BO").ok_or(GgfError::Missing { name: "BO", expected: "the board before the first move" })?;
    let mut game = Game::new(read_board(board)?);
    let text = |name| find(name).map(|value| value.split_whitespace().collect::<Vec<_>>().join(" "));
    game.players = ["PB", "PW"].map(text);
    game.date = text("DT");
    game.event = text("PC");
    for property in properties() {
        match property.name.as_str() {
            "B" => play(&mut game, Side::First, "B", value(property))?,
            "W" => play(&mut game, Side::Second, "W", value(property))?,
            _ => {}
        }
    }
    game.end = find("RE").and_then(|text| end(text, game.position()));
    Ok(game)
}

fn value(property: &Property) -> &str {
    property.values.first().map_or("", String::as_str)
}

/// Reads `D1-D7-G7/11.50/5.04`; the value and the time may be missing.
fn play(game: &mut Game, side: Side, got: &'static str, text: &str) -> Result<(), GgfError> {
    let number = game.plies().len() + 1;
    if game.position().to_move() != side {
        return Err(GgfError::Turn { number, got });
    }
    let mut parts = text.split('/').map(str::trim);
    let full = parts.next().unwrap_or_default();
    let full: FullMove = full.parse().map_err(|cause| GgfError::Move { number, cause })?;
    let mut ply = Ply::from(full);
    if let Some(evaluation) = parts.next().filter(|part| !part.is_empty()) {
        ply.facts.comment = format!("evaluation {}", short(evaluation));
    }
    if let Some(time) = parts.next().filter(|part| !part.is_empty()) {
        let seconds = time.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
        ply.facts.seconds = Some(seconds.ok_or_else(|| GgfError::Seconds { number, got: short(time) })?);
    }
    Ok(game.extend([ply])?)
}

fn read_board(text: &str) -> Result<Position, GgfError> {
    let wrong = |got: &str, expected: String| GgfError::Board { got: format!("'{}'", short(got)), expected };
    let mut words = text.split_whitespace();
    let side = words.next().unwrap_or_default();
    let side: usize = side.parse().map_err(|_| wrong(side, "the number of rows".to_owned()))?;
    let size = Size::square(side)?;
    let mut setup = Setup { size, amazons: [vec![], vec![]], burnt: Bitboard::EMPTY, to_move: Side::First };
    for y in 0..size.height() {
        let row = words.next().unwrap_or_default();
        if row.chars().count() != side {
            return Err(wrong(row, format!("a row of {side} squares")));
        }
        for (x, cell) in (0..).zip(row.chars()) {
            // Both are below the largest size.
            let Some(square) = Square::new(x, y) else { continue };
            match cell {
                '*' => setup.amazons[0].push(square),
                'O' | 'o' => setup.amazons[1].push(square),
                '-' | '.' => {}
                '#' | 'x' | 'X' | '+' => setup.burnt.insert(square),
                _ => return Err(wrong(row, "the squares -, *, O and # (burnt)".to_owned())),
            }
        }
    }
    setup.to_move = match words.next() {
        Some("*") => Side::First,
        Some("O" | "o") => Side::Second,
        other => return Err(wrong(other.unwrap_or_default(), "the player to move, * or O".to_owned())),
    };
    Ok(Position::try_from(&setup)?)
}

/// Reads a result as in `-3.00` or `+64.00:r`, seen from Black; `None` where it names no winner.
fn end(text: &str, position: &Position) -> Option<GameEnd> {
    let (number, flag) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
    let margin = number.parse::<f64>().ok().filter(|margin| margin.is_finite() && *margin != 0.0)?;
    let winner = if margin > 0.0 { Side::First } else { Side::Second };
    let mut end = GameEnd { margin: Some(margin.abs()), ..GameEnd::at(position, winner) };
    match flag {
        "r" => end.kind = EndKind::Resignation,
        "t" => end.kind = EndKind::Time,
        _ => {}
    }
    Some(end)
}

/// Writes a game. A win without a margin is written as one by 1, since the format asks for a
/// number.
///
/// # Errors
/// If the board is not square, which GGF cannot say.
pub fn write(game: &Game) -> Result<String, SizeError> {
    let size = game.start().size();
    if size.width() != size.height() {
        return Err(SizeError { width: size.width().into(), height: size.height().into() });
    }
    let mut out = String::from("(;GM[Amazons]");
    let clean = |text: &str| text.replace('[', "(").replace(']', ")");
    let [black, white] = &game.players;
    for (name, value) in [("PC", &game.event), ("DT", &game.date), ("PB", black), ("PW", white)] {
        if let Some(value) = value {
            // Writing to a string cannot fail, so that nothing is lost with the results here and
            // below.
            let _ = write!(out, "{name}[{}]", clean(value));
        }
    }
    let _ = write!(out, "TY[{}]", size.width());
    if let Some(end) = &game.end {
        let sign = if end.winner == Side::First { '+' } else { '-' };
        let flag = match end.kind {
            EndKind::Resignation => ":r",
            EndKind::Time | EndKind::Stall => ":t",
            _ => "",
        };
        let _ = write!(out, "RE[{sign}{:.2}{flag}]", end.margin.unwrap_or(1.0));
    }
    write_board(&mut out, game.start());
    let mut mover = game.start().to_move();
    for ply in game.plies() {
        let name = if mover == Side::First { "\nB" } else { "W" };
        let squares =
            [ply.full.from, ply.full.to, ply.full.arrow].map(|square| square.to_string().to_uppercase());
        let _ = write!(out, "{name}[{}", squares.join("-"));
        if let Some(seconds) = ply.facts.seconds {
            let _ = write!(out, "//{seconds}");
        }
        out.push(']');
        mover = !mover;
    }
    out.push_str("\n;)\n");
    Ok(out)
}

fn write_board(out: &mut String, start: &Position) {
    let size = start.size();
    let _ = write!(out, "\nBO[{}", size.width());
    for y in 0..size.height() {
        out.push('\n');
        out.extend((0..size.width()).filter_map(|x| Square::new(x, y)).map(|square| {
            match start.content(square) {
                Some(SquareContent::Amazon(Side::First)) => '*',
                Some(SquareContent::Amazon(Side::Second)) => 'O',
                Some(SquareContent::Burnt) => '#',
                Some(SquareContent::Empty) | None => '-',
            }
        }));
    }
    out.push_str(if start.to_move() == Side::First { "\n*]" } else { "\nO]" });
}
