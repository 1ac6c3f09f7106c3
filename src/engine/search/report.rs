use std::fmt;
use std::time::Duration;

use amazons::{Move, Side};

use crate::platform::Instant;

/// The result of a search, or the state of a search that still runs.
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
    /// The chosen move.
    pub best: Move,
    /// The mover's chance of winning after the chosen move, from 0 to 1; exactly 0 or 1 if proven.
    pub value: f64,
    /// The network's value of the position for the side to move, from 0 to 1; `None` if the search
    /// did not ask the network.
    pub network_value: Option<f64>,
    /// True if the value is proven.
    pub proven: bool,
    /// The result of the game, if the endgame solver has proven it at the root.
    pub ending: Option<Ending>,
    /// The moves that the search expects, beginning with the chosen move.
    pub principal_variation: Vec<Move>,
    /// The most visited moves, most visited first; at most 20.
    pub candidates: Vec<Candidate>,
    /// The number of playouts in this search.
    pub playouts: u64,
    /// The number of playouts that reached a leaf while another thread expanded it. These playouts
    /// used the leaf's value, not its best child's value. While the search runs, the number changes
    /// only when the search pauses to prune the tree.
    pub collisions: u64,
    /// The number of visits of the root that earlier searches made.
    pub reused: u64,
    /// The number of plies from the root to the deepest leaf.
    pub depth: u32,
    /// The time on the turn's stopwatch at the end of the search, or now if the search still runs.
    pub time: Duration,
    /// The time limit of the search minus a reserve for delays; `None` without a time control.
    pub bound: Option<Duration>,
    /// The size of the tree in bytes.
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

/// The result of the game, as proven by the endgame solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The winner.
    pub winner: Side,
    /// The number of moves by which the winner is ahead; `None` if the solver has not counted all
    /// moves exactly. 0 means that both sides have equally many moves, so the side to move loses.
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

/// A full move at the root with its results.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The move.
    pub played: Move,
    /// The number of playouts through this move.
    pub visits: u64,
    /// The chance of winning after this move for the side that plays it, from 0 to 1.
    pub value: f64,
    /// True if the value is proven. Unproven values may be 0 or 1 too.
    pub proven: bool,
    /// The prior of the move, from 0 to 1. The priors of all full moves sum to 1. A move that the
    /// endgame solver chose before the first playout has the prior 1.
    pub prior: f64,
    /// The static value of the position after the move for the side that plays it, from 0 to 1.
    pub static_value: f64,
    /// This move, and then the moves that the search expects after it.
    pub line: Vec<Move>,
    /// The number of playouts through each move of the line.
    pub line_visits: Vec<u64>,
}

/// The condition that ended a search.
///
/// ```
/// use quiver_engine::{Engine, EngineOptions, Limits, Position, Size, StopReason};
///
/// let start = Position::start(Size::square(8)?)?;
/// let options = EngineOptions { memory: 1 << 20, ..EngineOptions::default() };
/// let mut engine = Engine::new(&options, &start);
/// let report = engine.search(&Limits::playouts(10)).expect("the first player has moves");
/// assert_eq!((report.stop, report.status()), (Some(StopReason::Playouts), "playouts"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The side to move had only one legal full move.
    OnlyMove,
    /// The winner is proven.
    Proven,
    /// The search used all its playouts.
    Playouts,
    /// The search used all its time.
    Time,
    /// The search used its fair share of a game clock, or the best move was far enough ahead.
    Decided,
    /// The visit counters reached their limit of about two billion playouts.
    Counters,
    /// A [`StopHandle`](super::StopHandle) stopped the search.
    Stopped,
}

impl StopReason {
    /// The name of the condition in reports and in JSON.
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

/// Calls a function with the state of a running search at regular intervals.
pub struct Watch<'a> {
    next: Option<Instant>,
    pub(super) interval: Duration,
    callback: &'a mut dyn FnMut(&Report),
}

impl<'a> Watch<'a> {
    /// Calls `callback` after each interval of wall time, but never if the interval is
    /// [`Duration::MAX`]. The first interval begins now. The search waits while `callback` runs.
    pub fn new(interval: Duration, callback: &'a mut dyn FnMut(&Report)) -> Watch<'a> {
        Watch { next: Instant::now().checked_add(interval), interval, callback }
    }

    pub(super) fn report_if_due(&mut self, report: impl FnOnce() -> Option<Report>) {
        if self.next.is_none_or(|next| Instant::now() < next) {
            return;
        }
        if let Some(report) = report() {
            (self.callback)(&report);
        }
        self.next = Instant::now().checked_add(self.interval);
    }
}
