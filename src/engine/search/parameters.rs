//! The settings of an engine, and the one table of search parameters: every number that a tuner may
//! change, two switches and a margin.
//!
//! A line of the table makes a field of [`Parameters`], its checked setter, its row in `quiver
//! params`, its `--set name=value` and its listing for tuners.

use std::time::Duration;

use amazons::{InputError, Size};

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
/// assert_eq!(options.parameters.get("exploration"), Some(0.5));
/// # Ok::<(), quiver_engine::amazons::InputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Bytes to reserve, half for the tree and half to copy it; at least 48 KiB and at most some 64
    /// GiB. If the system refuses, half as much, and so on.
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

/// A parameter's row in the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name that `--set` and parameter files use.
    pub name: &'static str,
    /// True if it takes whole numbers only.
    pub integer: bool,
    /// The default on boards larger than 8x8.
    pub default: f64,
    /// The default on boards up to 8x8.
    pub small_default: f64,
    /// The least value allowed.
    pub min: f64,
    /// The greatest value allowed.
    pub max: f64,
    /// A small change, for tuners; 0 if it is not tuned.
    pub step: f64,
    /// The effect of a larger value, and the unit.
    pub about: &'static str,
}

/// " (did you mean 'x'?)" for the parameter that shares the longest beginning with a misspelt name, the
/// first of the table among equals.
fn closest(got: &str) -> String {
    let shared = |name: &str| name.bytes().zip(got.bytes()).take_while(|(a, b)| a == b).count();
    let best = Parameters::TABLE.iter().rev().map(|row| row.name).max_by_key(|name| shared(name));
    best.filter(|name| shared(name) >= 3).map_or(String::new(), |name| format!(" (did you mean '{name}'?)"))
}

macro_rules! parameters {
    ($(#[doc = $about:literal] $name:ident: $kind:ty = $default:literal $(or $small:literal)?, $min:literal to $max:literal, step $step:literal;)+) => {
        /// Every number that shapes the search. Holds the defaults for large boards and what was
        /// [set](Parameters::set); [`Parameters::on`] gives the values on a board.
        ///
        /// ```
        /// use quiver_engine::{Parameters, Size};
        ///
        /// let mut parameters = Parameters::default();
        /// parameters.set("exploration", "0.5")?;
        /// assert_eq!(parameters.on(Size::square(8)?).get("exploration"), Some(0.5));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        pub struct Parameters {
            $(#[doc = $about] pub(super) $name: $kind,)+
            /// A bit for each parameter that was set, in the order of the table.
            pub(super) chosen: u64,
        }

        impl Default for Parameters {
            fn default() -> Parameters {
                Parameters { $($name: $default,)+ chosen: 0 }
            }
        }

        impl Parameters {
            /// All rows, in the order of the fields; those not tuned last, with a step of 0: see
            /// [`Parameters::tuned`].
            pub const TABLE: &'static [Parameter] = &[$(Parameter {
                name: stringify!($name),
                integer: 0.5 as $kind as f64 == 0.0,
                default: $default as f64,
                small_default: *[$default as f64 $(, $small as f64)?].last().unwrap(),
                min: $min as f64,
                max: $max as f64,
                step: $step as f64,
                about: $about.trim_ascii(),
            },)+];

            /// The value of the parameter with this name.
            pub fn get(&self, name: &str) -> Option<f64> {
                match name {
                    $(stringify!($name) => Some(self.$name as f64),)+
                    _ => None,
                }
            }

            /// Stores a value that [`Parameters::set`] has checked.
            fn store(&mut self, row: &Parameter, value: f64) {
                match row.name {
                    $(stringify!($name) => self.$name = value as $kind,)+
                    _ => {}
                }
            }
        }
    };
}

// After "or" stands what was better on 8x8: tuning/reports/search.md and policy.md.
parameters! {
    /// Weight of the prior and visit term against the value in selection; larger explores more.
    exploration: f64 = 0.58 or 0.72, 0.0 to 4.0, step 0.05;
    /// Growth of the exploration with visits N, from 200 on: a factor 1 + this * ln(1 + N / 1000).
    exploration_growth: f64 = 0.2 or 0.0, 0.0 to 4.0, step 0.05;
    /// Factor of the exploration where the arrow is chosen; larger explores more arrows.
    arrow_exploration: f64 = 0.57 or 0.88, 0.0 to 4.0, step 0.1;
    /// Distance of an unvisited edge below its static value; larger explores less.
    fpu_reduction: f64 = 0.06 or 0.07, 0.0 to 1.0, step 0.02;
    /// Temperature of the evaluator's priors of queen moves, until the network replaces them.
    queen_temperature: f64 = 0.98 or 1.05, 0.05 to 10.0, step 0.1;
    /// Temperature of the evaluator's priors of arrows, until the network replaces them.
    arrow_temperature: f64 = 0.6 or 0.7, 0.05 to 10.0, step 0.1;
    /// Visits at which a node gets the policy network's priors; 1 acts like 2, 0 never asks it.
    policy_visits: u32 = 4 or 3, 0 to 1000, step 1;
    /// Visits whose results the network's value replaces when a node gets its priors; 0 for none.
    value_visits: f64 = 0.0 or 1.6, 0.0 to 1000.0, step 0.5;
    /// Temperature of the policy network's priors of queen moves; larger flattens them.
    policy_queen_temperature: f64 = 1.33 or 1.35, 0.05 to 10.0, step 0.1;
    /// Temperature of the policy network's priors of arrows; larger flattens them.
    policy_arrow_temperature: f64 = 0.7 or 0.86, 0.05 to 10.0, step 0.1;
    /// Visits at which a leaf gets its children; larger grows the tree more slowly.
    expansion_visits: u32 = 1, 1 to 1000, step 1;
    /// Share of the light playout in the value of a leaf, the rest being the static value.
    playout_weight: f64 = 0.28 or 0.31, 0.0 to 1.0, step 0.05;
    /// Random plies of a light playout before its evaluation.
    playout_plies: u32 = 4 or 2, 0 to 100, step 1;
    /// Virtual visits with which a move's gain elsewhere in the tree counts (RAVE); 0 for none.
    rave_visits: f64 = 60.0 or 50.0, 0.0 to 1000.0, step 10.0;
    /// Share of the mean error of like half moves that corrects the value of a new leaf; 0 for none.
    bias_share: f64 = 0.9 or 0.0, 0.0 to 4.0, step 0.2;
    /// Lost visits that a worker adds on its way down, so that others take other ways.
    virtual_loss: u32 = 1, 0 to 100, step 1;
    /// Plays the greatest value - bound / sqrt(visits); 0 plays the most visited move.
    final_bound: f64 = 0.8 or 0.9, 0.0 to 10.0, step 0.2;
    /// Under a game clock a lead of this share of the playouts left ends a search; 0 never does.
    catch_up: f64 = 0.5, 0.0 to 1.0, step 0.1;
    /// The solver tries the root where at most this many squares are contested; larger tries earlier.
    endgame_contested: u32 = 24, 0 to 100, step 4;
    /// Share of a turn's time (or playouts as nodes) for the root proof, and again for its move.
    endgame_share: f64 = 0.25, 0.0 to 1.0, step 0.05;
    /// Whether a turn keeps what is known from the turns before: 1 for yes, 0 for no.
    reuse: u32 = 1, 0 to 1, step 0;
    /// Whether the search asks the endgame solver: 1 for yes, 0 for no.
    endgame: u32 = 1, 0 to 1, step 0;
    /// Time kept back from a move's limit, in milliseconds, but at most a tenth of it.
    margin_ms: u32 = 50, 0 to 10_000, step 0;
}

const _: () = assert!(Parameters::TABLE.len() <= u64::BITS as usize);

/// A bit for each row of the table.
fn rows() -> impl Iterator<Item = (&'static Parameter, u64)> {
    Parameters::TABLE.iter().zip((0..u64::BITS).map(|place| 1 << place))
}

impl Parameters {
    /// Sets the parameter called `name` to what `text` says; a switch also by `true` and `false`. The
    /// names are in [`Parameters::TABLE`].
    ///
    /// # Errors
    /// If the name is unknown, or the value is no number, not whole where it must be, or out
    /// of range.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), InputError> {
        let (row, bit) = rows().find(|(row, _)| row.name == name).ok_or_else(|| {
            let hint = closest(name);
            InputError(format!("no parameter is called '{name:.40}'{hint}; 'quiver params' lists them"))
        })?;
        let value = match text.trim() {
            "false" if row.integer && row.max == 1.0 => Some(0.0),
            "true" if row.integer && row.max == 1.0 => Some(1.0),
            number => number.parse::<f64>().ok(),
        };
        // A NaN is in no range.
        let fits =
            |value: &f64| (row.min..=row.max).contains(value) && (!row.integer || value.fract() == 0.0);
        let value = value.filter(fits).ok_or_else(|| {
            let kind = if row.integer { "a whole number" } else { "a number" };
            let expected = format_args!("{kind} from {} to {}", row.min, row.max);
            InputError::new(format_args!("{name} = '{text:.40}'"), expected)
        })?;
        self.store(row, value);
        // The default of a row that is not tuned is no choice: it is the same on every board.
        if row.step == 0.0 && value == row.default {
            self.chosen &= !bit;
        } else {
            self.chosen |= bit;
        }
        Ok(())
    }

    /// [`Parameters::set`] from `name=value`.
    pub fn set_pair(&mut self, pair: &str) -> Result<(), InputError> {
        let form = || InputError::new(format_args!("'{pair:.40}'"), "name=value");
        let (name, value) = pair.split_once('=').ok_or_else(form)?;
        self.set(name.trim(), value)
    }

    /// The parameters that were set, by name, in the order of the table.
    pub fn chosen(&self) -> impl Iterator<Item = (&'static str, f64)> + use<'_> {
        self.values().zip(rows()).filter_map(|(value, (_, bit))| (self.chosen & bit != 0).then_some(value))
    }

    /// All parameters by name, in the order of the table.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, f64)> + use<'_> {
        Parameters::TABLE.iter().filter_map(|row| Some((row.name, self.get(row.name)?)))
    }

    /// The rows that a tuner changes, in the order of the table.
    pub fn tuned() -> impl Iterator<Item = &'static Parameter> {
        Parameters::TABLE.iter().filter(|row| row.step > 0.0)
    }

    /// The values on a board of this size: those that were set, and its defaults for the rest.
    pub fn on(&self, size: Size) -> Parameters {
        let mut on = self.clone();
        if !size.is_large() {
            for (row, _) in rows().filter(|(_, bit)| self.chosen & bit == 0) {
                on.store(row, row.small_default);
            }
        }
        on
    }

    /// [`Parameters::margin_ms`] as a time.
    pub(crate) fn margin(&self) -> Duration {
        Duration::from_millis(self.margin_ms.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_agrees_with_setters_and_the_defaults_of_each_board() {
        let defaults = Parameters::default();
        assert!(Parameters::TABLE.is_sorted_by_key(|row| row.step == 0.0));
        for row in Parameters::TABLE {
            assert_eq!(defaults.get(row.name), Some(row.default), "{}", row.name);
            for side in [6, 8, 9, 10] {
                let default = if side > 8 { row.default } else { row.small_default };
                assert!((row.min..=row.max).contains(&default), "{}", row.name);
                let on = defaults.on(Size::square(side).unwrap());
                assert_eq!(on.get(row.name), Some(default), "{}", row.name);
            }
            assert!(row.about.ends_with('.'), "{}", row.name);
            for edge in [row.min, row.max] {
                let mut changed = Parameters::default();
                changed.set(row.name, &edge.to_string()).unwrap();
                assert_eq!(changed.get(row.name), Some(edge));
            }
        }
    }

    #[test]
    fn small_boards_keep_what_is_set() {
        let sizes = [6, 8, 9, 10].map(|side| Size::square(side).unwrap());
        let mut parameters = Parameters::default();
        // Setting the default of large boards is a choice too.
        let usual = parameters.exploration;
        assert_ne!(parameters.on(sizes[1]).exploration, usual);
        parameters.set("exploration", &usual.to_string()).unwrap();
        assert!(sizes.iter().all(|&size| parameters.on(size).exploration == usual));
        assert_eq!(parameters.chosen().collect::<Vec<_>>(), [("exploration", usual)]);
    }

    #[test]
    fn switches_and_the_margin_are_no_choice_at_their_default() {
        let mut parameters = Parameters::default();
        for pair in ["reuse=0", "endgame=false", "margin_ms=20", "exploration=0.5"] {
            parameters.set_pair(pair).unwrap();
        }
        let changed: Vec<_> = parameters.chosen().collect();
        assert_eq!(changed, [("exploration", 0.5), ("reuse", 0.0), ("endgame", 0.0), ("margin_ms", 20.0)]);
        assert!(changed.iter().all(|&each| parameters.values().any(|value| value == each)));
        assert_ne!(parameters, Parameters::default());
        for row in Parameters::TABLE.iter().filter(|row| row.step == 0.0) {
            parameters.set(row.name, if row.max == 1.0 { "true" } else { "50" }).unwrap();
        }
        assert_eq!(parameters.chosen().collect::<Vec<_>>(), [("exploration", 0.5)]);
    }

    #[test]
    fn rejects_unknown_names_and_bad_values() {
        let mut parameters = Parameters::default();
        for (pair, expected) in [
            ("exploraton=0.2", "no parameter is called 'exploraton' (did you mean 'exploration'?)"),
            ("speed=1", "no parameter is called 'speed'; "),
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
            let error = parameters.set_pair(pair).unwrap_err().to_string();
            assert!(error.contains(expected), "{pair}: {error}");
        }
        assert_eq!(parameters, Parameters::default());
    }
}
