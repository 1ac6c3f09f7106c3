//! Exports functions that search and evaluate, so that JavaScript can call them.

use quiver_engine::policy::Inference;
use quiver_engine::{Engine, EngineOptions, Evaluator, Limits, Network, Position, QueenMove, Size, View};

fn start(side: u32) -> Position {
    Size::square(side as usize).and_then(Position::start).expect("a board with a start")
}

/// Searches the start position of a square board. Returns the bits of the best move's value.
#[unsafe(no_mangle)]
pub extern "C" fn search(side: u32, playouts: u32) -> u64 {
    let options = EngineOptions { memory: 16 << 20, seed: 5, ..EngineOptions::default() };
    let report = Engine::new(&options, &start(side)).search(&Limits::playouts(playouts.into()));
    report.expect("the first player has moves").value.to_bits()
}

/// Plays games from the start of a square board. Returns a digest of the evaluator's values of all
/// moves and the network's values of all positions. The digest so far selects the next move.
#[unsafe(no_mangle)]
pub extern "C" fn evaluate(side: u32, games: u32) -> u64 {
    let start = start(side);
    let (evaluator, network) = (Evaluator::default(), Network::shipped(start.size()));
    let (mut inference, mut log_odds) = (Inference::default(), Vec::new());
    let mut digest = 0_u64;
    let among = |digest: u64, count: usize| (digest % count as u64) as usize;
    for _ in 0..games {
        let mut position = start;
        loop {
            let moves: Vec<QueenMove> = position.queen_moves().collect();
            if moves.is_empty() {
                break;
            }
            evaluator.queen_moves(&View::from(&position), &moves, &mut log_odds);
            let half = position.move_queen_unchecked(moves[among(digest, moves.len())]);
            let arrows: Vec<_> = half.arrows().iter().collect();
            evaluator.arrows(&View::from(&half), half.arrows(), &mut log_odds);
            for view in [View::from(&position), View::from(&half)] {
                log_odds.push(inference.run(&network, &view).into());
            }
            for value in log_odds.drain(..) {
                digest = (digest ^ value.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
            }
            position = half.shoot_unchecked(arrows[among(digest, arrows.len())]);
        }
    }
    digest
}
