//! One exchange with a program: writes a request, reads the answer, detects faults, and decides how
//! long to wait for a program that has not answered.

use std::sync::Once;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use super::exchange_watch::{ExchangeWatch, Limit};
use super::group::{News, ProcessGroup};
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

/// The meaning of a line of output for the reader of an answer.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
