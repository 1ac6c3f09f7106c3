//! Functions and types that several integration tests use.

pub(crate) mod judge;
pub(crate) mod plain;
pub(crate) mod program;
pub(crate) mod scratch;
pub(crate) mod strategies;

use std::collections::HashMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use quiver::amazons::{Position, Size};

pub(crate) fn start(side: usize) -> Position {
    Position::start(Size::square(side).unwrap()).unwrap()
}

pub(crate) fn position(fen: &str) -> Position {
    fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// True if the side to move wins, by exhaustive search.
pub(crate) fn mover_wins(position: &Position) -> bool {
    fn search(position: &Position, known: &mut HashMap<Position, bool>) -> bool {
        if let Some(&won) = known.get(position) {
            return won;
        }
        let won = position.legal_moves_iter().any(|played| !search(&position.play_unchecked(played), known));
        known.insert(*position, won);
        won
    }
    search(position, &mut HashMap::new())
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
