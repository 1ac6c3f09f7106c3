//! Proves the winner of an endgame, and prints a move that keeps the win.

use std::error::Error;

use quiver_engine::{Effort, Position, Solver};

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn Error>> {
    let position: Position = "Q2*1q/3*2/***3/2*1q1/Q1*3 w".parse()?;
    println!("{position:#}");
    let mut solver = Solver::new(1 << 16);
    let effort = Effort::nodes(100_000);
    let winner = solver.prove(&position, &effort).winner.ok_or("the effort was not enough")?;
    let best = solver.best_move(&position, winner, &effort)?;
    println!("the {winner} player wins; the {} player moves {best}", position.to_move());
    Ok(())
}
