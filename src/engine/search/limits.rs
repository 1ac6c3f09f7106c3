//! The limits of a search, the stopwatch that measures them, and the handle that stops a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::platform::{Cpu, Instant};

/// The time and the playouts that a search may use. Without limits, which is the default, a search
/// runs until the winner is proven or another thread stops it.
///
/// ```
/// use std::time::Duration;
/// use quiver_engine::search::{Limits, Time};
///
/// let fixed = Limits::playouts(10_000); // the same result on every machine
/// let move_time = Limits::per_move(Duration::from_millis(300));
/// assert_eq!(move_time.time, Some(Time::PerMove(Duration::from_millis(300))));
/// let bank = Time::Game { remaining: Duration::from_secs(60), increment: Duration::from_secs(1) };
/// let game = Limits { time: Some(bank), ..Limits::default() };
/// assert_eq!((fixed.time, move_time.playouts, game.playouts), (None, None, None));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The time control, measured by [`Limits::stopwatch`].
    pub time: Option<Time>,
    /// The number of playouts, which the search uses exactly unless another condition ends it.
    pub playouts: Option<u64>,
    /// A stopwatch that was started before the search; `None` to measure wall time from the start
    /// of the search.
    pub stopwatch: Option<Stopwatch>,
    /// The handle with which another thread ends the search.
    pub stop: StopHandle,
}

/// The time control of a player at the start of a turn.
///
/// ```
/// use std::time::Duration;
/// use quiver_engine::{Limits, Time};
///
/// let limits = Limits::per_move(Duration::from_millis(300));
/// assert_eq!(limits.time, Some(Time::PerMove(Duration::from_millis(300))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// A time limit for this move. A player that exceeds it loses.
    PerMove(Duration),
    /// A clock for the rest of the game, with an increment after each move.
    Game {
        /// The time left on the clock.
        remaining: Duration,
        /// The time added after each move.
        increment: Duration,
    },
}

impl Limits {
    /// A fixed number of playouts without a clock. With one thread, the result is always the same.
    pub fn playouts(playouts: u64) -> Limits {
        Limits { playouts: Some(playouts), ..Limits::default() }
    }

    /// A time limit for one move, measured by the wall clock.
    pub fn per_move(time: Duration) -> Limits {
        Limits { time: Some(Time::PerMove(time)), ..Limits::default() }
    }

    /// These limits with a running stopwatch, which starts now unless they already contain one.
    #[must_use]
    pub fn started(&self) -> Limits {
        Limits { stopwatch: Some(self.stopwatch.unwrap_or_else(Stopwatch::wall)), ..self.clone() }
    }

    /// The time used in this turn so far; zero if no stopwatch runs.
    pub fn elapsed(&self) -> Duration {
        self.stopwatch.map_or(Duration::ZERO, |stopwatch| stopwatch.elapsed())
    }

    /// True if the stopwatch has reached `bound`; false without a bound.
    pub(super) fn is_past(&self, bound: Option<Duration>) -> bool {
        bound.is_some_and(|bound| self.elapsed() >= bound)
    }
}

/// A running stopwatch for one turn. Its time is the larger of wall time and CPU time.
///
/// A bot measures both wall time and the CPU time of all threads, because Botzone limits both. A
/// match on a busy machine measures only the CPU time of the player's thread.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    /// The moment from which wall time is measured; `None` if wall time does not count.
    pub wall: Option<Instant>,
    /// The threads whose CPU time counts, and the CPU time that they had used at the start; `None`
    /// if CPU time does not count.
    pub cpu: Option<(Cpu, Duration)>,
}

impl Stopwatch {
    /// Starts a stopwatch that measures wall time.
    pub fn wall() -> Stopwatch {
        Stopwatch { wall: Some(Instant::now()), cpu: None }
    }

    /// Starts a stopwatch that measures only CPU time.
    pub fn cpu(owner: Cpu) -> Stopwatch {
        Stopwatch { wall: None, cpu: Some((owner, owner.now())) }
    }

    pub(super) fn is_wall(&self) -> bool {
        self.wall.is_some() && self.cpu.is_none()
    }

    /// The time since the start of the stopwatch.
    pub fn elapsed(&self) -> Duration {
        let wall = self.wall.map_or(Duration::ZERO, |start| start.elapsed());
        let cpu = self.cpu.map_or(Duration::ZERO, |(owner, used)| owner.now().saturating_sub(used));
        wall.max(cpu)
    }
}

/// Ends, from any thread, all running and later searches whose [`Limits`] contain the handle.
///
/// All accesses are relaxed, because no other data is published through the flag.
///
/// ```
/// use quiver_engine::{Engine, EngineOptions, Limits, Position, Size, StopHandle, StopReason};
///
/// let start = Position::start(Size::square(8)?)?;
/// let options = EngineOptions { memory: 1 << 20, ..EngineOptions::default() };
/// let mut engine = Engine::new(&options, &start);
/// let stop = StopHandle::default();
/// let limits = Limits { stop: stop.clone(), ..Limits::default() };
/// std::thread::spawn(move || stop.stop());
/// let report = engine.search(&limits).expect("the first player has moves");
/// assert_eq!(report.stop, Some(StopReason::Stopped));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopHandle(Arc<AtomicBool>);

impl StopHandle {
    /// Ends all searches whose limits contain this handle.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Undoes an earlier [`StopHandle::stop`], so that later searches run again.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// True if searches with this handle must end.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
