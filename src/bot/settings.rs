//! Everything that makes a bot what it is, as one value that can be written down.
//!
//! `quiver bot` makes it from its options; the program that `quiver package` embeds is given it as
//! JSON.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::clock::TurnLimits;
use crate::players::{EngineOptions, PlayerKind};

/// The treatment of the two readings of the 10x10 start position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StartChoice {
    /// The judge's formula, unless the history is legal under the left start only.
    #[default]
    Formula,
    /// The left start, unless the history is legal under the formula only.
    Left,
    /// As the formula, but until the history proves one of them play nothing that is illegal under
    /// either.
    Auto,
}

/// How binding the board of a bot's settings is. The first move of a history tells the board of its
/// match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BoardChoice {
    /// The user named no board. The bot follows a history of another board; where it moves first,
    /// it warns that it had to assume.
    Assumed,
    /// The board where the history does not tell. The bot follows a history of another board.
    Preferred,
    /// The only board: the bot refuses a history of another one.
    Fixed,
}

/// A bot that has not started.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotSettings {
    /// The player that chooses the moves.
    pub player: PlayerKind,
    /// Squares along a side.
    pub board: usize,
    /// How binding that board is.
    pub board_choice: BoardChoice,
    /// The owners of the start squares, where the history does not tell.
    pub start: StartChoice,
    /// The limits of a turn.
    pub limits: TurnLimits,
    /// True if the bot asks to be kept running after an answer.
    pub keep_running: bool,
    /// The settings of its engine. Written down without the evaluator's weights, which are then
    /// the shipped ones.
    #[serde(with = "engine_options")]
    pub engine: EngineOptions,
    /// A file to log to.
    pub log: Option<PathBuf>,
}

/// The written form of [`EngineOptions`].
mod engine_options {
    use std::collections::BTreeMap;

    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::players::EngineOptions;

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Written {
        memory: usize,
        seed: u64,
        threads: usize,
        /// The parameters that `--set` changed, by name.
        set: BTreeMap<String, f64>,
    }

    pub(super) fn serialize<S: Serializer>(options: &EngineOptions, to: S) -> Result<S::Ok, S::Error> {
        let EngineOptions { memory, seed, threads, .. } = *options;
        let set = options.parameters.chosen().map(|(name, value)| (name.to_owned(), value)).collect();
        Written { memory, seed, threads, set }.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<EngineOptions, D::Error> {
        let Written { memory, seed, threads, set } = Written::deserialize(from)?;
        let mut options = EngineOptions { memory, seed, threads, ..EngineOptions::default() };
        for (name, value) in &set {
            options.parameters.set(name, &value.to_string()).map_err(D::Error::custom)?;
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn settings() -> BotSettings {
        let mut engine =
            EngineOptions { memory: 1 << 20, seed: u64::MAX, threads: 3, ..EngineOptions::default() };
        for (name, value) in [("exploration", 0.1 + 0.2), ("playout_plies", 6.0), ("reuse", 0.0)] {
            engine.parameters.set(name, &value.to_string()).unwrap();
        }
        BotSettings {
            player: PlayerKind::Quiver,
            board: 8,
            board_choice: BoardChoice::Preferred,
            start: StartChoice::Auto,
            limits: TurnLimits { first: None, time: Some(Duration::from_millis(250)), playouts: Some(7) },
            keep_running: true,
            engine,
            log: Some("data/bot.log".into()),
        }
    }

    #[test]
    fn settings_survive_being_written_down() {
        let written = serde_json::to_string(&settings()).unwrap();
        let read: BotSettings = serde_json::from_str(&written).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), written);
        let EngineOptions { memory, seed, threads, .. } = read.engine;
        assert_eq!((memory, seed, threads), (1 << 20, u64::MAX, 3));
        let changed: Vec<_> = read.engine.parameters.chosen().collect();
        assert_eq!(changed, [("exploration", 0.1 + 0.2), ("playout_plies", 6.0), ("reuse", 0.0)]);
        for (good, bad) in [("seed", "sed"), ("exploration", "speed"), ("6.0", "6.5")] {
            assert!(serde_json::from_str::<BotSettings>(&written.replace(good, bad)).is_err(), "{bad}");
        }
    }
}
