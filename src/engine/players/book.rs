//! An opening book: positions near the start with the move to play there.

use amazons::hash::mix;
use amazons::{Move, Position, Size};

use crate::InputError;
use crate::shipped::SHIPPED;

/// Positions, each with the move to play in it.
///
/// As text, a line for each position: the moves from the start to it, and last the move to play.
/// `#` begins a comment. The start of [`Position::start`] is its own mirror image left to right, so
/// each line also stands for its mirror image.
///
/// ```
/// use quiver_engine::players::Book;
/// use quiver_engine::{Position, Size};
///
/// let start = Position::start(Size::square(8)?)?;
/// let book = Book::parse("# two lines\nc1-c7/g7  # .53\n\nc1-c7/g7 a6-b6/a6", &start)?;
/// let moves = |at: &Position| book.moves(at).map(|full| full.to_string()).collect::<Vec<_>>();
/// assert_eq!(moves(&start), ["c1-c7/g7", "f1-f7/b7"]);
/// assert_eq!(moves(&start.play("f1-f7/b7".parse()?)?), ["h6-g6/h6"]);
/// assert!(moves(&Position::start(Size::square(10)?)?).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// The [key](Position::key) of each position, with its move.
    moves: Vec<(u64, Move)>,
}

impl Book {
    /// Reads a book whose lines begin at `start`: moves as `d1-d7/g7` and comments, no other form.
    ///
    /// # Errors
    /// If a line is not legal from there.
    pub fn parse(text: &str, start: &Position) -> Result<Book, InputError> {
        let mut book = Book::default();
        for (number, line) in (1..).zip(text.lines()) {
            let at = |error: InputError| error.at(format_args!("line {number}"));
            let words = line.split('#').next().unwrap_or_default().split_ascii_whitespace();
            let line = words.map(str::parse).collect::<Result<Vec<Move>, _>>();
            let line = line.map_err(|error| at(error.into()))?;
            let image: Option<Vec<Move>> = line.iter().map(|full| full.mirrored(start.size())).collect();
            book.add(start, &line).map_err(at)?;
            // The image of a line is legal where the start is its own image.
            let _ = image.map(|image| book.add(start, &image));
        }
        Ok(book)
    }

    fn add(&mut self, start: &Position, line: &[Move]) -> Result<(), InputError> {
        let mut position = *start;
        for (ply, &full) in (1..).zip(line) {
            let next = position.play(full);
            let next = next.map_err(|error| InputError::from(error).at(format_args!("ply {ply}, {full}")))?;
            if ply == line.len() {
                self.moves.push((position.hash64(), full));
            }
            position = next;
        }
        Ok(())
    }

    /// The books that the library carries, for the start positions of 8x8 and 10x10, as `quiver book
    /// make` made them.
    pub fn shipped() -> Book {
        let books = SHIPPED.iter().map(|shipped| {
            let (side, text) = shipped.book;
            let read = || Book::parse(text, &Position::start(Size::square(side)?)?);
            read().expect("tests read the shipped books").moves
        });
        Book { moves: books.flatten().collect() }
    }

    /// The legal moves that the book has in a position, in the order of its lines; where a position is
    /// its own mirror image, each move with its image.
    pub fn moves(&self, position: &Position) -> impl Iterator<Item = Move> {
        let key = position.hash64();
        let here = self.moves.iter().filter(move |(known, _)| *known == key).map(|&(_, full)| full);
        here.filter(|&full| position.play(full).is_ok())
    }

    /// Digests the lines that the library carries for the start of this board; 0 for none.
    pub fn shipped_checksum(size: Size) -> u64 {
        let sides = [size.width(), size.height()].map(usize::from);
        let book = SHIPPED.iter().map(|shipped| shipped.book).find(|(side, _)| sides == [*side; 2]);
        book.map_or(0, |(_, text)| text.bytes().fold(1, |digest, byte| mix(&[digest, byte.into()])))
    }
}
