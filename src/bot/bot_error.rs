use std::fmt::Display;
use std::io;

use crate::InputError;

/// The error that ended a bot, or that kept it from starting. `turn` is the number of the bot's
/// turn in the match, from 1. Until the bot's first answer, `turn` is 1.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum BotError {
    #[error("turn {turn}: the request cannot be read: {cause}")]
    Input { turn: usize, cause: io::Error },
    #[error("turn {turn}: the answer cannot be written: {cause}")]
    Output { turn: usize, cause: io::Error },
    /// Wrong settings, or a request that the bot cannot answer.
    #[error(transparent)]
    Refused(#[from] InputError),
}

pub(super) fn turn_error(turn: usize, fault: impl Display) -> BotError {
    InputError(format!("turn {turn}: {fault}")).into()
}
