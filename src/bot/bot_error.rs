//! The error of a bot.

use std::fmt::Display;
use std::io;

use crate::InputError;

/// The reason why a bot did not start or had to end. Turns count as far as the bot knows the match.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum BotError {
    #[error("turn {turn}: the request cannot be read: {cause}")]
    Input { turn: usize, cause: io::Error },
    #[error("turn {turn}: the answer cannot be written: {cause}")]
    Output { turn: usize, cause: io::Error },
    /// A fault of the user or the judge: wrong settings, or a request that cannot be answered.
    #[error(transparent)]
    Refused(#[from] InputError),
}

/// The error of a rejected request, with its turn.
pub(super) fn refused(turn: usize, fault: impl Display) -> BotError {
    InputError(format!("turn {turn}: {fault}")).into()
}
