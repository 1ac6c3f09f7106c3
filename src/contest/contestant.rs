//! The interface between the referee and a player in one game, and the rules that all games share.

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

/// A player in one game. The referee drops this value when the game is over.
pub(super) trait Contestant {
    /// The name and version that the player reports. Empty for a Botzone bot, which reports none.
    fn version(&self) -> String {
        String::new()
    }

    /// Chooses a move for the side to move, which has at least one legal move.
    ///
    /// The implementation measures the player's thinking time, without the referee's own work. The
    /// result has either a move or a fault. The referee decides if a move is too late.
    ///
    /// # Errors
    /// If the player's program fails to start in this turn. The player does not lose by this.
    fn turn(&mut self, game: &Game, budget: Budget) -> Result<TurnResult, LaunchError>;

    /// Ends the player's program if it is still running. Returns the last part of its standard
    /// error, or `None` if the result of the last turn already contains this part.
    fn end_program(&mut self) -> Option<String> {
        None
    }

    /// The names of the options that the user set but the player's program lacks. If the program
    /// did not get ready, returns `Err` with the fault that the player's first turn will return.
    fn readiness(&self) -> Result<&[String], &PlayerFault> {
        Ok(&[])
    }
}

/// The reason why a player's turn has no valid move, such as a crash or an illegal move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: {detail}")]
pub(crate) struct PlayerFault {
    pub reason: EndKind,
    pub detail: String,
    /// The coordinates that the player answered, if the reason is [`EndKind::IllegalMove`].
    pub answered: Option<Coordinates>,
}

impl PlayerFault {
    pub(crate) fn new(reason: EndKind, detail: impl Into<String>) -> PlayerFault {
        PlayerFault { reason, detail: detail.into(), answered: None }
    }

    pub(super) fn illegal(answered: Coordinates, detail: impl Into<String>) -> PlayerFault {
        PlayerFault { answered: Some(answered), ..PlayerFault::new(EndKind::IllegalMove, detail) }
    }
}

/// The error message for a program that cannot be started. The player does not lose the game by
/// this error, because a test before the contest has shown that every program can be started.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct LaunchError(pub String);

/// The wall time by which a bot may exceed its time limit before Botzone kills the bot.
pub(crate) const KILL_DELAY: Duration = Duration::from_secs(1);

/// The rules of time, restarts and adjudication for all games of a contest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GameConditions {
    pub clock: Clock,
    /// The time by which an answer may exceed its time limit before the player loses.
    pub grace: Duration,
    /// The time for which the referee waits for a late answer after the time limit and `grace` are
    /// over. `None` means [`KILL_DELAY`]. In a turn without a time limit, the referee waits while a
    /// program works: `patience` limits the time without work, and `None` means 60 seconds.
    pub patience: Option<Duration>,
    /// True if the referee ends a game when the endgame solver has proven its winner.
    pub adjudicate: bool,
    /// The number of times in one game that a player's program may be restarted after a crash.
    pub restarts: usize,
    /// The memory limit, in bytes, in requests to a Botzone bot if the user gives the bot no limit.
    /// With `Some`, the referee also measures CPU time and memory of programs in every turn.
    pub default_memory_limit: Option<u64>,
}

impl GameConditions {
    /// True if the referee measures CPU time and memory of programs in every turn.
    pub(super) fn measures_usage(&self) -> bool {
        self.default_memory_limit.is_some()
    }

    pub(super) fn patience(&self, limited: bool) -> Duration {
        self.patience.unwrap_or(if limited { KILL_DELAY } else { Duration::from_secs(60) })
    }
}

/// Whether clocks measure wall time or CPU time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Clock {
    /// Wall time
    #[default]
    Wall,
    /// CPU time: of the player's thread for built-in players, of the process group for programs
    Cpu,
}

/// The games in progress. The key is the number of the game in the contest.
pub type LiveGames = Mutex<BTreeMap<usize, GameRecord>>;

/// Options for running a contest. They have no effect on the moves of its games.
#[derive(Debug, Default)]
pub(crate) struct RunOptions {
    pub concurrency: usize,
    /// The log of the standard error of programs: a file for all programs, or a directory that gets
    /// a file for each game and player.
    pub log: Option<PathBuf>,
    /// The map in which the games in progress are stored, if a web page shows them.
    pub live: Option<Arc<LiveGames>>,
    /// A handle that ends the contest early. It stops every search and every wait for a program.
    pub interrupt: StopHandle,
}

/// The data of one game that its players need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameContext<'a> {
    pub conditions: GameConditions,
    pub seed: u64,
    /// The number of the game in the contest, from which the seeds of its players are derived.
    pub game: usize,
    /// The number that users see for this game: its position in the schedule, from 1.
    pub place: usize,
    /// 0 for the player that moves first in the game, 1 for its opponent.
    pub seat: usize,
    pub run: &'a RunOptions,
}

/// A constant that makes the seeds of players differ from the other random seeds of a contest.
const PLAYER_STREAM: u64 = 2;

impl<'a> GameContext<'a> {
    pub(crate) fn new(conditions: GameConditions, seed: u64, run: &'a RunOptions) -> GameContext<'a> {
        GameContext { conditions, seed, game: 0, place: 1, seat: 0, run }
    }

    pub(super) fn player_seed(&self) -> u64 {
        mix(&[self.seed, PLAYER_STREAM, self.game as u64, self.seat as u64])
    }
}

/// A player's answer in one turn, before the referee has checked the move and the time.
#[derive(Clone, Debug)]
pub(crate) struct TurnResult {
    pub answer: Result<Move, PlayerFault>,
    pub spent: Duration,
    pub facts: TurnFacts,
    pub evidence: Option<Evidence>,
    /// The first part of a Botzone bot's output in this turn. Empty for other players.
    pub output: String,
    /// The sizes in bytes of the fields `debug`, `data` and `globaldata` in a Botzone bot's answer.
    pub extras: [usize; 3],
    pub asks_to_be_kept: bool,
    pub usage: Usage,
}

impl TurnResult {
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
    pub cpu: Duration,
    /// The peak resident memory of the program's processes since its start, in bytes.
    pub memory: u64,
    /// True if a process that the program had started was still running after the program's end.
    pub left_behind: bool,
}

/// The limits of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Budget {
    /// The time limit of the turn. With a game clock, it is all the time that the player has left.
    pub(super) time: Option<Duration>,
    /// The game clocks of the first and the second player before the turn.
    pub(super) clocks: [Option<TimeControl>; 2],
    pub(super) playouts: Option<u64>,
}
