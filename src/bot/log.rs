//! The log file of a bot: the lines that the bot read and wrote, with their times, and notes.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::files;
use crate::messages::{printable, warn};

/// A log file, or no log.
///
/// Each line has the Unix time in seconds, a kind (`<` read, `>` written, `#` note) and a text
/// whose unprintable characters are escaped. If the file cannot be written, the bot prints one
/// warning, stops logging and plays on.
#[derive(Debug, Default)]
pub struct Log(Option<File>);

impl Log {
    /// A log that appends to the file at `path`. If `path` is `None`, the log writes nothing.
    pub fn open(path: Option<&Path>) -> Log {
        let open = |path: &Path| {
            let warning = |error: &_| warn(format_args!("logging stops: {}: {error}", path.display()));
            files::open_to_write(path, OpenOptions::new().append(true).create(true)).inspect_err(warning).ok()
        };
        Log(path.and_then(open))
    }

    pub(crate) fn entry(&mut self, kind: char, text: impl Display) {
        let Some(file) = &mut self.0 else { return };
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // One write for each line keeps bots that share a file from mixing their lines.
        let text = printable(&text.to_string());
        let line = format!("{}.{:06} {kind} {text}\n", time.as_secs(), time.subsec_micros());
        if let Err(error) = file.write_all(line.as_bytes()) {
            warn(format_args!("logging stops: {error}"));
            self.0 = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_logging_after_error() {
        let mut log = Log(Some(File::options().write(true).open("/dev/full").unwrap()));
        log.entry('<', "1");
        assert!(log.0.is_none());
        log.entry('<', "2");
    }
}
