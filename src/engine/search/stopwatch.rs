//! The clocks of a turn: wall time and CPU time.

use std::time::Duration;

use crate::platform::{Cpu, Instant};

/// Measures a turn by the larger of wall time and, if requested, CPU time.
///
/// Botzone limits both wall time and the CPU time of all threads. A match runner on a busy machine
/// measures only the CPU time of the player's thread.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    /// The start of wall time; `None` if wall time does not count.
    pub wall: Option<Instant>,
    /// The owner of the CPU time, and the CPU time that was used at the start; `None` if CPU time
    /// does not count.
    pub cpu: Option<(Cpu, Duration)>,
}

impl Stopwatch {
    /// Measures wall time from now on.
    pub fn wall() -> Stopwatch {
        Stopwatch { wall: Some(Instant::now()), cpu: None }
    }

    /// Measures only CPU time, from now on.
    pub fn cpu(owner: Cpu) -> Stopwatch {
        Stopwatch { wall: None, cpu: Some((owner, owner.now())) }
    }

    pub(super) fn is_wall(&self) -> bool {
        self.wall.is_some() && self.cpu.is_none()
    }

    /// The time spent so far.
    pub fn elapsed(&self) -> Duration {
        let wall = self.wall.map_or(Duration::ZERO, |start| start.elapsed());
        let cpu = self.cpu.map_or(Duration::ZERO, |(owner, used)| owner.now().saturating_sub(used));
        wall.max(cpu)
    }
}
