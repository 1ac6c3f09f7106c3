//! Starts players from their descriptions.

use super::built_in::BuiltIn;
use super::program::{Bot, ProcessGroup, start_engine};
use super::{
    Contestant, Entrant, GameConditions, GameContext, LaunchError, PlayerFault, PlayerSpec, Protocol,
    RunOptions,
};
use crate::games::Game;

/// Creates a player that is ready to continue `game`. No clock counts the time of this preparation.
pub(super) fn prepare<'a>(
    entrant: &'a Entrant,
    context: GameContext<'a>,
    game: &Game,
) -> Result<Box<dyn Contestant + 'a>, LaunchError> {
    Ok(match entrant.kind {
        PlayerSpec::BuiltIn { kind, .. } => Box::new(BuiltIn::new(kind, &entrant.engine, context, game)),
        PlayerSpec::Program { protocol: Protocol::Botzone(form), .. } => {
            Box::new(Bot::new(form, entrant, context))
        }
        PlayerSpec::Program { protocol: Protocol::Engine(protocol), .. } => {
            Box::new(start_engine(protocol, entrant, context, game)?)
        }
    })
}

/// Checks that the player can start for this game. Returns the user's options that its engine
/// lacks.
pub(crate) fn check_start(
    entrant: &Entrant,
    conditions: GameConditions,
    game: &Game,
    run: &RunOptions,
) -> Result<Vec<String>, LaunchError> {
    let context = GameContext::new(conditions, 0, run);
    match &entrant.kind {
        PlayerSpec::BuiltIn { .. } => Ok(Vec::new()),
        PlayerSpec::Program { protocol: Protocol::Botzone(_), .. } => {
            ProcessGroup::start(entrant, &context).map(|_| Vec::new())
        }
        PlayerSpec::Program { protocol: Protocol::Engine(protocol), command } => {
            let unready = |fault: PlayerFault| {
                LaunchError(format!("'{}' does not get ready: {}", command.join(" "), fault.detail))
            };
            start_engine(*protocol, entrant, context, game)?.readiness.map_err(unready)
        }
    }
}
