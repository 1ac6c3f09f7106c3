//! Sends a request to a program, reads the answer, measures the time and detects faults.

use std::sync::Once;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use super::exchange_watch::{ExchangeWatch, Limit};
use super::group::{ProcessGroup, ProgramEvent};
use crate::contest::contestant::{Clock, GameContext, PlayerFault, Usage};
use crate::games::EndKind;
use crate::messages::warn;
use crate::words::Language;

/// The largest size of an answer in bytes, which is Botzone's limit too.
const MAX_OUTPUT: usize = 1 << 20;

/// The result of sending a request to a program and waiting for its answer.
#[derive(Debug)]
pub(super) struct Exchange {
    /// True if the answer is complete. False if the program ended with status 0 before a line
    /// completed the answer. An error is the fault that prevented an answer.
    pub(super) outcome: Result<bool, PlayerFault>,
    /// The kept lines of a complete answer, or the whole output if the answer is incomplete.
    pub(super) output: Vec<u8>,
    pub(super) spent: Duration,
    /// The resources that the program used. Values that were not measured are zero.
    pub(super) usage: Usage,
}

/// The role of an output line in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::contest) enum LineKind {
    /// A line of the answer before its last line.
    Inner,
    Dropped,
    Last,
    /// A line that ends the answer but is not part of the answer.
    Terminator,
}

/// An answer that is being read.
struct Answer<F> {
    /// The complete lines that belong to the answer.
    kept: Vec<u8>,
    /// Before the answer is complete, the incomplete last line of the output. Then all output after
    /// the answer.
    rest: Vec<u8>,
    classify: F,
}

impl<F: FnMut(&[u8]) -> LineKind> Answer<F> {
    /// Adds output of the program. Returns true if the answer is now complete.
    fn add_output(&mut self, bytes: &[u8]) -> Result<bool, PlayerFault> {
        let mut begin = 0;
        while let Some(length) = bytes[begin..].iter().position(|&byte| byte == b'\n') {
            let end = begin + length + 1;
            self.rest.extend_from_slice(&bytes[begin..end]);
            let kind = (self.classify)(self.rest.trim_ascii());
            if matches!(kind, LineKind::Inner | LineKind::Last) {
                self.kept.append(&mut self.rest);
            }
            self.rest.clear();
            if matches!(kind, LineKind::Last | LineKind::Terminator) {
                self.rest.extend_from_slice(&bytes[end..]);
                return Ok(true);
            }
            begin = end;
        }
        self.rest.extend_from_slice(&bytes[begin..]);
        if self.len() > MAX_OUTPUT {
            let detail = format!("more than {MAX_OUTPUT} bytes of output");
            return Err(PlayerFault::new(EndKind::Output, detail));
        }
        Ok(false)
    }

    fn len(&self) -> usize {
        self.kept.len() + self.rest.len()
    }
}

impl ProcessGroup {
    /// Sends a request and reads lines until `classify` returns `Last` or `Terminator`, or the
    /// program ends. `classify` gets each line of output without white space at its ends.
    ///
    /// A late answer is returned without a fault, with the time that the program took. If no answer
    /// comes, the fault is [`EndKind::Time`] for a working program and [`EndKind::Stall`] for an
    /// idle program. After a fault the program and all its processes are killed.
    pub(super) fn exchange(
        &mut self,
        request: &[u8],
        limit: Limit,
        context: &GameContext<'_>,
        classify: impl FnMut(&[u8]) -> LineKind,
    ) -> Exchange {
        self.proceed();
        let measures_usage = context.conditions.measures_usage();
        let clock = if matches!(limit, Limit::Turn(_)) { context.conditions.clock } else { Clock::Wall };
        let mut watch = ExchangeWatch::new(limit, context);
        let mut answer = Answer { kept: Vec::new(), rest: Vec::new(), classify };
        let complete = self.request_answer(request, &mut watch, &mut answer);
        // The wall time ends at the last event of the exchange, so it excludes the snapshot below.
        let mut usage = Usage { wall: watch.last_event, ..Usage::default() };
        let counted = measures_usage || clock == Clock::Cpu;
        if counted || complete == Ok(true) {
            // The pause keeps the program from using more CPU time before the snapshot below.
            self.pause();
        }
        let snapshot = if counted { self.take_snapshot() } else { None };
        if let Some(snapshot) = snapshot {
            usage.cpu = snapshot.cpu.saturating_sub(self.cpu_at_answer);
            self.cpu_at_answer = snapshot.cpu;
            usage.memory = if measures_usage { self.peak_memory } else { 0 };
            usage.left_behind = measures_usage && complete == Ok(false) && snapshot.alive;
        } else if clock == Clock::Cpu {
            static WARN_ONCE: Once = Once::new();
            let words = "warning: this system does not report CPU times of programs, so wall time counts";
            WARN_ONCE.call_once(|| warn(words));
        }
        let spent = if clock == Clock::Cpu && snapshot.is_some() { usage.cpu } else { usage.wall };
        let outcome = match complete {
            Ok(true) => {
                self.ahead = std::mem::take(&mut answer.rest);
                Ok(true)
            }
            Ok(false) => self.finish_answer(&mut answer),
            Err(fault) => {
                self.kill_and_drain(drop);
                Err(fault)
            }
        };
        let mut output = answer.kept;
        if outcome != Ok(true) {
            output.append(&mut answer.rest);
        }
        Exchange { outcome, output, spent, usage }
    }

    /// Reads the rest of an ended program's output. Returns true if the answer is now complete.
    fn finish_answer(
        &mut self,
        answer: &mut Answer<impl FnMut(&[u8]) -> LineKind>,
    ) -> Result<bool, PlayerFault> {
        let mut complete = Ok(false);
        self.kill_and_drain(|bytes| {
            if complete == Ok(false) {
                complete = answer.add_output(&bytes);
            }
        });
        // `wait_for_abnormal_exit` removes the ended process from the system. So it is called after
        // the process's CPU time has been read.
        complete.and_then(|complete| match self.wait_for_abnormal_exit() {
            Some(exit) if !complete => Err(PlayerFault::new(EndKind::Crash, exit.text(Language::English))),
            _ => Ok(complete),
        })
    }

    /// Sends the request and reads the answer. Returns true if the answer is complete, and false as
    /// soon as the program has ended, without reading output that its pipes may still hold.
    fn request_answer(
        &mut self,
        request: &[u8],
        watch: &mut ExchangeWatch<'_>,
        answer: &mut Answer<impl FnMut(&[u8]) -> LineKind>,
    ) -> Result<bool, PlayerFault> {
        self.send(request);
        if answer.add_output(&std::mem::take(&mut self.ahead))? {
            return Ok(true);
        }
        if self.ended {
            return Ok(false);
        }
        let mut has_output = false;
        loop {
            match self.events.recv_timeout(watch.until_next_check()) {
                Ok((at, ProgramEvent::Output(bytes))) => {
                    watch.record_event(at);
                    // The memory is read at the first output, since an ended program has no memory.
                    if !has_output && watch.context.conditions.measures_usage() {
                        self.take_snapshot();
                    }
                    has_output = true;
                    if answer.add_output(&bytes)? {
                        return Ok(true);
                    }
                }
                Ok((at, ProgramEvent::Ended)) => {
                    watch.record_event(at);
                    self.ended = true;
                    // Does not wait until pipes close, because a child process may keep them open.
                    return Ok(false);
                }
                Ok((_, ProgramEvent::StandardError(bytes))) => self.add_standard_error(&bytes),
                Err(RecvTimeoutError::Timeout) => watch.record_event(Instant::now()),
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
            }
            watch.check_limit(answer.len(), self)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_lines_and_keeps_early_output() {
        let classify = |line: &[u8]| match line {
            b"info" => LineKind::Dropped,
            b"last" => LineKind::Last,
            b"terminator" => LineKind::Terminator,
            _ => LineKind::Inner,
        };
        for (pieces, complete, kept, rest) in [
            (&["one\r", "\ninfo\n", "la", "st \nmore\nlast\n"][..], true, "one\r\nlast \n", "more\nlast\n"),
            (&["one\n", "terminator\n"], true, "one\n", ""),
            (&["one\nla"], false, "one\n", "la"),
            (&["last"], false, "", "last"),
        ] {
            let mut answer = Answer { kept: Vec::new(), rest: Vec::new(), classify };
            let ends = pieces.iter().any(|piece| answer.add_output(piece.as_bytes()).unwrap());
            assert_eq!(ends, complete, "{pieces:?}");
            assert_eq!((&*answer.kept, &*answer.rest), (kept.as_bytes(), rest.as_bytes()), "{pieces:?}");
        }
        let mut answer = Answer { kept: Vec::new(), rest: Vec::new(), classify };
        let megabytes = "info\n".repeat(1 << 20);
        assert_eq!(answer.add_output(megabytes.as_bytes()), Ok(false));
        let line = "x".repeat(MAX_OUTPUT + 1);
        assert_eq!(answer.add_output(line.as_bytes()).unwrap_err().reason, EndKind::Output);
    }
}
