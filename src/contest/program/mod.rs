//! Players that are programs: started, fed, watched and ended from here.
//!
//! A [`ProcessGroup`] is a program with all that it starts; an exchange with
//! it ([`exchange`]) ends with an answer, with the program's end, or with a fault; [`botzone`] and
//! [`uci`] know what to say and how to read the answer. Linux only: ends are seen through pidfds,
//! CPU time through `/proc`.

mod botzone;
mod exchange;
mod group;
mod uci;

pub(super) use botzone::Bot;
pub(crate) use botzone::read_answer;
pub(super) use group::ProcessGroup;
pub(crate) use group::kill_all;
pub(super) use uci::UciEngine;
