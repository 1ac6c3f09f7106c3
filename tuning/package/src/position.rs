//! `Position`, the Python class with the rules of the game.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use quiver::amazons::{self, SquareContent};
use quiver::{QueenMove, Size, Start};

use crate::arguments::{self, invalid, side_number, square};
use crate::arrays::{array, square_rows, squares};
use crate::interrupts::interruptible;
use crate::moves::{Move, MoveArgument};

/// A legal position, never between a queen move and its arrow. The constructor reads a FEN.
///
/// Positions are immutable: `play` returns a new one. They can be compared, hashed and pickled.
/// Sides are 0 (first player, `w` in a FEN) and 1 (second player). A square is the number
/// `16 * y + x`, where x and y are 0 at a1.
#[pyclass(frozen, eq, hash, module = "quiver")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Position(pub(crate) quiver::Position);

#[pymethods]
impl Position {
    #[new]
    fn new(fen: &str) -> PyResult<Position> {
        fen.parse().map(Position).map_err(invalid)
    }

    /// Returns the start position of a board of side 6, 8 or 10. `assignment` says which amazons
    /// the first player has: "formula" means the amazons with small y, as on Botzone, and "left"
    /// means the amazons with small x.
    #[staticmethod]
    #[pyo3(signature = (size = 10, assignment = "formula"))]
    fn start(size: usize, assignment: &str) -> PyResult<Position> {
        let start = [Start::Formula, Start::Left].into_iter().find(|start| start.to_string() == assignment);
        let start = start.ok_or_else(|| {
            invalid(format_args!("assignment = '{assignment}': expected 'formula' or 'left'"))
        })?;
        start.position(Size::square(size).map_err(invalid)?).map(Position).map_err(invalid)
    }

    /// The FEN of the position, in the form of Fairy-Stockfish's variant amazons.
    #[getter]
    fn fen(&self) -> String {
        self.0.to_string()
    }

    /// The number of columns.
    #[getter]
    fn width(&self) -> usize {
        self.0.size().width().into()
    }

    /// The number of rows.
    #[getter]
    fn height(&self) -> usize {
        self.0.size().height().into()
    }

    /// The side to move: 0 first, 1 second.
    #[getter]
    fn to_move(&self) -> u8 {
        side_number(self.0.to_move())
    }

    /// The winner, 0 or 1, if the side to move has no move, else None. There are no draws.
    #[getter]
    fn winner(&self) -> Option<u8> {
        self.0.winner().map(side_number)
    }

    /// True if the side to move has no move and thus has lost.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.winner().is_some()
    }

    /// Returns the squares of a side's amazons in ascending order.
    fn amazons<'py>(&self, py: Python<'py>, side: u8) -> PyResult<Bound<'py, PyAny>> {
        squares(py, self.0.amazons(arguments::side(side)?).iter().copied())
    }

    /// Returns all legal moves in a fixed order.
    fn legal_moves(&self) -> Vec<Move> {
        self.0.legal_moves_iter().map(Move).collect()
    }

    /// Returns all legal moves as an array of shape (n, 3) with from, to and arrow, in the order of
    /// `legal_moves`.
    fn legal_move_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        square_rows(py, self.0.legal_moves_iter().map(|played| [played.from, played.to, played.arrow]))
    }

    /// Returns the number of legal moves that `side` would have if it were to move. The default
    /// for `side` is the side to move.
    #[pyo3(signature = (side = None))]
    fn count_moves(&self, side: Option<u8>) -> PyResult<u64> {
        let side = side.map_or(Ok(self.0.to_move()), arguments::side)?;
        Ok(self.0.count_legal_moves(side))
    }

    /// Returns the queen moves of the side to move as an array of shape (n, 2) with from and to.
    fn queen_moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        square_rows(py, self.0.queen_moves().map(|queen| [queen.from, queen.to]))
    }

    /// Returns the squares that the arrow can burn after a queen move.
    fn arrows<'py>(&self, py: Python<'py>, from_square: u8, to_square: u8) -> PyResult<Bound<'py, PyAny>> {
        let queen = QueenMove { from: square(from_square)?, to: square(to_square)? };
        squares(py, self.0.move_queen(queen).map_err(invalid)?.arrows())
    }

    /// Returns True if a `Move`, or the text of a move, is legal in this position.
    fn is_legal(&self, r#move: MoveArgument) -> PyResult<bool> {
        Ok(self.0.play(r#move.0).is_ok())
    }

    /// Returns the position after a `Move` or the text of a move. Raises ValueError if the move is
    /// illegal.
    fn play(&self, r#move: MoveArgument) -> PyResult<Position> {
        self.0.play(r#move.0).map(Position).map_err(invalid)
    }

    /// Returns the board as an array of shape (3, height, width) of 0 and 1. Plane 0 has a 1 on the
    /// amazons of the side to move, plane 1 on those of its opponent, and plane 2 on burnt squares.
    fn planes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (width, height) = (self.width(), self.height());
        let mut bytes = vec![0; 3 * width * height];
        for square in self.0.size().mask() {
            let plane = match self.0.content(square) {
                Some(SquareContent::Amazon(side)) => usize::from(side != self.0.to_move()),
                Some(SquareContent::Burnt) => 2,
                Some(SquareContent::Empty) | None => continue,
            };
            bytes[(plane * height + usize::from(square.y())) * width + usize::from(square.x())] = 1;
        }
        array(py, &bytes, "u1", &[3, height, width])
    }

    /// Returns the board as lines of text, with row 1 at the bottom.
    fn __str__(&self) -> String {
        let size = self.0.size();
        let mut text = String::new();
        for y in (0..size.height()).rev() {
            let _ = write!(text, "{:>2}", y + 1);
            for content in self.0.row(y) {
                let _ = write!(text, " {}", content.symbol(['Q', 'q', '*', '.']));
            }
            text.push('\n');
        }
        text.push_str("  ");
        for letter in ('a'..).take(size.width().into()) {
            let _ = write!(text, " {letter}");
        }
        text
    }

    fn __repr__(&self) -> String {
        format!("Position('{}')", self.0)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Position>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().fen(),))
    }
}

/// Returns the number of sequences of `depth` legal moves from a position; 1 for a depth of 0.
/// After Ctrl-C the function still counts all sequences that begin with the current first move.
#[pyfunction]
pub(crate) fn perft(py: Python<'_>, position: &Position, depth: u32) -> PyResult<u64> {
    let position = position.0;
    if depth == 0 {
        return Ok(1);
    }
    let stopped = AtomicBool::new(false);
    let count = || {
        let counts = amazons::divide(&position, depth).map(|(_, count)| count);
        counts.take_while(|_| !stopped.load(Ordering::Relaxed)).sum()
    };
    interruptible(py, || stopped.store(true, Ordering::Relaxed), count)
}
