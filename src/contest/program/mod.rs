//! Programs as players: starting them, sending requests, measuring and ending them.
//!
//! A [`ProcessGroup`] is a program with all processes that it starts. Threads read the program's
//! output and pass it over a channel. An [`exchange`] sends a request and waits for an answer, the
//! end of the program, or a fault. A [`botzone`] bot may get a new process for each turn. An
//! [`engine`] has one process for a game and uses [`uci`], [`gtp`] or the protocol of the contest
//! [`platform`]. [`squares`] has the notations of GTP and the platform, and [`processes`] reads CPU
//! time and memory from the system.

mod botzone;
mod child;
mod engine;
mod exchange;
mod exchange_watch;
mod group;
mod gtp;
mod log;
mod platform;
mod processes;
mod squares;
mod uci;

pub(super) use botzone::Bot;
pub(crate) use botzone::read_answer;
pub(super) use engine::Engine;
pub(super) use group::ProcessGroup;
pub(super) use gtp::Gtp;
pub(super) use platform::ContestPlatform;
pub(crate) use squares::{PlatformMove, Vertex};
pub(super) use uci::Uci;

/// Kills every running program, and makes later starts fail. Used when Quiver must end at once.
pub(crate) fn kill_all() {
    child::kill_live();
    processes::end_strays(None);
}
