//! Players as a user describes them: by a SPEC, with settings as in `--player`, or in a tournament's
//! file.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use toml::{Table, Value};

use super::TimeControl;
use crate::InputError;
use crate::messages::excerpt;
use crate::players::PlayerKind;
use crate::search::EngineOptions;
use quiver_bot::request::Form;

/// A player as a user names it: `quiver`, `quiver:exploration=0.4`, `random`, `cmd:./bot --fast`,
/// ...
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlayerSpec {
    /// A built-in player and the search parameters that differ from the match's, as `name=value`.
    BuiltIn { kind: PlayerKind, settings: Vec<String> },
    /// A program that speaks a form of Botzone's, one process a turn or kept running, with its
    /// arguments.
    Botzone { form: Form, command: Vec<String> },
    /// A program that speaks another protocol for a whole game, and its arguments.
    Engine { protocol: EngineProtocol, command: Vec<String> },
}

/// The protocol of a program that is started once a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineProtocol {
    /// UCI with the variant `amazons`.
    Uci,
    /// GTP as the KataGo family speaks it.
    Gtp,
    /// The words of the contest platform.
    Contest,
}

impl EngineProtocol {
    const ALL: [(&str, EngineProtocol); 3] =
        [("uci", EngineProtocol::Uci), ("gtp", EngineProtocol::Gtp), ("contest", EngineProtocol::Contest)];
}

impl FromStr for PlayerSpec {
    type Err = InputError;

    fn from_str(text: &str) -> Result<PlayerSpec, InputError> {
        let error = |why: &dyn fmt::Display| InputError(format!("'{}': {why}", excerpt(text, 80)));
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let command = || {
            let command = split(rest.unwrap_or_default()).map_err(|_| error(&"a quote is not closed"))?;
            if command.is_empty() {
                return Err(error(&"expected a command after the colon, as in cmd:./bot"));
            }
            Ok(command)
        };
        let kind: PlayerKind = match name {
            "cmd" => return Ok(PlayerSpec::Botzone { form: Form::Json, command: command()? }),
            "text" => return Ok(PlayerSpec::Botzone { form: Form::Text, command: command()? }),
            _ => {
                let protocol = EngineProtocol::ALL.into_iter().find(|(known, _)| *known == name);
                if let Some((_, protocol)) = protocol {
                    return Ok(PlayerSpec::Engine { protocol, command: command()? });
                }
                name.parse().map_err(|unknown| {
                    let programs = "cmd:COMMAND, text:COMMAND, uci:COMMAND, gtp:COMMAND or contest:COMMAND";
                    InputError(format!("{unknown}, or a program as {programs}"))
                })?
            }
        };
        let settings: Vec<String> =
            rest.map_or(Vec::new(), |list| list.split(',').map(|pair| pair.trim().to_owned()).collect());
        if kind != PlayerKind::Quiver && rest.is_some() {
            return Err(error(&format!("{kind} has no parameters; expected {kind} alone")));
        }
        let mut checked = EngineOptions::default();
        for pair in &settings {
            checked.set_pair(pair).map_err(|cause| error(&cause))?;
        }
        Ok(PlayerSpec::BuiltIn { kind, settings })
    }
}

/// Splits a command line as a shell does. On Windows a backslash divides a path and escapes nothing.
fn split(text: &str) -> Result<Vec<String>, shell_words::ParseError> {
    if cfg!(not(windows)) {
        return shell_words::split(text);
    }
    // Within single quotes no shell takes a backslash for an escape.
    let mut quote = None;
    let mut escaped = String::new();
    for letter in text.chars() {
        match (letter, quote) {
            ('\\', None | Some('"')) => escaped.push('\\'),
            ('"' | '\'', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            _ => {}
        }
        escaped.push(letter);
    }
    shell_words::split(&escaped)
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerSpec::BuiltIn { kind, settings } if settings.is_empty() => write!(f, "{kind}"),
            PlayerSpec::BuiltIn { kind, settings } => write!(f, "{kind}:{}", settings.join(",")),
            PlayerSpec::Botzone { form: Form::Json, command } => {
                write!(f, "cmd:{}", shell_words::join(command))
            }
            PlayerSpec::Botzone { form: Form::Text, command } => {
                write!(f, "text:{}", shell_words::join(command))
            }
            PlayerSpec::Engine { protocol, command } => {
                let mut names = EngineProtocol::ALL.into_iter().filter(|(_, known)| known == protocol);
                names.try_for_each(|(name, _)| write!(f, "{name}:{}", shell_words::join(command)))
            }
        }
    }
}

/// A player and what it may use. A setting that is missing has the value for all players.
///
/// `--player` and `--each` read it from words, a SPEC and settings as `name=value`; a tournament's
/// file has a table for each player.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PlayerSettings {
    /// Missing in settings for all players.
    pub spec: Option<String>,
    pub name: Option<String>,
    pub time: Option<f64>,
    pub first_time: Option<f64>,
    pub tc: Option<TimeControl>,
    pub playouts: Option<u64>,
    pub threads: Option<usize>,
    /// Games of each of its pairings; the smaller number of two players counts.
    pub games: Option<usize>,
    /// The distance of its neighbours in the list; the smaller number of two players counts.
    pub reach: Option<usize>,
    /// The measured rating, of a player of the shipped ladder.
    pub elo: Option<f64>,
    /// Seconds that an engine may take to get ready.
    pub startup: Option<f64>,
    /// True if an engine goes on while its opponent is to move.
    pub ponder: Option<bool>,
    /// Options of a UCI or GTP engine, as `NAME=VALUE`; `option.NAME=VALUE` in words.
    pub options: Vec<String>,
}

/// Settings whose value is a text, even if it looks like a number.
const TEXTS: [&str; 3] = ["spec", "name", "tc"];

impl FromStr for PlayerSettings {
    type Err = InputError;

    /// Reads `SPEC NAME=VALUE ...`; words are divided and quoted as in a shell.
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
            let parsed = if TEXTS.contains(&name) { None } else { integer().or_else(other) };
            let parsed = parsed.unwrap_or_else(|| Value::String(value.to_owned()));
            if table.insert(name.to_owned(), parsed).is_some() {
                return Err(InputError(format!("'{word}' stands twice, expected once")));
            }
        }
        if !options.is_empty() {
            table.insert("options".to_owned(), Value::Array(options));
        }
        // The error names the setting in a line of its own.
        table
            .try_into()
            .map_err(|error: toml::de::Error| InputError(error.to_string().trim().replace('\n', " ")))
    }
}

impl PlayerSettings {
    /// These settings, and those of `other` where one is missing. A time for each move and a game
    /// clock stand for one setting; a time for the first move goes with the former.
    pub(crate) fn or(self, other: &PlayerSettings) -> PlayerSettings {
        let timed = self.time.is_some() || self.tc.is_some();
        let (time, tc) = if timed { (self.time, self.tc) } else { (other.time, other.tc) };
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
            options: if self.options.is_empty() { other.options.clone() } else { self.options },
            ..self
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TournamentFormat {
    /// Each player meets every other.
    #[default]
    RoundRobin,
    /// The first player meets every other.
    Gauntlet,
    /// Each player meets the next ones of the list: a ladder.
    Neighbours,
}

/// A tournament as its TOML file describes it. A setting of a player overrides the one at the head
/// of the file, which overrides the command line. `tournaments.md` has an example.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Tournament {
    pub format: TournamentFormat,
    /// The player whose rating is given, by its name or SPEC; the errors of others are then those
    /// of the difference.
    pub anchor: Option<String>,
    pub anchor_elo: f64,
    #[serde(flatten)]
    pub each: PlayerSettings,
    /// The players, the leader of a gauntlet first.
    pub player: Vec<PlayerSettings>,
}

/// The ladder that is shipped for a board with this many squares along a side, its weakest player
/// first.
pub(crate) fn shipped_ladder(side: usize) -> Result<Tournament, InputError> {
    let file = match side {
        8 => include_str!("ladders/8.toml"),
        10 => include_str!("ladders/10.toml"),
        _ => {
            let expected = "expected --board 8 or 10";
            return Err(InputError(format!("no ladder is shipped for {side}x{side}: {expected}")));
        }
    };
    toml::from_str(file).map_err(|error| InputError(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_survive_their_text() {
        for text in [
            "quiver",
            "quiver:exploration=0.4,playout_plies=3",
            "random",
            "greedy",
            "cmd:./bot --fast '$HOME'",
            "text:python3 'my bot.py' ''",
            "gtp:katago gtp -config gtp.cfg",
            "contest:./engine",
            r"uci:sh -c 'echo '\''a  b'\'''",
        ] {
            let spec: PlayerSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), text);
        }
    }

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
    fn a_game_clock_and_times_for_moves_exclude_each_other() {
        let settings = |text: &str| text.parse::<PlayerSettings>().unwrap();
        let timed = "time=1 first_time=3 playouts=5";
        for (each, own, both) in [
            ("tc=60+1 playouts=5 threads=2", "quiver time=1 threads=1", "quiver time=1 threads=1 playouts=5"),
            (timed, "quiver tc=60+1", "quiver tc=60+1 playouts=5"),
            (timed, "random first_time=4", "random first_time=4 time=1 playouts=5"),
        ] {
            assert_eq!(settings(own).or(&settings(each)), settings(both), "{own}");
        }
    }
}
