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

use super::end::{EndKind, GameEnd};
use super::game::{FoundGame, Game, Point};
use super::input_error::{InputError, quoted};
use super::moves::Move;
use super::played_move::{PlayedMove, TurnFacts};
use super::position::Position;
use super::properties::{self, Property, PropertyNode};
use super::side::Side;
use super::size::Size;
use super::square::{Square, SquareContent};

/// Reads every game of a text.
///
/// # Errors
/// If there is no game; a game that cannot be read is an entry of the list.
pub fn read(text: &str) -> Result<Vec<FoundGame>, InputError> {
    properties::read(text, false, game)
}

fn game(tree: &[PropertyNode]) -> Result<Game, InputError> {
    let main = properties::main_line(tree);
    let find = |name| properties::find(main, name).map(Property::value);
    match find("GM") {
        Some(kind) if kind.trim().eq_ignore_ascii_case("amazons") => {}
        got => {
            let got = format!("a game of the kind GM[{:.40}]", got.unwrap_or_default());
            return Err(InputError::new(got, "GM[Amazons]"));
        }
    }
    let board = find("BO").ok_or_else(|| InputError::new("no BO", "the board before the first move"))?;
    let mut game = Game::new(read_board(board)?);
    properties::read_header(&mut game, main, "PC");
    let mut at = Point::START;
    for property in main.iter().flat_map(|node| &node.properties) {
        at = properties::play(&mut game, at, property, ply)?;
    }
    game.end = find("RE").and_then(|text| end(text, game.position()));
    Ok(game)
}

/// Reads `D1-D7-G7/11.50/5.04`; the value and the time may be missing.
fn ply(text: &str) -> Result<PlayedMove, InputError> {
    let mut parts = text.split('/').map(str::trim);
    let mut ply = PlayedMove::from(parts.next().unwrap_or_default().parse::<Move>()?);
    if let Some(evaluation) = parts.next().filter(|part| !part.is_empty()) {
        ply.facts.comment = format!("evaluation {evaluation:.40}");
    }
    if let Some(time) = parts.next().filter(|part| !part.is_empty()) {
        let wrong = || InputError::new(format_args!("{} as its time", quoted(time)), "seconds from 0 to 1e9");
        let seconds = time.parse().ok().filter(|seconds| TurnFacts::AMOUNTS.contains(seconds));
        ply.facts.seconds = Some(seconds.ok_or_else(wrong)?);
    }
    Ok(ply)
}

fn read_board(text: &str) -> Result<Position, InputError> {
    let wrong = |got: &str, expected: &str| InputError::new(quoted(got), expected).at("BO");
    let mut words = text.split_whitespace();
    let side = words.next().unwrap_or_default();
    let side: usize = side.parse().map_err(|_| wrong(side, "the number of rows"))?;
    let size = Size::square(side)?;
    let mut position = Position::new(size);
    for y in 0..size.height() {
        let row = words.next().unwrap_or_default();
        if row.chars().count() != side {
            return Err(wrong(row, &format!("a row of {side} squares")));
        }
        for (x, cell) in (0..).zip(row.chars()) {
            // Both are below the largest size.
            let Some(square) = Square::new(x, y) else { continue };
            let content = match cell {
                '*' => SquareContent::Amazon(Side::First),
                'O' | 'o' => SquareContent::Amazon(Side::Second),
                '-' | '.' => SquareContent::Empty,
                '#' | 'x' | 'X' | '+' => SquareContent::Burnt,
                _ => return Err(wrong(row, "the squares -, *, O and # (burnt)")),
            };
            position.put(square, content)?;
        }
    }
    match words.next() {
        Some("*") => Ok(position.with_mover(Side::First)),
        Some("O" | "o") => Ok(position.with_mover(Side::Second)),
        other => Err(wrong(other.unwrap_or_default(), "the player to move, * or O")),
    }
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
pub fn write(game: &Game) -> Result<String, InputError> {
    let size = game.start().size();
    if size.width() != size.height() {
        return Err(InputError::new(
            format_args!("a board of {size} squares"),
            "a square one: GGF has square boards only",
        ));
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
    let _ = write!(out, "\nBO[{}", size.width());
    for y in 0..size.height() {
        out.push('\n');
        out.extend(game.start().row(y).map(|content| content.symbol(['*', 'O', '#', '-'])));
    }
    out.push_str(if game.start().to_move() == Side::First { "\n*]" } else { "\nO]" });
    for (ply, before) in game.plies().iter().zip(game.positions()) {
        let name = if before.to_move() == Side::First { "\nB" } else { "W" };
        let squares =
            [ply.full.from, ply.full.to, ply.full.arrow].map(|square| square.to_string().to_uppercase());
        let _ = write!(out, "{name}[{}", squares.join("-"));
        if let Some(seconds) = ply.facts.seconds {
            let _ = write!(out, "//{seconds}");
        }
        out.push(']');
    }
    out.push_str("\n;)\n");
    Ok(out)
}
