//! The log of a bot: lines read and written with their times, and notes of the engine.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::files;
use crate::messages::{printable, warn};

/// A log file, or no log.
///
/// A line has the Unix time in seconds, a kind (`<` read, `>` written, `#` note) and the text with
/// unprintable characters escaped. A log that cannot be written loses no match: the bot stops
/// logging with one warning on standard error.
#[derive(Debug, Default)]
pub struct Log(Option<File>);

impl Log {
    /// Appends to the file at `path`, if there is one.
    pub fn open(path: Option<&Path>) -> Log {
        let open = |path: &Path| {
            let warning = |error: &_| warn(format_args!("the log is given up: {}: {error}", path.display()));
            files::open_to_write(path, OpenOptions::new().append(true).create(true)).inspect_err(warning).ok()
        };
        Log(path.and_then(open))
    }

    /// Logs a line that was read.
    pub fn read(&mut self, line: &str) {
        self.entry('<', line);
    }

    /// Logs text that is about to be written.
    pub fn written(&mut self, text: &str) {
        for line in text.lines() {
            self.entry('>', line);
        }
    }

    /// Logs a note, which was neither read nor written.
    pub fn note(&mut self, text: &dyn Display) {
        self.entry('#', text);
    }

    fn entry(&mut self, kind: char, text: impl Display) {
        let Some(file) = &mut self.0 else { return };
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Writes each line at once, so that bots that share a file do not mix their lines.
        let text = printable(&text.to_string());
        let line = format!("{}.{:06} {kind} {text}\n", time.as_secs(), time.subsec_micros());
        if let Err(error) = file.write_all(line.as_bytes()) {
            warn(format_args!("the log is given up: {error}"));
            self.0 = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_fails_is_given_up() {
        let mut log = Log(Some(File::options().write(true).open("/dev/full").unwrap()));
        log.read("1");
        assert!(log.0.is_none());
        log.read("2");
    }
}
