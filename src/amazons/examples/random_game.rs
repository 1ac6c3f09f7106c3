//! Plays random moves for both sides until the game ends. Prints the last board and the winner.

use std::error::Error;

use amazons::{Game, Position, Size};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn Error>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut game: Game = Game::new(Position::start(Size::square(8)?)?);
    while let Some(played) = game.position().random_move(&mut rng) {
        game.play(played)?;
    }
    println!("{:#}", game.position());
    println!(
        "the {} player wins after {} plies",
        game.position().winner().ok_or("nobody won")?,
        game.plies().len()
    );
    Ok(())
}
