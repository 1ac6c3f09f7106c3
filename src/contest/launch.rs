//! Starts players from their descriptions.

use super::built_in::BuiltIn;
use super::program::{Bot, ContestPlatform, Engine, Gtp, ProcessGroup, Uci};
use super::{Contestant, Entrant, GameContext, LaunchError, PlayerSpec, Protocol};
use crate::games::Game;

/// Creates a player that is ready to continue `game`. No clock counts the time of this preparation.
pub(super) fn prepare_contestant<'a>(
    entrant: &'a Entrant,
    context: GameContext<'a>,
    game: &Game,
) -> Result<Box<dyn Contestant + 'a>, LaunchError> {
    Ok(match entrant.spec {
        PlayerSpec::BuiltIn { kind, .. } => Box::new(BuiltIn::new(kind, &entrant.engine, context, game)),
        PlayerSpec::Program { protocol, .. } => match protocol {
            Protocol::Botzone(form) => Box::new(Bot::new(form, entrant, context)),
            Protocol::Uci => Box::new(Engine::start(Uci, entrant, context, game)?),
            Protocol::Gtp => Box::new(Engine::start(Gtp::default(), entrant, context, game)?),
            Protocol::Contest => Box::new(Engine::start(ContestPlatform, entrant, context, game)?),
        },
    })
}

/// Checks that the player can start for this game. Returns the names of the options that the user
/// set but the player's engine lacks.
pub(crate) fn check_start(
    entrant: &Entrant,
    context: GameContext<'_>,
    game: &Game,
) -> Result<Vec<String>, LaunchError> {
    match &entrant.spec {
        PlayerSpec::BuiltIn { .. } => Ok(Vec::new()),
        PlayerSpec::Program { protocol: Protocol::Botzone(_), .. } => {
            ProcessGroup::start(entrant, &context).map(|_| Vec::new())
        }
        PlayerSpec::Program { command, .. } => {
            let player = prepare_contestant(entrant, context, game)?;
            player.readiness().map(<[String]>::to_vec).map_err(|fault| {
                LaunchError(format!("'{}' does not get ready: {}", command.join(" "), fault.detail))
            })
        }
    }
}
