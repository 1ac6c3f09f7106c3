use std::fmt::Display;

/// The error of rejected input, such as a square, a move or a file. The message states what was
/// received and what was expected, and the place if the input is a part of a text or a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InputError(pub String);

impl InputError {
    /// The error whose message is `got`, then ": expected ", then `expected`.
    pub fn new(got: impl Display, expected: impl Display) -> InputError {
        InputError(format!("{got}: expected {expected}"))
    }

    /// Puts the place of the input before the message of this error.
    #[must_use]
    pub fn at(self, place: impl Display) -> InputError {
        InputError(format!("{place}: {self}"))
    }
}

macro_rules! from {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for InputError {
            fn from(error: $error) -> InputError {
                InputError(error.to_string())
            }
        })*
    };
}

from!(
    amazons::ParseSquareError,
    amazons::ParseMoveError,
    amazons::ParseFenError,
    amazons::SetupError,
    amazons::PlayError,
    amazons::GameError,
    amazons::TooManyErrors,
    amazons::ParseGameError,
    amazons::move_list::ParseMoveListError,
);
