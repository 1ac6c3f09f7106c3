//! The settings of an engine.

use super::parameters::Parameters;
use crate::policy::Networks;
use crate::territory::Evaluator;

/// The settings of an engine.
///
/// ```
/// use quiver_engine::search::EngineOptions;
///
/// let mut options = EngineOptions { memory: 16 << 20, seed: 7, ..EngineOptions::default() };
/// options.parameters.set("exploration", "0.5")?; // for tuners
/// options.parameters.set("reuse", "false")?; // a switch
/// # Ok::<(), quiver_engine::game::InputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Bytes to reserve, half for the tree and half to copy it. If the system refuses, half as
    /// much, and so on.
    pub memory: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// Threads that search, at least 1, the calling thread included. With more than one, results do
    /// not repeat.
    pub threads: usize,
    /// Parameters that are not set have the defaults of the board that is played.
    pub parameters: Parameters,
    /// The evaluator, with shipped or other weights or [of the user's own](Evaluator::with_own). The
    /// network still gives priors and values then; `policy_visits=0` and `value_visits=0` leave it out.
    pub evaluator: Evaluator,
    /// The networks that give priors to nodes that are visited again.
    pub networks: Networks,
}

impl Default for EngineOptions {
    /// 176 MiB, seed 1, one thread, the shipped evaluator, networks and parameters.
    fn default() -> EngineOptions {
        EngineOptions {
            // With the rest of a bot, some 13 MiB, this stays below 200 million bytes.
            memory: 176 << 20,
            seed: 1,
            threads: 1,
            parameters: Parameters::default(),
            evaluator: Evaluator::default(),
            networks: Networks::default(),
        }
    }
}
