use std::iter;
use std::time::Duration;

use amazons::Size;

use super::parameter::{Parameter, ParameterError, ParameterKind, unknown};
use super::parameters::{ParameterSettings, Parameters};
use crate::policy::Networks;
use crate::territory::Evaluator;

/// The options of an engine: memory, threads, seed, parameters, evaluator and networks.
///
/// ```
/// use std::time::Duration;
/// use quiver_engine::search::EngineOptions;
///
/// let mut options = EngineOptions { memory: 16 << 20, seed: 7, ..EngineOptions::default() };
/// options.parameters.exploration = Some(0.5);
/// options.set("margin_ms", "20")?; // as text
/// assert_eq!(options.margin, Duration::from_millis(20));
/// # Ok::<(), quiver_engine::search::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// The number of bytes to reserve, half for the tree and half to copy it; at least 48 KiB and
    /// at most about 64 GiB. If the system refuses, the engine repeatedly tries half the size.
    pub memory: usize,
    /// The seed of all random numbers of the engine.
    pub seed: u64,
    /// The number of search threads, including the calling thread; at least 1. With more than one
    /// thread, results are not reproducible.
    pub threads: usize,
    /// The time that a search leaves unused before its limit; at most a tenth of the limit.
    pub margin: Duration,
    /// The search parameters. A parameter that is not set has its default for the board.
    pub parameters: ParameterSettings,
    /// The evaluator, which may be [the user's own function](Evaluator::with_own). The networks
    /// still give priors and values unless `uses_networks` is false.
    pub evaluator: Evaluator,
    /// The networks that give priors to nodes after their first visits.
    pub networks: Networks,
    /// True to use the networks, false to search with the evaluator alone.
    pub uses_networks: bool,
}

impl Default for EngineOptions {
    /// 176 MiB of memory, seed 1, one thread, 50 ms of margin, the shipped weights and networks.
    fn default() -> EngineOptions {
        EngineOptions {
            // The rest of a bot takes some 13 MiB, so a bot stays below 200 million bytes.
            memory: 176 << 20,
            seed: 1,
            threads: 1,
            margin: Duration::from_millis(50),
            parameters: ParameterSettings::default(),
            evaluator: Evaluator::default(),
            networks: Networks::default(),
            uses_networks: true,
        }
    }
}

impl EngineOptions {
    /// The description of [`EngineOptions::margin`] in milliseconds, for text interfaces.
    pub const MARGIN: &'static Parameter = &Parameter {
        name: "margin_ms",
        kind: ParameterKind::Whole,
        default: 50.0,
        small_default: 50.0,
        min: 0.0,
        max: 10_000.0,
        step: 0.0,
        about: "Time reserved at the end of a move's limit, in milliseconds; at most a tenth of the limit.",
    };

    /// The settings that [`EngineOptions::set`] accepts: the parameters of [`Parameters::TABLE`],
    /// then the margin.
    pub fn rows() -> impl Iterator<Item = &'static Parameter> {
        Parameters::TABLE.iter().chain(iter::once(EngineOptions::MARGIN))
    }

    /// Sets one of [`EngineOptions::rows`] by its name to the value in `text`. A switch also
    /// accepts `true` and `false`.
    ///
    /// # Errors
    /// If the name is unknown, or if the value is not a number of the setting's kind and range.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
        if name == EngineOptions::MARGIN.name {
            self.margin = Duration::from_millis(EngineOptions::MARGIN.read(text)? as u64);
            return Ok(());
        }
        self.parameters.set(name, text).map_err(|error| match error {
            ParameterError::UnknownName { name, .. } => unknown(&name, EngineOptions::rows()),
            other => other,
        })
    }

    /// Sets one of [`EngineOptions::rows`] from a text `name=value`.
    ///
    /// # Errors
    /// If [`EngineOptions::set`] fails, or if the text has no equals sign.
    pub fn set_pair(&mut self, pair: &str) -> Result<(), ParameterError> {
        let (name, value) = pair.split_once('=').ok_or_else(|| ParameterError::NotAPair(pair.to_owned()))?;
        self.set(name.trim(), value)
    }

    /// The name and value of each setting of [`EngineOptions::rows`] that differs from its default.
    pub fn overrides(&self) -> impl Iterator<Item = (&'static str, f64)> + use<> {
        let margin = self.margin_value();
        self.parameters.overrides().chain((margin.1 != EngineOptions::MARGIN.default).then_some(margin))
    }

    /// The name and value of each setting of [`EngineOptions::rows`] on a board of this size.
    pub fn values(&self, size: Size) -> impl Iterator<Item = (&'static str, f64)> + use<> {
        self.parameters.on(size).values().chain(iter::once(self.margin_value()))
    }

    fn margin_value(&self) -> (&'static str, f64) {
        (EngineOptions::MARGIN.name, self.margin.as_millis() as f64)
    }

    pub(super) fn resolved(&self, size: Size) -> Parameters {
        let parameters = self.parameters.on(size);
        if self.uses_networks {
            return parameters;
        }
        Parameters { policy_visits: 0, value_visits: 0.0, ..parameters }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_not_overrides() {
        let mut options = EngineOptions::default();
        for pair in ["reuse=0", "endgame=false", "margin_ms=20", "exploration=0.5"] {
            options.set_pair(pair).unwrap();
        }
        let changed: Vec<_> = options.overrides().collect();
        assert_eq!(changed, [("exploration", 0.5), ("reuse", 0.0), ("endgame", 0.0), ("margin_ms", 20.0)]);
        let size = Size::square(10).unwrap();
        assert!(changed.iter().all(|&each| options.values(size).any(|value| value == each)));
        for pair in ["reuse=true", "endgame=true", "margin_ms=50"] {
            options.set_pair(pair).unwrap();
        }
        assert_eq!(options.overrides().collect::<Vec<_>>(), [("exploration", 0.5)]);
    }

    #[test]
    fn parameters_work_without_networks() {
        let options = EngineOptions { uses_networks: false, ..EngineOptions::default() };
        for side in [8, 10] {
            let parameters = options.resolved(Size::square(side).unwrap());
            assert_eq!((parameters.policy_visits, parameters.value_visits), (0, 0.0));
        }
    }

    #[test]
    fn rejects_unknown_names_and_bad_values() {
        let mut options = EngineOptions::default();
        for (pair, expected) in [
            ("exploraton=0.2", "no parameter is called 'exploraton' (did you mean 'exploration'?)"),
            ("speed=1", "no parameter is called 'speed'"),
            ("exploration=4.1", "exploration = '4.1': expected a number from 0 to 4"),
            ("exploration=nan", "exploration = 'nan'"),
            ("exploration=", "exploration = ''"),
            ("playout_plies=1.5", "expected a whole number from 0 to 100"),
            ("reuse=2", "reuse = '2': expected a whole number from 0 to 1"),
            ("endgame=-1", "endgame = '-1': expected"),
            ("margin_ms=true", "margin_ms = 'true': expected a whole number from 0 to 10000"),
            ("margin_ms=1.5", "margin_ms = '1.5': expected"),
            ("margin_ms=nan", "margin_ms = 'nan': expected"),
            ("marg=1", "(did you mean 'margin_ms'?)"),
            ("reuse", "'reuse': expected name=value"),
        ] {
            let error = options.set_pair(pair).unwrap_err().to_string();
            assert!(error.contains(expected), "{pair}: {error}");
        }
        assert_eq!((options.overrides().count(), options.parameters), (0, ParameterSettings::default()));
        let suggestion = Some("exploration");
        let error = EngineOptions::default().set("exploring", "1").unwrap_err();
        assert_eq!(error, ParameterError::UnknownName { name: "exploring".to_owned(), suggestion });
    }
}
