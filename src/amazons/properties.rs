//! The common syntax of SGF and GGF: trees of nodes with properties, `(;NAME[value][value]...)`.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::iter;

use thiserror::Error;

use crate::game::{FoundGame, Game, GameError, PlayedMove, Point, TooManyErrors};
use crate::moves::ParseMoveError;
use crate::side::Side;
use crate::size::SetupError;
use crate::square::excerpt;

/// A property of a node, such as `AB[da][ga]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The name, in capital letters.
    pub name: String,
    /// The values, of which there is at least one, without escaping backslashes.
    pub values: Vec<String>,
}

impl Property {
    /// The first value.
    pub fn first_value(&self) -> &str {
        self.values.first().map_or("", String::as_str)
    }

    pub(super) fn mover(&self) -> Option<Side> {
        match self.name.as_str() {
            "B" => Some(Side::First),
            "W" => Some(Side::Second),
            _ => None,
        }
    }
}

/// A node of the game tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyNode {
    /// The index of the parent in the list of nodes.
    pub parent: Option<usize>,
    /// The properties in the order of the text.
    pub properties: Vec<Property>,
}

/// The nodes of the main line. Each node is the child of the node before it.
pub fn main_line(tree: &[PropertyNode]) -> &[PropertyNode] {
    let branches = tree.iter().enumerate().position(|(i, node)| node.parent != i.checked_sub(1));
    &tree[..branches.unwrap_or(tree.len())]
}

fn properties_named<'a>(nodes: &'a [PropertyNode], name: &str) -> impl Iterator<Item = &'a Property> {
    nodes.iter().flat_map(|node| &node.properties).filter(move |property| property.name == name)
}

/// The first property with this name.
pub fn find<'a>(nodes: &'a [PropertyNode], name: &str) -> Option<&'a Property> {
    properties_named(nodes, name).next()
}

/// Reads the players, the date and the event of a game from its main line. `event` is the name of
/// the property that holds the event. An empty value is ignored.
pub(super) fn read_header(game: &mut Game, main_line: &[PropertyNode], event: &str) {
    let text = |name| {
        let trimmed =
            |property: &Property| property.first_value().replace(char::is_whitespace, " ").trim().to_owned();
        properties_named(main_line, name).map(trimmed).find(|text| !text.is_empty())
    };
    game.players = ["PB", "PW"].map(text);
    (game.date, game.event) = (text("DT"), text(event));
}

/// Appends a property with one value to SGF. A backslash escapes a bracket or backslash of the value.
pub fn write_property(out: &mut String, name: &str, value: &str) {
    out.push_str(name);
    out.push('[');
    for character in value.chars() {
        if matches!(character, ']' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push(']');
}

/// Reads every game of a text. A game begins with '(' and ';', and text between games is skipped.
/// The function `game` builds a game from the list of its nodes, in which a parent comes before its
/// children. If `escapes` is true, a backslash makes the next character literal, as in SGF.
///
/// # Errors
/// If the text has no game. An unreadable game is an error within the list.
pub fn read(
    text: &str,
    escapes: bool,
    game: impl Fn(Vec<PropertyNode>) -> Result<Game, ParseGameError>,
) -> Result<Vec<FoundGame<Game, ParseGameError>>, ParseGameError> {
    let mut reader = PropertyReader { rest: text, line: 1, escapes };
    let mut after_syntax_error = false;
    let games = FoundGame::collect_limited(iter::from_fn(|| {
        reader.skip(game_start(reader.rest, after_syntax_error)?);
        let line = reader.line;
        let tree = reader.tree();
        after_syntax_error = tree.is_err();
        Some(FoundGame { line, game: tree.and_then(&game) })
    }));
    if games.is_empty() {
        return Err(reader.error("a game, which begins with '(;'"));
    }
    Ok(games)
}

/// Adds the move in `property` to a game at the point `at`. The function `ply` parses the text of
/// the move, and receives the number of the move for error messages. Returns the point after the
/// move, or `at` if the property is not a move.
pub(super) fn add_move(
    game: &mut Game,
    at: Point,
    property: &Property,
    ply: impl Fn(usize, &str) -> Result<PlayedMove, ParseGameError>,
) -> Result<Point, ParseGameError> {
    let Some(side) = property.mover() else { return Ok(at) };
    let number = game.path(at).len() + 1;
    if game.position_at(at).to_move() != side {
        return Err(ParseGameError::Turn { number, side });
    }
    Ok(game.play_at(at, ply(number, property.first_value())?)?)
}

/// The offset in bytes of the next game. After a game with a syntax error, the first node of
/// the next game must have the property GM. Otherwise, a variation in the rest of the faulty game
/// could be read as a game.
fn game_start(text: &str, after_syntax_error: bool) -> Option<usize> {
    let is_game = |at: usize| {
        let root = text[at + 1..].trim_start().strip_prefix(';').and_then(|text| text.split(';').next());
        root.is_some_and(|root| !after_syntax_error || root.contains("GM["))
    };
    text.match_indices('(').map(|(at, _)| at).find(|&at| is_game(at))
}

/// The reason why a game cannot be read from SGF or GGF.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ParseGameError {
    /// The text breaks the syntax of properties.
    #[error(
        "line {line}: got {}, expected {expected}",
        found.map_or("the end of the text".to_owned(), |found| format!("'{}'", found.escape_debug()))
    )]
    Syntax {
        /// The number of the text line that has the error, from 1.
        line: usize,
        /// The character at which reading stopped; `None` at the end of the text.
        found: Option<char>,
        /// A description of what the reader expected instead of `found`.
        expected: &'static str,
    },
    /// The value of a property cannot be read, or a required property is missing.
    #[error("{name}[{value}]: expected {expected}")]
    Property {
        /// The name of the property.
        name: String,
        /// The wrong value or its wrong part, cut to 40 characters. Empty if the property is
        /// missing.
        value: String,
        /// A description of the expected value.
        expected: Cow<'static, str>,
    },
    /// The board has an impossible size, or too many amazons.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The first node sets up no pieces, and a board of this size has no usual start position.
    #[error("no pieces (AB, AW) in the first node: {0}")]
    NoPieces(SetupError),
    /// A property sets up pieces after the first move.
    #[error("{name} after move {number}: expected pieces to be set up before the first move")]
    LateSetup {
        /// The name of the property.
        name: String,
        /// The number of moves before the property.
        number: usize,
    },
    /// A move belongs to the player who is not to move.
    #[error("move {number} belongs to {}: expected a move of the other player", ["B", "W"][side.index()])]
    Turn {
        /// The number of the move, from 1.
        number: usize,
        /// The player who makes the move in the text.
        side: Side,
    },
    /// The text of a move cannot be parsed.
    #[error("move {number}: {error}")]
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// The reason why the text is not a move.
        error: ParseMoveError,
    },
    /// A move is illegal.
    #[error(transparent)]
    Illegal(#[from] GameError),
    /// The text has too many unreadable games, and the reader skipped the rest.
    #[error(transparent)]
    TooManyErrors(#[from] TooManyErrors),
}

impl ParseGameError {
    pub(super) fn property(
        name: &str,
        value: &str,
        expected: impl Into<Cow<'static, str>>,
    ) -> ParseGameError {
        ParseGameError::Property { name: name.to_owned(), value: excerpt(value), expected: expected.into() }
    }
}

struct PropertyReader<'a> {
    rest: &'a str,
    line: usize,
    escapes: bool,
}

impl PropertyReader<'_> {
    fn skip(&mut self, bytes: usize) {
        self.line += self.rest[..bytes].bytes().filter(|&byte| byte == b'\n').count();
        self.rest = &self.rest[bytes..];
    }

    fn error(&self, expected: &'static str) -> ParseGameError {
        ParseGameError::Syntax { line: self.line, found: self.rest.chars().next(), expected }
    }

    fn peek(&mut self) -> Option<char> {
        self.skip(self.rest.len() - self.rest.trim_start().len());
        self.rest.chars().next()
    }

    fn tree(&mut self) -> Result<Vec<PropertyNode>, ParseGameError> {
        let mut nodes: Vec<PropertyNode> = Vec::new();
        // The parent of the next node. A '(' saves it in `branchings`, and its ')' restores it.
        let mut parent = None;
        let mut branchings = Vec::new();
        let mut in_node = false;
        loop {
            let next = self.peek();
            if matches!(next, Some('(' | ')' | ';')) {
                self.skip(1);
                in_node = next == Some(';');
            }
            match next {
                Some('(') => branchings.push(parent),
                Some(')') => {
                    parent = branchings.pop().flatten();
                    if branchings.is_empty() {
                        return Ok(nodes);
                    }
                }
                Some(';') => {
                    nodes.push(PropertyNode { parent, properties: Vec::new() });
                    parent = Some(nodes.len() - 1);
                }
                Some(letter) if letter.is_ascii_alphabetic() => match nodes.last_mut() {
                    Some(node) if in_node => node.properties.push(self.property()?),
                    _ => return Err(self.error("';' before a property")),
                },
                _ => return Err(self.error("a property, ';', '(' or ')'")),
            }
        }
    }

    fn property(&mut self) -> Result<Property, ParseGameError> {
        let length = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        // In early versions of SGF, names may contain lower-case letters, which have no meaning.
        let name = self.rest[..length].chars().filter(char::is_ascii_uppercase).collect();
        self.skip(length);
        let mut values = Vec::new();
        while self.peek() == Some('[') {
            self.skip(1);
            values.push(self.value()?);
        }
        if values.is_empty() {
            return Err(self.error("'[' after the name of a property"));
        }
        Ok(Property { name, values })
    }

    /// Reads a value, whose '[' the caller has already read, up to its ']'.
    fn value(&mut self) -> Result<String, ParseGameError> {
        let mut value = String::new();
        let mut characters = self.rest.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                ']' => {
                    self.skip(at + 1);
                    return Ok(value);
                }
                '\\' if self.escapes => match characters.next() {
                    Some((_, '\n')) | None => {}
                    Some((_, escaped)) => value.push(escaped),
                },
                other => value.push(other),
            }
        }
        // The error names the line of the '[', because the missing ']' could be on any later line.
        self.rest = "";
        Err(self.error("']' after a value"))
    }
}
