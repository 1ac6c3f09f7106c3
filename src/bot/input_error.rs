//! The error of input that is refused.

use std::fmt::Display;

/// The error of a refused input, such as the text of a square, an illegal move or a file: the input,
/// the expected one and, where it is part of a larger one, its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InputError(pub String);

impl InputError {
    /// The error of an input, and what was expected in its place.
    pub fn new(got: impl Display, expected: impl Display) -> InputError {
        InputError(format!("{got}: expected {expected}"))
    }

    /// The error with the place of the input before it.
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
    amazons::sgf::ParseSgfError,
    amazons::ggf::ParseGgfError,
    amazons::move_list::ParseMoveListError,
);
