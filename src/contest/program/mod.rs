//! Programs as players: starting them, sending requests, measuring and ending them.
//!
//! A [`ProcessGroup`] is a program with all processes that it starts. Threads read the program's
//! output and pass it over a channel. An [`exchange`] sends a request and waits for an answer, the
//! end of the program, or a fault. A [`botzone`] bot may have a process for each turn. An
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
use engine::Engine;
pub(super) use group::ProcessGroup;
pub(crate) use squares::{PlatformMove, Vertex};

use super::{EngineProtocol, Entrant, GameContext, LaunchError};
use crate::games::Game;

pub(super) fn start_engine<'a>(
    protocol: EngineProtocol,
    entrant: &'a Entrant,
    context: GameContext<'a>,
    game: &Game,
) -> Result<Engine<'a>, LaunchError> {
    let protocol: Box<dyn engine::Protocol> = match protocol {
        EngineProtocol::Uci => Box::new(uci::Uci),
        EngineProtocol::Gtp => Box::<gtp::Gtp>::default(),
        EngineProtocol::Contest => Box::new(platform::Platform),
    };
    Engine::start(protocol, entrant, context, game)
}

/// Kills every running program, and makes later starts fail. Used when Quiver must end at once.
pub(crate) fn kill_all() {
    child::kill_live();
    processes::end_all_strays();
}
