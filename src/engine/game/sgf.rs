//! Games as SGF, the Smart Game Format, of the kind `GM[18]` (`FF[4]`, "Amazons", red-bean.com).
//!
//! A square is two letters, the column from the left and the row from the top; a move is three
//! squares, as in `B[djddgd]`. Black moves first. The board has 10x10 squares and the usual start
//! unless `SZ` and the root's `AB`, `AW`, `AA` (arrows) say otherwise. Two properties are this
//! project's own, and other programs pass over them: `QV`, the mover's chance of winning from 0 to
//! 1, and `QT`, the seconds that the mover used. Variations are read and written.

mod writing;

use super::bitboard::Bitboard;
use super::end::{EndKind, GameEnd};
use super::game::{FoundGame, Game, GameError, Point};
use super::moves::FullMove;
use super::notation::ParseMoveError;
use super::ply::Ply;
use super::position::Position;
use super::properties::{self, Property, PropertyNode, PropertyTree, SyntaxError};
use super::setup::{Setup, SetupError};
use super::side::Side;
use super::size::{Size, SizeError};
use super::square::Square;
use super::start::{Start, StartError};
pub use writing::write;

/// The error of a text that holds no game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SgfError {
    /// The brackets are wrong.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The game is another one.
    #[error("a game of the kind GM[{got}]: expected GM[18], Amazons")]
    OtherGame {
        /// Its kind, cut to forty characters.
        got: String,
    },
    /// A property has a value that means nothing.
    #[error("{name}[{got}]: expected {expected}")]
    Value {
        /// The property.
        name: String,
        /// Its value, cut to forty characters.
        got: String,
        /// The expected value.
        expected: &'static str,
    },
    /// The board is too large.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The board has no usual start, and none is given.
    #[error("{0}; expected AB and AW in the root")]
    Start(#[from] StartError),
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
    /// Pieces are put on the board during the game, or in a variation.
    #[error("{name} after move {number}: expected pieces to be set up before the first move")]
    Late {
        /// The property.
        name: String,
        /// Moves before it.
        number: usize,
    },
}

/// Reads every game of a text with its variations.
///
/// # Errors
/// If the brackets are wrong; a game that cannot be read is an entry of the list.
pub fn read(text: &str) -> Result<Vec<FoundGame<SgfError>>, SyntaxError> {
    let trees = properties::parse(&text.replace("\r\n", "\n"), true)?;
    Ok(trees.iter().map(|tree| FoundGame { line: tree.line, game: game(tree) }).collect())
}

fn bad(property: &Property, value: &str, expected: &'static str) -> SgfError {
    SgfError::Value { name: property.name.clone(), got: value.chars().take(40).collect(), expected }
}

fn game(tree: &PropertyTree) -> Result<Game, SgfError> {
    let is_move = |property: &Property| matches!(property.name.as_str(), "B" | "W");
    let main = tree.main_line();
    let before = main.iter().position(|node| node.properties.iter().any(is_move)).unwrap_or(main.len());
    let mut game = Game::new(start(main, before)?);
    let mut result = None;
    // The points that the nodes so far lead to.
    let mut points: Vec<Point> = Vec::with_capacity(tree.nodes.len());
    for (index, node) in tree.nodes.iter().enumerate() {
        let mut at = node.parent.map_or(Point::START, |parent| points[parent]);
        // A remark of a node is about the position after its move, wherever in the node it stands.
        for property in node.properties.iter().filter(|property| is_move(property)) {
            at = play(&mut game, at, property)?;
        }
        points.push(at);
        let is_setup = index == 0 || index < before;
        for property in node.properties.iter().filter(|property| !is_move(property)) {
            let value = property.values.first().map_or("", String::as_str);
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
                    let number = game.path(at).len();
                    return Err(SgfError::Late { name: property.name.clone(), number });
                }
                _ => {}
            }
        }
    }
    game.end = result.and_then(|text| end(&text, game.position()));
    Ok(game)
}

/// Reads a move at a point: three squares of two letters, or the notation with numbers.
fn play(game: &mut Game, at: Point, property: &Property) -> Result<Point, SgfError> {
    let number = game.path(at).len() + 1;
    let (side, got) = if property.name == "B" { (Side::First, "B") } else { (Side::Second, "W") };
    let position = game.position_at(at);
    if position.to_move() != side {
        return Err(SgfError::Turn { number, got });
    }
    let text = property.values.first().map_or("", String::as_str).trim();
    let full = match letters(text, position.size()) {
        Some(full) => full,
        None => text.parse().map_err(|cause| SgfError::Move { number, cause })?,
    };
    Ok(game.play_at(at, full.into())?)
}

fn remark(ply: Option<&mut Ply>, property: &Property, value: &str) -> Result<(), SgfError> {
    let number = value.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
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
fn start(nodes: &[PropertyNode], before: usize) -> Result<Position, SgfError> {
    let properties = |index: usize| nodes.get(index).map_or(&[][..], |node| &node.properties);
    let root = properties(0);
    let find = |name: &str| root.iter().find(|property| property.name == name);
    let value =
        |property: &Property| property.values.first().map_or_else(String::new, |v| v.trim().to_owned());
    if let Some(kind) =
        find("GM").map(value).filter(|kind| kind != "18" && !kind.eq_ignore_ascii_case("amazons"))
    {
        return Err(SgfError::OtherGame { got: kind.chars().take(40).collect() });
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
    let setup = |property: &&Property| matches!(property.name.as_str(), "AB" | "AW" | "AA" | "AE");
    let mut board = if root.iter().any(|property| setup(&property)) {
        Setup { size, amazons: [vec![], vec![]], burnt: Bitboard::EMPTY, to_move: Side::First }
    } else {
        Setup::from(&Start::Formula.position(size)?)
    };
    // The colour of the first move says who begins, where PL does not.
    let first = properties(before).iter().find(|property| matches!(property.name.as_str(), "B" | "W"));
    board.to_move =
        if first.is_some_and(|property| property.name == "W") { Side::Second } else { Side::First };
    for property in (0..before.max(1)).flat_map(properties) {
        if property.name == "PL" {
            board.to_move = match value(property).to_ascii_uppercase().as_str() {
                "B" | "BLACK" | "1" => Side::First,
                "W" | "WHITE" | "2" => Side::Second,
                other => return Err(bad(property, other, "B or W")),
            };
        }
        if setup(&property) {
            put(&mut board, property)?;
        }
    }
    Ok(Position::try_from(&board)?)
}

/// Puts pieces on the board or takes them off, at points and rectangles of points.
fn put(board: &mut Setup, property: &Property) -> Result<(), SgfError> {
    for text in property.values.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
        let error = || bad(property, text, "a point of the board, as in dj");
        let (from, to) = text.split_once(':').unwrap_or((text, text));
        let corner =
            |text| point(text, board.size).and_then(|(square, rest)| rest.is_empty().then_some(square));
        let (from, to) = corner(from).zip(corner(to)).ok_or_else(error)?;
        let range = |a: u8, b: u8| a.min(b)..=a.max(b);
        let squares: Vec<Square> = range(from.y(), to.y())
            .flat_map(|y| range(from.x(), to.x()).filter_map(move |x| Square::new(x, y)))
            .collect();
        for square in squares {
            // The new piece replaces the old one.
            board.burnt.remove(square);
            board.amazons.iter_mut().for_each(|amazons| amazons.retain(|&other| other != square));
            match property.name.as_str() {
                "AB" => board.amazons[0].push(square),
                "AW" => board.amazons[1].push(square),
                "AA" => board.burnt.insert(square),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Reads a point from the front of a text.
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
