//! A search behind one exported function.

use quiver_engine::{Engine, EngineOptions, Limits, Position, Size};

/// The bits of the value of the best move from the start of a square board, after this many playouts.
#[unsafe(no_mangle)]
pub extern "C" fn search(side: u32, playouts: u32) -> u64 {
    let start = Size::square(side as usize).and_then(Position::start).expect("a board with a start");
    let options = EngineOptions { memory: 16 << 20, seed: 5, ..EngineOptions::default() };
    let report = Engine::new(&options, &start).search(&Limits::playouts(playouts.into()));
    report.expect("the first player has moves").value.to_bits()
}
