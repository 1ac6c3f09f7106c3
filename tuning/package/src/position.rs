//! `Position`: the rules.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use quiver::amazons::{self, SquareContent};
use quiver::{QueenMove, Size, Start};

use crate::arguments::{self, invalid, side_number, square};
use crate::arrays::{array, rows, squares};
use crate::interrupts::interruptible;
use crate::moves::{Move, MoveArgument};

/// A legal position between two full moves, made from a FEN.
///
/// Positions never change: `play` returns the next one. They can be compared, hashed and pickled.
/// Sides are 0 (first player, `w` in a FEN) and 1 (second). Squares are numbers `16 * y + x`, from
/// 0 at a1, as in files of games.
#[pyclass(frozen, eq, hash, module = "quiver")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Position(pub(crate) quiver::Position);

#[pymethods]
impl Position {
    #[new]
    fn new(fen: &str) -> PyResult<Position> {
        fen.parse().map(Position).map_err(invalid)
    }

    /// The start of a square board of side 6, 8 or 10. `assignment` is "formula" (Botzone's judge:
    /// the first player has small y) or "left" (the first player has small x).
    #[staticmethod]
    #[pyo3(signature = (size = 10, assignment = "formula"))]
    fn start(size: usize, assignment: &str) -> PyResult<Position> {
        let start = [Start::Formula, Start::Left].into_iter().find(|start| start.to_string() == assignment);
        let start = start.ok_or_else(|| {
            invalid(format_args!("assignment = '{assignment}': expected 'formula' or 'left'"))
        })?;
        start.position(Size::square(size).map_err(invalid)?).map(Position).map_err(invalid)
    }

    /// The FEN, as Fairy-Stockfish's variant amazons has it.
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

    /// The winner where the side to move has no move, else None. There are no draws.
    #[getter]
    fn winner(&self) -> Option<u8> {
        self.0.winner().map(side_number)
    }

    /// Whether the side to move has no move, and has lost.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.winner().is_some()
    }

    /// The squares of a side's amazons, ascending.
    fn amazons<'py>(&self, py: Python<'py>, side: u8) -> PyResult<Bound<'py, PyAny>> {
        squares(py, self.0.amazons(arguments::side(side)?).iter().copied())
    }

    /// All legal moves, in a fixed order.
    fn legal_moves(&self) -> Vec<Move> {
        self.0.legal_moves_iter().map(Move).collect()
    }

    /// All legal moves as an array of shape (n, 3): from, to, arrow, in the order of `legal_moves`.
    fn legal_move_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rows(py, self.0.legal_moves_iter().map(|played| [played.from, played.to, played.arrow]))
    }

    /// The number of moves that a side could make if it were its turn; by default the side to move.
    #[pyo3(signature = (side = None))]
    fn count_moves(&self, side: Option<u8>) -> PyResult<u64> {
        let side = side.map_or(Ok(self.0.to_move()), arguments::side)?;
        Ok(self.0.count_legal_moves(side))
    }

    /// The queen moves of the side to move as an array of shape (n, 2): from, to.
    fn queen_moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        rows(py, self.0.queen_moves().map(|queen| [queen.from, queen.to]))
    }

    /// The squares that the arrow may burn after a queen move.
    fn arrows<'py>(&self, py: Python<'py>, from_square: u8, to_square: u8) -> PyResult<Bound<'py, PyAny>> {
        let queen = QueenMove { from: square(from_square)?, to: square(to_square)? };
        squares(py, self.0.move_queen(queen).map_err(invalid)?.arrows())
    }

    /// Whether a move, or its text, is legal here.
    fn is_legal(&self, r#move: MoveArgument) -> PyResult<bool> {
        Ok(self.0.play(r#move.0).is_ok())
    }

    /// The position after a move, or its text. Raises ValueError if the move is illegal.
    fn play(&self, r#move: MoveArgument) -> PyResult<Position> {
        self.0.play(r#move.0).map(Position).map_err(invalid)
    }

    /// The board as an array of shape (3, height, width), 1 at [plane, y, x] for an amazon of the
    /// side to move, for one of its opponent, and for a burnt square, else 0.
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

    /// The board as rows of text, row 1 at the bottom.
    fn __str__(&self) -> String {
        let size = self.0.size();
        let mut text = String::new();
        // Writing to a string cannot fail.
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

/// Number of different lines of `depth` plies start at a position; 1 for a depth of 0. Ctrl-C ends it
/// after the first move that is being counted.
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
