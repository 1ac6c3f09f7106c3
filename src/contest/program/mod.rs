//! Players that are programs: started, fed, watched and ended from here.
//!
//! A [`ProcessGroup`](group::ProcessGroup) is a program with all that it starts; an exchange with
//! it ([`exchange`]) ends with an answer, with the program's end, or with a fault; [`botzone`] and
//! [`uci`] know what to say and how to read the answer. Linux only: ends are seen through pidfds,
//! CPU time through `/proc`.

mod botzone;
mod cpu;
mod exchange;
mod group;
mod uci;
mod watch;
mod wire;

pub(crate) use group::kill_all;

use super::contestant::{Contestant, GameContext};
use super::entrant::Entrant;
use super::fault::{LaunchError, PlayerFault};
use super::spec::Protocol;
use crate::botzone::request::Form;
use crate::game::Size;
use group::ProcessGroup;

/// True if a text is an answer of this form.
pub(super) fn reads_answer(form: Form, text: &str) -> bool {
    wire::read(form, text).is_ok()
}

/// Prepares a program for a game. The fault is that of a UCI engine that does not get ready.
pub(super) fn prepare<'a>(
    protocol: Protocol,
    entrant: &'a Entrant,
    size: Size,
    context: GameContext<'a>,
) -> Result<Result<Box<dyn Contestant + 'a>, PlayerFault>, LaunchError> {
    match protocol {
        Protocol::Botzone(form) => Ok(Ok(Box::new(botzone::Bot::new(form, entrant, context)))),
        Protocol::Uci => {
            let mut engine = uci::UciEngine::start(entrant, context)?;
            Ok(engine.get_ready(size).map(|_| Box::new(engine) as _))
        }
    }
}

/// Starts a program and ends it again; a UCI engine is also asked whether it is ready. Returns the
/// names of options that it does not offer.
pub(super) fn check(
    protocol: Protocol,
    entrant: &Entrant,
    size: Size,
    context: GameContext<'_>,
) -> Result<Vec<String>, LaunchError> {
    if protocol == Protocol::Uci {
        return uci::UciEngine::start(entrant, context)?.get_ready(size).map_err(|fault| {
            LaunchError(format!("'{}' does not get ready: {}", entrant.command().join(" "), fault.detail))
        });
    }
    ProcessGroup::start(entrant, &context).map(|_| Vec::new())
}
