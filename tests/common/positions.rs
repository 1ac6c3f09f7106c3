//! Positions for tests of the library.

use quiver::game::{Fen, Position, Size};

/// The start position of a square board.
pub(crate) fn start(side: usize) -> Position {
    Position::start(Size::square(side).unwrap()).unwrap()
}

pub(crate) fn position(fen: &str) -> Position {
    fen.parse::<Fen>().unwrap_or_else(|error| panic!("{fen}: {error}")).0
}
