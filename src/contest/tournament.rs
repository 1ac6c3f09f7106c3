//! Players of a match as a user describes them: with `--player`, or in a tournament's file.

use serde::Deserialize;
use toml::{Table, Value};

use super::fault::InputError;
use super::fixtures::TournamentFormat;
use super::game_clock::TimeControl;
use super::spec::words;

/// A player and what it may use. A setting that is missing has the value for all players.
///
/// `--player` and `--each` read it from words, a SPEC and settings as `name=value`; a tournament's
/// file has a table for each player.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PlayerSettings {
    /// The player, as in `--a`; missing in settings for all players.
    pub spec: Option<String>,
    /// The player's name in reports; its SPEC if missing.
    pub name: Option<String>,
    pub time: Option<f64>,
    pub first_time: Option<f64>,
    /// A game clock, instead of seconds a move.
    pub tc: Option<TimeControl>,
    pub playouts: Option<u64>,
    /// Search threads of a built-in player.
    pub threads: Option<usize>,
    /// Games of each of its pairings; the smaller number of two players counts.
    pub games: Option<usize>,
    /// The distance of its neighbours in the list; the smaller number of two players counts.
    pub reach: Option<usize>,
    /// The measured rating, of a player of the shipped ladder.
    pub elo: Option<f64>,
    /// Options of a UCI engine, as `NAME=VALUE`; `option.NAME=VALUE` in words.
    pub options: Vec<String>,
}

/// Settings whose value is a text, even if it looks like a number.
const TEXTS: [&str; 3] = ["spec", "name", "tc"];

impl std::str::FromStr for PlayerSettings {
    type Err = InputError;

    /// Reads `SPEC NAME=VALUE ...`; words are divided and quoted as in a shell.
    fn from_str(text: &str) -> Result<PlayerSettings, InputError> {
        let words = words(text).ok_or_else(|| InputError(format!("'{text}': a quote is not closed")))?;
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
            let number = || value.parse().map(Value::Integer).or_else(|_| value.parse().map(Value::Float));
            let parsed = if TEXTS.contains(&name) { None } else { number().ok() };
            let parsed = parsed.unwrap_or_else(|| Value::String(value.to_owned()));
            if table.insert(name.to_owned(), parsed).is_some() {
                return Err(InputError(format!("'{word}' stands twice, expected once")));
            }
        }
        if !options.is_empty() {
            table.insert("options".to_owned(), Value::Array(options));
        }
        table.try_into().map_err(|error: toml::de::Error| InputError(error.message().to_owned()))
    }
}

impl PlayerSettings {
    /// These settings, and those of `other` where one is missing. A time for each move and a game
    /// clock stand for one setting.
    pub(crate) fn or(self, other: &PlayerSettings) -> PlayerSettings {
        let timed = self.time.is_some() || self.tc.is_some();
        let (time, tc) = if timed { (self.time, self.tc) } else { (other.time, other.tc) };
        PlayerSettings {
            time,
            tc,
            first_time: self.first_time.or(other.first_time),
            playouts: self.playouts.or(other.playouts),
            threads: self.threads.or(other.threads),
            games: self.games.or(other.games),
            reach: self.reach.or(other.reach),
            options: if self.options.is_empty() { other.options.clone() } else { self.options },
            ..self
        }
    }
}

/// A tournament as its TOML file describes it. A setting of a player overrides the one at the head
/// of the file, which overrides the command line. `tournaments.md` has an example.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tournament {
    /// The rule by which players are paired.
    #[serde(default)]
    pub format: TournamentFormat,
    /// The player whose rating is given, by its name or SPEC; the errors of others are then those
    /// of the difference.
    pub anchor: Option<String>,
    /// The anchor's rating.
    #[serde(default)]
    pub anchor_elo: f64,
    /// The settings of all players.
    #[serde(flatten)]
    pub each: PlayerSettings,
    /// The players, the leader of a gauntlet first.
    #[serde(default)]
    pub player: Vec<PlayerSettings>,
}

/// The file of the ladder that is shipped for a board with this many squares along a side.
pub(crate) fn shipped(side: usize) -> Option<&'static str> {
    match side {
        8 => Some(include_str!("ladders/8.toml")),
        10 => Some(include_str!("ladders/10.toml")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_a_table_say_the_same() {
        let words = "'cmd:python3 \"my bot.py\" a=1' name=400 time=0.5 first_time=2 playouts=100 threads=2 \
                     option.Hash=16 option.Style=a=b";
        let table = "spec = 'cmd:python3 \"my bot.py\" a=1'\nname = \"400\"\ntime = 0.5\nfirst_time = 2\n\
                     playouts = 100\nthreads = 2\noptions = [\"Hash=16\", \"Style=a=b\"]\n";
        let settings: PlayerSettings = words.parse().unwrap();
        assert_eq!(settings, toml::from_str(table).unwrap());
        let clock: PlayerSettings = "tc=60+0.6 spec=quiver:exploration=0.4".parse().unwrap();
        assert_eq!(clock, toml::from_str("tc = \"60+0.6\"\nspec = \"quiver:exploration=0.4\"").unwrap());
    }

    #[test]
    fn words_that_are_no_settings_are_refused() {
        for (text, expected) in [
            ("quiver tim=1", "unknown field `tim`, expected one of `spec`, `name`, `time`"),
            ("quiver time=soon", "invalid type: string \"soon\", expected f64"),
            ("quiver playouts=-1", "invalid value: integer `-1`, expected u64"),
            ("quiver tc=60", "'60': expected BASE+INC"),
            ("cmd:python3 bot.py", "'bot.py': expected settings as NAME=VALUE after the SPEC, and quotes"),
            ("quiver time=1 time=2", "'time=2' stands twice"),
            ("'quiver", "a quote is not closed"),
        ] {
            let error = text.parse::<PlayerSettings>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_game_clock_of_all_gives_way_to_a_time() {
        let each: PlayerSettings = "tc=60+1 playouts=5 threads=2".parse().unwrap();
        let own: PlayerSettings = "quiver time=1 threads=1".parse().unwrap();
        let both = own.clone().or(&each);
        assert_eq!(both, PlayerSettings { playouts: Some(5), ..own });
    }
}
