//! One exchange with a program: writes a request, reads the answer, detects faults, and decides how
//! long to wait for a program that has not answered.

use std::io::{ErrorKind, Read, Write};
use std::ops::Range;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::group::ProcessGroup;
use crate::contest::contestant::{Clock, Conditions, GameContext, PlayerFault, Usage};
use crate::games::EndKind;

/// More than any answer needs: Botzone's own limit.
const MOST_OUTPUT: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Exchange {
    /// True if the program is stopped after a complete answer and waits for the next request; false if
    /// it has ended well, after all it had to say. Else the fault that brought no answer.
    pub(super) outcome: Result<bool, PlayerFault>,
    /// The answer, or all that came.
    pub(super) output: Vec<u8>,
    pub(super) spent: Duration,
    /// The end of standard error so far.
    pub(super) complaint: String,
    /// The resources used. Memory is zero where it is not measured, and CPU time where no clock needs it
    /// either.
    pub(super) usage: Usage,
}

/// The first whole line of an answer whose content, without blanks around it, is as asked for.
pub(super) fn whole_line(received: &[u8], is: impl Fn(&[u8]) -> bool) -> Option<Range<usize>> {
    let mut begin = 0;
    for line in received.split_inclusive(|&byte| byte == b'\n') {
        let end = begin + line.len();
        if line.ends_with(b"\n") && is(line.trim_ascii()) {
            return Some(begin..end);
        }
        begin = end;
    }
    None
}

impl ProcessGroup {
    /// Sends a request and, within a limit on the clock of the conditions, reads until `complete` finds
    /// what lies between the answer and the next one, or the program ends.
    ///
    /// An answer that comes after the limit is returned all the same, with the time it took; only
    /// where none comes is it a fault: [`EndKind::Time`] from a program at work,
    /// [`EndKind::Stall`] from an idle one.
    pub(super) fn exchange(
        &mut self,
        request: &[u8],
        limit: Option<Duration>,
        context: &GameContext<'_>,
        complete: impl Fn(&[u8]) -> Option<Range<usize>>,
    ) -> Exchange {
        self.proceed();
        let Conditions { clock, measured, .. } = context.conditions;
        let mut watch = ExchangeWatch::new(limit, context);
        let mut output = std::mem::take(&mut self.ahead);
        let answer = self.converse(request, &mut watch, &mut output, complete);
        // The wall clock stopped with the last news, before any book-keeping.
        let mut usage = Usage { wall: watch.last_news, ..Usage::default() };
        let counted = measured.is_some() || clock == Clock::Cpu;
        if counted || matches!(answer, Ok(Some(_))) {
            // Stopped first, so that nothing it does after its answer goes uncounted or is charged
            // later.
            self.pause();
        }
        if measured.is_some() {
            self.look_at_memory();
            usage.memory = self.peak_memory;
        }
        if counted {
            let used = self.cpu_time();
            usage.cpu = used.saturating_sub(self.charged);
            self.charged = used;
        }
        let spent = if clock == Clock::Cpu { usage.cpu } else { usage.wall };
        let ended = matches!(answer, Ok(None));
        let outcome = answer.and_then(|answer| match answer {
            Some(between) => {
                self.ahead = output.split_off(between.end);
                output.truncate(between.start);
                Ok(true)
            }
            // Only now, with its CPU time read, is the program waited for.
            None => self.status().map(|()| false),
        });
        self.read_complaint();
        usage.left_behind = measured.is_some() && ended && self.has_thread(|state| !"ZX".contains(state));
        Exchange { outcome, output, spent, complaint: self.complaint(), usage }
    }

    /// Returns what ends the answer, or `None` once the program has ended.
    fn converse(
        &mut self,
        request: &[u8],
        watch: &mut ExchangeWatch<'_>,
        received: &mut Vec<u8>,
        complete: impl Fn(&[u8]) -> Option<Range<usize>>,
    ) -> Result<Option<Range<usize>>, PlayerFault> {
        let mut to_send = request;
        let mut open = true;
        loop {
            let (readable, writable, ended) =
                self.poll(open, !to_send.is_empty(), watch.until_next_look())?;
            watch.take_news(readable || ended);
            self.read_complaint();
            if readable && received.is_empty() {
                watch.look_at_memory(self);
            }
            if writable {
                to_send = self.send(to_send);
            }
            if readable || (ended && open) {
                open = self.receive(received)?;
                if let Some(between) = complete(received) {
                    return Ok(Some(between));
                }
            }
            // The end of the process counts, because a child may hold the pipe open.
            if ended {
                return Ok(None);
            }
            watch.look(received.len(), self)?;
        }
    }

    /// Waits for an event, at most for `timeout`. Returns whether there is output to read, whether
    /// there is room to write, and whether the program has ended.
    fn poll(&self, read: bool, write: bool, timeout: Duration) -> Result<(bool, bool, bool), PlayerFault> {
        let mut descriptors = vec![PollFd::new(&self.end, PollFlags::IN)];
        if read {
            descriptors.push(PollFd::new(&self.stdout, PollFlags::IN));
        }
        if write {
            descriptors.push(PollFd::new(&self.stdin, PollFlags::OUT));
        }
        if self.complains {
            descriptors.push(PollFd::new(&self.stderr, PollFlags::IN));
        }
        let timeout =
            Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: i64::from(timeout.subsec_nanos()) };
        match poll(&mut descriptors, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => {
                return Err(PlayerFault::new(EndKind::Crash, format!("cannot be waited for: {error}")));
            }
        }
        let any = |index: usize| descriptors.get(index).is_some_and(|at| !at.revents().is_empty());
        Ok((read && any(1), write && any(1 + usize::from(read)), any(0)))
    }

    /// Writes what the pipe takes and returns the rest; nothing is left once the reader is gone.
    fn send<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        match self.stdin.write(bytes) {
            Ok(sent) => &bytes[sent..],
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => bytes,
            // A closed pipe is no fault yet: its output, or its end, tells more.
            Err(_) => &[],
        }
    }

    /// Reads what there is; false at the end of the output.
    fn receive(&mut self, received: &mut Vec<u8>) -> Result<bool, PlayerFault> {
        let mut chunk = [0; 1 << 14];
        loop {
            match self.stdout.read(&mut chunk) {
                Ok(0) => return Ok(false),
                Ok(length) => received.extend_from_slice(&chunk[..length]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Ok(false),
            }
            if received.len() > MOST_OUTPUT {
                let detail = format!("more than {MOST_OUTPUT} bytes of output");
                return Err(PlayerFault::new(EndKind::Output, detail));
            }
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
    limit: Option<Duration>,
    conditions: Conditions,
    [waited, charge, idle]: [Duration; 3],
) -> Option<EndKind> {
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
    /// Wall time in which it ran or waited for a core.
    runnable: Duration,
}

impl Activity {
    fn new(now: Instant, used: Duration) -> Activity {
        Activity { last_look: now, used, idle: Duration::ZERO, runnable: Duration::ZERO }
    }

    /// Takes the CPU time of a look that was due then, and whether the program was runnable at it.
    fn look(&mut self, now: Instant, due: Instant, used: Duration, runnable: bool) {
        // While this process itself got no core, it cannot know what the program did.
        let passed = now.min(due + SLICE).saturating_duration_since(self.last_look);
        self.last_look = now;
        // On a busy machine a program gets few of the cores' time: as long as it wants a core it is
        // not idle.
        *(if runnable { &mut self.runnable } else { &mut self.idle }) += passed;
        // A twentieth of a core is work; less is a program that wakes up to see whether it has any.
        if used.saturating_sub(self.used) > self.idle / 20 {
            (self.used, self.idle) = (used, Duration::ZERO);
        }
    }
}

/// Follows one exchange.
struct ExchangeWatch<'a> {
    /// The limit, on the clock of the conditions.
    limit: Option<Duration>,
    context: &'a GameContext<'a>,
    begun: Instant,
    next_look: Instant,
    /// Since the first look.
    activity: Option<Activity>,
    /// Wall time before a look at memory after which the program has not been heard yet.
    before_memory_look: Option<Duration>,
    /// Wall time from the request to the last news from the program, or to the end of the last wait
    /// without any.
    last_news: Duration,
}

impl<'a> ExchangeWatch<'a> {
    /// Begins with the request.
    fn new(limit: Option<Duration>, context: &'a GameContext<'a>) -> ExchangeWatch<'a> {
        let (begun, Conditions { clock, grace, measured, .. }) = (Instant::now(), context.conditions);
        // By the wall nothing is of interest before the limit; CPU time and memory must be followed all
        // along.
        let silent = limit.filter(|_| clock == Clock::Wall && measured.is_none());
        ExchangeWatch {
            limit,
            context,
            begun,
            next_look: begun + silent.map_or(Duration::ZERO, |limit| limit + grace),
            activity: None,
            before_memory_look: None,
            last_news: Duration::ZERO,
        }
    }

    /// Notes that a wait has ended, with news from the program or without. News that came during a
    /// look at memory count as come before it, so that the program is never charged for the look.
    fn take_news(&mut self, news: bool) {
        let before_look = self.before_memory_look.take().filter(|_| news);
        self.last_news = before_look.unwrap_or_else(|| self.begun.elapsed());
    }

    /// Looks at the memory of the program, if that is measured.
    fn look_at_memory(&mut self, group: &mut ProcessGroup) {
        if self.context.conditions.measured.is_some() {
            self.before_memory_look = Some(self.last_news);
            group.look_at_memory();
        }
    }

    /// The time to wait for news before the next [`ExchangeWatch::look`].
    fn until_next_look(&self) -> Duration {
        if self.before_memory_look.is_some() {
            return Duration::ZERO;
        }
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
        self.look_at_memory(group);
        let (used, runnable) = (group.cpu_time(), group.has_thread(|state| "RD".contains(state)));
        let due = self.next_look;
        // On a machine with many processes a look takes long, and is taken less often.
        self.next_look = now + LOOK.max(20 * now.elapsed());
        let activity = self.activity.get_or_insert_with(|| Activity::new(now, used));
        activity.look(now, due, used, runnable);
        let Activity { idle, runnable, .. } = *activity;
        let seen = [self.begun.elapsed(), used.saturating_sub(group.charged), idle];
        let Some(reason) = fault_after(self.limit, self.context.conditions, seen) else { return Ok(()) };
        let answer = match received {
            0 => "no answer".to_owned(),
            bytes => format!("no end of an answer of {bytes} bytes so far"),
        };
        let limit = self.limit.map_or(String::new(), |limit| {
            let clock = if self.context.conditions.clock == Clock::Cpu { " CPU time" } else { "" };
            format!(" with a limit of {:.3} s{clock}", limit.as_secs_f64())
        });
        let ([waited, charge, idle], runnable) =
            (seen.map(|time| time.as_secs_f64()), runnable.as_secs_f64());
        let detail = format!(
            "{answer} after {waited:.3} s{limit}: {charge:.3} s of CPU time used, {runnable:.3} s at work or waiting \
             for a core while watched, idle for the last {idle:.3} s"
        );
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
            fault_after(limit_ms.map(ms), conditions, [waited, charge, idle].map(ms))
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
    }
}
