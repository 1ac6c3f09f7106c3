//! Analyses a position within a time limit, and prints the best moves with their expected lines.

use std::error::Error;
use std::time::Duration;

use quiver_engine::{Engine, EngineOptions, Limits, Position};

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn Error>> {
    let position: Position = "3q2q1/8/8/q6q/2*5/Q1Q4Q/8/5Q2 b".parse()?;
    println!("{position:#}\n{} moves", position.legal_moves().len());
    let mut engine = Engine::new(&EngineOptions::default(), &position);
    let limits = Limits { playouts: Some(20_000), ..Limits::per_move(Duration::from_millis(300)) };
    let report = engine.search(&limits).ok_or("the game is over")?;
    println!("{:.3} after {} playouts ({})", report.value, report.playouts, report.status());
    for candidate in report.candidates.iter().take(5) {
        println!("{:>6} visits, {:.3}: {:?}", candidate.visits, candidate.value, candidate.line);
    }
    Ok(())
}
