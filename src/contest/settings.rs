//! The settings of a player, as users write them.

use std::str::FromStr;

use serde::Deserialize;
use toml::{Table, Value};

use super::TimeControl;
use super::spec::split;
use crate::InputError;

/// The settings of a player, with times in seconds. They are parsed from the options `--player` and
/// `--each`, or from a table in a tournament's file. If a setting is `None`, the player uses the
/// value for all players, from the top of the file or from options such as `--each`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PlayerSettings {
    /// The SPEC that selects the player, as in `cmd:./bot`. `None` in the settings of `--each`.
    pub spec: Option<String>,
    /// The unique name of the player in reports. Empty if the user gives none.
    pub name: String,
    pub time: Option<f64>,
    pub first_time: Option<f64>,
    pub tc: Option<TimeControl>,
    pub playouts: Option<u64>,
    pub threads: Option<usize>,
    pub games: Option<usize>,
    pub reach: Option<usize>,
    /// The measured rating in Elo, only for a player of the shipped ladder.
    pub elo: Option<f64>,
    pub startup: Option<f64>,
    pub ponder: Option<bool>,
    /// Options of a UCI or GTP engine, as `NAME=VALUE`. In `--player`, `option.` precedes `NAME`.
    pub options: Vec<String>,
    #[serde(skip)]
    pub memory_limit: Option<u64>,
}

/// The settings whose values are parsed as strings, even if a value looks like a number.
const TEXT_SETTINGS: [&str; 3] = ["spec", "name", "tc"];

impl FromStr for PlayerSettings {
    type Err = InputError;

    /// Parses `SPEC NAME=VALUE ...`. Words are separated and quoted as in a shell.
    fn from_str(text: &str) -> Result<PlayerSettings, InputError> {
        let words = split(text).map_err(|_| InputError(format!("'{text}': a quote is not closed")))?;
        let mut table = Table::new();
        let mut options = Vec::new();
        for (place, word) in words.into_iter().enumerate() {
            let setting = word.split_once('=').filter(|(name, _)| {
                name.starts_with("option.")
                    || name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            });
            let (name, value) = match setting {
                Some((name, value)) => (name, value),
                None if place == 0 => ("spec", word.as_str()),
                None => {
                    let expected =
                        "settings as NAME=VALUE after the SPEC, and quotes around a SPEC with blanks";
                    return Err(InputError(format!("'{word}': expected {expected}")));
                }
            };
            if let Some(name) = name.strip_prefix("option.") {
                options.push(Value::String(format!("{name}={value}")));
                continue;
            }
            let integer = || value.parse().ok().map(Value::Integer);
            let other = || value.parse().ok().map(Value::Float).or(value.parse().ok().map(Value::Boolean));
            let parsed = if TEXT_SETTINGS.contains(&name) { None } else { integer().or_else(other) };
            let parsed = parsed.unwrap_or_else(|| Value::String(value.to_owned()));
            if table.insert(name.to_owned(), parsed).is_some() {
                return Err(InputError(format!("'{word}': expected each setting only once")));
            }
        }
        if !options.is_empty() {
            table.insert("options".to_owned(), Value::Array(options));
        }
        table
            .try_into()
            .map_err(|error: toml::de::Error| InputError(error.to_string().trim().replace('\n', " ")))
    }
}

impl PlayerSettings {
    /// Fills missing settings from `other`. A player that has `time` or `tc` takes neither of them
    /// from `other`, and a player with `tc` does not take `first_time`.
    pub(crate) fn or(self, other: &PlayerSettings) -> PlayerSettings {
        let timed = self.time.is_some() || self.tc.is_some();
        let (time, tc) = if timed { (self.time, self.tc) } else { (other.time, other.tc) };
        // UCI engines compare the names of options without regard to case.
        let name = |option: &str| option.split('=').next().unwrap_or_default().to_ascii_lowercase();
        let is_missing = |option: &str| self.options.iter().all(|own| name(own) != name(option));
        PlayerSettings {
            time,
            tc,
            first_time: self.first_time.or(other.first_time.filter(|_| self.tc.is_none())),
            playouts: self.playouts.or(other.playouts),
            threads: self.threads.or(other.threads),
            games: self.games.or(other.games),
            reach: self.reach.or(other.reach),
            startup: self.startup.or(other.startup),
            ponder: self.ponder.or(other.ponder),
            memory_limit: self.memory_limit.or(other.memory_limit),
            options: other.options.iter().filter(|it| is_missing(it)).chain(&self.options).cloned().collect(),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_toml_settings_are_equal() {
        for (text, table) in [
            (
                "'cmd:python3 \"my bot.py\" a=1' name=400 time=0.5 first_time=2 playouts=100 threads=2 \
                 option.Hash=16 option.Style=a=b",
                "spec = 'cmd:python3 \"my bot.py\" a=1'\nname = \"400\"\ntime = 0.5\nfirst_time = 2\n\
                 playouts = 100\nthreads = 2\noptions = [\"Hash=16\", \"Style=a=b\"]\n",
            ),
            ("tc=60+0.6 spec=quiver:endgame=0", "tc = \"60+0.6\"\nspec = \"quiver:endgame=0\""),
        ] {
            assert_eq!(text.parse::<PlayerSettings>().unwrap(), toml::from_str(table).unwrap());
        }
    }

    #[test]
    fn own_settings_replace_those_for_all_players() {
        let timed = "time=1 first_time=3 playouts=5";
        for (each, own, both) in [
            ("tc=60+1 playouts=5 threads=2", "quiver time=1 threads=1", "quiver time=1 threads=1 playouts=5"),
            (timed, "quiver tc=60+1", "quiver tc=60+1 playouts=5"),
            (timed, "random first_time=4", "random first_time=4 time=1 playouts=5"),
            (
                "option.Hash=1 option.A=2",
                "uci:a option.hash=3 option.B=",
                "uci:a option.A=2 option.hash=3 option.B=",
            ),
        ] {
            let merged = own.parse::<PlayerSettings>().unwrap().or(&each.parse().unwrap());
            assert_eq!(merged, both.parse().unwrap(), "{own}");
        }
    }
}
