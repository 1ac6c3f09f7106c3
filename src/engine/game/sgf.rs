//! Games as SGF, the Smart Game Format, of the kind `GM[18]` (`FF[4]`, "Amazons", red-bean.com).
//!
//! A square is two letters, the column from the left and the row from the top; a move is three
//! squares, as in `B[djddgd]`. Black moves first. The board has 10x10 squares and the usual start
//! unless `SZ` and the root's `AB`, `AW`, `AA` (arrows) say otherwise. Two properties are this
//! project's own, and other programs pass over them: `QV`, the mover's chance of winning from 0 to
//! 1, and `QT`, the seconds that the mover used. Variations are read and written.

mod writing;

use std::collections::BTreeMap;

use super::end::{EndKind, GameEnd};
use super::game::{FoundGame, Game, Point};
use super::input_error::InputError;
use super::moves::FullMove;
use super::ply::Ply;
use super::position::Position;
use super::properties::{self, Property, PropertyNode, amount};
use super::side::Side;
use super::size::Size;
use super::square::{Square, SquareContent};
pub use writing::write;

/// Reads every game of a text with its variations.
///
/// # Errors
/// If the brackets are wrong; a game that cannot be read is an entry of the list.
pub fn read(text: &str) -> Result<Vec<FoundGame>, InputError> {
    properties::read(&text.replace("\r\n", "\n"), true, game)
}

fn bad(property: &Property, value: &str, expected: &str) -> InputError {
    InputError::new(format_args!("{}[{value:.40}]", property.name), expected)
}

fn game(tree: &[PropertyNode]) -> Result<Game, InputError> {
    let main = properties::main_line(tree);
    let before = main
        .iter()
        .position(|node| node.properties.iter().any(|property| property.mover().is_some()))
        .unwrap_or(main.len());
    let mut game = Game::new(start(main, before)?);
    let size = game.start().size();
    let mut result = None;
    // The points that the nodes so far lead to.
    let mut points: Vec<Point> = Vec::with_capacity(tree.len());
    for (index, node) in tree.iter().enumerate() {
        let mut at = node.parent.map_or(Point::START, |parent| points[parent]);
        // A remark of a node is about the position after its move, wherever in the node it stands.
        for property in &node.properties {
            if let Some(side) = property.mover() {
                at = properties::play(&mut game, at, side, ply(property.value(), size))?;
            }
        }
        points.push(at);
        let is_setup = index == 0 || index < before;
        for property in &node.properties {
            let value = property.value();
            match property.name.as_str() {
                "PB" if at.line == 0 => game.players[0] = Some(one_line(value)),
                "PW" if at.line == 0 => game.players[1] = Some(one_line(value)),
                "DT" if at.line == 0 => game.date = Some(one_line(value)),
                "EV" if at.line == 0 => game.event = Some(one_line(value)),
                "RE" if at.line == 0 => result = Some(value.to_owned()),
                "C" | "GC" => {
                    let comment = match game.ply_at(at) {
                        Some(ply) => &mut ply.facts.comment,
                        None => &mut game.comment,
                    };
                    if !comment.is_empty() {
                        comment.push('\n');
                    }
                    comment.push_str(value);
                }
                "QV" | "QT" => remark(game.ply_at(at), property, value)?,
                "AB" | "AW" | "AA" | "AE" | "PL" if !is_setup => {
                    let got = format_args!("{} after move {}", property.name, game.path(at).len());
                    return Err(InputError::new(got, "pieces to be set up before the first move"));
                }
                _ => {}
            }
        }
    }
    game.end = result.and_then(|text| end(&text, game.position()));
    Ok(game)
}

/// Reads a move: three squares of two letters, or the notation with numbers.
fn ply(text: &str, size: Size) -> Result<Ply, InputError> {
    let full = letters(text.trim(), size);
    Ok(full.map_or_else(|| text.trim().parse::<FullMove>(), Ok)?.into())
}

fn remark(ply: Option<&mut Ply>, property: &Property, value: &str) -> Result<(), InputError> {
    let number = amount(value);
    let Some(ply) = ply else { return Ok(()) };
    if property.name == "QT" {
        ply.facts.seconds = Some(number.ok_or_else(|| bad(property, value, "seconds"))?);
    } else {
        let chance = number.filter(|number| *number <= 1.0);
        ply.facts.value = Some(chance.ok_or_else(|| bad(property, value, "a chance from 0 to 1"))?);
    }
    Ok(())
}

/// The position before the first move, by the nodes up to the one with that move.
fn start(nodes: &[PropertyNode], before: usize) -> Result<Position, InputError> {
    let properties = |index: usize| nodes.get(index).map_or(&[][..], |node| &node.properties);
    let root = properties(0);
    let find = |name: &str| root.iter().find(|property| property.name == name);
    let value = |property: &Property| property.value().trim().to_owned();
    if let Some(kind) =
        find("GM").map(value).filter(|kind| kind != "18" && !kind.eq_ignore_ascii_case("amazons"))
    {
        let got = format_args!("a game of the kind GM[{kind:.40}]");
        return Err(InputError::new(got, "GM[18], Amazons"));
    }
    let size = match find("SZ") {
        None => Size::square(10)?,
        Some(property) => {
            let text = value(property);
            let (width, height) = text.split_once(':').unwrap_or((&text, &text));
            let side = |text: &str| text.trim().parse::<usize>().ok();
            let sides = side(width).zip(side(height));
            let (width, height) = sides.ok_or_else(|| bad(property, &text, "a number, or two as in 8:10"))?;
            Size::new(width, height)?
        }
    };
    let begin = if root.iter().any(|property| content(property).is_some()) {
        Position::new(size)
    } else {
        Position::start(size).map_err(|error| error.at("no AB and AW in the root"))?
    };
    // The colour of the first move says who begins, where PL does not.
    let mut mover = properties(before).iter().find_map(Property::mover).unwrap_or(Side::First);
    // A later property may replace an earlier one: only the whole must be a legal position.
    let filled = |square| Some((square, begin.content(square)?));
    let mut contents: BTreeMap<_, _> = size.mask().iter().filter_map(filled).collect();
    for property in (0..before.max(1)).flat_map(properties) {
        if property.name == "PL" {
            mover = match value(property).to_ascii_uppercase().as_str() {
                "B" | "BLACK" | "1" => Side::First,
                "W" | "WHITE" | "2" => Side::Second,
                other => return Err(bad(property, other, "B or W")),
            };
        }
        if let Some(content) = content(property) {
            put(&mut contents, size, property, content)?;
        }
    }
    let mut position = Position::new(size).with_mover(mover);
    contents.into_iter().try_for_each(|(square, content)| position.put(square, content))?;
    Ok(position)
}

/// The content that a property gives squares; `None` if it sets up none.
fn content(property: &Property) -> Option<SquareContent> {
    match property.name.as_str() {
        "AB" => Some(SquareContent::Amazon(Side::First)),
        "AW" => Some(SquareContent::Amazon(Side::Second)),
        "AA" => Some(SquareContent::Burnt),
        "AE" => Some(SquareContent::Empty),
        _ => None,
    }
}

/// Gives points and rectangles of points this content.
fn put(
    contents: &mut BTreeMap<Square, SquareContent>,
    size: Size,
    property: &Property,
    content: SquareContent,
) -> Result<(), InputError> {
    for text in property.values.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
        let error = || bad(property, text, "a point of the board, as in dj");
        let (from, to) = text.split_once(':').unwrap_or((text, text));
        let corner = |text| point(text, size).and_then(|(square, rest)| rest.is_empty().then_some(square));
        let (from, to) = corner(from).zip(corner(to)).ok_or_else(error)?;
        let range = |a: u8, b: u8| a.min(b)..=a.max(b);
        for y in range(from.y(), to.y()) {
            contents.extend(range(from.x(), to.x()).filter_map(|x| Some((Square::new(x, y)?, content))));
        }
    }
    Ok(())
}

fn point(text: &str, size: Size) -> Option<(Square, &str)> {
    let letter =
        |at: usize| text.as_bytes().get(at).filter(|byte| byte.is_ascii_lowercase()).map(|byte| byte - b'a');
    let (x, row) = (letter(0)?, letter(1)?);
    let square = Square::new(x, size.height().checked_sub(row + 1)?)?;
    size.contains(square).then(|| (square, &text[2..]))
}

fn letters(text: &str, size: Size) -> Option<FullMove> {
    let (from, rest) = point(text, size)?;
    let (to, rest) = point(rest, size)?;
    let (arrow, rest) = point(rest, size)?;
    rest.is_empty().then_some(FullMove { from, to, arrow })
}

/// Reads a result as in `B+`, `W+R`, `B+3.5`; `None` where it names no winner.
fn end(text: &str, position: &Position) -> Option<GameEnd> {
    let (winner, how) = text.trim().split_once('+')?;
    let winner = match winner {
        "B" | "b" | "Black" => Side::First,
        "W" | "w" | "White" => Side::Second,
        _ => return None,
    };
    let mut end = GameEnd::at(position, winner);
    match how.trim().to_ascii_lowercase().as_str() {
        "r" | "resign" => end.kind = EndKind::Resignation,
        "t" | "time" => end.kind = EndKind::Time,
        "f" | "forfeit" => end.kind = EndKind::Forfeit,
        other => {
            let counts = |margin: &f64| margin.is_finite() && !margin.is_sign_negative();
            end.margin = other.parse().ok().filter(counts);
        }
    }
    Some(end)
}

fn one_line(text: &str) -> String {
    text.split('\n').collect::<Vec<_>>().join(" ")
}
