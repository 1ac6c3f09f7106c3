//! Decides how long to wait for the answer of a program, and which fault a missing answer is.

use std::time::{Duration, Instant};

use super::group::ProcessGroup;
use super::processes::ProcessSnapshot;
use crate::contest::contestant::{Clock, GameConditions, GameContext, PlayerFault};
use crate::games::EndKind;

/// The time that a program has for an answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// The limit of a turn, if it has one, on the clock of the contest.
    Turn(Option<Duration>),
    /// The limits of a reply outside a turn: in all, and without work by the program.
    Reply { most: Duration, idle: Duration },
}

/// The longest wait before the interrupt is checked again.
const MAX_WAIT: Duration = Duration::from_millis(100);

/// The shortest time between two readings of CPU times, each of which reads all of `/proc`.
const SNAPSHOT_INTERVAL: Duration = Duration::from_millis(20);

/// The fault of a program that has not answered, given the wall time since the request, the CPU
/// time used for it, and the time for which the program has been idle. `None` while there is time
/// left.
fn fault_after(
    limit: Limit,
    conditions: GameConditions,
    [waited, charge, idle]: [Duration; 3],
) -> Option<EndKind> {
    let limit = match limit {
        Limit::Turn(limit) => limit,
        Limit::Reply { most, idle: most_idle } => {
            return (waited > most || idle >= most_idle).then_some(EndKind::Stall);
        }
    };
    let patience = conditions.patience(limit.is_some());
    match (limit.map(|limit| limit + conditions.grace), conditions.clock) {
        (None, _) => (idle >= patience).then_some(EndKind::Stall),
        (Some(allowed), Clock::Wall) if waited > allowed + patience => {
            Some(if idle >= patience / 2 { EndKind::Stall } else { EndKind::Time })
        }
        (Some(allowed), Clock::Cpu) if charge > allowed => Some(EndKind::Time),
        // On a busy machine a program may get CPU time slowly, so only idleness ends this wait.
        (Some(allowed), Clock::Cpu) if waited > allowed + patience && idle >= patience => {
            Some(EndKind::Stall)
        }
        _ => None,
    }
}

/// Determines from successive snapshots whether a program works or is idle.
#[derive(Clone, Copy, Debug)]
struct Activity {
    last_look: Instant,
    /// The program's CPU time when it was last seen working.
    used: Duration,
    /// Wall time since then, without the time in which the program waited for a core.
    idle: Duration,
}

impl Activity {
    fn new(now: Instant, used: Duration) -> Activity {
        Activity { last_look: now, used, idle: Duration::ZERO }
    }

    /// Adds a snapshot that was due at `due`: the program's CPU time and whether it was runnable.
    fn look(&mut self, now: Instant, due: Instant, used: Duration, runnable: bool) {
        // If this process itself got no core for long, the program's activity in that time is
        // unknown.
        let passed = now.min(due + MAX_WAIT).saturating_duration_since(self.last_look);
        self.last_look = now;
        // A program that waits for a core on a busy machine is not idle.
        self.idle += if runnable { Duration::ZERO } else { passed };
        // A twentieth of a core counts as work. A program that only polls uses less.
        if used.saturating_sub(self.used) > self.idle / 20 {
            (self.used, self.idle) = (used, Duration::ZERO);
        }
    }
}

/// Watches the time and the program's activity during an exchange.
pub(super) struct ExchangeWatch<'a> {
    limit: Limit,
    pub(super) context: &'a GameContext<'a>,
    begun: Instant,
    next_look: Instant,
    /// `None` before the first snapshot.
    activity: Option<Activity>,
    /// Wall time from the request to the last event of the program, or to the end of the last wait
    /// if no event came.
    pub(super) last_event: Duration,
}

impl<'a> ExchangeWatch<'a> {
    /// Starts watching, right before the request is sent.
    pub(super) fn new(limit: Limit, context: &'a GameContext<'a>) -> ExchangeWatch<'a> {
        let (begun, GameConditions { clock, grace, measured, .. }) = (Instant::now(), context.conditions);
        // With a limit of wall time, nothing can happen before the limit. CPU time and memory must
        // be read all the time.
        let first_look = match limit {
            Limit::Turn(Some(limit)) if clock == Clock::Wall && measured.is_none() => limit + grace,
            _ => SNAPSHOT_INTERVAL,
        };
        ExchangeWatch {
            limit,
            context,
            begun,
            next_look: begun + first_look,
            activity: None,
            last_event: Duration::ZERO,
        }
    }

    /// Records the time of an event or of the end of a wait.
    pub(super) fn record_event(&mut self, at: Instant) {
        self.last_event = at.saturating_duration_since(self.begun);
    }

    /// The time to wait for an event before the next [`ExchangeWatch::look`].
    pub(super) fn until_next_look(&self) -> Duration {
        let left = self.next_look.saturating_duration_since(Instant::now());
        left.clamp(Duration::from_millis(1), MAX_WAIT)
    }

    /// Checks whether the program has had its time, and then returns the fault. `received` is the
    /// number of bytes of the answer so far.
    pub(super) fn look(&mut self, received: usize, group: &mut ProcessGroup) -> Result<(), PlayerFault> {
        if self.context.run.interrupt.is_stopped() {
            return Err(PlayerFault::new(EndKind::Stall, "interrupted"));
        }
        let now = Instant::now();
        if now < self.next_look {
            return Ok(());
        }
        let due = self.next_look;
        // If the system reports no CPU times, the program counts as working.
        let look = group.look().unwrap_or(ProcessSnapshot { runnable: true, ..ProcessSnapshot::default() });
        // With many processes a snapshot takes long, so the next one comes later.
        self.next_look = now + SNAPSHOT_INTERVAL.max(20 * now.elapsed());
        let activity = self.activity.get_or_insert_with(|| Activity::new(now, look.cpu));
        activity.look(now, due, look.cpu, look.runnable);
        let idle = activity.idle;
        let seen = [self.begun.elapsed(), look.cpu.saturating_sub(group.charged), idle];
        let Some(reason) = fault_after(self.limit, self.context.conditions, seen) else { return Ok(()) };
        let answer = match received {
            0 => "no answer".to_owned(),
            bytes => format!("incomplete answer of {bytes} bytes"),
        };
        let limit = match self.limit {
            Limit::Turn(Some(limit)) => {
                let clock = if self.context.conditions.clock == Clock::Cpu { " of CPU time" } else { "" };
                format!(" (limit {:.3} s{clock})", limit.as_secs_f64())
            }
            _ => String::new(),
        };
        let [waited, charge, idle] = seen.map(|time| time.as_secs_f64());
        let idle = if idle > 0.0 { format!(" and was idle for the last {idle:.3} s") } else { String::new() };
        let detail =
            format!("{answer} after {waited:.3} s{limit}: the program used {charge:.3} s of CPU time{idle}");
        Err(PlayerFault::new(reason, detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_gets_no_core_is_not_idle() {
        let begun = Instant::now();
        let ms = Duration::from_millis;
        // There is a snapshot every 20 ms for two seconds. The system's CPU clock has ticks of 10
        // ms.
        let idle = |used: &dyn Fn(u64) -> u64, runnable: &dyn Fn(u64) -> bool| {
            let mut activity = Activity::new(begun, Duration::ZERO);
            for look in 1..=100 {
                let now = begun + ms(20 * look);
                activity.look(now, now, ms(10 * used(look)), runnable(look));
            }
            activity.idle
        };
        // A program that always wants to compute gets a fiftieth of a core.
        assert_eq!(idle(&|look| look / 50, &|_| true), Duration::ZERO);
        // A program that only polls is sometimes runnable when a snapshot is taken.
        assert!(idle(&|look| look / 50, &|look| look % 4 == 0) > ms(1400));
        assert_eq!(idle(&|_| 0, &|_| false), ms(2000));
        // This process got no core for ten seconds.
        let mut late = Activity::new(begun, Duration::ZERO);
        late.look(begun + ms(10_000), begun + ms(20), Duration::ZERO, false);
        assert_eq!(late.idle, ms(20) + MAX_WAIT);
        // The program works first and then sleeps.
        assert!(idle(&|look| look.min(50), &|look| look < 50) > ms(800));
    }

    #[test]
    fn work_and_idleness_are_told_apart() {
        let verdict = |clock, limit_ms: Option<u64>, waited, charge, idle| {
            let ms = Duration::from_millis;
            let conditions = GameConditions {
                clock,
                grace: ms(100),
                patience: Some(ms(1000)),
                ..GameConditions::default()
            };
            fault_after(Limit::Turn(limit_ms.map(ms)), conditions, [waited, charge, idle].map(ms))
        };
        // On the wall clock, the wait lasts for limit, grace and patience. A program that worked is
        // late, and a program that slept has stalled.
        assert_eq!(verdict(Clock::Wall, Some(500), 1600, 1600, 0), None);
        assert_eq!(verdict(Clock::Wall, Some(500), 1601, 1600, 0), Some(EndKind::Time));
        assert_eq!(verdict(Clock::Wall, Some(500), 1601, 0, 1000), Some(EndKind::Stall));
        // On the CPU clock, wall time matters only for an idle program.
        assert_eq!(verdict(Clock::Cpu, Some(500), 9000, 600, 0), None);
        assert_eq!(verdict(Clock::Cpu, Some(500), 700, 601, 0), Some(EndKind::Time));
        assert_eq!(verdict(Clock::Cpu, Some(500), 1601, 10, 999), None);
        assert_eq!(verdict(Clock::Cpu, Some(500), 1601, 10, 1000), Some(EndKind::Stall));
        // Without a limit, a program that works may take any time.
        assert_eq!(verdict(Clock::Wall, None, 90_000, 90_000, 999), None);
        assert_eq!(verdict(Clock::Wall, None, 1000, 0, 1000), Some(EndKind::Stall));
        // A reply outside a turn fails if it takes too long or the program is idle.
        let reply = Limit::Reply { most: Duration::from_secs(30), idle: Duration::from_secs(3) };
        for (waited, idle, expected) in
            [(29, 2, None), (31, 0, Some(EndKind::Stall)), (3, 3, Some(EndKind::Stall))]
        {
            let seen = [waited, waited, idle].map(Duration::from_secs);
            assert_eq!(fault_after(reply, GameConditions::default(), seen), expected);
        }
    }
}
