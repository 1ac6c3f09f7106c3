//! Everything that makes a bot what it is, as one value that can be written down.
//!
//! `quiver bot` makes it from its options; the program that `quiver package` embeds is given it as
//! JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::history::History;
use crate::players::PlayerKind;
use crate::search::{EngineOptions, Time};
use crate::{InputError, StartChoice};

/// The force of the board in a bot's settings. The first move of a history tells the board of its
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

/// The limits of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnLimits {
    /// Time for the first turn of the match: the one before which we have made no move.
    pub first: Option<Duration>,
    /// Time for every other turn.
    pub time: Option<Duration>,
    /// Playouts for every turn.
    pub playouts: Option<u64>,
}

impl TurnLimits {
    /// The time for a turn of the match, counted from 1, in which the judge may have named a limit
    /// itself.
    ///
    /// The judge's limit only ever lowers ours: it allows what the site allows, and ours is what
    /// this machine, this margin, this user wants used. Without a time of our own, playouts alone end
    /// a turn, and the judge's limit is ignored.
    pub(super) fn of_turn(&self, turn: usize, judge: Option<Duration>) -> Option<Time> {
        let own = if turn == 1 { self.first } else { self.time };
        own.map(|own| Time::PerMove(judge.map_or(own, |judge| own.min(judge))))
    }
}

/// A bot that has not started.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotSettings {
    /// The player that chooses the moves.
    pub player: PlayerKind,
    /// Squares along a side.
    pub board: usize,
    /// The force of that board.
    pub board_choice: BoardChoice,
    /// The owners of the start squares, where the history does not tell.
    pub start: StartChoice,
    /// The limits of a turn.
    pub limits: TurnLimits,
    /// True if the bot asks to be kept running after an answer.
    pub keep_running: bool,
    /// The settings of its engine. Written down without the evaluator's weights, which are then
    /// the shipped ones.
    #[serde(serialize_with = "write_engine", deserialize_with = "read_engine")]
    pub engine: EngineOptions,
    /// The opening book of the player `quiver` from the start of the board, as text; empty for none,
    /// `None` for the shipped ones.
    pub book: Option<String>,
    /// A file to log to.
    pub log: Option<PathBuf>,
}

impl BotSettings {
    /// The history of a match of this bot before its first ply.
    ///
    /// # Errors
    /// If the board has no start position.
    pub fn history(&self) -> Result<History, InputError> {
        History::new(self.board, self.board_choice == BoardChoice::Fixed, self.start)
            .map_err(|fault| InputError(format!("--board: {fault}")))
    }
}

/// The written form of [`EngineOptions`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEngine {
    memory: usize,
    seed: u64,
    threads: usize,
    /// The parameters that `--set` changed, by name.
    set: BTreeMap<String, f64>,
}

fn write_engine<S: Serializer>(options: &EngineOptions, to: S) -> Result<S::Ok, S::Error> {
    let EngineOptions { memory, seed, threads, .. } = *options;
    let set = options.overrides().map(|(name, value)| (name.to_owned(), value)).collect();
    WrittenEngine { memory, seed, threads, set }.serialize(to)
}

fn read_engine<'de, D: Deserializer<'de>>(from: D) -> Result<EngineOptions, D::Error> {
    let WrittenEngine { memory, seed, threads, set } = WrittenEngine::deserialize(from)?;
    let mut options = EngineOptions { memory, seed, threads, ..EngineOptions::default() };
    for (name, value) in &set {
        options.set(name, &value.to_string()).map_err(D::Error::custom)?;
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
            engine.set(name, &value.to_string()).unwrap();
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
    fn settings_survive_being_written_down() {
        let written = serde_json::to_string(&settings()).unwrap();
        let read: BotSettings = serde_json::from_str(&written).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), written);
        let EngineOptions { memory, seed, threads, .. } = read.engine;
        assert_eq!((memory, seed, threads), (1 << 20, u64::MAX, 3));
        let changed: Vec<_> = read.engine.overrides().collect();
        assert_eq!(changed, [("exploration", 0.1 + 0.2), ("playout_plies", 6.0), ("reuse", 0.0)]);
        for (good, bad) in [("seed", "sed"), ("exploration", "speed"), ("6.0", "6.5")] {
            assert!(serde_json::from_str::<BotSettings>(&written.replace(good, bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_first_turn_is_that_of_the_match_and_the_judge_only_lowers() {
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
