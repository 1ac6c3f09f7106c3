//! Messages on standard error, and text from outside as messages show it.

use std::fmt::Display;
use std::io::{self, Write as _};

pub use quiver_engine::messages::{counted, escape, excerpt, printable};

/// Writes a message to standard error. If that is closed, there is no place left to report it.
pub fn warn(message: impl Display) {
    let _ = writeln!(io::stderr(), "quiver: {}", printable(&message.to_string()));
}
