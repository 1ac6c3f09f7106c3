use std::time::Duration;

use crate::platform::{Cpu, Instant};

/// A running stopwatch for one turn. Its time is the larger of wall time and CPU time.
///
/// Botzone limits both wall time and the CPU time of all threads. A match runner on a busy machine
/// measures only the CPU time of the player's thread.
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
