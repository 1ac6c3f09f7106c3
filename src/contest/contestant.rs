//! The interface between the referee and a player in one game, and the conditions of games.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use amazons::Move;
use amazons::hash::mix;
use parking_lot::Mutex;
use quiver_bot::Coordinates;

use super::game_clock::TimeControl;
use super::{Evidence, GameRecord};
use crate::games::{EndKind, Game, TurnFacts};
use crate::search::StopHandle;

/// A player in one game. It is dropped when the game is over.
pub(super) trait Contestant {
    /// The name and version that the player tells; empty if it tells none, as Botzone bots do.
    fn version(&self) -> String {
        String::new()
    }

    /// Chooses a move for the side to move, which has at least one legal move.
    ///
    /// The implementation measures the time of the turn, so that only the player's work counts. It
    /// reports a fault only if there is no answer; the referee decides whether an answer was late.
    ///
    /// # Errors
    /// If a program does not start although it has started before. This is no fault of the player.
    fn turn(&mut self, game: &Game, budget: Budget) -> Result<TurnResult, LaunchError>;

    /// Ends a program that still runs after a turn. Returns the end of its standard error; `None`
    /// if the turn's result already has all of it.
    fn finish(&mut self) -> Option<String> {
        None
    }

    /// False if the player did not get ready for the game. Its first turn then returns the fault.
    fn is_ready(&self) -> bool {
        true
    }
}

/// The fault of a player in a turn without a valid move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: {detail}")]
pub(crate) struct PlayerFault {
    pub reason: EndKind,
    pub detail: String,
    /// The six numbers of the player's answer, for an [`EndKind::IllegalMove`].
    pub answered: Option<Coordinates>,
}

impl PlayerFault {
    pub(crate) fn new(reason: EndKind, detail: impl Into<String>) -> PlayerFault {
        PlayerFault { reason, detail: detail.into(), answered: None }
    }

    /// The fault of an answer that is not a legal move of the position.
    pub(super) fn illegal(answered: Coordinates, detail: impl Into<String>) -> PlayerFault {
        PlayerFault { answered: Some(answered), ..PlayerFault::new(EndKind::IllegalMove, detail) }
    }
}

/// The error of a program that could not be started. All programs of a contest start once before
/// its first game, so a failure during a game is a failure of the machine and not of the player.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct LaunchError(pub String);

/// The wall time after a limit at which Botzone kills a bot.
pub(crate) const ALARM: Duration = Duration::from_secs(1);

/// The rules of time, restarts and adjudication, which hold for all games and players of a contest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GameConditions {
    pub clock: Clock,
    /// The time by which an answer may exceed its limit without losing the game.
    pub grace: Duration,
    /// The time to wait for an answer after the limit, or, without a limit, while the program does
    /// no work. `None` means [`ALARM`] after a limit and 60 seconds without one.
    pub patience: Option<Duration>,
    /// True if a game ends once its winner is proven.
    pub adjudicate: bool,
    /// The most restarts of a crashed program in a game.
    pub restarts: usize,
    /// The judge's memory limit, in bytes, if programs are measured as on Botzone: requests tell it
    /// to a bot, and CPU time and memory are read in every turn.
    pub measured: Option<u64>,
}

impl GameConditions {
    pub(super) fn patience(&self, limited: bool) -> Duration {
        self.patience.unwrap_or(if limited { ALARM } else { Duration::from_secs(60) })
    }
}

/// The time that a clock counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Clock {
    /// Wall time
    #[default]
    Wall,
    /// CPU time: the thread's for built-in players, the process group's for programs
    Cpu,
}

/// The games in progress, by number.
pub type LiveGames = Mutex<BTreeMap<usize, GameRecord>>;

/// Options of running games that do not change the games.
#[derive(Debug, Default)]
pub(crate) struct RunOptions {
    pub concurrency: usize,
    /// The log of the standard error of programs: a file for all programs, or a directory that gets
    /// a file for each game and player.
    pub log: Option<PathBuf>,
    /// The map to which games in progress are published, if anybody watches.
    pub live: Option<Arc<LiveGames>>,
    /// Stops every search and wait, and so the whole contest.
    pub interrupt: StopHandle,
}

/// The data of one game that its players need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameContext<'a> {
    pub conditions: GameConditions,
    pub seed: u64,
    /// The number of the game in the contest, from which its seeds derive.
    pub game: usize,
    /// The place of the game among the games to play, from 1, which is shown to people.
    pub place: usize,
    /// 0 for the first player, 1 for the second.
    pub seat: usize,
    pub run: &'a RunOptions,
}

/// Distinguishes the seeds of players from other random choices that derive from the contest's
/// seed.
const PLAYER_STREAM: u64 = 2;

impl<'a> GameContext<'a> {
    /// The context of the first player in the first game.
    pub(crate) fn new(conditions: GameConditions, seed: u64, run: &'a RunOptions) -> GameContext<'a> {
        GameContext { conditions, seed, game: 0, place: 1, seat: 0, run }
    }

    /// The seed of the player in this seat of this game.
    pub(super) fn player_seed(&self) -> u64 {
        mix(&[self.seed, PLAYER_STREAM, self.game as u64, self.seat as u64])
    }
}

/// The outcome of one turn of a player, before the referee has checked it.
#[derive(Clone, Debug)]
pub(crate) struct TurnResult {
    /// The move, which may be illegal, or the fault if there is no move.
    pub answer: Result<Move, PlayerFault>,
    pub spent: Duration,
    /// Value, playouts and other data that the player tells about its move.
    pub facts: TurnFacts,
    pub evidence: Option<Evidence>,
    /// The beginning of the output of a Botzone bot; empty for other players.
    pub output: String,
    /// The sizes of the bot's `debug`, `data` and `globaldata`, in bytes.
    pub extras: [usize; 3],
    pub asks_to_be_kept: bool,
    pub usage: Usage,
}

impl TurnResult {
    /// A turn with this answer and time, and no other data.
    pub(super) fn new(answer: Result<Move, PlayerFault>, spent: Duration) -> TurnResult {
        TurnResult {
            answer,
            spent,
            facts: TurnFacts::default(),
            evidence: None,
            output: String::new(),
            extras: [0; 3],
            asks_to_be_kept: false,
            usage: Usage::default(),
        }
    }
}

/// The resources that a program used for one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub wall: Duration,
    /// CPU time of the process group since its last answer.
    pub cpu: Duration,
    /// The peak resident memory of the program's processes since it started, in bytes.
    pub memory: u64,
    /// True if another process of the program still ran after the program had ended.
    pub left_behind: bool,
}

/// The limits of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Budget {
    /// The time of the turn; with a game clock, all the time left on it.
    pub(super) time: Option<Duration>,
    /// The game clocks before the turn.
    pub(super) clocks: [Option<TimeControl>; 2],
    pub(super) playouts: Option<u64>,
}

impl Budget {
    /// The limits for the rest of a turn after this time. The game clocks stay as before the turn.
    pub(super) fn after(&self, spent: Duration) -> Budget {
        Budget { time: self.time.map(|time| time.saturating_sub(spent)), ..*self }
    }
}
