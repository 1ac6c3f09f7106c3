//! What the user is told.

use std::io::{self, Write};

use crate::botzone::log::Log;
use crate::messages::printable;

/// Tells the user what happens, and logs it.
pub(crate) struct Teller(Log);

impl Teller {
    /// A teller that writes to this log.
    pub(crate) fn new(log: Log) -> Teller {
        Teller(log)
    }

    /// A result: a line on standard output.
    pub(super) fn result(&mut self, text: &str) {
        self.note(text);
        // A closed stream cannot be reported, and the matches continue.
        let _ = writeln!(io::stdout(), "{}", printable(text));
    }

    /// News: a line on standard error.
    pub(crate) fn tell(&mut self, text: &str) {
        self.note(text);
        let _ = writeln!(io::stderr(), "{}", printable(text));
    }

    /// Our move: a line on standard error.
    pub(super) fn answered(&mut self, text: &str) {
        self.0.written(&printable(text));
        let _ = writeln!(io::stderr(), "{}", printable(text));
    }

    /// A request as it was written, for the log alone.
    pub(super) fn asked(&mut self, text: &str) {
        self.0.read(&printable(text));
    }

    /// A line of the log alone.
    pub(crate) fn note(&mut self, text: &str) {
        self.0.note(&printable(text));
    }
}
