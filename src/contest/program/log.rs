//! The standard error of programs: its last part for reports, and a log file of bounded size.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Write as _;

use amazons::Side;

use crate::contest::{GameContext, LaunchError};
use crate::files;
use crate::messages::warn;

/// The most bytes that a log keeps from the beginning of a process's standard error. The log keeps
/// at most the same number of bytes from the end.
const MAX_LOGGED: usize = 1 << 20;

/// Keeps the last bytes of a stream of any length.
#[derive(Debug)]
pub(super) struct Tail {
    bytes: VecDeque<u8>,
    most: usize,
    /// The total number of bytes of the stream so far.
    seen: u64,
}

impl Tail {
    pub(super) fn new(most: usize) -> Tail {
        Tail { bytes: VecDeque::new(), most, seen: 0 }
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.seen += bytes.len() as u64;
        self.bytes.extend(bytes);
        self.bytes.drain(..self.bytes.len().saturating_sub(self.most));
    }

    /// The last bytes of the stream as text. A shortened text begins with a whole line.
    pub(super) fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let cut = self.seen > self.most as u64;
        text.split_once('\n').filter(|_| cut).map_or(&*text, |(_, rest)| rest).to_owned()
    }
}

/// A log file of the standard error of a process. The first mebibyte is written immediately. The
/// last mebibyte of the remaining output is written when the log is dropped.
#[derive(Debug)]
pub(super) struct Log {
    file: Option<File>,
    written: usize,
    tail: Tail,
}

impl Log {
    pub(super) fn open(context: &GameContext<'_>) -> Result<Option<Log>, LaunchError> {
        let Some(log) = &context.run.log else { return Ok(None) };
        let path = if fs::metadata(log).is_ok_and(|found| found.is_dir()) {
            log.join(format!("game-{:06}-{}.log", context.place, Side::BOTH[context.seat]))
        } else {
            log.clone()
        };
        let file = files::open_to_append(&path)
            .map_err(|cause| LaunchError(format!("the log {}: {cause}", path.display())))?;
        Ok(Some(Log { file: Some(file), written: 0, tail: Tail::new(MAX_LOGGED) }))
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        let (at_once, later) = bytes.split_at(bytes.len().min(MAX_LOGGED - self.written));
        self.written += at_once.len();
        self.append(at_once);
        self.tail.extend(later);
    }

    fn append(&mut self, bytes: &[u8]) {
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.write_all(bytes)) {
            self.file = None;
            warn(format_args!("warning: a program's standard error is no longer logged: {error}"));
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let kept = Vec::from(std::mem::take(&mut self.tail.bytes));
        let left_out = self.tail.seen - kept.len() as u64;
        if left_out > 0 {
            self.append(format!("\n[{left_out} bytes of standard error are left out]\n").as_bytes());
        }
        self.append(&kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_end_of_a_stream() {
        let mut tail = Tail::new(8);
        tail.extend(b"one\n");
        assert_eq!(tail.text(), "one\n");
        for _ in 0..1000 {
            tail.extend(b"two\nlast");
        }
        assert_eq!(tail.text(), "last");
        assert!(tail.bytes.capacity() < 100 && tail.seen == 8004);
    }
}
