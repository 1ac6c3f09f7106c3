//! Games as SGF, the Smart Game Format, of the kind `GM[18]` (`FF[4]`, "Amazons", red-bean.com).
//!
//! A square is two letters, the column from the left and the row from the top; a move is three
//! squares, as in `B[djddgd]`. Black moves first. The board has 10x10 squares and the usual start
//! unless `SZ` and the root's `AB`, `AW`, `AA` (arrows) say otherwise. Two properties are this
//! project's own, and other programs pass over them: `QV`, the mover's chance of winning from 0 to
//! 1, and `QT`, the seconds that the mover used. Variations are read and written.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::bitboard::Bitboard;
use super::end::{EndKind, GameEnd};
use super::game::{FoundGame, Game, Point};
use super::input_error::InputError;
use super::moves::Move;
use super::played_move::{PlayedMove, TurnFacts};
use super::position::Position;
use super::properties::{self, Property, PropertyNode};
use super::side::Side;
use super::size::Size;
use super::square::{Square, SquareContent};
use super::start::Start;

/// Reads every game of a text with its variations.
///
/// # Errors
/// If there is no game; a game that cannot be read is an entry of the list.
pub fn read(text: &str) -> Result<Vec<FoundGame>, InputError> {
    properties::read(&text.replace("\r\n", "\n"), true, game)
}

fn bad(property: &Property, value: &str, expected: &str) -> InputError {
    InputError::new(format_args!("{}[{value:.40}]", property.name), expected)
}

fn game(tree: &[PropertyNode]) -> Result<Game, InputError> {
    let main = properties::main_line(tree);
    let before = main.iter().position(|node| mover(node).is_some()).unwrap_or(main.len());
    let mut game = Game::new(start(main, before)?);
    let size = game.start().size();
    properties::read_header(&mut game, main, "EV");
    // The points that the nodes so far lead to.
    let mut points: Vec<Point> = Vec::with_capacity(tree.len());
    for (index, node) in tree.iter().enumerate() {
        let mut at = node.parent.map_or(Point::START, |parent| points[parent]);
        // A remark of a node is about the position after its move, wherever in the node it stands.
        for property in &node.properties {
            at = properties::play(&mut game, at, property, |text| ply(text, size))?;
        }
        points.push(at);
        let is_setup = index == 0 || index < before;
        for property in &node.properties {
            let value = property.value();
            match property.name.as_str() {
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
    game.end = properties::find(main, "RE").and_then(|result| end(result.value(), game.position()));
    Ok(game)
}

/// Reads a move: three squares of two letters, or the notation with numbers.
fn ply(text: &str, size: Size) -> Result<PlayedMove, InputError> {
    let text = text.trim();
    let letters = || {
        let (from, rest) = point(text, size)?;
        let (to, rest) = point(rest, size)?;
        let (arrow, rest) = point(rest, size)?;
        rest.is_empty().then_some(Move { from, to, arrow })
    };
    Ok(letters().map_or_else(|| text.parse(), Ok)?.into())
}

fn remark(ply: Option<&mut PlayedMove>, property: &Property, value: &str) -> Result<(), InputError> {
    let Some(TurnFacts { seconds, value: chance, .. }) = ply.map(|ply| &mut ply.facts) else { return Ok(()) };
    let (fact, range, expected) = match property.name.as_str() {
        "QT" => (seconds, TurnFacts::AMOUNTS, "seconds from 0 to 1e9"),
        _ => (chance, TurnFacts::CHANCES, "a chance from 0 to 1"),
    };
    let number = value.trim().parse().ok().filter(|number| range.contains(number));
    *fact = Some(number.ok_or_else(|| bad(property, value, expected))?);
    Ok(())
}

fn mover(node: &PropertyNode) -> Option<Side> {
    node.properties.iter().find_map(Property::mover)
}

/// The position before the first move, by the nodes up to the one with that move.
fn start(nodes: &[PropertyNode], before: usize) -> Result<Position, InputError> {
    let root = &nodes[..1];
    let find = |name| properties::find(root, name);
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
    let begin = if root[0].properties.iter().any(|property| content(property).is_some()) {
        Position::new(size)
    } else {
        Position::start(size).map_err(|error| error.at("no AB and AW in the root"))?
    };
    // The colour of the first move says who begins, where PL does not.
    let mut mover = nodes.get(before).and_then(mover).unwrap_or(Side::First);
    // A later property may replace an earlier one: only the whole must be a legal position.
    let filled = |square| Some((square, begin.content(square)?));
    let mut contents: BTreeMap<_, _> = size.mask().iter().filter_map(filled).collect();
    for property in nodes[..before.max(1)].iter().flat_map(|node| &node.properties) {
        if property.name == "PL" {
            mover = match value(property).to_ascii_uppercase().as_str() {
                "B" | "BLACK" | "1" => Side::First,
                "W" | "WHITE" | "2" => Side::Second,
                other => return Err(bad(property, other, "B or W")),
            };
        }
        if let Some(content) = content(property) {
            contents.extend(squares(property, size)?.iter().map(|square| (square, content)));
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

/// The squares of a property: points, and rectangles of points.
fn squares(property: &Property, size: Size) -> Result<Bitboard, InputError> {
    let mut squares = Bitboard::EMPTY;
    for text in property.values.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
        let error = || bad(property, text, "a point of the board, as in dj");
        let (from, to) = text.split_once(':').unwrap_or((text, text));
        let corner = |text| point(text, size).and_then(|(square, rest)| rest.is_empty().then_some(square));
        let (from, to) = corner(from).zip(corner(to)).ok_or_else(error)?;
        let range = |a: u8, b: u8| a.min(b)..=a.max(b);
        for y in range(from.y(), to.y()) {
            squares |= range(from.x(), to.x()).filter_map(|x| Square::new(x, y)).collect::<Bitboard>();
        }
    }
    Ok(squares)
}

fn point(text: &str, size: Size) -> Option<(Square, &str)> {
    let letter =
        |at: usize| text.as_bytes().get(at).filter(|byte| byte.is_ascii_lowercase()).map(|byte| byte - b'a');
    let (x, row) = (letter(0)?, letter(1)?);
    let square = Square::new(x, size.height().checked_sub(row + 1)?)?;
    size.contains(square).then(|| (square, &text[2..]))
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

/// Writes games as one collection, each with its pieces unless it has the usual start of 10x10.
pub fn write(games: &[Game]) -> String {
    games.iter().map(write_game).collect()
}

fn write_game(game: &Game) -> String {
    let (mut text, size) = (String::new(), game.start().size());
    let out = &mut text;
    // Writing to a string cannot fail, so that nothing is lost with the results here and below.
    let _ = write!(out, "(;FF[4]GM[18]CA[UTF-8]AP[Quiver:{}]", env!("CARGO_PKG_VERSION"));
    let _ = if size.width() == size.height() {
        write!(out, "SZ[{}]", size.width())
    } else {
        write!(out, "SZ[{}:{}]", size.width(), size.height())
    };
    let [black, white] = &game.players;
    for (name, value) in [("PB", black), ("PW", white), ("DT", &game.date), ("EV", &game.event)] {
        if let Some(value) = value {
            property(out, name, &value.replace('\n', " "));
        }
    }
    if let Some(end) = &game.end {
        property(out, "RE", &result(end));
    }
    setup(out, game.start());
    if !game.comment.is_empty() {
        property(out, "C", &game.comment);
    }
    out.push('\n');
    let mut branchings: BTreeMap<Point, Vec<usize>> = BTreeMap::new();
    for (line, variation) in game.lines().iter().enumerate().skip(1) {
        branchings.entry(variation.from).or_default().push(line);
    }
    write_line(out, game, &branchings, 0);
    out.push_str(")\n");
    text
}

/// Writes a line and the variations that leave it. `branchings` are the variations by the point
/// where they begin.
fn write_line(out: &mut String, game: &Game, branchings: &BTreeMap<Point, Vec<usize>>, line: usize) {
    let mut begun = out.len();
    // A branching opens a bracket for the rest of the line. Its variations follow the bracket that
    // closes it.
    let mut open = Vec::new();
    for (ply, played) in game.lines()[line].plies.iter().enumerate() {
        if let Some(variations) = branchings.get(&Point { line, ply }) {
            open.push(variations);
            out.push_str("\n(");
            begun = out.len();
        }
        let before = game.position_at(Point { line, ply });
        let name = if before.to_move() == Side::First { "B" } else { "W" };
        let Move { from, to, arrow } = played.full;
        let squares = [from, to, arrow].map(|square| point_name(square, before.size()));
        let _ = write!(out, ";{name}[{}]", squares.concat());
        for (name, number) in [("QV", played.facts.value), ("QT", played.facts.seconds)] {
            if let Some(number) = number {
                let _ = write!(out, "{name}[{number}]");
            }
        }
        if !played.facts.comment.is_empty() {
            property(out, "C", &played.facts.comment);
        }
        if out.len() - begun > 68 {
            out.push('\n');
            begun = out.len();
        }
    }
    for variations in open.into_iter().rev() {
        out.push(')');
        for &variation in variations {
            out.push_str("\n(");
            write_line(out, game, branchings, variation);
            out.push(')');
        }
    }
}

fn setup(out: &mut String, start: &Position) {
    if start.size().width() == 10 && Start::of(start) == Some(Start::Formula) {
        return;
    }
    let [black, white]: [Bitboard; 2] = Side::BOTH.map(|side| start.amazons(side).iter().copied().collect());
    for (name, squares) in [("AB", black), ("AW", white), ("AA", start.burnt())] {
        if !squares.is_empty() {
            let points = squares.iter().map(|square| format!("[{}]", point_name(square, start.size())));
            let _ = write!(out, "{name}{}", points.collect::<String>());
        }
    }
    if (black | white | start.burnt()).is_empty() {
        // Says that the board is empty, rather than that it has the usual start.
        out.push_str("AE[aa]");
    }
    out.push_str(if start.to_move() == Side::First { "PL[B]" } else { "PL[W]" });
}

fn point_name(square: Square, size: Size) -> String {
    let letter = |index: u8| char::from(b'a' + index);
    [letter(square.x()), letter(size.height() - 1 - square.y())].iter().collect()
}

fn result(end: &GameEnd) -> String {
    let winner = if end.winner == Side::First { "B" } else { "W" };
    match (end.kind, end.margin) {
        (EndKind::Resignation, _) => format!("{winner}+R"),
        (EndKind::Time | EndKind::Stall, _) => format!("{winner}+T"),
        (kind, _) if kind.is_fault() => format!("{winner}+F"),
        (_, Some(margin)) => format!("{winner}+{margin}"),
        (_, None) => format!("{winner}+"),
    }
}

fn property(out: &mut String, name: &str, value: &str) {
    let _ = write!(out, "{name}[");
    for character in value.chars() {
        if matches!(character, ']' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push(']');
}
