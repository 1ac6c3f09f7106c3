//! The table of search parameters: all numbers that a tuner may change, two switches, and the time
//! that a search leaves unused.
//!
//! Each line of the table defines a field of [`Parameters`] and [`ParameterSettings`], the check in
//! [`ParameterSettings::set`], and a row in the output of the command `quiver params`.

use std::time::Duration;

use amazons::Size;

use super::parameter::{Parameter, ParameterError, ParameterKind};

/// The type of a parameter's value: a number or a switch. The table stores every value as `f64`.
trait ParameterValue: Copy + Into<f64> {
    const KIND: ParameterKind;

    fn of(number: f64) -> Self;
}

impl ParameterValue for f64 {
    const KIND: ParameterKind = ParameterKind::Real;

    fn of(number: f64) -> f64 {
        number
    }
}

impl ParameterValue for u32 {
    const KIND: ParameterKind = ParameterKind::Whole;

    fn of(number: f64) -> u32 {
        number as u32
    }
}

impl ParameterValue for bool {
    const KIND: ParameterKind = ParameterKind::Switch;

    fn of(number: f64) -> bool {
        number != 0.0
    }
}

macro_rules! parameters {
    ($(#[doc = $about:literal] $name:ident: $kind:ident = $default:literal $(or $small:literal)?, $min:literal to $max:literal, step $step:literal;)+) => {
        /// The values of all parameters in a search on one board: see [`ParameterSettings::on`].
        /// The default holds the values for boards larger than 8x8.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Parameters {
            $(#[doc = $about] pub $name: $kind,)+
        }

        /// The parameters that a user has set. All other parameters have the board size's defaults.
        ///
        /// ```
        /// use quiver_engine::Size;
        /// use quiver_engine::search::ParameterSettings;
        ///
        /// let mut settings = ParameterSettings { exploration: Some(0.5), ..Default::default() };
        /// settings.set("reuse", "false")?;
        /// let parameters = settings.on(Size::square(8)?);
        /// assert_eq!((parameters.exploration, parameters.reuse), (0.5, false));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct ParameterSettings {
            $(#[doc = $about] pub $name: Option<$kind>,)+
        }

        impl Default for Parameters {
            fn default() -> Parameters {
                Parameters { $($name: ParameterValue::of($default as f64),)+ }
            }
        }

        impl Parameters {
            /// The descriptions of all parameters, in the order of the fields.
            pub const TABLE: &'static [Parameter] = &[$(Parameter {
                name: stringify!($name),
                kind: <$kind as ParameterValue>::KIND,
                default: $default as f64,
                small_default: *[$default as f64 $(, $small as f64)?].last().unwrap(),
                min: $min as f64,
                max: $max as f64,
                step: $step as f64,
                about: $about.trim_ascii(),
            },)+];

            /// The name and value of each parameter, in the order of the table. A switch is 1 or 0.
            pub fn values(&self) -> impl Iterator<Item = (&'static str, f64)> + use<> {
                [$((stringify!($name), self.$name.into()),)+].into_iter()
            }
        }

        impl ParameterSettings {
            /// The parameters on a board of this size: the value that was set, otherwise the
            /// default. A value out of range becomes the nearest allowed value.
            pub fn on(&self, size: Size) -> Parameters {
                let mut rows = Parameters::TABLE.iter();
                Parameters { $($name: {
                    let row = rows.next().expect("a row for each field");
                    let default = if size.is_large() { row.default } else { row.small_default };
                    ParameterValue::of(self.$name.map_or(default, |value| row.nearest(value.into(), default)))
                },)+ }
            }

            /// The name and value of each parameter that was set, in the order of the table.
            pub fn overrides(&self) -> impl Iterator<Item = (&'static str, f64)> + use<> {
                let all = [$((stringify!($name), self.$name.map(f64::from)),)+];
                all.into_iter().filter_map(|(name, value)| Some((name, value?)))
            }

            fn store(&mut self, row: &Parameter, value: Option<f64>) {
                match row.name {
                    $(stringify!($name) => self.$name = value.map(ParameterValue::of),)+
                    _ => {}
                }
            }
        }
    };
}

// The number after "or" is the default on boards up to 8x8. The reports search.md and policy.md in
// tuning/reports have measurements of the defaults.
parameters! {
    /// Factor of the exploration term (prior and visits) in the PUCT score; larger explores more.
    exploration: f64 = 0.58 or 0.69, 0.0 to 4.0, step 0.05;
    /// A value g multiplies `exploration` by 1 + g * ln(1 + N / 1000) at nodes of N >= 200 visits.
    exploration_growth: f64 = 0.2 or 0.3, 0.0 to 4.0, step 0.05;
    /// Further factor of `exploration` at nodes that choose an arrow; larger explores more arrows.
    arrow_exploration: f64 = 0.66 or 0.7, 0.0 to 4.0, step 0.1;
    /// Reduction of the static value in the score of an unvisited edge; larger explores less.
    fpu_reduction: f64 = 0.1 or 0.086, 0.0 to 1.0, step 0.02;
    /// Temperature of the evaluator's priors of queen moves, until the network replaces them.
    queen_temperature: f64 = 0.8 or 1.08, 0.05 to 10.0, step 0.1;
    /// Temperature of the evaluator's priors of arrows, until the network replaces them.
    arrow_temperature: f64 = 0.55 or 0.56, 0.05 to 10.0, step 0.1;
    /// Visits at which a node gets the network's priors; 1 acts like 2, 0 turns the network off.
    policy_visits: u32 = 4 or 3, 0 to 1000, step 1;
    /// At visit `policy_visits`, the network's value replaces this many earlier results; 0: none.
    value_visits: f64 = 1.2 or 2.0, 0.0 to 1000.0, step 0.5;
    /// Temperature of the policy network's priors of queen moves; larger flattens them.
    policy_queen_temperature: f64 = 1.53 or 1.64, 0.05 to 10.0, step 0.1;
    /// Temperature of the policy network's priors of arrows; larger flattens them.
    policy_arrow_temperature: f64 = 0.88 or 1.0, 0.05 to 10.0, step 0.1;
    /// Visits at which a leaf gets its children; larger grows the tree more slowly.
    expansion_visits: u32 = 1, 1 to 1000, step 1;
    /// In a leaf's value, the weight of the value after random plies; the rest is its static value.
    playout_weight: f64 = 0.2 or 0.24, 0.0 to 1.0, step 0.05;
    /// Random plies that a playout makes after a leaf before it evaluates the position reached.
    playout_plies: u32 = 4 or 2, 0 to 100, step 1;
    /// Weight of a move's results elsewhere in the tree (RAVE), in virtual visits; 0 for none.
    rave_visits: f64 = 76.0 or 51.0, 0.0 to 1000.0, step 10.0;
    /// Adds to leaf values this factor times the evaluator's mean error at the same two half moves.
    bias_share: f64 = 0.75 or 0.0, 0.0 to 4.0, step 0.2;
    /// Lost visits that a descending worker adds to its edges, so that other workers avoid them.
    virtual_loss: u32 = 1, 0 to 100, step 1;
    /// Bound b: plays the move with the greatest value - b / sqrt(visits); 0 for the most visited.
    final_bound: f64 = 0.98 or 0.83, 0.0 to 10.0, step 0.2;
    /// On a game clock, stops if the best move leads by this part of the playouts left; 0: never.
    catch_up: f64 = 0.5, 0.0 to 1.0, step 0.1;
    /// The solver tries to prove the root if both sides reach at most this many squares in common.
    endgame_contested: u32 = 24, 0 to 100, step 4;
    /// Fraction of a turn's time or playouts to prove the root; then as much to find the best move.
    endgame_share: f64 = 0.25, 0.0 to 1.0, step 0.05;
    /// Whether a turn keeps the tree of earlier turns: 1 for yes, 0 for no.
    reuse: bool = 1, 0 to 1, step 0;
    /// Whether the search asks the endgame solver: 1 for yes, 0 for no.
    endgame: bool = 1, 0 to 1, step 0;
    /// Time reserved at the end of a move's limit, in milliseconds; at most a tenth of the limit.
    margin_ms: u32 = 50, 0 to 10000, step 0;
}

impl Parameters {
    pub(crate) fn time_margin(&self) -> Duration {
        Duration::from_millis(self.margin_ms.into())
    }

    /// The parameters that a tuner may change, in the order of the table.
    pub fn tuned() -> impl Iterator<Item = &'static Parameter> {
        Parameters::TABLE.iter().filter(|row| row.step > 0.0)
    }
}

impl ParameterSettings {
    /// Sets one of the parameters in [`Parameters::TABLE`] by its name to the value in `text`. A
    /// switch also accepts `true` and `false`.
    ///
    /// # Errors
    /// If the name is unknown, or if the value is not a number of the parameter's kind and range.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
        let row = Parameters::TABLE.iter().find(|row| row.name == name);
        let row = row.ok_or_else(|| ParameterError::unknown(name))?;
        let value = row.read(text)?;
        // A parameter without a step has one default on all boards, which need not be stored.
        let is_choice = row.step > 0.0 || value != row.default;
        self.store(row, is_choice.then_some(value));
        Ok(())
    }

    /// Sets a parameter from a text `name=value`.
    ///
    /// # Errors
    /// If [`ParameterSettings::set`] fails, or if the text has no equals sign.
    pub fn set_pair(&mut self, pair: &str) -> Result<(), ParameterError> {
        let (name, value) = pair.split_once('=').ok_or_else(|| ParameterError::NotAPair(pair.to_owned()))?;
        self.set(name.trim(), value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_gives_the_defaults_of_each_board() {
        let defaults = ParameterSettings::default();
        assert!(Parameters::TABLE.is_sorted_by_key(|row| row.step == 0.0));
        for (index, row) in Parameters::TABLE.iter().enumerate() {
            let assert_is = |parameters: Parameters, value| {
                assert_eq!(parameters.values().nth(index), Some((row.name, value)));
            };
            assert_is(Parameters::default(), row.default);
            for side in [6, 8, 9, 10] {
                let default = if side > 8 { row.default } else { row.small_default };
                assert!((row.min..=row.max).contains(&default), "{}", row.name);
                assert_is(defaults.on(Size::square(side).unwrap()), default);
            }
            assert!(row.about.ends_with('.'), "{}", row.name);
            for edge in [row.min, row.max] {
                let mut changed = ParameterSettings::default();
                changed.set(row.name, &edge.to_string()).unwrap();
                assert_is(changed.on(Size::square(8).unwrap()), edge);
            }
        }
    }

    #[test]
    fn set_values_apply_on_every_board() {
        let sizes = [6, 8, 9, 10].map(|side| Size::square(side).unwrap());
        let mut settings = ParameterSettings::default();
        // A value that was set explicitly is an override even if it is the default on large boards.
        let usual = Parameters::default().exploration;
        assert_ne!(settings.on(sizes[1]).exploration, usual);
        settings.set("exploration", &usual.to_string()).unwrap();
        assert!(sizes.iter().all(|&size| settings.on(size).exploration == usual));
        assert_eq!(settings.overrides().collect::<Vec<_>>(), [("exploration", usual)]);
    }

    #[test]
    fn fields_are_clamped_to_their_range() {
        let settings = ParameterSettings {
            exploration: Some(-1.0),
            queen_temperature: Some(f64::NAN),
            playout_plies: Some(u32::MAX),
            ..ParameterSettings::default()
        };
        let size = Size::square(8).unwrap();
        let on = settings.on(size);
        let expected = (0.0, ParameterSettings::default().on(size).queen_temperature, 100);
        assert_eq!((on.exploration, on.queen_temperature, on.playout_plies), expected);
    }

    #[test]
    fn defaults_are_not_overrides() {
        let mut settings = ParameterSettings::default();
        for pair in ["reuse=0", "endgame=false", "margin_ms=20", "exploration=0.5"] {
            settings.set_pair(pair).unwrap();
        }
        let changed: Vec<_> = settings.overrides().collect();
        assert_eq!(changed, [("exploration", 0.5), ("reuse", 0.0), ("endgame", 0.0), ("margin_ms", 20.0)]);
        let size = Size::square(10).unwrap();
        assert!(changed.iter().all(|&each| settings.on(size).values().any(|value| value == each)));
        for pair in ["reuse=true", "endgame=true", "margin_ms=50"] {
            settings.set_pair(pair).unwrap();
        }
        assert_eq!(settings.overrides().collect::<Vec<_>>(), [("exploration", 0.5)]);
    }

    #[test]
    fn rejects_unknown_names_and_bad_values() {
        let mut settings = ParameterSettings::default();
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
            let error = settings.set_pair(pair).unwrap_err().to_string();
            assert!(error.contains(expected), "{pair}: {error}");
        }
        assert_eq!(settings, ParameterSettings::default());
        let suggestion = Some("exploration");
        let error = ParameterSettings::default().set("exploring", "1").unwrap_err();
        assert_eq!(error, ParameterError::UnknownName { name: "exploring".to_owned(), suggestion });
    }
}
