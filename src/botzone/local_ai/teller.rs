//! What the user is told.

use std::io::{self, Write};

use super::secret::Secret;
use crate::botzone::log::Log;
use crate::messages;

/// Tells the user what happens, and logs it. No message holds the secret, whatever text it was made
/// of.
pub(crate) struct Teller {
    secret: Secret,
    log: Log,
}

impl Teller {
    /// A teller that hides `secret`.
    pub(crate) fn new(secret: Secret, log: Log) -> Teller {
        Teller { secret, log }
    }

    /// A result: a line on standard output.
    pub(crate) fn result(&mut self, text: &str) {
        let text = self.note(text);
        // A closed stream cannot be reported, and the matches continue.
        let _ = writeln!(io::stdout(), "{text}");
    }

    /// News: a line on standard error.
    pub(crate) fn tell(&mut self, text: &str) {
        let text = self.note(text);
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// A request as it was written, for the log alone.
    pub(super) fn asked(&mut self, text: &str) {
        let text = self.clean(text);
        self.log.read(&text);
    }

    /// Our move.
    pub(super) fn answered(&mut self, text: &str) {
        let text = self.clean(text);
        self.log.written(&text);
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// A line of the log alone. Returns it as it may be shown.
    pub(crate) fn note(&mut self, text: &str) -> String {
        let text = self.clean(text);
        self.log.note(&text);
        text
    }

    fn clean(&self, text: &str) -> String {
        messages::printable(&self.secret.scrub(text))
    }
}
