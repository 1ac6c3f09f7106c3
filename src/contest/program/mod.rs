//! Players that are programs: started, fed, watched and ended from here.
//!
//! A [`ProcessGroup`](group::ProcessGroup) is a program with all that it starts; an exchange with it
//! ([`exchange`]) ends with an answer, with the program's end, or with a fault; [`botzone`] and [`uci`] know what to
//! say and how to read the answer. Linux only: ends are seen through pidfds, CPU time through `/proc`.

mod botzone;
mod cpu;
mod exchange;
mod group;
mod json;
mod text;
mod uci;
mod watch;

use std::io;
use std::time::Duration;

pub use group::kill_all;
pub(super) use json::object;

use super::contestant::Contestant;
use super::entrant::Table;
use super::fault::Fault;
use super::spec::Protocol;
use crate::game::Size;
use group::ProcessGroup;

/// How a program is started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Launch<'a> {
    /// The program and its arguments.
    pub(super) command: &'a [String],
    /// Address space in bytes, for each of its processes.
    pub(super) memory_limit: Option<u64>,
    /// CPU time in seconds, for each of its processes: far more than a game takes, so that one which works on when this
    /// process was killed, and could end nothing, ends all the same.
    pub(super) cpu_limit: Option<u64>,
}

/// Why a program cannot take part. In the middle of a contest, whose programs have all started once, this is trouble of
/// the machine and nobody's fault.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The system does not start it.
    #[error("'{command}' does not start: {cause}")]
    Start {
        /// The command.
        command: String,
        /// What the system said.
        cause: io::Error,
    },
    /// The file for its standard error cannot be written.
    #[error("the log {path}: {cause}")]
    Log {
        /// The file.
        path: String,
        /// What the system said.
        cause: io::Error,
    },
    /// It starts but does not become ready.
    #[error("'{command}' does not get ready: {detail}")]
    Handshake {
        /// The command.
        command: String,
        /// What was seen.
        detail: String,
    },
}

/// Lets a program sit down to a game; a fault is a UCI engine's that does not get ready.
pub(super) fn sit<'a>(
    protocol: Protocol,
    launch: &Launch<'a>,
    options: &'a [(String, String)],
    size: Size,
    table: &Table<'a>,
) -> Result<Result<Box<dyn Contestant + 'a>, Fault>, LaunchError> {
    let bot = |form| botzone::Bot::new(form, *launch, *table);
    match protocol {
        Protocol::Json => Ok(Ok(Box::new(bot(botzone::Form::Json)))),
        Protocol::Text => Ok(Ok(Box::new(bot(botzone::Form::Text)))),
        Protocol::Uci => {
            let mut engine = uci::UciEngine::start(launch, table)?;
            Ok(engine.get_ready(options, size).map(|_| Box::new(engine) as _))
        }
    }
}

/// Starts a program and ends it again; a UCI engine is also asked whether it is ready. Returns the
/// names of options that it does not offer.
pub(super) fn check(
    protocol: Protocol,
    launch: &Launch<'_>,
    options: &[(String, String)],
    size: Size,
    table: &Table<'_>,
) -> Result<Vec<String>, LaunchError> {
    if protocol == Protocol::Uci {
        let mut engine = uci::UciEngine::start(launch, table)?;
        return engine.get_ready(options, size).map_err(|fault| LaunchError::Handshake {
            command: launch.command.join(" "),
            detail: fault.detail,
        });
    }
    ProcessGroup::start(launch, table).map(|_| Vec::new())
}

/// How long a UCI engine may take for a reply that is on nobody's clock.
const HANDSHAKE: Duration = Duration::from_secs(30);
