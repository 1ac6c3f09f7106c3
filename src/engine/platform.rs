//! The clocks of the platform: wall time on every system, CPU time where the system measures it.
//!
//! On `wasm32-unknown-unknown`, the program that embeds the engine provides the only clock: the
//! crate imports the function `milliseconds` of the module `quiver`. The function has no parameters
//! and returns the milliseconds since any fixed moment as a 64-bit floating-point number, as
//! JavaScript's `performance.now` does.

use std::sync::OnceLock;
use std::time::Duration;

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use embedder::Instant;

/// The threads whose CPU time a clock counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cpu {
    /// All threads of this process.
    Process,
    /// Only the calling thread, for players that share a process.
    Thread,
}

impl Cpu {
    /// The CPU time used since the process or thread began. If the system does not measure CPU
    /// time, returns the wall time since the first call.
    pub fn now(self) -> Duration {
        static BEGIN: OnceLock<Instant> = OnceLock::new();
        self.measured().unwrap_or_else(|| BEGIN.get_or_init(Instant::now).elapsed())
    }

    /// The CPU time of the process or thread since it began; `None` if the system measures none.
    pub fn measured(self) -> Option<Duration> {
        cpu_time(self)
    }
}

#[cfg(unix)]
fn cpu_time(owner: Cpu) -> Option<Duration> {
    use rustix::time::{ClockId, DynamicClockId, clock_gettime_dynamic};

    let clock = match owner {
        Cpu::Process => ClockId::ProcessCPUTime,
        Cpu::Thread => ClockId::ThreadCPUTime,
    };
    // In a sandbox, a process may be forbidden to read its CPU clocks.
    clock_gettime_dynamic(DynamicClockId::Known(clock)).ok()?.try_into().ok()
}

#[cfg(windows)]
fn cpu_time(owner: Cpu) -> Option<Duration> {
    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading as system;

    let [mut begin, mut end, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: `GetProcessTimes` and `GetThreadTimes` write only to the four variables. The handles
    // of the current process and thread are always valid.
    let read = unsafe {
        match owner {
            Cpu::Process => {
                let process = system::GetCurrentProcess();
                system::GetProcessTimes(process, &mut begin, &mut end, &mut kernel, &mut user)
            }
            Cpu::Thread => {
                let thread = system::GetCurrentThread();
                system::GetThreadTimes(thread, &mut begin, &mut end, &mut kernel, &mut user)
            }
        }
    };
    // A `FILETIME` counts units of 100 nanoseconds.
    let units = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    (read != 0).then(|| Duration::from_nanos(100 * (units(kernel) + units(user))))
}

#[cfg(not(any(unix, windows)))]
fn cpu_time(_owner: Cpu) -> Option<Duration> {
    None
}

/// The wall clock for WebAssembly. The program that embeds the engine provides the time.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod embedder {
    use std::ops::Add;
    use std::time::Duration;

    #[link(wasm_import_module = "quiver")]
    // SAFETY: the function only takes and returns numbers, and shares no memory with its caller.
    unsafe extern "C" {
        safe fn milliseconds() -> f64;
    }

    /// A moment in time on the wall clock.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        /// The current moment.
        pub fn now() -> Instant {
            // A time that is negative or NaN is an error of the embedding program, and counts as 0.
            Instant(Duration::try_from_secs_f64(milliseconds() / 1000.0).unwrap_or_default())
        }

        /// The wall time that has passed since this moment.
        pub fn elapsed(&self) -> Duration {
            Instant::now().0.saturating_sub(self.0)
        }

        /// The moment that is `time` earlier; `None` if it is before the zero of the clock.
        pub fn checked_sub(&self, time: Duration) -> Option<Instant> {
            self.0.checked_sub(time).map(Instant)
        }

        /// The moment that is `time` later; `None` on overflow.
        pub fn checked_add(&self, time: Duration) -> Option<Instant> {
            self.0.checked_add(time).map(Instant)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, time: Duration) -> Instant {
            Instant(self.0.saturating_add(time))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_clock_counts_one_thread_alone() {
        let [process, thread] = [Cpu::Process, Cpu::Thread].map(Cpu::now);
        std::thread::spawn(|| while Cpu::Thread.now() < Duration::from_millis(50) {}).join().unwrap();
        assert!(Cpu::Thread.now() - thread < Duration::from_millis(50));
        assert!(Cpu::Process.now() - process >= Duration::from_millis(50));
    }
}
