//! One exchange with a program: writes a request, reads the answer, detects faults, and decides how
//! long to wait for a program that has not answered.

use std::sync::Once;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use super::group::{News, ProcessGroup};
use super::processes::Look;
use crate::contest::contestant::{Clock, Conditions, GameContext, PlayerFault, Usage};
use crate::games::EndKind;
use crate::messages::warn;

/// More than any answer needs: Botzone's own limit.
const MOST_OUTPUT: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Exchange {
    /// True if the program is stopped after a complete answer and waits for the next request; false if
    /// it has ended well, after all it had to say. Else the fault that brought no answer.
    pub(super) outcome: Result<bool, PlayerFault>,
    /// The lines of the answer that were kept, or all that came.
    pub(super) output: Vec<u8>,
    pub(super) spent: Duration,
    /// The resources used. Memory is zero where it is not measured, and CPU time where no clock needs it
    /// either.
    pub(super) usage: Usage,
}

/// What a line of output is to the reader of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Kept,
    /// No part of the answer.
    Dropped,
    /// The last line of the answer.
    Last,
    /// The line after the answer, which is not kept.
    Marker,
}

/// The time that a program has for an answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// A turn: the limit on the clock of the conditions, if it has one.
    Turn(Option<Duration>),
    /// A reply that no clock counts: so long in all, and so long without a sign of work.
    Reply { most: Duration, idle: Duration },
}

/// The answer so far.
struct Answer<F> {
    /// Whole lines.
    kept: Vec<u8>,
    /// The line that is not whole yet; after the answer, what belongs to the next.
    rest: Vec<u8>,
    sort: F,
}

impl<F: FnMut(&[u8]) -> Line> Answer<F> {
    /// Takes output; true once the answer is complete.
    fn take(&mut self, bytes: &[u8]) -> Result<bool, PlayerFault> {
        let mut begin = 0;
        while let Some(length) = bytes[begin..].iter().position(|&byte| byte == b'\n') {
            let end = begin + length + 1;
            self.rest.extend_from_slice(&bytes[begin..end]);
            let kind = (self.sort)(self.rest.trim_ascii());
            if matches!(kind, Line::Kept | Line::Last) {
                self.kept.append(&mut self.rest);
            }
            self.rest.clear();
            if matches!(kind, Line::Last | Line::Marker) {
                self.rest.extend_from_slice(&bytes[end..]);
                return Ok(true);
            }
            begin = end;
        }
        self.rest.extend_from_slice(&bytes[begin..]);
        if self.len() > MOST_OUTPUT {
            let detail = format!("more than {MOST_OUTPUT} bytes of output");
            return Err(PlayerFault::new(EndKind::Output, detail));
        }
        Ok(false)
    }

    fn len(&self) -> usize {
        self.kept.len() + self.rest.len()
    }
}

impl ProcessGroup {
    /// Sends a request and, within a limit, reads until `sort` finds the line that ends the answer, or
    /// the program ends. `sort` gets each line of output without its end and blanks around it.
    ///
    /// An answer that comes after the limit is returned all the same, with the time it took; only
    /// where none comes is it a fault: [`EndKind::Time`] from a program at work,
    /// [`EndKind::Stall`] from an idle one. After a fault nothing of the program runs any more.
    pub(super) fn exchange(
        &mut self,
        request: &[u8],
        limit: Limit,
        context: &GameContext<'_>,
        sort: impl FnMut(&[u8]) -> Line,
    ) -> Exchange {
        self.proceed();
        let Conditions { clock, measured, .. } = context.conditions;
        let clock = if matches!(limit, Limit::Turn(_)) { clock } else { Clock::Wall };
        let mut watch = ExchangeWatch::new(limit, context);
        let mut answer = Answer { kept: Vec::new(), rest: Vec::new(), sort };
        let complete = self.converse(request, &mut watch, &mut answer);
        // The wall clock stopped with the last news, before any book-keeping.
        let mut usage = Usage { wall: watch.last_news, ..Usage::default() };
        let counted = measured.is_some() || clock == Clock::Cpu;
        if counted || complete == Ok(true) {
            // Stopped first, so that nothing it does after its answer goes uncounted or is charged
            // later.
            self.pause();
        }
        let look = if counted { self.look() } else { None };
        if let Some(look) = look {
            usage.cpu = look.cpu.saturating_sub(self.charged);
            self.charged = look.cpu;
            usage.memory = if measured.is_some() { self.peak_memory } else { 0 };
            usage.left_behind = measured.is_some() && complete == Ok(false) && look.alive;
        } else if clock == Clock::Cpu {
            static SAID: Once = Once::new();
            let words = "warning: this system does not tell CPU times of programs; their wall time counts";
            SAID.call_once(|| warn(words));
        }
        let spent = if clock == Clock::Cpu && look.is_some() { usage.cpu } else { usage.wall };
        let outcome = match complete {
            Ok(true) => {
                self.ahead = std::mem::take(&mut answer.rest);
                Ok(true)
            }
            Ok(false) => {
                let mut complete = Ok(false);
                self.finish(|bytes| {
                    if complete == Ok(false) {
                        complete = answer.take(&bytes);
                    }
                });
                // Only now, with its CPU time read, is the program waited for.
                complete.and_then(|complete| if complete { Ok(true) } else { self.status().map(|()| false) })
            }
            Err(fault) => {
                self.finish(drop);
                Err(fault)
            }
        };
        let mut output = answer.kept;
        if outcome != Ok(true) {
            output.append(&mut answer.rest);
        }
        Exchange { outcome, output, spent, usage }
    }

    /// True once the answer is complete; false once the program has ended, whose pipes may hold more.
    fn converse(
        &mut self,
        request: &[u8],
        watch: &mut ExchangeWatch<'_>,
        answer: &mut Answer<impl FnMut(&[u8]) -> Line>,
    ) -> Result<bool, PlayerFault> {
        self.send(request);
        if answer.take(&std::mem::take(&mut self.ahead))? {
            return Ok(true);
        }
        if self.ended {
            return Ok(false);
        }
        let mut heard = false;
        loop {
            match self.news.recv_timeout(watch.until_next_look()) {
                Ok((at, News::Output(bytes))) => {
                    watch.take_news(at);
                    // A program may end at once after its answer, and its memory is gone then.
                    if !heard && watch.context.conditions.measured.is_some() {
                        self.look();
                    }
                    heard = true;
                    if answer.take(&bytes)? {
                        return Ok(true);
                    }
                }
                Ok((at, News::Ended)) => {
                    watch.take_news(at);
                    self.ended = true;
                    // The end of the process counts, because a child may hold the pipe open.
                    return Ok(false);
                }
                Ok((_, News::StandardError(bytes))) => self.take_standard_error(&bytes),
                Err(RecvTimeoutError::Timeout) => watch.take_news(Instant::now()),
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
            }
            watch.look(answer.len(), self)?;
        }
    }
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
struct ExchangeWatch<'a> {
    limit: Limit,
    context: &'a GameContext<'a>,
    begun: Instant,
    next_look: Instant,
    /// Since the first look.
    activity: Option<Activity>,
    /// Wall time from the request to the last news from the program, or to the end of the last wait
    /// without any.
    last_news: Duration,
}

impl<'a> ExchangeWatch<'a> {
    /// Begins with the request.
    fn new(limit: Limit, context: &'a GameContext<'a>) -> ExchangeWatch<'a> {
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
    fn take_news(&mut self, at: Instant) {
        self.last_news = at.saturating_duration_since(self.begun);
    }

    /// The time to wait for news before the next [`ExchangeWatch::look`].
    fn until_next_look(&self) -> Duration {
        let left = self.next_look.saturating_duration_since(Instant::now());
        left.clamp(Duration::from_millis(1), SLICE)
    }

    /// Ends the wait where it has lasted long enough; `received` is how much of an answer there is.
    fn look(&mut self, received: usize, group: &mut ProcessGroup) -> Result<(), PlayerFault> {
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
    fn drops_lines_as_they_come_and_keeps_what_comes_ahead() {
        let sort = |line: &[u8]| match line {
            b"info" => Line::Dropped,
            b"last" => Line::Last,
            b"marker" => Line::Marker,
            _ => Line::Kept,
        };
        for (pieces, complete, kept, rest) in [
            (&["one\r", "\ninfo\n", "la", "st \nmore\nlast\n"][..], true, "one\r\nlast \n", "more\nlast\n"),
            (&["one\n", "marker\n"], true, "one\n", ""),
            (&["one\nla"], false, "one\n", "la"),
            (&["last"], false, "", "last"),
        ] {
            let mut answer = Answer { kept: Vec::new(), rest: Vec::new(), sort };
            let ends = pieces.iter().any(|piece| answer.take(piece.as_bytes()).unwrap());
            assert_eq!(ends, complete, "{pieces:?}");
            assert_eq!((&*answer.kept, &*answer.rest), (kept.as_bytes(), rest.as_bytes()), "{pieces:?}");
        }
        let mut answer = Answer { kept: Vec::new(), rest: Vec::new(), sort };
        let megabytes = "info\n".repeat(1 << 20);
        assert_eq!(answer.take(megabytes.as_bytes()), Ok(false));
        let line = "x".repeat(MOST_OUTPUT + 1);
        assert_eq!(answer.take(line.as_bytes()).unwrap_err().reason, EndKind::Output);
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
