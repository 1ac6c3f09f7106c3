use amazons::hash::mix;
use amazons::{Move, ParseMoveError, PlayError, Position, Size};

use crate::shipped::SHIPPED;

/// The reason why a text cannot be read as a book. Lines and plies are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// A word cannot be parsed as a move.
    #[error("line {line}: {error}")]
    Parse {
        /// The number of the line in the book.
        line: usize,
        /// The reason why the word cannot be parsed.
        error: ParseMoveError,
    },
    /// A move is illegal.
    #[error("line {line}: ply {ply}, {played}: {error}")]
    Play {
        /// The number of the line in the book.
        line: usize,
        /// The ply of the illegal move within the line.
        ply: usize,
        /// The illegal move.
        played: Move,
        /// The rule that the move breaks.
        error: PlayError,
    },
    /// The number of complete lines with moves differs from the number in the book's first line.
    #[error("got {got} complete lines: expected {expected}, as the first line says")]
    Lines {
        /// The number of lines that have moves and end with a line break.
        got: usize,
        /// The number in the book's first line `# N moves`.
        expected: usize,
    },
}

/// An opening book: positions, each with a move to play.
///
/// The text of a book has a line for each position: the moves from the start to the position, and
/// then the move to play. `#` begins a comment. [`Position::start`] looks the same when mirrored
/// left to right, so each line also gives the mirrored position and move.
///
/// ```
/// use quiver_engine::players::Book;
/// use quiver_engine::{Position, Size};
///
/// let start = Position::start(Size::square(8)?)?;
/// let book = Book::parse("# two lines\nc1-c7/g7  # .53\n\nc1-c7/g7 a6-b6/a6", &start)?;
/// let moves = |at: &Position| book.moves(at).map(|chosen| chosen.to_string()).collect::<Vec<_>>();
/// assert_eq!(moves(&start), ["c1-c7/g7", "f1-f7/b7"]);
/// assert_eq!(moves(&start.play("f1-f7/b7".parse()?)?), ["h6-g6/h6"]);
/// assert!(moves(&Position::start(Size::square(10)?)?).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// The [hash](Position::hash64) of each position, with its move.
    moves: Vec<(u64, Move)>,
}

impl Book {
    /// Parses a book whose lines begin at the position `start`. Moves have the form `d1-d7/g7`. The
    /// first line may be `# N moves`, where `N` is the number of lines that have moves and end with
    /// a line break. If the first line has this form, a truncated book is an error.
    ///
    /// # Errors
    /// If a move is unreadable or illegal, or if the number of lines with moves is not `N`.
    pub fn parse(text: &str, start: &Position) -> Result<Book, BookError> {
        let mut book = Book::default();
        let mut whole = 0;
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let words = line.split('#').next().unwrap_or_default().split_ascii_whitespace();
            let moves = words.map(str::parse).collect::<Result<Vec<Move>, _>>();
            let moves = moves.map_err(|error| BookError::Parse { line: number, error })?;
            whole += usize::from(!moves.is_empty() && line.ends_with('\n'));
            let image: Option<Vec<Move>> = moves.iter().map(|chosen| chosen.mirrored(start.size())).collect();
            book.add_line(start, number, &moves)?;
            // If `start` is not symmetric, the mirrored line may be illegal and is then left out.
            let _ = image.map(|image| book.add_line(start, number, &image));
        }
        match expected_line_count(text) {
            Some(expected) if expected != whole => Err(BookError::Lines { got: whole, expected }),
            _ => Ok(book),
        }
    }

    fn add_line(&mut self, start: &Position, line: usize, moves: &[Move]) -> Result<(), BookError> {
        let mut position = *start;
        for (ply, &played) in (1..).zip(moves) {
            let next = position.play(played);
            let next = next.map_err(|error| BookError::Play { line, ply, played, error })?;
            if ply == moves.len() {
                self.moves.push((position.hash64(), played));
            }
            position = next;
        }
        Ok(())
    }

    /// The library's books for 8x8 and 10x10 boards, made by the command `quiver book make`.
    pub fn shipped() -> Book {
        let books = SHIPPED.iter().map(|shipped| {
            let (side, text) = shipped.book;
            let start =
                Size::square(side).and_then(Position::start).expect("a book's board has a start position");
            Book::parse(text, &start).expect("tests read the shipped books").moves
        });
        Book { moves: books.flatten().collect() }
    }

    /// The legal moves that the book has for a position, in the order of the book's lines. A
    /// position that is its own mirror image gets each move and the mirror image of the move.
    pub fn moves(&self, position: &Position) -> impl Iterator<Item = Move> {
        let key = position.hash64();
        let here = self.moves.iter().filter(move |(known, _)| *known == key).map(|&(_, chosen)| chosen);
        here.filter(|&chosen| position.play(chosen).is_ok())
    }

    /// A checksum of the library's opening book for boards of this size; 0 if there is no book.
    pub fn shipped_checksum(size: Size) -> u64 {
        let sides = [size.width(), size.height()].map(usize::from);
        let book = SHIPPED.iter().map(|shipped| shipped.book).find(|(side, _)| sides == [*side; 2]);
        book.map_or(0, |(_, text)| text.bytes().fold(1, |digest, byte| mix(&[digest, byte.into()])))
    }
}

/// The number `N` in a book's first line `# N moves`; `None` if the first line has another form.
fn expected_line_count(text: &str) -> Option<usize> {
    let (number, rest) = text.lines().next()?.strip_prefix("# ")?.split_once(' ')?;
    number.parse().ok().filter(|_| rest.starts_with("move"))
}
