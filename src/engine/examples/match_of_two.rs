//! Plays a match between two players, who take turns to begin, and prints the score.

use std::error::Error;

use quiver_engine::players::PlayerKind;
use quiver_engine::{EngineOptions, Limits, Position, Side, Size};

/// Plays one game and returns the winner. The player of kind `kinds[0]` moves first.
fn play(kinds: [PlayerKind; 2], seed: u64) -> Result<Side, Box<dyn Error>> {
    let mut position = Position::start(Size::square(6)?)?;
    let options = EngineOptions { memory: 4 << 20, seed, ..EngineOptions::default() };
    let mut players = kinds.map(|kind| kind.build(&options, &position));
    while let Some(choice) = players[position.to_move().index()].choose(&Limits::playouts(100)) {
        position = position.play(choice.chosen)?;
        players.iter_mut().for_each(|player| player.advance(choice.chosen));
    }
    Ok(position.winner().ok_or("a player gave up")?)
}

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn Error>> {
    let [a, b] = [PlayerKind::Greedy, PlayerKind::Random];
    let mut wins = [0, 0];
    for seed in 1..=3 {
        wins[play([a, b], seed)?.index()] += 1;
        wins[(!play([b, a], seed)?).index()] += 1;
    }
    println!("{a} against {b}: {} - {}", wins[0], wins[1]);
    Ok(())
}
