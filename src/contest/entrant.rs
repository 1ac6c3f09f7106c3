//! The description of a player in a contest: how to start it, its limits and its settings.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use amazons::Size;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use toml::{Table, Value};

use super::spec::{Protocol, split};
use super::{Budget, GameConditions, PlayerSpec, TimeControl};
use crate::players::{Level, Method, PlayerKind};
use crate::search::EngineOptions;
use crate::territory::Evaluator;
use crate::{InputError, threads};

/// An upper bound of a player's turns in a game: each ply burns one of at most 100 squares.
const MAX_TURNS: u64 = 50;

/// A player of a contest: how to start it, its limits and its settings. Times are in seconds.
///
/// It is parsed from the options `--player` and `--each`, or from a table in a tournament's file,
/// and stored in the header of a record. If a setting is `None`, the player uses the value of
/// `--each`. [`Entrant::of`] fills the fields that are not parsed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Entrant {
    /// The SPEC that selects the player, as in `cmd:./bot`. `None` in the settings of `--each`.
    pub spec: Option<String>,
    /// The unique name of the player in reports. Empty if the user gives none.
    pub name: String,
    pub time: Option<f64>,
    /// The time limit of the player's first turn in a game, if it differs from `time`.
    pub first_time: Option<f64>,
    pub tc: Option<TimeControl>,
    pub playouts: Option<u64>,
    pub threads: Option<usize>,
    /// The number of games against each opponent, unless the opponent's own number is smaller.
    pub games: Option<usize>,
    /// In the format `neighbours`, two players meet if their distance in the list is at most the
    /// smaller `reach` of the two. `None` means 1.
    pub reach: Option<usize>,
    /// The measured rating in Elo, only for a player of the shipped ladder.
    pub elo: Option<f64>,
    /// The longest time that an engine may take until it is ready for a game.
    pub startup: Option<f64>,
    pub ponder: Option<bool>,
    /// Options of a UCI or GTP engine, as `NAME=VALUE`. In `--player` they are `option.NAME=VALUE`.
    pub options: Vec<String>,
    /// The value of `spec` after parsing.
    #[serde(skip)]
    pub kind: PlayerSpec,
    /// The engine options of a built-in player. They include the parameters in its `spec`. Their
    /// seed is ignored, because the player gets a new seed for each game.
    #[serde(skip)]
    pub engine: EngineOptions,
    /// The limit of the address space of each process of a program, in bytes.
    #[serde(skip)]
    pub memory_limit: Option<u64>,
    /// True if a Botzone bot gets a new process for each turn, even if it asks to be kept running.
    #[serde(skip)]
    pub ends_each_turn: bool,
}

/// The settings whose values are parsed as strings, even if a value looks like a number.
const TEXT_SETTINGS: [&str; 3] = ["spec", "name", "tc"];

impl FromStr for Entrant {
    type Err = InputError;

    /// Parses `SPEC NAME=VALUE ...`. Words are separated and quoted as in a shell.
    fn from_str(text: &str) -> Result<Entrant, InputError> {
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

impl Entrant {
    /// Creates a player without limits, whose name is its SPEC.
    pub(crate) fn new(kind: PlayerSpec, engine: &EngineOptions) -> Entrant {
        Entrant { name: kind.to_string(), ..Entrant::default() }.of(kind, engine)
    }

    /// Adds the parsed SPEC and the engine options. Parameters in the SPEC override `engine`.
    pub(crate) fn of(self, kind: PlayerSpec, engine: &EngineOptions) -> Entrant {
        let mut engine = engine.clone();
        if let PlayerSpec::BuiltIn { settings, .. } = &kind {
            for pair in settings {
                // No error is possible, because parsing the SPEC has checked its parameters.
                let _ = engine.parameters.set_pair(pair);
            }
        }
        Entrant { spec: Some(kind.to_string()), kind, engine, ..self }
    }

    /// Fills missing settings from `other`. A player that has `time` or `tc` takes neither of them
    /// from `other`, and a player with `tc` does not take `first_time`.
    pub(crate) fn or(self, other: &Entrant) -> Entrant {
        let timed = self.time.is_some() || self.tc.is_some();
        let (time, tc) = if timed { (self.time, self.tc) } else { (other.time, other.tc) };
        Entrant {
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

    pub(super) fn options(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.options.iter().filter_map(|pair| pair.split_once('='));
        pairs.map(|(name, value)| (name.trim(), value.trim()))
    }

    pub(super) fn budget(&self, first_turn: bool, clocks: [Option<TimeControl>; 2], seat: usize) -> Budget {
        let time = self.first_time.filter(|_| first_turn).or(self.time).map(Duration::from_secs_f64);
        Budget { time: clocks[seat].map(|clock| clock.left()).or(time), clocks, playouts: self.playouts }
    }

    /// True if the player is a Botzone bot, which can play only games from a start position.
    pub(crate) fn is_botzone_bot(&self) -> bool {
        matches!(self.kind.protocol(), Some(Protocol::Botzone(_)))
    }

    /// The limit of CPU time for each process of a program, in seconds. A game takes far less time.
    /// The limit ends a program that continues to compute after Quiver was killed.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    pub(super) fn cpu_limit(&self, conditions: GameConditions) -> Option<u64> {
        let bank = self.tc.map_or(Duration::ZERO, |control| control.base);
        let turn = self.time.map(|time| Duration::from_secs_f64(self.first_time.unwrap_or(time).max(time)));
        turn.or(self.tc.map(|control| control.increment)).map(|turn| {
            let turn = turn + conditions.grace + conditions.patience(true);
            let cores = threads::cores() as u64;
            (bank.as_secs() + (turn.as_secs() + 1) * MAX_TURNS) * cores + 60
        })
    }

    /// All settings that decide the player's moves on this board, for the header of a record.
    pub(super) fn head(&self, size: Size) -> Json {
        const DESCRIBED: [&str; 6] = ["name", "spec", "time", "first_time", "tc", "playouts"];
        let EngineOptions { memory, threads, evaluator, networks, .. } = &self.engine;
        let mut play = match self.kind {
            PlayerSpec::BuiltIn { kind: PlayerKind::Quiver | PlayerKind::Level(_), .. } => json!({
                "parameters": self.engine.parameters.on(size).values().collect::<BTreeMap<_, _>>(),
                "memory": memory,
                "threads": threads,
                "weights": checksums(evaluator),
                "net": format!("{:08x}", networks.on(size).checksum()),
            }),
            PlayerSpec::BuiltIn { kind: PlayerKind::Greedy, .. } => {
                json!({"weights": checksums(&Evaluator::default())})
            }
            PlayerSpec::BuiltIn { kind, .. } if kind.constants().is_empty() => json!({}),
            PlayerSpec::BuiltIn { kind, .. } => {
                let constants: BTreeMap<_, _> = kind.constants().iter().copied().collect();
                json!({"constants": constants, "memory": memory})
            }
            PlayerSpec::Program { .. } => {
                json!({"options": self.options().collect::<Vec<_>>(), "memory_limit": self.memory_limit})
            }
        };
        if let PlayerSpec::BuiltIn { kind: PlayerKind::Level(Level { method, noise, .. }), .. } = self.kind {
            play["level"] = match method {
                Method::Sample(moves) => json!({"moves": moves, "noise": noise}),
                Method::Search(playouts) => json!({"playouts": playouts, "noise": noise}),
            };
        }
        // Serialisation cannot fail here, because all keys are strings and all numbers are finite.
        let mut description = serde_json::to_value(self).unwrap_or_default();
        DESCRIBED.into_iter().for_each(|name| play[name] = description[name].take());
        play
    }
}

/// The checksums of an evaluator's two sets of weights, for small and for large boards.
fn checksums(evaluator: &Evaluator) -> [String; 2] {
    evaluator.weights().map(|weights| format!("{:016x}", weights.checksum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Json {
        serde_json::to_value(text.parse::<Entrant>().unwrap()).unwrap()
    }

    #[test]
    fn words_and_a_table_say_the_same() {
        for (text, table) in [
            (
                "'cmd:python3 \"my bot.py\" a=1' name=400 time=0.5 first_time=2 playouts=100 threads=2 \
                 option.Hash=16 option.Style=a=b",
                "spec = 'cmd:python3 \"my bot.py\" a=1'\nname = \"400\"\ntime = 0.5\nfirst_time = 2\n\
                 playouts = 100\nthreads = 2\noptions = [\"Hash=16\", \"Style=a=b\"]\n",
            ),
            ("tc=60+0.6 spec=quiver:endgame=0", "tc = \"60+0.6\"\nspec = \"quiver:endgame=0\""),
        ] {
            let read: Entrant = toml::from_str(table).unwrap();
            assert_eq!(words(text), serde_json::to_value(read).unwrap());
        }
    }

    #[test]
    fn a_game_clock_and_times_for_moves_exclude_each_other() {
        let timed = "time=1 first_time=3 playouts=5";
        for (each, own, both) in [
            ("tc=60+1 playouts=5 threads=2", "quiver time=1 threads=1", "quiver time=1 threads=1 playouts=5"),
            (timed, "quiver tc=60+1", "quiver tc=60+1 playouts=5"),
            (timed, "random first_time=4", "random first_time=4 time=1 playouts=5"),
        ] {
            let merged = own.parse::<Entrant>().unwrap().or(&each.parse().unwrap());
            assert_eq!(serde_json::to_value(merged).unwrap(), words(both), "{own}");
        }
    }
}
