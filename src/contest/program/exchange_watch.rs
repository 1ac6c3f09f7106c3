//! Decides how long the referee waits for a program's answer, and which fault ends the waiting.

use std::time::{Duration, Instant};

use super::group::ProcessGroup;
use super::processes::ProcessSnapshot;
use crate::contest::contestant::{Clock, GameConditions, GameContext, PlayerFault};
use crate::games::EndKind;

/// The time limit of an answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// The limit of a turn, in wall time or CPU time as [`Clock`] says. `None` without a limit.
    Turn(Option<Duration>),
    /// The limits of a reply that is not a move: total wall time, and the program's idle time.
    Reply { most: Duration, idle: Duration },
}

/// The longest time between two checks for the user's interrupt, while a program is silent.
const MAX_WAIT: Duration = Duration::from_millis(100);

/// The shortest time between two snapshots of processes. Each snapshot reads all of `/proc`.
const SNAPSHOT_INTERVAL: Duration = Duration::from_millis(20);

/// The fault of a program that has not answered, or `None` if the program still has time. `waited`
/// is the wall time since the request, `cpu_since_answer` is the CPU time since the program's last
/// answer, and `idle` is the time for which the program has been idle.
fn fault_after(
    limit: Limit,
    conditions: GameConditions,
    [waited, cpu_since_answer, idle]: [Duration; 3],
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
        (Some(allowed), Clock::Cpu) if cpu_since_answer > allowed => Some(EndKind::Time),
        // On a busy machine a program may work slowly, so only an idle program counts as stalled.
        (Some(allowed), Clock::Cpu) if waited > allowed + patience && idle >= patience => {
            Some(EndKind::Stall)
        }
        _ => None,
    }
}

/// Measures for how long a program has been idle, from snapshots of its processes.
#[derive(Clone, Copy, Debug)]
struct Activity {
    last_snapshot: Instant,
    /// The program's CPU time at the last snapshot that showed it working.
    used: Duration,
    /// Wall time in which the program was not runnable, counted from the last snapshot that showed
    /// the program working.
    idle: Duration,
}

impl Activity {
    fn new(now: Instant, used: Duration) -> Activity {
        Activity { last_snapshot: now, used, idle: Duration::ZERO }
    }

    /// Adds a snapshot, taken at `now` but planned for `due`. `used` is the program's CPU time.
    fn add_snapshot(&mut self, now: Instant, due: Instant, used: Duration, runnable: bool) {
        // A late snapshot means that Quiver itself got no core for a while. Whether the program was
        // idle in this time is unknown, so at most `MAX_WAIT` of the delay counts.
        let passed = now.min(due + MAX_WAIT).saturating_duration_since(self.last_snapshot);
        self.last_snapshot = now;
        // A runnable program is not idle, even if it must wait for a core.
        self.idle += if runnable { Duration::ZERO } else { passed };
        // The program counts as working if its CPU time exceeds a twentieth of its idle time. Both
        // times are counted from the last snapshot that showed the program working.
        if used.saturating_sub(self.used) > self.idle / 20 {
            (self.used, self.idle) = (used, Duration::ZERO);
        }
    }
}

/// Watches the time and the program's activity while the referee waits for an answer.
pub(super) struct ExchangeWatch<'a> {
    limit: Limit,
    pub(super) context: &'a GameContext<'a>,
    begun: Instant,
    next_snapshot: Instant,
    /// `None` before the first snapshot.
    activity: Option<Activity>,
    /// Wall time from the request to the last event: output, the program's end or a wait's timeout.
    pub(super) last_event: Duration,
}

impl<'a> ExchangeWatch<'a> {
    /// Starts the measurement of time. The caller must send the request right after this call.
    pub(super) fn new(limit: Limit, context: &'a GameContext<'a>) -> ExchangeWatch<'a> {
        let (begun, conditions) = (Instant::now(), context.conditions);
        // If the referee limits and measures only wall time, the first snapshot is taken when the
        // limit is over. Otherwise snapshots of CPU time, memory or idle time are needed at once.
        let first_snapshot = match limit {
            Limit::Turn(Some(limit)) if conditions.clock == Clock::Wall && !conditions.measures_usage() => {
                limit + conditions.grace
            }
            _ => SNAPSHOT_INTERVAL,
        };
        ExchangeWatch {
            limit,
            context,
            begun,
            next_snapshot: begun + first_snapshot,
            activity: None,
            last_event: Duration::ZERO,
        }
    }

    pub(super) fn record_event(&mut self, at: Instant) {
        self.last_event = at.saturating_duration_since(self.begun);
    }

    pub(super) fn until_next_check(&self) -> Duration {
        let left = self.next_snapshot.saturating_duration_since(Instant::now());
        left.clamp(Duration::from_millis(1), MAX_WAIT)
    }

    /// Returns a fault if the program's time is over. The answer has `received` bytes so far.
    pub(super) fn check_limit(
        &mut self,
        received: usize,
        group: &mut ProcessGroup,
    ) -> Result<(), PlayerFault> {
        if self.context.run.interrupt.is_stopped() {
            return Err(PlayerFault::new(EndKind::Stall, "interrupted"));
        }
        let now = Instant::now();
        if now < self.next_snapshot {
            return Ok(());
        }
        let due = self.next_snapshot;
        // If the system cannot report CPU times, the program counts as working.
        let snapshot =
            group.take_snapshot().unwrap_or(ProcessSnapshot { runnable: true, ..ProcessSnapshot::default() });
        // At most a twentieth of the wall time is spent on snapshots, even if each is slow.
        self.next_snapshot = now + SNAPSHOT_INTERVAL.max(20 * now.elapsed());
        let activity = self.activity.get_or_insert_with(|| Activity::new(now, snapshot.cpu));
        activity.add_snapshot(now, due, snapshot.cpu, snapshot.runnable);
        let idle = activity.idle;
        let seen = [self.begun.elapsed(), snapshot.cpu.saturating_sub(group.cpu_at_answer), idle];
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
        let [waited, cpu_since_answer, idle] = seen.map(|time| time.as_secs_f64());
        let idle = if idle > 0.0 { format!(" and was idle for the last {idle:.3} s") } else { String::new() };
        let detail = format!(
            "{answer} after {waited:.3} s{limit}: the program used {cpu_since_answer:.3} s of CPU time{idle}"
        );
        Err(PlayerFault::new(reason, detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runnable_program_without_core_is_not_idle() {
        let begun = Instant::now();
        let ms = Duration::from_millis;
        // `idle` simulates a snapshot every 20 ms for two seconds, and returns the idle time at the
        // end. `used` is the CPU time at each snapshot, in ticks of 10 ms.
        let idle = |used: &dyn Fn(u64) -> u64, runnable: &dyn Fn(u64) -> bool| {
            let mut activity = Activity::new(begun, Duration::ZERO);
            for snapshot in 1..=100 {
                let now = begun + ms(20 * snapshot);
                activity.add_snapshot(now, now, ms(10 * used(snapshot)), runnable(snapshot));
            }
            activity.idle
        };
        // A program that is always runnable is not idle, even if it gets 1 % of a core.
        assert_eq!(idle(&|snapshot| snapshot / 50, &|_| true), Duration::ZERO);
        // A program that only polls counts as idle, although some snapshots find it runnable.
        assert!(idle(&|snapshot| snapshot / 50, &|snapshot| snapshot % 4 == 0) > ms(1400));
        assert_eq!(idle(&|_| 0, &|_| false), ms(2000));
        // This snapshot is ten seconds late, but adds only `MAX_WAIT` and 20 ms to the idle time.
        let mut late = Activity::new(begun, Duration::ZERO);
        late.add_snapshot(begun + ms(10_000), begun + ms(20), Duration::ZERO, false);
        assert_eq!(late.idle, ms(20) + MAX_WAIT);
        // A program that works for 1 s and then sleeps for 1 s is idle only while it sleeps.
        assert!(idle(&|snapshot| snapshot.min(50), &|snapshot| snapshot < 50) > ms(800));
    }

    #[test]
    fn work_and_idleness_are_told_apart() {
        let verdict = |clock, limit_ms: Option<u64>, waited, cpu_since_answer, idle| {
            let ms = Duration::from_millis;
            let conditions = GameConditions {
                clock,
                grace: ms(100),
                patience: Some(ms(1000)),
                ..GameConditions::default()
            };
            fault_after(Limit::Turn(limit_ms.map(ms)), conditions, [waited, cpu_since_answer, idle].map(ms))
        };
        // With a limit of wall time, the referee waits for the sum of limit, grace and patience.
        // Then a program that worked is late, and a program that slept has stalled.
        assert_eq!(verdict(Clock::Wall, Some(500), 1600, 1600, 0), None);
        assert_eq!(verdict(Clock::Wall, Some(500), 1601, 1600, 0), Some(EndKind::Time));
        assert_eq!(verdict(Clock::Wall, Some(500), 1601, 0, 1000), Some(EndKind::Stall));
        // With a limit of CPU time, wall time matters only for an idle program.
        assert_eq!(verdict(Clock::Cpu, Some(500), 9000, 600, 0), None);
        assert_eq!(verdict(Clock::Cpu, Some(500), 700, 601, 0), Some(EndKind::Time));
        assert_eq!(verdict(Clock::Cpu, Some(500), 1601, 10, 999), None);
        assert_eq!(verdict(Clock::Cpu, Some(500), 1601, 10, 1000), Some(EndKind::Stall));
        // In a turn without a time limit, a program that works may take any time.
        assert_eq!(verdict(Clock::Wall, None, 90_000, 90_000, 999), None);
        assert_eq!(verdict(Clock::Wall, None, 1000, 0, 1000), Some(EndKind::Stall));
        let reply = Limit::Reply { most: Duration::from_secs(30), idle: Duration::from_secs(3) };
        for (waited, idle, expected) in
            [(29, 2, None), (31, 0, Some(EndKind::Stall)), (3, 3, Some(EndKind::Stall))]
        {
            let seen = [waited, waited, idle].map(Duration::from_secs);
            assert_eq!(fault_after(reply, GameConditions::default(), seen), expected);
        }
    }
}
