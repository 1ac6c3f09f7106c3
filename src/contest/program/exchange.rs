//! One exchange with a program: writes a request, reads the answer, and detects faults.

use std::io::{ErrorKind, Read, Write};
use std::ops::Range;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::group::ProcessGroup;
use super::watch::ExchangeWatch;
use crate::contest::contestant::{Clock, Conditions, GameContext, PlayerFault, Usage};
use crate::game::EndKind;

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
    /// Sends a request and, within a limit on the clock of the conditions, reads until `complete` says
    /// how many bytes are the answer, or the program ends.
    ///
    /// An answer that comes after the limit is returned all the same, with the time it took; only
    /// where none comes is it a fault: [`EndKind::Time`] from a program at work,
    /// [`EndKind::Stall`] from an idle one.
    pub(super) fn exchange(
        &mut self,
        request: &[u8],
        limit: Option<Duration>,
        context: &GameContext<'_>,
        complete: impl Fn(&[u8]) -> Option<usize>,
    ) -> Exchange {
        self.proceed();
        let Conditions { clock, measured, .. } = context.conditions;
        let mut watch = ExchangeWatch::new(limit, context);
        let mut output = Vec::new();
        let answer = self.converse(request, &mut watch, &mut output, complete);
        // The wall clock stopped with the last news, before any book-keeping.
        let mut usage = Usage { wall: watch.last_news, ..Usage::default() };
        let counted = measured || clock == Clock::Cpu;
        if counted || matches!(answer, Ok(Some(_))) {
            // Stopped first, so that nothing it does after its answer goes uncounted or is charged
            // later.
            self.pause();
        }
        if measured {
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
            Some(length) => {
                output.truncate(length);
                Ok(true)
            }
            // Only now, with its CPU time read, is the program waited for.
            None => self.status().map(|()| false),
        });
        self.read_complaint();
        usage.left_behind = measured && ended && self.members().next().is_some();
        Exchange { outcome, output, spent, complaint: self.complaint(), usage }
    }

    /// Returns the length of the answer, or `None` once the program has ended.
    fn converse(
        &mut self,
        request: &[u8],
        watch: &mut ExchangeWatch<'_>,
        received: &mut Vec<u8>,
        complete: impl Fn(&[u8]) -> Option<usize>,
    ) -> Result<Option<usize>, PlayerFault> {
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
                if let Some(length) = complete(received) {
                    return Ok(Some(length));
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
