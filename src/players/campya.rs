//! The literature's engine, as far as it is published: a yardstick that stays what it is.
//!
//! Campya (Kloetzer, thesis 2010): UCT without priors over queen moves and arrows, each playout three random plies and
//! then a formula, RAVE from one table for the whole tree.

use crate::players::EngineOptions;

/// What differs from the engine's own.
const PUBLISHED: [&str; 11] = [
    "evaluator=1",
    "selection=1",
    "exploration=0.45",
    "child_evaluation=0",
    "expansion_visits=2",
    "playout_plies=3",
    "playout_weight=1",
    "rave_visits=10",
    "rave_form=0",
    "implicit_minimax=0",
    "final_bound=0",
];

/// The same engine with the published parameters instead of its own.
pub(super) fn campya(options: &EngineOptions) -> EngineOptions {
    let mut parameters = options.parameters.clone();
    for pair in PUBLISHED {
        // The names and ranges are the table's: a test sets them all.
        let _ = parameters.set_pair(pair);
    }
    EngineOptions { parameters, ..options.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_published_holds() {
        let chosen = campya(&EngineOptions::default()).parameters;
        let chosen = chosen.chosen().map(|(name, value)| format!("{name}={value}"));
        let (mut chosen, mut published) = (chosen.collect::<Vec<_>>(), PUBLISHED.map(str::to_owned));
        chosen.sort();
        published.sort();
        assert_eq!(chosen, published);
    }
}
