//! A player in one game: the interface between the referee and everything that chooses moves, the
//! conditions of games.

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

/// One player in one game; dropped when the game is over.
pub(super) trait Contestant {
    /// Its name and version, as far as it says them; bots of Botzone's forms do not.
    fn version(&self) -> String {
        String::new()
    }

    /// Chooses a move for the side to move, which has one.
    ///
    /// The player measures its own time, so that only its own work is charged. It reports a fault
    /// only if no answer comes at all; the referee decides whether an answer was late.
    ///
    /// # Errors
    /// If a program does not start that has started before: no fault of the player.
    fn turn(&mut self, game: &Game, budget: Budget) -> Result<TurnResult, LaunchError>;

    /// Ends a program that goes on after a turn. Returns the end of its standard error, now whole;
    /// `None` if the turn told it.
    fn finish(&mut self) -> Option<String> {
        None
    }

    /// False if it did not get ready for games: its first turn then says why.
    fn is_ready(&self) -> bool {
        true
    }
}

/// The fault of a player in a turn that brought no move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: {detail}")]
pub(crate) struct PlayerFault {
    pub reason: EndKind,
    pub detail: String,
    /// The six numbers that were answered, of [`EndKind::IllegalMove`].
    pub answered: Option<Coordinates>,
}

impl PlayerFault {
    pub(crate) fn new(reason: EndKind, detail: impl Into<String>) -> PlayerFault {
        PlayerFault { reason, detail: detail.into(), answered: None }
    }

    /// An answer that is not a move of the position.
    pub(super) fn illegal(answered: Coordinates, detail: impl Into<String>) -> PlayerFault {
        PlayerFault { answered: Some(answered), ..PlayerFault::new(EndKind::IllegalMove, detail) }
    }
}

/// The cause why a program cannot take part. All programs of a contest start once before its first
/// game, so a failure during a game is a failure of the machine and not of the player.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct LaunchError(pub String);

/// The time from a limit to Botzone's alarm, by the wall.
pub(crate) const ALARM: Duration = Duration::from_secs(1);

/// The conditions of all games; the same for all players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    pub clock: Clock,
    /// The time by which an answer may be over its limit before it loses.
    pub grace: Duration,
    /// Time to wait for a program past its limit, or for a sign of work where it has none; by
    /// default [`ALARM`] past a limit, and 60 seconds without.
    pub patience: Option<Duration>,
    /// True if a game ends once its winner is proven.
    pub adjudicate: bool,
    /// The number of times in a game that a crashed program is started again.
    pub restarts: usize,
    /// The judge's limit of memory, in bytes, where programs are measured: a bot is told it, the
    /// environment is as small as the judge's, and CPU time and memory are read in every turn.
    pub measured: Option<u64>,
}

impl Conditions {
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

/// The games in progress by number, each as far as it has been played.
pub type LiveGames = Mutex<BTreeMap<usize, GameRecord>>;

/// The way in which games are run, what ends them early, and what they share meanwhile. None of this
/// changes them.
#[derive(Debug, Default)]
pub(crate) struct RunOptions {
    pub concurrency: usize,
    /// The target of programs' standard error: a file for all, or a directory with a file for each
    /// game and player.
    pub log: Option<PathBuf>,
    pub live: Option<Arc<LiveGames>>,
    /// Ends every wait, and the whole contest.
    pub interrupt: StopHandle,
}

/// The settings of both players of a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameContext<'a> {
    pub conditions: Conditions,
    pub seed: u64,
    /// The number of the game in the contest, from which seeds follow.
    pub game: usize,
    /// Its place among the games to play, from 1; the number that people see.
    pub place: usize,
    /// 0 for the first player, 1 for the second.
    pub seat: usize,
    pub run: &'a RunOptions,
}

/// Marks players among the choices that follow from the contest's seed.
const PLAYER: u64 = 2;

impl<'a> GameContext<'a> {
    /// The settings of the first player in the first game.
    pub(crate) fn new(conditions: Conditions, seed: u64, run: &'a RunOptions) -> GameContext<'a> {
        GameContext { conditions, seed, game: 0, place: 1, seat: 0, run }
    }

    /// The seed of the player in this seat of this game.
    pub(super) fn player_seed(&self) -> u64 {
        mix(&[self.seed, PLAYER, self.game as u64, self.seat as u64])
    }
}

#[derive(Clone, Debug)]
pub(crate) struct TurnResult {
    /// The move, legal or not, or why there is none.
    pub answer: Result<Move, PlayerFault>,
    pub spent: Duration,
    /// The player's own facts; the time is `spent`.
    pub facts: TurnFacts,
    pub evidence: Option<Evidence>,
    /// The beginning of the output of a bot of Botzone's forms, and the bytes of its `debug`, `data`
    /// and `globaldata`.
    pub output: String,
    pub extras: [usize; 3],
    pub asks_to_be_kept: bool,
    pub usage: Usage,
}

impl TurnResult {
    /// A turn of which nothing else is known.
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

/// The resources that a program used in one exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub wall: Duration,
    /// CPU time of the process group since its last answer.
    pub cpu: Duration,
    /// The most memory that its processes have had resident since it started, in bytes.
    pub memory: u64,
    /// True if a process of its own outlived it.
    pub left_behind: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Budget {
    /// The time, on the clock of the match; with a game clock all that is left.
    pub(super) time: Option<Duration>,
    /// The game clocks before the turn.
    pub(super) clocks: [Option<TimeControl>; 2],
    pub(super) playouts: Option<u64>,
}

impl Budget {
    /// The rest of a turn after this time. The clocks stay those before the turn.
    pub(super) fn after(&self, spent: Duration) -> Budget {
        Budget { time: self.time.map(|time| time.saturating_sub(spent)), ..*self }
    }
}
