//! The log of a bot: what was read and written, with times, and what the engine has to say.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::files;
use crate::messages::{printable, warn};

/// A log file, or none.
///
/// A line is the Unix time in seconds, what happened (`<` read, `>` written, `#` note) and the text,
/// its unprintable characters spelt out. A log that cannot be written costs no match: the bot stops
/// logging, with one warning on standard error.
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

    /// A line that was read.
    pub fn read(&mut self, line: &str) {
        self.entry('<', line);
    }

    /// Text that is about to be written.
    pub fn written(&mut self, text: &str) {
        for line in text.lines() {
            self.entry('>', line);
        }
    }

    /// A remark that was neither read nor written.
    pub fn note(&mut self, text: &dyn Display) {
        self.entry('#', text);
    }

    fn entry(&mut self, kind: char, text: impl Display) {
        let Some(file) = &mut self.0 else { return };
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // One write a line, so that bots that share a file do not tear each other's lines.
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
