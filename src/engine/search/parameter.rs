use super::parameters::Parameters;

/// The description of a search parameter: its name, kind, defaults, range and effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name of the parameter, which `--set` and parameter files use.
    pub name: &'static str,
    /// The kind of the parameter's values.
    pub kind: ParameterKind,
    /// The default on boards larger than 8x8. The default of a switch is 1 (on) or 0 (off).
    pub default: f64,
    /// The default on boards up to 8x8.
    pub small_default: f64,
    /// The smallest value allowed.
    pub min: f64,
    /// The largest value allowed.
    pub max: f64,
    /// The size of a small change, for programs that tune the parameter; 0 if it is not tuned.
    pub step: f64,
    /// A sentence with the unit of the parameter and the effect of a larger value.
    pub about: &'static str,
}

/// The kind of values that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Any number within the range.
    Real,
    /// Whole numbers within the range.
    Whole,
    /// True (1) or false (0).
    Switch,
}

/// The reason why a parameter cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// No parameter has this name.
    #[error("no parameter is called '{name:.40}'{}", hint(.suggestion))]
    UnknownName {
        /// The unknown name.
        name: String,
        /// The known parameter with the most similar name, if any is similar.
        suggestion: Option<&'static str>,
    },
    /// The value is not a number, is not whole although it must be, or is out of range.
    #[error(
        "{} = '{value:.40}': expected {} from {} to {}",
        .parameter.name, .parameter.kind.noun(), .parameter.min, .parameter.max
    )]
    BadValue {
        /// The parameter, with its allowed range.
        parameter: &'static Parameter,
        /// The text of the wrong value.
        value: String,
    },
    /// The text is not of the form `name=value`.
    #[error("'{0:.40}': expected name=value")]
    NotAPair(String),
}

fn hint(suggestion: &Option<&str>) -> String {
    suggestion.map_or(String::new(), |name| format!(" (did you mean '{name}'?)"))
}

impl ParameterError {
    pub(super) fn unknown(got: &str) -> ParameterError {
        let shared = |name: &str| name.bytes().zip(got.bytes()).take_while(|(a, b)| a == b).count();
        let names = Parameters::TABLE.iter().map(|row| row.name);
        let best = names.reduce(|best, next| if shared(next) > shared(best) { next } else { best });
        let suggestion = best.filter(|name| shared(name) >= 3);
        ParameterError::UnknownName { name: got.to_owned(), suggestion }
    }
}

impl ParameterKind {
    fn noun(self) -> &'static str {
        if self == ParameterKind::Real { "a number" } else { "a whole number" }
    }
}

impl Parameter {
    pub(super) fn read(&'static self, text: &str) -> Result<f64, ParameterError> {
        let value = match text.trim() {
            "false" if self.kind == ParameterKind::Switch => Some(0.0),
            "true" if self.kind == ParameterKind::Switch => Some(1.0),
            number => number.parse::<f64>().ok(),
        };
        // NaN is outside every range.
        let is_whole = |value: f64| self.kind == ParameterKind::Real || value.fract() == 0.0;
        let value = value.filter(|&value| (self.min..=self.max).contains(&value) && is_whole(value));
        value.ok_or_else(|| ParameterError::BadValue { parameter: self, value: text.to_owned() })
    }

    /// The allowed value that is nearest to `number`; `default` if `number` is NaN.
    pub(super) fn nearest(&self, number: f64, default: f64) -> f64 {
        if number.is_nan() { default } else { number.clamp(self.min, self.max) }
    }
}
