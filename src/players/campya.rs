//! The literature's engine, as far as it is published: a yardstick that stays what it is.
//!
//! Campya (Kloetzer, thesis 2010): UCT without priors over queen moves and arrows, each playout three random plies and
//! then a formula, RAVE from one table for the whole tree.

use crate::players::EngineOptions;
use crate::search::Parameters;

/// The same engine with the published parameters instead of its own.
pub(super) fn campya(options: &EngineOptions) -> EngineOptions {
    let parameters = Parameters {
        evaluator: 1,
        selection: 1,
        exploration: 0.45,
        child_evaluation: 0,
        expansion_visits: 2,
        playout_plies: 3,
        playout_weight: 1.0,
        rave_visits: 10.0,
        rave_form: 0,
        implicit_minimax: 0.0,
        final_bound: 0.0,
        ..options.parameters.clone()
    };
    EngineOptions { parameters, ..options.clone() }
}
