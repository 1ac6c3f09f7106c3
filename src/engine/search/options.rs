use super::parameters::ParameterSettings;
use crate::policy::Networks;
use crate::territory::Evaluator;

/// The options of an engine: memory, threads, seed, parameters, evaluator and networks.
///
/// ```
/// use quiver_engine::search::EngineOptions;
///
/// let mut options = EngineOptions { memory: 16 << 20, seed: 7, ..EngineOptions::default() };
/// options.parameters.exploration = Some(0.5);
/// options.parameters.set("margin_ms", "20")?; // as text
/// assert_eq!(options.parameters.margin_ms, Some(20));
/// # Ok::<(), quiver_engine::search::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// The number of bytes to reserve, from 48 KiB to about 64 GiB: half for the tree, and half for
    /// copying its kept nodes. If the system refuses, the engine repeatedly tries half the size.
    pub memory: usize,
    /// The seed of all random numbers of the engine.
    pub seed: u64,
    /// The number of search threads, including the calling thread; at least 1. With more than one
    /// thread, results are not reproducible.
    pub threads: usize,
    /// The search parameters. A parameter that is not set has its default for the board.
    pub parameters: ParameterSettings,
    /// The evaluator, which may be [the user's own function](Evaluator::with_own). The networks
    /// still give priors and values unless the parameter `policy_visits` is 0.
    pub evaluator: Evaluator,
    /// The networks that give priors to nodes after their first visits.
    pub networks: Networks,
}

impl Default for EngineOptions {
    /// 176 MiB of memory, seed 1, one thread, default parameters, the shipped weights and networks.
    fn default() -> EngineOptions {
        EngineOptions {
            // The rest of a bot takes some 13 MiB. A bot thus stays below 200 million bytes, well
            // within Botzone's limit of 256 MB.
            memory: 176 << 20,
            seed: 1,
            threads: 1,
            parameters: ParameterSettings::default(),
            evaluator: Evaluator::default(),
            networks: Networks::default(),
        }
    }
}
