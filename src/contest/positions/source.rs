//! Games that test positions come from.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::contest::openings::Openings;
use crate::contest::{opening_suite, seeds};
use crate::game::random::below;
use crate::game::{Bitboard, Game, Position, Setup, Side, Size, Square, Start};
use crate::search::{Engine, EngineOptions, Limits};

/// Plies after the opening that are drawn from the search's candidates.
const DRAWN_PLIES: usize = 4;

/// The start of the board that a position is on, if it has one.
pub(super) fn standard_start(position: &Position) -> Option<Position> {
    Start::Formula.position(position.size()).ok()
}

/// The generator of everything random about a game.
pub(super) fn generator(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A game of the engine against itself, to its end: one of the shipped openings, then
/// [`DRAWN_PLIES`] plies as likely as their visits, then the engine's choice.
pub(super) fn engine_game(
    size: Size,
    number: u64,
    playouts: u64,
    seed: u64,
    options: &EngineOptions,
) -> Option<Game> {
    let start = Start::Formula.position(size).ok()?;
    let openings = Openings::parse(opening_suite::shipped(size.width())?, start).ok()?;
    let mut game = Game::of(start, &openings.get(number as usize).moves).ok()?;
    let mut rng = generator(seed);
    let options = EngineOptions { seed: seeds::mix(&[seed, seeds::PLAYER]), ..options.clone() };
    let mut engine = Engine::new(&options, &game.end());
    for ply in 0.. {
        let Some(report) = engine.search(&Limits::playouts(playouts)) else { break };
        let drawn = (ply < DRAWN_PLIES).then(|| opening_suite::drawn(&report.candidates, &mut rng)).flatten();
        let full = drawn.unwrap_or(report.best);
        game.play(full).ok()?;
        engine.advance(full);
    }
    Some(game)
}

/// A position without history on a small board: as many amazons a side, from 1 to 4, on random
/// squares, and random plies until a quarter to three quarters of the squares are left.
pub(super) fn random_position(size: Size, seed: u64) -> Option<Game> {
    let mut rng = generator(seed);
    let each = 1 + below(&mut rng, 4) as usize;
    let (width, height) = (size.width(), size.height());
    let mut free: Vec<Square> =
        (0..height).flat_map(|y| (0..width).filter_map(move |x| Square::new(x, y))).collect();
    let mut draw = || free.swap_remove(below(&mut rng, free.len() as u32) as usize);
    let amazons = [(); 2].map(|()| (0..each).map(|_| draw()).collect());
    let setup = Setup { size, amazons, burnt: Bitboard::EMPTY, to_move: Side::First };
    let start = Position::try_from(&setup).ok()?;
    let empty = start.empty().count();
    let plies = (empty / 4 + below(&mut rng, empty / 2)) as usize;
    start.random_line(plies, &mut rng).map(|(_, position)| Game::new(position))
}
