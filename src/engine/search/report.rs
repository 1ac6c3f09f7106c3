//! The result of a search, and a watch that gets it on the way.

use std::fmt;
use std::time::Duration;

use amazons::{Move, Side};

use crate::platform::Instant;

/// The result of one search, or its state while it runs.
///
/// ```
/// use quiver_engine::amazons::Position;
/// use quiver_engine::search::{Engine, EngineOptions, Limits};
///
/// let position = "Q2*1q/3*2 w".parse::<Position>().unwrap();
/// let options = EngineOptions { memory: 1 << 20, ..EngineOptions::default() };
/// let report = Engine::new(&options, &position).search(&Limits::playouts(1_000)).unwrap();
/// assert!(report.proven && report.value == 1.0);
/// assert_eq!(report.status(), "proven");
/// assert_eq!(report.ending.unwrap().to_string(), "decided: first player by 2");
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    /// The move to play.
    pub best: Move,
    /// The chance of winning after it for the side that moves, from 0 to 1; exactly 0 or 1 if
    /// proven.
    pub value: f64,
    /// The network's value of the position for the side that moves, from 0 to 1, without search;
    /// `None` where the search did not ask the network.
    pub network_value: Option<f64>,
    /// True if the value is proven.
    pub proven: bool,
    /// The proven end of the game, where the solver found it at the root.
    pub ending: Option<Ending>,
    /// The line that the search expects, the chosen move first.
    pub principal_variation: Vec<Move>,
    /// The most visited moves, most visited first; at most 20.
    pub candidates: Vec<Candidate>,
    /// Playouts of this search.
    pub playouts: u64,
    /// Playouts that ended at a leaf whose children another thread was just creating, and had the
    /// leaf's own value; 0 while the search runs.
    pub collisions: u64,
    /// Visits of the root that were already there when it began.
    pub reused: u64,
    /// Plies below the root of the deepest playout's leaf.
    pub depth: u32,
    /// Time on the turn's stopwatch when the search ended, or so far.
    pub time: Duration,
    /// The hard bound on that stopwatch: the limit less what is kept back. `None` without a clock.
    pub bound: Option<Duration>,
    /// Bytes of the tree in use at the end.
    pub memory: usize,
    /// The condition that ended the search; `None` while the search runs.
    pub stop: Option<StopReason>,
}

impl Report {
    /// The name of the condition that ended the search, or "searching" while the search runs.
    pub fn status(&self) -> &'static str {
        self.stop.map_or("searching", StopReason::name)
    }
}

/// A proven end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The winner.
    pub winner: Side,
    /// The difference of the moves that the sides have left where nothing is contested any more; 0
    /// if the side to move runs out of moves first.
    pub margin: Option<u32>,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.margin {
            Some(margin) => write!(f, "decided: {} player by {margin}", self.winner),
            None => write!(f, "decided: {} player", self.winner),
        }
    }
}

/// A full move as the root sees it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The move.
    pub played: Move,
    /// Playouts through it.
    pub visits: u64,
    /// The chance of winning after it for the side that moves, from 0 to 1.
    pub value: f64,
    /// The prior, from 0 to 1; over all full moves priors sum to 1.
    pub prior: f64,
    /// Its static value, from 0 to 1.
    pub static_value: f64,
    /// The line that the search expects if it is played, the move itself first.
    pub line: Vec<Move>,
    /// Playouts through each move of the line.
    pub line_visits: Vec<u64>,
}

/// The condition that ended a search.
///
/// ```
/// use quiver_engine::{Engine, EngineOptions, Limits, Position, Size, StopReason};
///
/// let start = Position::start(Size::square(8)?)?;
/// let mut engine = Engine::new(&EngineOptions { memory: 1 << 20, ..EngineOptions::default() }, &start);
/// let report = engine.search(&Limits::playouts(10)).expect("the first player has moves");
/// assert_eq!((report.stop, report.status()), (Some(StopReason::Playouts), "playouts"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// There was one full move only.
    OnlyMove,
    /// The winner is proven.
    Proven,
    /// The playouts were used up.
    Playouts,
    /// The time was used up.
    Time,
    /// Under a game clock: the fair share was used up, or more time would hardly change the move.
    Decided,
    /// The visit counters have reached their limit, about two billion playouts.
    Counters,
    /// A [`StopHandle`](super::StopHandle).
    Stopped,
}

impl StopReason {
    /// The name in reports and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::OnlyMove => "only move",
            StopReason::Proven => "proven",
            StopReason::Playouts => "playouts",
            StopReason::Time => "time",
            StopReason::Decided => "decided",
            StopReason::Counters => "counters",
            StopReason::Stopped => "stopped",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Calls a function with the state of a search at regular intervals.
pub struct Watch<'a> {
    next: Option<Instant>,
    pub(super) every: Duration,
    tell: &'a mut dyn FnMut(&Report),
}

impl<'a> Watch<'a> {
    /// Calls `tell` after each interval of wall time from now; never, if that is [`Duration::MAX`]. The
    /// search waits for the call.
    pub fn new(every: Duration, tell: &'a mut dyn FnMut(&Report)) -> Watch<'a> {
        Watch { next: Instant::now().checked_add(every), every, tell }
    }

    /// Calls the function with a report, if one is due.
    pub(super) fn look(&mut self, report: impl FnOnce() -> Option<Report>) {
        if self.next.is_none_or(|next| Instant::now() < next) {
            return;
        }
        if let Some(report) = report() {
            (self.tell)(&report);
        }
        self.next = Instant::now().checked_add(self.every);
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("every", &self.every).finish_non_exhaustive()
    }
}
