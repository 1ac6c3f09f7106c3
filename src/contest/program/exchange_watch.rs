//! Decides how long to wait for a program that has not answered, and what its fault is.

use std::time::{Duration, Instant};

use super::group::ProcessGroup;
use super::processes::Look;
use crate::contest::contestant::{Clock, Conditions, GameContext, PlayerFault};
use crate::games::EndKind;

/// The time that a program has for an answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// A turn: the limit on the clock of the conditions, if it has one.
    Turn(Option<Duration>),
    /// A reply that no clock counts: so long in all, and so long without a sign of work.
    Reply { most: Duration, idle: Duration },
}

/// The longest wait before the next look at the interrupt.
const SLICE: Duration = Duration::from_millis(100);

/// The least time between two looks at CPU times; each costs a reading of all of `/proc`.
const LOOK: Duration = Duration::from_millis(20);

/// The fault of a program that has not answered after `waited`, with this CPU time charged to the
/// request and so long without anything to run; `None` while there is time left.
fn fault_after(
    limit: Limit,
    conditions: Conditions,
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
        // CPU time may come slowly on a busy machine: only idleness ends this wait.
        (Some(allowed), Clock::Cpu) if waited > allowed + patience && idle >= patience => {
            Some(EndKind::Stall)
        }
        _ => None,
    }
}

/// Decides from successive looks whether the program works or is idle.
#[derive(Clone, Copy, Debug)]
struct Activity {
    last_look: Instant,
    /// CPU time when the program was last seen at work.
    used: Duration,
    /// Wall time since then, without that in which it waited for a core.
    idle: Duration,
}

impl Activity {
    fn new(now: Instant, used: Duration) -> Activity {
        Activity { last_look: now, used, idle: Duration::ZERO }
    }

    /// Takes the CPU time of a look that was due then, and whether the program was runnable at it.
    fn look(&mut self, now: Instant, due: Instant, used: Duration, runnable: bool) {
        // While this process itself got no core, it cannot know what the program did.
        let passed = now.min(due + SLICE).saturating_duration_since(self.last_look);
        self.last_look = now;
        // On a busy machine a program gets few of the cores' time: as long as it wants a core it is
        // not idle.
        self.idle += if runnable { Duration::ZERO } else { passed };
        // A twentieth of a core is work; less is a program that wakes up to see whether it has any.
        if used.saturating_sub(self.used) > self.idle / 20 {
            (self.used, self.idle) = (used, Duration::ZERO);
        }
    }
}

/// Follows one exchange.
pub(super) struct ExchangeWatch<'a> {
    limit: Limit,
    pub(super) context: &'a GameContext<'a>,
    begun: Instant,
    next_look: Instant,
    /// Since the first look.
    activity: Option<Activity>,
    /// Wall time from the request to the last news from the program, or to the end of the last wait
    /// without any.
    pub(super) last_news: Duration,
}

impl<'a> ExchangeWatch<'a> {
    /// Begins with the request.
    pub(super) fn new(limit: Limit, context: &'a GameContext<'a>) -> ExchangeWatch<'a> {
        let (begun, Conditions { clock, grace, measured, .. }) = (Instant::now(), context.conditions);
        // By the wall nothing is of interest before the limit; CPU time and memory must be followed all
        // along.
        let first_look = match limit {
            Limit::Turn(Some(limit)) if clock == Clock::Wall && measured.is_none() => limit + grace,
            _ => LOOK,
        };
        ExchangeWatch {
            limit,
            context,
            begun,
            next_look: begun + first_look,
            activity: None,
            last_news: Duration::ZERO,
        }
    }

    /// Notes the time at which news came or a wait has ended.
    pub(super) fn take_news(&mut self, at: Instant) {
        self.last_news = at.saturating_duration_since(self.begun);
    }

    /// The time to wait for news before the next [`ExchangeWatch::look`].
    pub(super) fn until_next_look(&self) -> Duration {
        let left = self.next_look.saturating_duration_since(Instant::now());
        left.clamp(Duration::from_millis(1), SLICE)
    }

    /// Ends the wait where it has lasted long enough; `received` is how much of an answer there is.
    pub(super) fn look(&mut self, received: usize, group: &mut ProcessGroup) -> Result<(), PlayerFault> {
        if self.context.run.interrupt.is_stopped() {
            return Err(PlayerFault::new(EndKind::Stall, "interrupted"));
        }
        let now = Instant::now();
        if now < self.next_look {
            return Ok(());
        }
        let due = self.next_look;
        // Where the system tells nothing, a program is taken to be at work as long as it may be.
        let look = group.look().unwrap_or(Look { runnable: true, ..Look::default() });
        // On a machine with many processes a look takes long, and is taken less often.
        self.next_look = now + LOOK.max(20 * now.elapsed());
        let activity = self.activity.get_or_insert_with(|| Activity::new(now, look.cpu));
        activity.look(now, due, look.cpu, look.runnable);
        let idle = activity.idle;
        let seen = [self.begun.elapsed(), look.cpu.saturating_sub(group.charged), idle];
        let Some(reason) = fault_after(self.limit, self.context.conditions, seen) else { return Ok(()) };
        let answer = match received {
            0 => "no answer".to_owned(),
            bytes => format!("no end of an answer of {bytes} bytes so far"),
        };
        let limit = match self.limit {
            Limit::Turn(Some(limit)) => {
                let clock = if self.context.conditions.clock == Clock::Cpu { " of CPU time" } else { "" };
                format!(" (limit {:.3} s{clock})", limit.as_secs_f64())
            }
            _ => String::new(),
        };
        let [waited, charge, idle] = seen.map(|time| time.as_secs_f64());
        let idle =
            if idle > 0.0 { format!(" and did nothing for the last {idle:.3} s") } else { String::new() };
        let detail = format!("{answer} after {waited:.3} s{limit}: it used {charge:.3} s of CPU time{idle}");
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
        // Looks every 20 ms for two seconds; the tick of the system's CPU clock is 10 ms.
        let idle = |used: &dyn Fn(u64) -> u64, runnable: &dyn Fn(u64) -> bool| {
            let mut activity = Activity::new(begun, Duration::ZERO);
            for look in 1..=100 {
                let now = begun + ms(20 * look);
                activity.look(now, now, ms(10 * used(look)), runnable(look));
            }
            activity.idle
        };
        // One core in fifty for a program that computes all the time.
        assert_eq!(idle(&|look| look / 50, &|_| true), Duration::ZERO);
        // A program that wakes up to look around, now and then seen while it runs or waits for a
        // core.
        assert!(idle(&|look| look / 50, &|look| look % 4 == 0) > ms(1400));
        assert_eq!(idle(&|_| 0, &|_| false), ms(2000));
        // The runner got no core for ten seconds.
        let mut late = Activity::new(begun, Duration::ZERO);
        late.look(begun + ms(10_000), begun + ms(20), Duration::ZERO, false);
        assert_eq!(late.idle, ms(20) + SLICE);
        // Work, then sleep.
        assert!(idle(&|look| look.min(50), &|look| look < 50) > ms(800));
    }

    #[test]
    fn work_and_idleness_are_told_apart() {
        let verdict = |clock, limit_ms: Option<u64>, waited, charge, idle| {
            let ms = Duration::from_millis;
            let conditions =
                Conditions { clock, grace: ms(100), patience: Some(ms(1000)), ..Conditions::default() };
            fault_after(Limit::Turn(limit_ms.map(ms)), conditions, [waited, charge, idle].map(ms))
        };
        // By wall time: the limit, its grace, then patience. A program that worked meanwhile is
        // late; one that slept has stalled.
        assert_eq!(verdict(Clock::Wall, Some(500), 1600, 1600, 0), None);
        assert_eq!(verdict(Clock::Wall, Some(500), 1601, 1600, 0), Some(EndKind::Time));
        assert_eq!(verdict(Clock::Wall, Some(500), 1601, 0, 1000), Some(EndKind::Stall));
        // By CPU time: the wall counts for the idle only.
        assert_eq!(verdict(Clock::Cpu, Some(500), 9000, 600, 0), None);
        assert_eq!(verdict(Clock::Cpu, Some(500), 700, 601, 0), Some(EndKind::Time));
        assert_eq!(verdict(Clock::Cpu, Some(500), 1601, 10, 999), None);
        assert_eq!(verdict(Clock::Cpu, Some(500), 1601, 10, 1000), Some(EndKind::Stall));
        // Without a limit, a program that works has all the time it needs.
        assert_eq!(verdict(Clock::Wall, None, 90_000, 90_000, 999), None);
        assert_eq!(verdict(Clock::Wall, None, 1000, 0, 1000), Some(EndKind::Stall));
        // A reply that no clock counts: at work for long, or idle.
        let reply = Limit::Reply { most: Duration::from_secs(30), idle: Duration::from_secs(3) };
        for (waited, idle, expected) in
            [(29, 2, None), (31, 0, Some(EndKind::Stall)), (3, 3, Some(EndKind::Stall))]
        {
            let seen = [waited, waited, idle].map(Duration::from_secs);
            assert_eq!(fault_after(reply, Conditions::default(), seen), expected);
        }
    }
}
