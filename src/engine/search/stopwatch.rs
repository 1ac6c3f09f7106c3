//! The clocks that a turn is measured by: wall time and CPU time.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

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
