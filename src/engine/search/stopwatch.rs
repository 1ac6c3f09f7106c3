//! The clocks that a turn is measured by: wall time and CPU time.

use std::time::Duration;

use crate::platform::{Cpu, Instant};

/// Measures a turn as the larger of wall time and, if asked, CPU time.
///
/// Botzone limits both the CPU time of all threads and wall time; a match runner on a busy machine
/// measures the CPU time of the thread alone.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    /// Wall time counts from this moment; `None` if it does not count.
    pub wall: Option<Instant>,
    /// CPU time of its owner counts from when this much of it was used; `None` if it does not count.
    pub cpu: Option<(Cpu, Duration)>,
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
