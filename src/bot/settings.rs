use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::history::History;
use crate::{InputError, StartChoice};
use quiver_engine::players::PlayerKind;
use quiver_engine::search::{EngineOptions, Time};

/// The action of a bot if the moves of a match show another board size than its settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BoardChoice {
    /// The default size. A match may have another size. If the bot moves first, so that no move
    /// shows the size, the bot warns that the user gave no size.
    Assumed,
    /// The user's size. A match may have another size.
    Preferred,
    /// The user's size. The bot rejects a match with another size.
    Fixed,
}

/// The limits on the time and the playouts of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnLimits {
    /// The time limit for the bot's first turn of the match.
    pub first: Option<Duration>,
    /// The time limit for every turn after the first.
    pub time: Option<Duration>,
    /// The largest number of playouts in a turn.
    pub playouts: Option<u64>,
}

impl TurnLimits {
    /// The time limit for turn number `turn` of the match, from 1. The judge's limit can only lower
    /// the bot's own limit, which is the time that the user wants to spend. A bot limited by
    /// playouts alone ignores the judge's limit.
    pub(super) fn of_turn(&self, turn: usize, judge: Option<Duration>) -> Option<Time> {
        let own = if turn == 1 { self.first } else { self.time };
        own.map(|own| Time::PerMove(judge.map_or(own, |judge| own.min(judge))))
    }
}

/// The settings of a bot.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotSettings {
    /// The player that chooses the moves.
    pub player: PlayerKind,
    /// The number of squares along a side of the board.
    pub board: usize,
    /// The action if the moves of a match show another board size than `board`.
    pub board_choice: BoardChoice,
    /// The start position on 10x10 that the bot assumes until the moves of the match show it.
    pub start: StartChoice,
    /// The limits on the time and the playouts of one turn.
    pub limits: TurnLimits,
    /// True if the bot asks the judge to keep it running after an answer.
    pub keep_running: bool,
    /// The settings of the engine. JSON leaves out the weights and networks, so settings read from
    /// JSON get the shipped weights and networks.
    #[serde(serialize_with = "write_engine", deserialize_with = "read_engine")]
    pub engine: EngineOptions,
    /// The text of an opening book for the player `quiver`. Empty for no book, `None` for the
    /// shipped books.
    pub book: Option<String>,
    /// The log file, if any.
    pub log: Option<PathBuf>,
}

impl BotSettings {
    /// The history of a new match.
    ///
    /// # Errors
    /// If the board has no start position.
    pub fn new_history(&self) -> Result<History, InputError> {
        History::new(self.board, self.board_choice == BoardChoice::Fixed, self.start)
            .map_err(|fault| InputError(format!("--board: {fault}")))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEngine {
    memory: usize,
    seed: u64,
    threads: usize,
    /// The search parameters whose values are not the default values, by name.
    set: BTreeMap<String, f64>,
}

fn write_engine<S: Serializer>(options: &EngineOptions, to: S) -> Result<S::Ok, S::Error> {
    let EngineOptions { memory, seed, threads, .. } = *options;
    let set = options.parameters.overrides().map(|(name, value)| (name.to_owned(), value)).collect();
    WrittenEngine { memory, seed, threads, set }.serialize(to)
}

fn read_engine<'de, D: Deserializer<'de>>(from: D) -> Result<EngineOptions, D::Error> {
    let WrittenEngine { memory, seed, threads, set } = WrittenEngine::deserialize(from)?;
    let mut options = EngineOptions { memory, seed, threads, ..EngineOptions::default() };
    for (name, value) in &set {
        options.parameters.set(name, &value.to_string()).map_err(D::Error::custom)?;
    }
    Ok(options)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    pub(crate) fn settings() -> BotSettings {
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
            book: Some("c1-c7/g7".into()),
            log: Some("data/bot.log".into()),
        }
    }

    #[test]
    fn settings_are_equal_after_json() {
        let written = serde_json::to_string(&settings()).unwrap();
        let read: BotSettings = serde_json::from_str(&written).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), written);
        let EngineOptions { memory, seed, threads, .. } = read.engine;
        assert_eq!((memory, seed, threads), (1 << 20, u64::MAX, 3));
        let changed: Vec<_> = read.engine.parameters.overrides().collect();
        assert_eq!(changed, [("exploration", 0.1 + 0.2), ("playout_plies", 6.0), ("reuse", 0.0)]);
        for (good, bad) in [("seed", "sed"), ("exploration", "speed"), ("6.0", "6.5")] {
            assert!(serde_json::from_str::<BotSettings>(&written.replace(good, bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn judge_only_lowers_time_limit() {
        let limits = TurnLimits { first: Some(2 * SECOND), time: Some(SECOND), playouts: None };
        for (turn, judge, expected) in [
            (1, None, 2 * SECOND),
            (2, None, SECOND),
            (1, Some(SECOND), SECOND),
            (2, Some(6 * SECOND), SECOND),
            (2, Some(SECOND / 2), SECOND / 2),
        ] {
            let time = limits.of_turn(turn, judge);
            assert_eq!(time, Some(Time::PerMove(expected)), "turn {turn}, {judge:?}");
        }
        let playouts = TurnLimits { first: None, time: None, playouts: Some(50) };
        assert_eq!(playouts.of_turn(1, Some(SECOND)), None);
    }
}
