//! One exchange with a program: a request in, an answer out, and everything that may come between.

use std::io::{ErrorKind, Read, Write};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::group::ProcessGroup;
use crate::contest::contestant::{Clock, Conditions, Interrupt};
use crate::contest::fault::{Fault, Reason};

/// More than any answer needs: Botzone's own limit.
const MOST_OUTPUT: usize = 1 << 20;

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

/// What came of an exchange.
#[derive(Debug)]
pub(super) struct Exchange {
    /// The output, or why there is none.
    pub(super) outcome: Result<Output, Fault>,
    /// Time used, on the clock of the conditions.
    pub(super) spent: Duration,
}

/// What a program said.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// An answer, cut off where it was complete. The program is stopped and waits for the next request.
    Complete(Vec<u8>),
    /// All it had to say before it ended.
    Ended(Vec<u8>, Option<ExitStatus>),
}

impl ProcessGroup {
    /// Sends a request and reads until `complete` says how many bytes are the answer, or the program ends.
    ///
    /// An answer that comes after the limit is returned all the same, with the time it took; only where none comes
    /// is it a fault: [`Reason::Time`] from a program at work, [`Reason::Stall`] from an idle one.
    pub(super) fn exchange(
        &mut self,
        request: &[u8],
        wait: &Wait<'_>,
        complete: impl Fn(&[u8]) -> Option<usize>,
    ) -> Exchange {
        self.proceed();
        let mut watch = Watch::new(self.charged, wait);
        let outcome = self.converse(request, &mut watch, complete);
        // The wall clock stops here, before any book-keeping.
        let wall = watch.begun.elapsed();
        let spent = match wait.conditions.clock {
            Clock::Wall => wall,
            Clock::Cpu => {
                // Stopped first, so that nothing it does after its answer goes uncounted or is charged later.
                self.pause();
                let used = self.cpu_time();
                let spent = used.saturating_sub(self.charged);
                self.charged = used;
                spent
            }
        };
        let outcome = outcome.map(|ending| match ending {
            Ending::Complete(answer) => {
                if wait.conditions.clock == Clock::Wall {
                    self.pause();
                }
                Output::Complete(answer)
            }
            // Only now, with its CPU time read, is the program waited for.
            Ending::Ended(output) => Output::Ended(output, self.status()),
        });
        Exchange { outcome, spent }
    }

    fn converse(
        &mut self,
        request: &[u8],
        watch: &mut Watch<'_>,
        complete: impl Fn(&[u8]) -> Option<usize>,
    ) -> Result<Ending, Fault> {
        let mut to_send = request;
        let mut received = Vec::new();
        let mut open = true;
        loop {
            let (readable, writable, ended) = self.poll(open, !to_send.is_empty(), watch.patience_left())?;
            if writable {
                to_send = self.send(to_send);
            }
            if readable || (ended && open) {
                open = self.receive(&mut received)?;
                if let Some(length) = complete(&received) {
                    received.truncate(length);
                    return Ok(Ending::Complete(received));
                }
            }
            // Seen by the process itself, so that a child that holds the pipe keeps nobody waiting.
            if ended {
                return Ok(Ending::Ended(received));
            }
            watch.look(|| self.cpu_time())?;
        }
    }

    /// Waits until something can be done, or for so long: (output to read, room to write, the program ended).
    fn poll(&self, read: bool, write: bool, timeout: Duration) -> Result<(bool, bool, bool), Fault> {
        let mut descriptors = vec![PollFd::new(&self.end, PollFlags::IN)];
        if read {
            descriptors.push(PollFd::new(&self.stdout, PollFlags::IN));
        }
        if write {
            descriptors.push(PollFd::new(&self.stdin, PollFlags::OUT));
        }
        let timeout =
            Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: i64::from(timeout.subsec_nanos()) };
        match poll(&mut descriptors, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Fault::new(Reason::Crash, format!("cannot be waited for: {error}"))),
        }
        let any = |index: usize| descriptors.get(index).is_some_and(|at| !at.revents().is_empty());
        Ok((read && any(1), write && any(1 + usize::from(read)), any(0)))
    }

    /// Writes what the pipe takes and returns the rest; nothing is left once nobody reads any more.
    fn send<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        match self.stdin.write(bytes) {
            Ok(sent) => &bytes[sent..],
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => bytes,
            // A closed pipe is no fault yet: its output, or its end, tells more.
            Err(_) => &[],
        }
    }

    /// Reads what there is; false at the end of the output.
    fn receive(&mut self, received: &mut Vec<u8>) -> Result<bool, Fault> {
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
                return Err(Fault::new(Reason::Malformed, detail));
            }
        }
    }
}

/// How a conversation ended, the program not yet waited for.
enum Ending {
    Complete(Vec<u8>),
    Ended(Vec<u8>),
}

/// Watches the time of an exchange in which nothing comes.
struct Watch<'a> {
    wait: &'a Wait<'a>,
    begun: Instant,
    /// CPU time of the group when the exchange began.
    charged: Duration,
    next_look: Instant,
    /// When the group was last seen at work, and its CPU time then.
    active: Option<(Instant, Duration)>,
}

impl<'a> Watch<'a> {
    fn new(charged: Duration, wait: &'a Wait<'a>) -> Watch<'a> {
        let begun = Instant::now();
        Watch { wait, begun, charged, next_look: begun, active: None }
    }

    /// How long to wait for news before the next [`Watch::look`].
    fn patience_left(&self) -> Duration {
        let now = Instant::now();
        let allowed = self.wait.limit.map(|limit| limit + self.wait.conditions.grace);
        let to_limit = allowed.map(|allowed| allowed.saturating_sub(self.begun.elapsed()));
        // By the wall nothing is of interest before the limit; CPU time must be followed all along.
        let to_look = match (self.wait.conditions.clock, to_limit) {
            (Clock::Wall, Some(left)) if left > Duration::ZERO => left,
            _ => self.next_look.saturating_duration_since(now),
        };
        to_look.clamp(Duration::from_millis(1), SLICE)
    }

    /// Ends the wait where it has lasted long enough.
    fn look(&mut self, cpu_time: impl Fn() -> Duration) -> Result<(), Fault> {
        if self.wait.interrupt.is_set() {
            return Err(Fault::new(Reason::Stall, "interrupted"));
        }
        let Conditions { clock, grace, .. } = self.wait.conditions;
        let patience = self.wait.conditions.patience(self.wait.limit.is_some());
        let waited = self.begun.elapsed();
        let allowed = self.wait.limit.map(|limit| limit + grace);
        if clock == Clock::Wall && allowed.is_some_and(|allowed| waited <= allowed)
            || Instant::now() < self.next_look
        {
            return Ok(());
        }
        let asked = Instant::now();
        let used = cpu_time();
        // On a machine with many processes a look takes long, and is taken less often.
        self.next_look = asked + LOOK.max(20 * asked.elapsed());
        let (since, before) = *self.active.get_or_insert((asked, used));
        // A twentieth of a core is work; less is a program that wakes up to see whether it has any.
        if used.saturating_sub(before) > (asked - since) / 20 {
            self.active = Some((asked, used));
        }
        let idle = self.active.map_or(Duration::ZERO, |(since, _)| asked - since);
        let seconds = |time: Duration| time.as_secs_f64();
        let charge = used.saturating_sub(self.charged);
        let silent = |reason, limit: Duration| {
            let work = if reason == Reason::Time { "still at work" } else { "idle" };
            let detail =
                format!("no answer after {:.3} s of {:.3} s, {work}", seconds(waited), seconds(limit));
            Err(Fault::new(reason, detail))
        };
        match (clock, self.wait.limit, allowed) {
            (Clock::Cpu, Some(limit), Some(allowed)) if charge > allowed => {
                let detail = format!(
                    "no answer after {:.3} s of CPU time of {:.3} s",
                    seconds(charge),
                    seconds(limit)
                );
                Err(Fault::new(Reason::Time, detail))
            }
            // CPU time may come slowly on a busy machine: only idleness ends this wait.
            (Clock::Cpu, Some(limit), Some(allowed)) if waited > allowed + patience && idle >= patience => {
                silent(Reason::Stall, limit)
            }
            (Clock::Wall, Some(limit), Some(allowed)) if waited > allowed + patience => {
                silent(if idle >= patience / 2 { Reason::Stall } else { Reason::Time }, limit)
            }
            (_, None, _) if idle >= patience => {
                let detail =
                    format!("no answer after {:.3} s, idle for {:.3} s", seconds(waited), seconds(idle));
                Err(Fault::new(Reason::Stall, detail))
            }
            _ => Ok(()),
        }
    }
}
