//! `Move`, the Python class of full moves, which reads and writes several notations.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use quiver::Coordinates;
use quiver::Move as FullMove;
use quiver::amazons::UciMove;

use crate::arguments::{invalid, square};

/// A full move: a queen move and the arrow that the amazon shoots from its new square.
///
/// The constructor reads `d1-d7/g7`, `d1-d7-g7`, `d1d7g7`, Fairy-Stockfish's `d1d7,d7g7` and
/// Botzone's six numbers `3 0 3 6 6 6`. Moves can be compared, ordered, hashed and pickled. A move
/// has no board; `Position.is_legal` says whether it is legal in a position.
#[pyclass(frozen, eq, ord, hash, module = "quiver")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Move(pub(crate) FullMove);

#[pymethods]
impl Move {
    #[new]
    fn new(text: &str) -> PyResult<Move> {
        text.parse().map(Move).map_err(invalid)
    }

    /// Constructs a move from the numbers of its three squares, each `16 * y + x`.
    #[staticmethod]
    fn from_squares(from_square: u8, to_square: u8, arrow: u8) -> PyResult<Move> {
        let (from, to, arrow) = (square(from_square)?, square(to_square)?, square(arrow)?);
        Ok(Move(FullMove { from, to, arrow }))
    }

    /// The square that the amazon leaves, `16 * y + x`.
    #[getter(from_square)]
    fn origin(&self) -> u8 {
        self.0.from.to_byte()
    }

    /// The square that the amazon reaches, `16 * y + x`.
    #[getter(to_square)]
    fn target(&self) -> u8 {
        self.0.to.to_byte()
    }

    /// The square that the arrow burns, `16 * y + x`.
    #[getter]
    fn arrow(&self) -> u8 {
        self.0.arrow.to_byte()
    }

    /// The three squares: from, to, arrow.
    #[getter]
    fn squares(&self) -> (u8, u8, u8) {
        (self.origin(), self.target(), self.arrow())
    }

    /// The move as Botzone's six numbers: x and y of from, to and arrow, each counted from 0.
    #[getter]
    fn numbers(&self) -> (i64, i64, i64, i64, i64, i64) {
        Coordinates::from(self.0).0.into()
    }

    /// The move as Fairy-Stockfish writes it: `d1d7,d7g7`.
    #[getter]
    fn uci(&self) -> String {
        UciMove(self.0).to_string()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Move('{}')", self.0)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Move>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().__str__(),))
    }
}

/// An argument for a move: a `Move` or the text of a move.
pub(crate) struct MoveArgument(pub(crate) FullMove);

impl<'py> FromPyObject<'_, 'py> for MoveArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<MoveArgument> {
        if let Ok(played) = object.cast::<Move>() {
            return Ok(MoveArgument(played.get().0));
        }
        let text = object.extract::<String>().map_err(|_| {
            PyTypeError::new_err(format!("{}: expected a Move or its text", object.get_type()))
        })?;
        text.parse().map(MoveArgument).map_err(invalid)
    }
}
