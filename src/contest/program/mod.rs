//! Players that are programs: started, fed, watched and ended from here.
//!
//! A [`ProcessGroup`] is a program with all that it starts, whose output threads report over a channel;
//! an exchange with it ([`exchange`]) ends with an answer, with the program's end, or with a fault;
//! [`botzone`] and [`uci`] know what to say and how to read the answer. [`processes`] knows what the
//! system tells of CPU time and memory.

mod botzone;
mod child;
mod exchange;
mod group;
mod log;
mod processes;
mod uci;

pub(super) use botzone::Bot;
pub(crate) use botzone::read_answer;
pub(super) use group::ProcessGroup;
pub(super) use uci::UciEngine;

/// Kills every program that this process has started and starts no more. Called when this process
/// must end at once.
pub(crate) fn kill_all() {
    child::kill_live();
    processes::end_all_strays();
}
