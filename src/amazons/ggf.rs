//! Reads games in GGF, the format of the server GGS (skatgame.net), for the game type `Amazons`.
//!
//! A game is one list of properties. `BO` is the board before the first move: the number of rows,
//! the rows from row 1 upwards, and the player to move. Each move is a property such as
//! `B[D1-D7-G7/11.50/5.04]`, with an evaluation and the seconds used. The first player is Black,
//! written `*` in `BO`.
//!
//! Programs evaluate moves on different scales, so the reader stores an evaluation as a comment.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

use crate::game::{Annotation, FoundGame, Game, PlayedMove, Point};
use crate::moves::Move;
use crate::outcome::{Cause, Outcome};
use crate::position::Position;
use crate::properties::{self, ParseGameError, Property, PropertyNode};
use crate::side::Side;
use crate::size::Size;
use crate::square::{Square, SquareContent};

/// Reads all games of a GGF text.
///
/// # Errors
/// If the text has no game. An unreadable game is an error within the list.
pub fn read(text: &str) -> Result<Vec<FoundGame<Game, ParseGameError>>, ParseGameError> {
    properties::read(text, false, game)
}

fn game(tree: Vec<PropertyNode>) -> Result<Game, ParseGameError> {
    let main = properties::main_line(&tree);
    let find = |name| properties::find(main, name).map(Property::first_value);
    let kind = find("GM").unwrap_or_default();
    if !kind.trim().eq_ignore_ascii_case("amazons") {
        return Err(ParseGameError::property("GM", kind, "Amazons"));
    }
    let no_board = || ParseGameError::property("BO", "", "the board before the first move");
    let board = find("BO").ok_or_else(no_board)?;
    let mut game = Game::new(read_board(board)?);
    properties::read_header(&mut game, main, "PC");
    let mut at = Point::START;
    for property in main.iter().flat_map(|node| &node.properties) {
        at = properties::add_move(&mut game, at, property, |number, text| ply(&property.name, number, text))?;
    }
    game.end = find("RE").and_then(|text| parse_outcome(text, game.position()));
    Ok(game)
}

fn ply(name: &str, number: usize, text: &str) -> Result<PlayedMove, ParseGameError> {
    let mut parts = text.split('/').map(str::trim);
    let parsed = parts.next().unwrap_or_default().parse::<Move>();
    let mut ply: PlayedMove =
        PlayedMove::from(parsed.map_err(|error| ParseGameError::Move { number, error })?);
    if let Some(evaluation) = parts.next().filter(|part| !part.is_empty()) {
        ply.facts.comment = format!("evaluation {evaluation:.40}");
    }
    if let Some(time) = parts.next().filter(|part| !part.is_empty()) {
        let expected = || format!("seconds from 0 to 1e9 as the time of move {number}");
        let wrong = || ParseGameError::property(name, text, expected());
        let seconds = time.parse().ok().filter(|seconds| Annotation::SECONDS.contains(seconds));
        ply.facts.seconds = Some(seconds.ok_or_else(wrong)?);
    }
    Ok(ply)
}

fn read_board(text: &str) -> Result<Position, ParseGameError> {
    let wrong = |found, expected: Cow<'static, str>| ParseGameError::property("BO", found, expected);
    let mut words = text.split_whitespace();
    let side = words.next().unwrap_or_default();
    let side: usize = side.parse().map_err(|_| wrong(side, "the number of rows".into()))?;
    let size = Size::square(side)?;
    let mut position = Position::new(size);
    for y in 0..size.height() {
        let row = words.next().unwrap_or_default();
        if row.chars().count() != side {
            return Err(wrong(row, format!("a row of {side} squares").into()));
        }
        for (x, cell) in (0..).zip(row.chars()) {
            // `Square::new` never fails here: `Size::square` allows at most 10 columns.
            let Some(square) = Square::new(x, y) else { continue };
            let content = match cell {
                '*' => SquareContent::Amazon(Side::First),
                'O' | 'o' => SquareContent::Amazon(Side::Second),
                '-' | '.' => SquareContent::Empty,
                '#' | 'x' | 'X' | '+' => SquareContent::Burnt,
                _ => return Err(wrong(row, "the squares -, *, O and # (burnt)".into())),
            };
            position.put(square, content)?;
        }
    }
    match words.next() {
        Some("*") => Ok(position.with_mover(Side::First)),
        Some("O" | "o") => Ok(position.with_mover(Side::Second)),
        other => Err(wrong(other.unwrap_or_default(), "the player to move, * or O".into())),
    }
}

/// Parses a result such as `+64.00:r` (Black wins by resignation); `None` if it names no winner.
fn parse_outcome(text: &str, position: &Position) -> Option<Outcome> {
    let (number, flag) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
    let margin = number.parse::<f64>().ok().filter(|margin| margin.is_finite() && *margin != 0.0)?;
    let winner = if margin > 0.0 { Side::First } else { Side::Second };
    let mut end = Outcome { margin: Some(margin.abs()), ..Outcome::at(position, winner) };
    match flag {
        "r" => end.cause = Cause::Resignation,
        "t" => end.cause = Cause::Time,
        _ => {}
    }
    Some(end)
}
