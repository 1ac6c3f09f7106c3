//! The settings of an engine.

use std::sync::Arc;
use std::time::Duration;

use super::parameters::{ParameterError, Parameters, SWITCHES};
use super::valuer::{Evaluate, Valuer};
use crate::game::Size;
use crate::policy::Networks;
use crate::territory::Evaluator;

/// The settings of an engine.
///
/// ```
/// use quiver_engine::search::EngineOptions;
///
/// let mut options = EngineOptions { memory: 16 << 20, seed: 7, ..EngineOptions::default() };
/// options.set("exploration", "0.5")?; // a parameter, for tuners
/// options.set("reuse", "0")?; // a switch
/// assert!(!options.reuse);
/// # Ok::<(), quiver_engine::search::ParameterError>(())
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
    /// The built-in evaluator and its weights.
    pub evaluator: Evaluator,
    /// An evaluator that values positions in place of the built-in one. The network still gives
    /// priors and values; `policy_visits=0` and `value_visits=0` leave it out.
    pub own_evaluator: Option<Arc<dyn Evaluate>>,
    /// The networks that give priors to nodes that are visited again.
    pub networks: Networks,
    /// True if a turn keeps the subtree of the moves played since the last one; `reuse` in
    /// [`EngineOptions::set`].
    pub reuse: bool,
    /// True if the search asks the endgame solver, at its root and at leaves; `endgame` in
    /// [`EngineOptions::set`].
    pub endgame: bool,
    /// Time kept back from a move's limit, but at most a tenth of the limit; `margin_ms` in
    /// [`EngineOptions::set`], in whole milliseconds.
    pub margin: Duration,
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
            own_evaluator: None,
            networks: Networks::default(),
            reuse: true,
            endgame: true,
            margin: Duration::from_millis(50),
        }
    }
}

impl EngineOptions {
    /// The evaluator that the workers ask.
    pub(super) fn valuer(&self) -> Valuer {
        Valuer::new(self.evaluator.clone(), self.own_evaluator.clone())
    }

    /// The options that [`EngineOptions::set`] knows besides parameters: name, greatest value, and
    /// one sentence.
    pub const SWITCHES: [(&str, u32, &str); 3] = SWITCHES;

    /// Sets a parameter, or one of [`EngineOptions::SWITCHES`].
    ///
    /// # Errors
    /// If the name is unknown, or the option does not take this value.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
        let Some(&(name, max, _)) = EngineOptions::SWITCHES.iter().find(|(switch, ..)| *switch == name)
        else {
            return self.parameters.set(name, text);
        };
        let value = match text.trim() {
            "false" if max == 1 => Some(0),
            "true" if max == 1 => Some(1),
            number => {
                number.parse::<f64>().ok().filter(|value| value.fract() == 0.0).map(|value| value as i64)
            }
        };
        let value = value.filter(|value| (0..=i64::from(max)).contains(value));
        let value = value.ok_or_else(|| ParameterError::Value {
            name,
            got: text.chars().take(40).collect(),
            kind: "a whole number",
            min: 0.0,
            max: f64::from(max),
        })?;
        match name {
            "reuse" => self.reuse = value != 0,
            "endgame" => self.endgame = value != 0,
            _ => self.margin = Duration::from_millis(value.unsigned_abs()),
        }
        Ok(())
    }

    /// [`EngineOptions::set`] from `name=value`.
    ///
    /// # Errors
    /// As there, and if there is no `=`.
    pub fn set_pair(&mut self, pair: &str) -> Result<(), ParameterError> {
        let form = || ParameterError::Form { got: pair.chars().take(40).collect() };
        let (name, value) = pair.split_once('=').ok_or_else(form)?;
        self.set(name.trim(), value)
    }

    /// The values of [`EngineOptions::SWITCHES`], in their order.
    fn switches(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let values = [f64::from(self.reuse), f64::from(self.endgame), self.margin.as_millis() as f64];
        EngineOptions::SWITCHES.iter().zip(values).map(|(&(name, ..), value)| (name, value))
    }

    /// Everything that [`EngineOptions::set`] has changed, by name.
    pub fn changed(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let usual = EngineOptions::default().switches().map(|(_, value)| value).collect::<Vec<_>>();
        let switches = self.switches().zip(usual).filter(|((_, value), usual)| value != usual);
        self.parameters.chosen().chain(switches.map(|(switch, _)| switch))
    }

    /// Everything that [`EngineOptions::set`] can change, by name, with the values that hold on a
    /// board of this size.
    pub fn values(&self, size: Size) -> impl Iterator<Item = (&'static str, f64)> {
        let parameters = self.parameters.on(size);
        let value = move |name| (name, parameters.get(name).unwrap_or(f64::NAN));
        Parameters::TABLE.iter().map(|row| row.name).map(value).chain(self.switches())
    }

    /// True if two engines search alike, apart from their evaluator, networks, memory, seed and
    /// threads.
    #[must_use]
    pub fn searches_like(&self, other: &EngineOptions) -> bool {
        self.parameters == other.parameters && self.switches().eq(other.switches())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_switches_and_parameters_by_name() {
        let mut options = EngineOptions::default();
        assert_eq!(options.changed().next(), None);
        for pair in ["reuse=0", "endgame=false", "margin_ms=20", "exploration=0.5"] {
            options.set_pair(pair).unwrap();
        }
        assert!(!options.reuse && !options.endgame && options.margin == Duration::from_millis(20));
        let changed: Vec<_> = options.changed().collect();
        assert_eq!(changed, [("exploration", 0.5), ("reuse", 0.0), ("endgame", 0.0), ("margin_ms", 20.0)]);
        let values: Vec<_> = options.values(Size::square(10).unwrap()).collect();
        assert!(changed.iter().all(|each| values.contains(each)));
        assert_eq!(values.len(), Parameters::TABLE.len() + EngineOptions::SWITCHES.len());
        assert!(!options.searches_like(&EngineOptions::default()));
        for (name, ..) in EngineOptions::SWITCHES {
            options.set(name, if name == "margin_ms" { "50" } else { "true" }).unwrap();
        }
        assert_eq!(options.changed().collect::<Vec<_>>(), [("exploration", 0.5)]);
    }

    #[test]
    fn rejects_values_out_of_range_and_unknown_names() {
        let mut options = EngineOptions::default();
        for (pair, expected) in [
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
    }
}
