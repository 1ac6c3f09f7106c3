//! Players that are programs: started, fed, watched and ended from here.
//!
//! A [`ProcessGroup`] is a program with all that it starts, whose output threads report over a channel;
//! an exchange with it ([`exchange`]) ends with an answer, with the program's end, or with a fault.
//! A [`botzone`] bot may have a process for each turn. An [`engine`] has one for a game, and speaks
//! [`uci`], [`gtp`] or the words of the contest [`platform`]; [`squares`] has the notations of the
//! latter two. [`processes`] knows what the system tells of CPU time and memory.

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

/// Starts an engine, and gets it ready to go on with a game.
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

/// Kills every program that this process has started and starts no more. Called when this process
/// must end at once.
pub(crate) fn kill_all() {
    child::kill_live();
    processes::end_all_strays();
}
