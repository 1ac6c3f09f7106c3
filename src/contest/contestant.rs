//! A player in one game: the interface between the referee and everything that chooses moves.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::fault::{Evidence, LaunchError, PlayerFault};
use super::game_clock::{GameClock, TimeControl};
use super::live::LiveGames;
use crate::game::{FullMove, Game};
use crate::players::StopHandle;

/// One player in one game; dropped when the game is over.
pub(super) trait Contestant {
    /// Its name and version, as far as it says them.
    fn version(&self) -> String;

    /// Chooses a move for the side to move, which has one.
    ///
    /// The player measures its own time, so that only its own work is charged. It reports a fault
    /// only if no answer comes at all; the referee decides whether an answer was late.
    ///
    /// # Errors
    /// If a program does not start that has started before: no fault of the player.
    fn turn(&mut self, game: &Game, budget: Budget) -> Result<TurnResult, LaunchError>;

    /// True if its next turn has a new process after a crash.
    fn starts_afresh(&self) -> bool {
        false
    }
}

/// The runner's settings for both players of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameContext<'a> {
    /// The clock, and how strictly the referee applies it.
    pub(super) conditions: Conditions,
    /// The target of programs' standard error: a file for all, or a directory with a file for each
    /// game and player.
    pub(super) log: Option<&'a PathBuf>,
    pub(super) game: usize,
    /// 0 for the first player, 1 for the second.
    pub(super) seat: usize,
    /// Ends every wait, and the whole contest.
    pub(super) interrupt: &'a AtomicBool,
    /// The list in which built-in players register the handles that stop their searches.
    pub(super) searches: &'a RunningSearches,
    /// The games in progress, for a page that shows them.
    pub(super) live: Option<&'a LiveGames>,
}

impl<'a> GameContext<'a> {
    /// The context of a game that is not logged and not shown.
    pub(super) fn new(
        conditions: Conditions,
        interrupt: &'a AtomicBool,
        searches: &'a RunningSearches,
    ) -> GameContext<'a> {
        GameContext { conditions, log: None, game: 0, seat: 0, interrupt, searches, live: None }
    }

    pub(super) fn is_interrupted(&self) -> bool {
        // Nothing else is published with the flag: it only has to be seen soon.
        self.interrupt.load(Ordering::Relaxed)
    }
}

/// The result of one turn.
#[derive(Clone, Debug)]
pub(super) struct TurnResult {
    /// The move, legal or not, or why there is none.
    pub(super) answer: Result<FullMove, PlayerFault>,
    pub(super) spent: Duration,
    /// The player's idea of its chance to win, in [0,1].
    pub(super) value: Option<f64>,
    pub(super) proven: bool,
    /// Playouts or nodes.
    pub(super) playouts: Option<u64>,
    pub(super) evidence: Option<Evidence>,
    /// Of a program that is measured.
    pub(super) observation: Option<Observation>,
}

impl TurnResult {
    /// A turn of which nothing else is known.
    pub(super) fn new(answer: Result<FullMove, PlayerFault>, spent: Duration) -> TurnResult {
        TurnResult {
            answer,
            spent,
            value: None,
            proven: false,
            playouts: None,
            evidence: None,
            observation: None,
        }
    }
}

/// The resources and the output of a measured program in one turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Observation {
    pub(super) usage: Usage,
    /// Its output, as far as it came.
    pub(super) output: String,
    /// Bytes of `debug`, `data` and `globaldata`.
    pub(super) extras: [usize; 3],
    pub(super) asks_to_be_kept: bool,
}

/// The resources that a program used in one exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) wall: Duration,
    /// CPU time of the process group since its last answer.
    pub(super) cpu: Duration,
    /// The most memory that its processes have had resident since it started, in bytes.
    pub(super) memory: u64,
    /// The same before this exchange.
    pub(super) memory_before: u64,
    /// True if a process of its own outlived it.
    pub(super) left_behind: bool,
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

/// The limits of a player's turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Allowance {
    /// Time, on the clock of the match.
    pub time: Option<Duration>,
    /// Time for a player's first turn of a game, where it differs.
    pub first_time: Option<Duration>,
    /// A game clock, instead of time for each turn.
    pub control: Option<TimeControl>,
    /// Playouts, for players that can count them.
    pub playouts: Option<u64>,
}

/// The limits of one turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Budget {
    /// Time, on the clock of the match; with a game clock all that is left.
    pub(super) time: Option<Duration>,
    /// The game clocks of the first and the second player, where they have one.
    pub(super) clocks: [Option<GameClock>; 2],
    /// Playouts, for players that can count them.
    pub(super) playouts: Option<u64>,
}

impl Allowance {
    /// The allowance for a turn of `seat`, the player's first of the game or a later one.
    pub(super) fn budget(&self, first_turn: bool, clocks: [Option<GameClock>; 2], seat: usize) -> Budget {
        let time = if first_turn { self.first_time.or(self.time) } else { self.time };
        Budget { time: clocks[seat].map(|clock| clock.left).or(time), clocks, playouts: self.playouts }
    }
}

/// The conditions of all games; the same for all players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    pub clock: Clock,
    /// The time by which an answer may be over its limit before it loses.
    pub grace: Duration,
    /// How long to wait for a program past its limit, or for a sign of work where it has none; by
    /// default 1 second past a limit, which is Botzone's alarm, and 60 without.
    pub patience: Option<Duration>,
    /// True if a game ends once its winner is proven.
    pub adjudicate: bool,
    /// The number of times in a game that a crashed program is started again.
    pub restarts: usize,
    /// True if CPU time and memory of programs are read in every turn, whatever the clock.
    pub measured: bool,
}

impl Budget {
    /// The rest of a turn of `seat` after this time.
    pub(super) fn after(&self, spent: Duration, seat: usize) -> Budget {
        let mut left = *self;
        left.time = self.time.map(|time| time.saturating_sub(spent));
        if let Some(clock) = &mut left.clocks[seat] {
            clock.left = clock.left.saturating_sub(spent);
        }
        left
    }
}

impl Conditions {
    /// The time to wait past a limit, or without one.
    pub(super) fn patience(&self, limited: bool) -> Duration {
        self.patience.unwrap_or(Duration::from_secs(if limited { 1 } else { 60 }))
    }
}

/// The searches of built-in players, by game and seat: an interrupt ends those in progress.
#[derive(Debug, Default)]
pub(super) struct RunningSearches(Mutex<BTreeMap<(usize, usize), StopHandle>>);

impl RunningSearches {
    pub(super) fn add(&self, place: (usize, usize), handle: StopHandle) {
        self.0.lock().insert(place, handle);
    }

    /// Removes the search of a player whose game has ended.
    pub(super) fn remove(&self, place: (usize, usize)) {
        self.0.lock().remove(&place);
    }

    pub(super) fn stop(&self) {
        self.0.lock().values().for_each(StopHandle::stop);
    }
}
