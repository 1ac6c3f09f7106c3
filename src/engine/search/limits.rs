//! Limits of a search: time, by wall clock and by CPU clock, playouts, and a stop from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// The time and playouts that a search may use. Without time and playouts, as by default, it runs
/// until the winner is proven or it is stopped. A clock runs from the moment the limits are made: make
/// them anew for each turn.
///
/// ```
/// use std::time::Duration;
/// use quiver_engine::search::{Limits, Time};
///
/// let fixed = Limits::playouts(10_000); // repeats on every machine
/// let move_time = Limits::per_move(Duration::from_millis(300));
/// assert_eq!(move_time.time, Some(Time::PerMove(Duration::from_millis(300))));
/// let bank = Time::Game { remaining: Duration::from_secs(60), increment: Duration::from_secs(1) };
/// let game = Limits { time: Some(bank), ..Limits::default() };
/// assert_eq!((fixed.time, move_time.playouts, game.playouts), (None, None, None));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Time, as [`Limits::stopwatch`] measures it.
    pub time: Option<Time>,
    /// Playouts; a search makes exactly this many unless another condition ends it.
    pub playouts: Option<u64>,
    /// Started at the beginning of the turn, which may be before the search.
    pub stopwatch: Stopwatch,
    /// Ends the search from outside.
    pub stop: StopHandle,
}

/// A time control, as it stands at the start of a turn.
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
    /// A limit for this move; being late loses.
    PerMove(Duration),
    /// A bank for the rest of the game, and what each move adds to it.
    Game {
        /// Time left on the clock.
        remaining: Duration,
        /// Added after each move.
        increment: Duration,
    },
}

impl Limits {
    /// A fixed number of playouts and no clock: the same search every time.
    pub fn playouts(playouts: u64) -> Limits {
        Limits { playouts: Some(playouts), ..Limits::default() }
    }

    /// A time for one move, by the wall, from now.
    pub fn per_move(time: Duration) -> Limits {
        Limits { time: Some(Time::PerMove(time)), ..Limits::default() }
    }
}

/// Ends the searches whose [`Limits`] have it, from any thread: those under way, and those that begin
/// later.
///
/// All accesses are relaxed: nothing else is published with the flag, it only has to be seen soon.
///
/// ```
/// use quiver_engine::{Engine, EngineOptions, Limits, Position, Size, StopHandle, StopReason};
///
/// let start = Position::start(Size::square(8)?)?;
/// let mut engine = Engine::new(&EngineOptions { memory: 1 << 20, ..EngineOptions::default() }, &start);
/// let stop = StopHandle::default();
/// let limits = Limits { stop: stop.clone(), ..Limits::default() };
/// std::thread::spawn(move || stop.stop());
/// let report = engine.search(&limits).expect("the first player has moves");
/// assert_eq!(report.stop, StopReason::Stopped);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopHandle(Arc<AtomicBool>);

impl StopHandle {
    /// Ends the searches.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Takes an earlier [`StopHandle::stop`] back.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// True if the searches are to end.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Measures a turn as the larger of wall time and, if asked, CPU time.
///
/// Botzone limits both the CPU time of all threads and wall time; a match runner on a busy machine
/// measures the CPU time of the thread alone.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    wall: Option<Instant>,
    cpu: Option<(Cpu, Duration)>,
}

/// The owner of the CPU time that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cpu {
    /// All threads of this process.
    Process,
    /// The calling thread: for players that share a process.
    Thread,
}

impl Cpu {
    /// CPU time used so far, since the process or thread began.
    pub fn now(self) -> Duration {
        let clock = match self {
            Cpu::Process => ClockId::ProcessCPUTime,
            Cpu::Thread => ClockId::ThreadCPUTime,
        };
        let time = clock_gettime(clock);
        // Both parts are within range by the kernel's own contract; a broken clock reads as no time
        // at all.
        Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
    }
}

/// Wall time from now.
impl Default for Stopwatch {
    fn default() -> Stopwatch {
        Stopwatch::wall()
    }
}

impl Stopwatch {
    /// Wall time from now.
    pub fn wall() -> Stopwatch {
        Stopwatch { wall: Some(Instant::now()), cpu: None }
    }

    /// CPU time from now, wall time ignored.
    pub fn cpu(whose: Cpu) -> Stopwatch {
        Stopwatch { wall: None, cpu: Some((whose, whose.now())) }
    }

    /// Wall time from `read`, and process CPU time from when `used` of it had gone; the larger
    /// counts.
    ///
    /// This is Botzone's turn: `read` is when the request was read, `used` the CPU time when the
    /// last answer was flushed, zero in a fresh process.
    pub fn turn(read: Instant, used: Duration) -> Stopwatch {
        Stopwatch { wall: Some(read), cpu: Some((Cpu::Process, used)) }
    }

    pub(super) fn is_wall(&self) -> bool {
        self.wall.is_some() && self.cpu.is_none()
    }

    /// The time spent so far.
    pub fn elapsed(&self) -> Duration {
        let wall = self.wall.map_or(Duration::ZERO, |start| start.elapsed());
        let cpu = self.cpu.map_or(Duration::ZERO, |(whose, used)| whose.now().saturating_sub(used));
        wall.max(cpu)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_turn_counts_cpu_time_since_the_last_answer_or_since_the_process_began() {
        let process = Cpu::Process.now();
        assert!(Stopwatch::turn(Instant::now(), Duration::ZERO).elapsed() >= process);
        let answered = Cpu::Process.now();
        while Cpu::Process.now() < answered + Duration::from_millis(20) {}
        assert!(Stopwatch::turn(Instant::now(), answered).elapsed() >= Duration::from_millis(20));
    }
}
