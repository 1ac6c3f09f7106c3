use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::bitboard::Bitboard;
use crate::game::{Annotation, FoundGame, Game, PlayedMove, Point};
use crate::moves::{Move, QueenMove};
use crate::outcome::{Cause, Outcome};
use crate::position::Position;
use crate::properties::{self, ParseGameError, Property, PropertyNode};
use crate::side::Side;
use crate::size::Size;
use crate::square::{Square, SquareContent, excerpt};

/// Reads every game of an SGF text with its variations.
///
/// ```
/// use amazons::sgf;
///
/// let found = sgf::read("(;GM[18];B[djddgd]QT[2.5];W[addgad])")?;
/// let game = found[0].game.as_ref().unwrap();
/// assert_eq!(game.moves()[1].to_string(), "a7-d4/a7");
/// assert_eq!(game.plies()[0].facts.seconds, Some(2.5));
/// # Ok::<(), amazons::ParseGameError>(())
/// ```
///
/// # Errors
/// If the text has no game. An unreadable game is an error within the list.
pub fn read(text: &str) -> Result<Vec<FoundGame<Game, ParseGameError>>, ParseGameError> {
    properties::read(&text.replace("\r\n", "\n"), true, game)
}

/// The properties that the reader uses or ignores without a note to the user.
const KNOWN_PROPERTIES: [&str; 21] = [
    "AA", "AB", "AE", "AP", "AW", "B", "C", "CA", "DT", "EV", "FF", "GC", "GM", "PB", "PL", "PW", "QT", "QV",
    "RE", "SZ", "W",
];

/// The largest number of ignored properties that a note lists.
const MAX_LISTED_PROPERTIES: usize = 20;

fn game(mut tree: Vec<PropertyNode>) -> Result<Game, ParseGameError> {
    let swapped = has_swapped_colours(&tree)?;
    if swapped {
        tree.iter_mut().flat_map(|node| &mut node.properties).for_each(swap_colours);
    }
    let main = properties::main_line(&tree);
    let before = first_move(main);
    let mut game = Game::new(start(main, before)?);
    let size = game.start().size();
    properties::read_header(&mut game, main, "EV");
    if swapped {
        game.notes
            .push("the colours are swapped: the first move is legal only for the other colour".to_owned());
    }
    // The point of the game after each node that has been read, by the index of the node.
    let mut points: Vec<Point> = Vec::with_capacity(tree.len());
    for (index, node) in tree.iter().enumerate() {
        let mut at = node.parent.map_or(Point::START, |parent| points[parent]);
        // A comment is about the position after the move of its node, so the moves of a node are
        // read before its comments. A node is a leaf if the next node in the list is not its child.
        let is_leaf = tree.get(index + 1).is_none_or(|next| next.parent != Some(index));
        for property in &node.properties {
            if is_leaf && is_unfinished_turn(property, &game.position_at(at)) {
                let (number, text) = (game.path(at).len() + 1, excerpt(property.first_value()));
                game.notes.push(format!("move {number}, '{text}', is an unfinished turn and was left out"));
                continue;
            }
            at = properties::add_move(&mut game, at, property, |number, text| ply(number, text, size))?;
        }
        points.push(at);
        let is_setup = index == 0 || index < before;
        for property in &node.properties {
            let value = property.first_value();
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
                "QV" | "QT" => annotate(game.ply_at(at), property, value)?,
                "AB" | "AW" | "AA" | "AE" | "PL" if !is_setup => {
                    let name = property.name.clone();
                    return Err(ParseGameError::LateSetup { name, number: game.path(at).len() });
                }
                _ => {}
            }
        }
    }
    if let Some(result) = properties::find(main, "RE") {
        read_result(&mut game, result.first_value().trim(), swapped);
    }
    game.notes.extend(note_of_unknown_properties(&tree));
    Ok(game)
}

fn read_result(game: &mut Game, result: &str, swapped: bool) {
    game.end = parse_outcome(result, game, swapped);
    if game.end.is_none() && !matches!(result, "" | "?") {
        let text = excerpt(result);
        game.notes.push(format!("the result '{text}' was ignored: expected a winner, as in B+R or 1-0"));
    }
}

fn note_of_unknown_properties(tree: &[PropertyNode]) -> Option<String> {
    let names = tree.iter().flat_map(|node| &node.properties).map(|property| property.name.as_str());
    let ignored: BTreeSet<&str> = names.filter(|name| !KNOWN_PROPERTIES.contains(name)).collect();
    let named: Vec<String> = ignored.into_iter().take(MAX_LISTED_PROPERTIES).map(excerpt).collect();
    (!named.is_empty()).then(|| format!("these properties were ignored: {}", named.join(", ")))
}

/// The number of nodes before the first move of the main line.
fn first_move(main: &[PropertyNode]) -> usize {
    main.iter().position(|node| mover(node).is_some()).unwrap_or(main.len())
}

/// True if a game uses the two colours the other way round: the start position is the usual one,
/// and the first move is illegal for its own colour, but legal for the other colour.
fn has_swapped_colours(tree: &[PropertyNode]) -> Result<bool, ParseGameError> {
    let main = properties::main_line(tree);
    let before = first_move(main);
    let Some(node) = main.get(before) else { return Ok(false) };
    if main[..=before].iter().flat_map(|node| &node.properties).any(|it| content(it).is_some()) {
        return Ok(false);
    }
    let start = start(main, before)?;
    let moves = node.properties.iter().filter(|property| property.mover() == Some(start.to_move()));
    let Some(Ok(first)) = moves.map(|property| ply(1, property.first_value(), start.size())).next() else {
        return Ok(false);
    };
    let is_legal = |mover| start.with_mover(mover).play(first.played).is_ok();
    Ok(!is_legal(start.to_move()) && is_legal(!start.to_move()))
}

/// Swaps `B` and `W` in a property's name or the value of `PL`. [`parse_outcome`] swaps the result.
fn swap_colours(property: &mut Property) {
    let name = if property.name == "PL" { property.values.first_mut() } else { Some(&mut property.name) };
    let Some(name) = name else { return };
    let other = match name.trim() {
        "B" => "W",
        "W" => "B",
        "PB" => "PW",
        "PW" => "PB",
        _ => return,
    };
    *name = other.to_owned();
}

/// True if a property holds an unfinished turn: no square, one square, or a legal queen move.
fn is_unfinished_turn(property: &Property, position: &Position) -> bool {
    let text = property.first_value().trim();
    if property.mover() != Some(position.to_move()) {
        return false;
    }
    let (mut squares, mut rest) = (Vec::new(), text);
    while let Some((square, after)) = point(rest, position.size()).filter(|_| squares.len() < 3) {
        squares.push(square);
        rest = after;
    }
    let queen = match (&squares[..], rest) {
        ([] | [_], "") => return true,
        (&[from, to], "") => Some(QueenMove { from, to }),
        _ => text.parse().ok(),
    };
    queen.is_some_and(|queen| position.move_queen(queen).is_ok())
}

/// Parses a move such as `djddgd`, or a move in another notation, such as `d1-d7/g7`.
fn ply(number: usize, text: &str, size: Size) -> Result<PlayedMove, ParseGameError> {
    let text = text.trim();
    let letters = || {
        let (from, rest) = point(text, size)?;
        let (to, rest) = point(rest, size)?;
        let (arrow, rest) = point(rest, size)?;
        rest.is_empty().then_some(Move { from, to, arrow })
    };
    let parsed = letters().map_or_else(|| text.parse(), Ok);
    Ok(parsed.map_err(|error| ParseGameError::Move { number, error })?.into())
}

fn annotate(ply: Option<&mut PlayedMove>, property: &Property, value: &str) -> Result<(), ParseGameError> {
    let Some(Annotation { seconds, value: chance, .. }) = ply.map(|ply| &mut ply.facts) else {
        return Ok(());
    };
    let (fact, range, expected) = match property.name.as_str() {
        "QT" => (seconds, Annotation::SECONDS, "seconds from 0 to 1e9"),
        _ => (chance, Annotation::CHANCES, "a probability from 0 to 1"),
    };
    let number = value.trim().parse().ok().filter(|number| range.contains(number));
    *fact = Some(number.ok_or_else(|| ParseGameError::property(&property.name, value, expected))?);
    Ok(())
}

fn mover(node: &PropertyNode) -> Option<Side> {
    node.properties.iter().find_map(Property::mover)
}

/// The position before the first move. `before` is the index of the node with the first move.
fn start(nodes: &[PropertyNode], before: usize) -> Result<Position, ParseGameError> {
    let root = &nodes[..1];
    let find = |name| properties::find(root, name);
    let value = |property: &Property| property.first_value().trim().to_owned();
    if let Some(kind) =
        find("GM").map(value).filter(|kind| kind != "18" && !kind.eq_ignore_ascii_case("amazons"))
    {
        return Err(ParseGameError::property("GM", &kind, "18, which is Amazons"));
    }
    let size = match find("SZ") {
        None => Size::square(10)?,
        Some(property) => {
            let text = value(property);
            let (width, height) = text.split_once(':').unwrap_or((&text, &text));
            let side = |text: &str| text.trim().parse::<usize>().ok();
            let sides = side(width).zip(side(height));
            let (width, height) = sides.ok_or_else(|| {
                ParseGameError::property("SZ", &text, "a number, or width and height as in 8:10")
            })?;
            Size::new(width, height)?
        }
    };
    let begin = if root[0].properties.iter().any(|property| content(property).is_some()) {
        Position::new(size)
    } else {
        Position::start(size).map_err(ParseGameError::NoPieces)?
    };
    // Without the property PL, the colour of the first move is the side to move.
    let mut mover = nodes.get(before).and_then(mover).unwrap_or(Side::First);
    // Later properties may replace earlier pieces, so only the final position must be legal.
    let filled = |square| Some((square, begin.content(square)?));
    let mut contents: BTreeMap<_, _> = size.mask().iter().filter_map(filled).collect();
    for property in nodes[..before.max(1)].iter().flat_map(|node| &node.properties) {
        if property.name == "PL" {
            mover = match value(property).to_ascii_uppercase().as_str() {
                "B" | "BLACK" | "1" => Side::First,
                "W" | "WHITE" | "2" => Side::Second,
                other => return Err(ParseGameError::property(&property.name, other, "B or W")),
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

fn content(property: &Property) -> Option<SquareContent> {
    match property.name.as_str() {
        "AB" => Some(SquareContent::Amazon(Side::First)),
        "AW" => Some(SquareContent::Amazon(Side::Second)),
        "AA" => Some(SquareContent::Burnt),
        "AE" => Some(SquareContent::Empty),
        _ => None,
    }
}

fn squares(property: &Property, size: Size) -> Result<Bitboard, ParseGameError> {
    let mut squares = Bitboard::EMPTY;
    for text in property.values.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
        let error = || ParseGameError::property(&property.name, text, "a point of the board, as in dj");
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

/// Parses a result such as `B+`, `W+R` or `B+3.5`, or `1-0`, which is a win of the player who
/// began; `None` if the text names no winner.
fn parse_outcome(text: &str, game: &Game, swapped: bool) -> Option<Outcome> {
    let beginner = game.start().to_move();
    let coloured = |side: Side| if swapped { !side } else { side };
    let (winner, how) = match text {
        "1-0" => (beginner, ""),
        "0-1" => (!beginner, ""),
        _ => match text.split_once('+')? {
            ("B" | "b" | "Black", how) => (coloured(Side::First), how),
            ("W" | "w" | "White", how) => (coloured(Side::Second), how),
            _ => return None,
        },
    };
    let mut end = Outcome::at(game.position(), winner);
    match how.trim().to_ascii_lowercase().as_str() {
        "r" | "resign" => end.cause = Cause::Resignation,
        "t" | "time" => end.cause = Cause::Time,
        "f" | "forfeit" => end.cause = Cause::Forfeit,
        other => {
            let counts = |margin: &f64| margin.is_finite() && !margin.is_sign_negative();
            end.margin = other.parse().ok().filter(counts);
        }
    }
    Some(end)
}
