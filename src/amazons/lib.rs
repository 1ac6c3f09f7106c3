//! The rules of the Game of the Amazons on boards from 1x1 to 10x10, for any program: bitboards,
//! positions, moves, notations and games. `no_std` with `alloc`.
//!
//! ```
//! use amazons::{Move, Position, Size};
//!
//! let start = Position::start(Size::square(10)?)?;
//! assert_eq!(start.legal_moves().len(), 2176);
//! let opening: Move = "d1-d7/g7".parse()?;
//! let next = start.play(opening)?;
//! assert!(!next.is_game_over());
//! assert_eq!(next.to_string(), "3q2q3/10/10/q2Q2*2q/10/10/Q8Q/10/10/6Q3 b - - 0 1");
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # The types in two minutes
//!
//! A [`Move`] has two halves: an amazon moves like a chess queen, and then shoots an arrow, which
//! burns a square for the rest of the game. Each half is a [`HalfMove`]. After each half, the state
//! of the game has a type of its own:
//!
//! ```text
//!  4 . . . q      QueenMove        4 . . . q      arrow, a Square      4 * . . q
//!  3 . . . .   --- a1-a3 ------>   3 Q . . .   ------- a4 --------->   3 Q . . .
//!  2 . . . .                       2 . . . .                           2 . . . .
//!  1 Q . . .                       1 . . . .                           1 . . . .
//!    a b c d                         a b c d                             a b c d
//!    Position                        HalfPly                             Position
//!       |                                                                   ^
//!       +---------------------------- Move a1-a3/a4 ------------------------+
//! ```
//!
//! | to hold | use |
//! |---|---|
//! | a square, and what stands on it | [`Square`], [`SquareContent`] |
//! | a set of squares | [`Bitboard`] |
//! | the board's width and height | [`Size`] |
//! | a player, by turn order | [`Side`] |
//! | a position before a move; always legal; 32 bytes | [`Position`] |
//! | a position after a queen move, before its arrow | [`HalfPly`] |
//! | a position or a half ply | [`AnyPosition`] |
//! | a full move, its queen move, or either half | [`Move`], [`QueenMove`], [`HalfMove`] |
//! | a game with its variations, comments and end | [`Game`] of [`PlayedMove`]s |
//! | who won, and why | [`Outcome`] |
//!
//! [`Position::play`] checks that a move is legal. [`Position::play_unchecked`] is faster and is
//! for legal moves only, such as those of [`Position::legal_moves_iter`]. Both functions return the
//! next position, so a program that wants to undo a move keeps the earlier position, as [`Game`]
//! does for [`Game::undo`]. A side that is to move and has no legal move loses. There are no draws,
//! and no position occurs twice in a game.
//!
//! # Notations
//!
//! Squares, moves and positions print and parse as text: `d7`, `d1-d7/g7`, FEN. [`sgf`] reads and
//! writes games in SGF, [`ggf`] reads games of the server GGS, and [`move_list`] reads and writes
//! lists of moves.
//!
//! # Features
//!
//! The default feature `std` links the standard library and changes nothing else. With the feature
//! `serde`, the library serde reads and writes squares, moves, positions and sides as text.
#![no_std]

#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct Readme;

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod any_position;
mod bitboard;
mod fen;
mod game;
pub mod ggf;
#[doc(hidden)]
pub mod hash;
pub mod move_list;
mod moves;
mod outcome;
mod perft;
mod play_error;
mod position;
pub mod properties;
#[doc(hidden)]
pub mod random;
mod rays;
#[cfg(feature = "serde")]
mod serde_text;
pub mod sgf;
mod side;
mod size;
mod square;

pub use any_position::AnyPosition;
pub use bitboard::{Bitboard, Squares};
pub use fen::ParseFenError;
pub use game::{Annotation, FoundGame, Game, GameError, Line, PlayedMove, Point, TooManyErrors};
pub use moves::{HalfMove, Move, ParseMoveError, QueenMove, UciMove};
pub use outcome::{Cause, Outcome};
pub use perft::{divide, perft};
pub use play_error::PlayError;
pub use position::{HalfPly, Position};
pub use properties::ParseGameError;
pub use rays::queen_reach;
pub use side::{MAX_AMAZONS, Side};
pub use size::{SetupError, Size};
pub use square::{ParseSquareError, Square, SquareContent};
