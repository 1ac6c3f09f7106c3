//! Searches with a custom evaluator: the side with more queen moves is ahead.

use std::error::Error;
use std::sync::Arc;

use quiver_engine::amazons::queen_reach;
use quiver_engine::territory::Evaluate;
use quiver_engine::{Engine, EngineOptions, Limits, Position, Size, View};

#[derive(Debug)]
struct Mobility;

impl Evaluate for Mobility {
    fn log_odds(&self, view: &View<'_>) -> f64 {
        let [own, other] = view.amazons.map(|amazons| {
            let moves = amazons.iter().map(|&from| queen_reach(from, view.empty).count());
            f64::from(moves.sum::<u32>())
        });
        0.05 * (own - other)
    }
}

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn Error>> {
    let start = Position::start(Size::square(8)?)?;
    let mut options = EngineOptions { memory: 16 << 20, ..EngineOptions::default() };
    options.evaluator = options.evaluator.with_own(Arc::new(Mobility));
    // Switches off the network, whose priors and values would hide the effect of the evaluator.
    options.parameters.policy_visits = Some(0);
    let report = Engine::new(&options, &start).search(&Limits::playouts(1_000)).ok_or("no move")?;
    println!("{} with {:.3}, expecting {:?}", report.best, report.value, report.principal_variation);
    Ok(())
}
