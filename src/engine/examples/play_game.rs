//! Plays a game of the engine against itself and prints every move.

use std::error::Error;
use std::time::Duration;

use quiver_engine::{Engine, EngineOptions, Limits, Position, Size};

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn Error>> {
    let mut position = Position::start(Size::square(6)?)?;
    let options = EngineOptions { memory: 16 << 20, seed: 5, ..EngineOptions::default() };
    let mut engine = Engine::new(&options, &position);
    while let Some(report) = engine.search(&Limits::per_move(Duration::from_millis(20))) {
        println!("{}: {:.2}", report.best, report.value);
        position = position.play(report.best)?;
        engine.advance(report.best)?;
    }
    println!("{position:#}");
    println!("the {} player wins", position.winner().ok_or("the game is not over")?);
    Ok(())
}
