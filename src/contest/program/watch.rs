//! The clock beside an exchange: how long a program that has not answered is waited for.

use std::time::{Duration, Instant};

use crate::contest::contestant::{Clock, Conditions, Interrupt};
use crate::contest::fault::{Fault, Reason};

/// How long one wait may last before the interrupt is looked at again.
const SLICE: Duration = Duration::from_millis(100);

/// The least time between two looks at CPU times; each costs a reading of all of `/proc`.
const LOOK: Duration = Duration::from_millis(20);

/// How long an exchange may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait<'a> {
    /// The limit, on the clock of the conditions.
    pub(super) limit: Option<Duration>,
    /// The clock, and what is allowed beyond the limit.
    pub(super) conditions: Conditions,
    /// Ends every wait.
    pub(super) interrupt: Interrupt<'a>,
}

impl Wait<'_> {
    /// The limit with its grace.
    fn allowed(&self) -> Option<Duration> {
        self.limit.map(|limit| limit + self.conditions.grace)
    }

    /// What to make of a program that has not answered; `None`: wait on.
    fn verdict(&self, seen: &Seen) -> Option<Reason> {
        let patience = self.conditions.patience(self.limit.is_some());
        match (self.allowed(), self.conditions.clock) {
            (None, _) => (seen.idle >= patience).then_some(Reason::Stall),
            (Some(allowed), Clock::Wall) if seen.waited > allowed + patience => {
                Some(if seen.idle >= patience / 2 { Reason::Stall } else { Reason::Time })
            }
            (Some(allowed), Clock::Cpu) if seen.charge > allowed => Some(Reason::Time),
            // CPU time may come slowly on a busy machine: only idleness ends this wait.
            (Some(allowed), Clock::Cpu) if seen.waited > allowed + patience && seen.idle >= patience => {
                Some(Reason::Stall)
            }
            _ => None,
        }
    }
}

/// A program as a look finds it.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Wall time since the request.
    waited: Duration,
    /// CPU time since the request.
    charge: Duration,
    /// Wall time since it was last seen at work.
    idle: Duration,
}

/// Follows one exchange.
pub(super) struct Watch<'a> {
    wait: &'a Wait<'a>,
    begun: Instant,
    /// CPU time of the group when the exchange began.
    charged: Duration,
    next_look: Instant,
    /// When the group was last seen at work, and its CPU time then.
    active: Option<(Instant, Duration)>,
}

impl<'a> Watch<'a> {
    /// Begins with the request; `charged` is the CPU time that earlier exchanges have paid for.
    pub(super) fn new(charged: Duration, wait: &'a Wait<'a>) -> Watch<'a> {
        let begun = Instant::now();
        Watch { wait, begun, charged, next_look: begun, active: None }
    }

    /// Wall time since the request.
    pub(super) fn waited(&self) -> Duration {
        self.begun.elapsed()
    }

    /// How long to wait for news before the next [`Watch::look`].
    pub(super) fn until_next_look(&self) -> Duration {
        let left = match self.silent_until() {
            Some(limit) => limit.saturating_sub(self.waited()),
            None => self.next_look.saturating_duration_since(Instant::now()),
        };
        left.clamp(Duration::from_millis(1), SLICE)
    }

    /// By the wall nothing is of interest before the limit; CPU time must be followed all along.
    fn silent_until(&self) -> Option<Duration> {
        let by_wall = self.wait.conditions.clock == Clock::Wall;
        self.wait.allowed().filter(|&allowed| by_wall && self.waited() <= allowed)
    }

    /// Ends the wait where it has lasted long enough; `received` is how much of an answer there is.
    pub(super) fn look(&mut self, received: usize, cpu_time: impl Fn() -> Duration) -> Result<(), Fault> {
        if self.wait.interrupt.is_set() {
            return Err(Fault::new(Reason::Stall, "interrupted"));
        }
        let now = Instant::now();
        if self.silent_until().is_some() || now < self.next_look {
            return Ok(());
        }
        let used = cpu_time();
        // On a machine with many processes a look takes long, and is taken less often.
        self.next_look = now + LOOK.max(20 * now.elapsed());
        let (since, before) = *self.active.get_or_insert((now, used));
        // A twentieth of a core is work; less is a program that wakes up to see whether it has any.
        if used.saturating_sub(before) > (now - since) / 20 {
            self.active = Some((now, used));
        }
        let idle = self.active.map_or(Duration::ZERO, |(since, _)| now - since);
        let seen = Seen { waited: self.waited(), charge: used.saturating_sub(self.charged), idle };
        self.wait
            .verdict(&seen)
            .map_or(Ok(()), |reason| Err(Fault::new(reason, self.describe(&seen, received))))
    }

    fn describe(&self, seen: &Seen, received: usize) -> String {
        let answer = match received {
            0 => "no answer".to_owned(),
            bytes => format!("no end of an answer of {bytes} bytes so far"),
        };
        let limit = self.wait.limit.map_or(String::new(), |limit| {
            let clock = if self.wait.conditions.clock == Clock::Cpu { " CPU time" } else { "" };
            format!(" with a limit of {:.3} s{clock}", limit.as_secs_f64())
        });
        let Seen { waited, charge, idle } = seen;
        let work = match self.wait.conditions.clock {
            Clock::Cpu => format!(", {:.3} s of CPU time used", charge.as_secs_f64()),
            Clock::Wall => String::new(),
        };
        let (waited, idle) = (waited.as_secs_f64(), idle.as_secs_f64());
        format!("{answer} after {waited:.3} s{limit}{work}, idle for the last {idle:.3} s")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn work_and_idleness_are_told_apart() {
        let flag = AtomicBool::new(false);
        let verdict = |clock, limit_ms: Option<u64>, waited, charge, idle| {
            let ms = Duration::from_millis;
            let conditions = Conditions { clock, grace: ms(100), patience: Some(ms(1000)) };
            let wait = Wait { limit: limit_ms.map(ms), conditions, interrupt: Interrupt(&flag) };
            wait.verdict(&Seen { waited: ms(waited), charge: ms(charge), idle: ms(idle) })
        };
        // By the wall: the limit, its grace, then patience; who worked during that is late, who slept stalls.
        assert_eq!(verdict(Clock::Wall, Some(500), 1600, 1600, 0), None);
        assert_eq!(verdict(Clock::Wall, Some(500), 1601, 1600, 0), Some(Reason::Time));
        assert_eq!(verdict(Clock::Wall, Some(500), 1601, 0, 1000), Some(Reason::Stall));
        // By CPU time: the wall counts for the idle only.
        assert_eq!(verdict(Clock::Cpu, Some(500), 9000, 600, 0), None);
        assert_eq!(verdict(Clock::Cpu, Some(500), 700, 601, 0), Some(Reason::Time));
        assert_eq!(verdict(Clock::Cpu, Some(500), 1601, 10, 999), None);
        assert_eq!(verdict(Clock::Cpu, Some(500), 1601, 10, 1000), Some(Reason::Stall));
        // Without a limit whoever works is waited for.
        assert_eq!(verdict(Clock::Wall, None, 90_000, 90_000, 999), None);
        assert_eq!(verdict(Clock::Wall, None, 1000, 0, 1000), Some(Reason::Stall));
    }
}
