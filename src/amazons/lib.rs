//! The rules of the Game of the Amazons on boards up to 10x10.
//!
//! The evaluator and the tree use [`Position`], [`HalfPly`] and [`Bitboard`]; Botzone's protocol
//! and the commands use the notations. A position is always legal. Input from outside is text or
//! [`Coordinates`], and is checked when it becomes a position or a move. Checked methods
//! ([`Position::play`]) stand beside fast ones ([`Position::play_unchecked`]). A [`Game`] is a start
//! and its moves, with what is known of them; [`sgf`], [`ggf`] and [`move_list`] are its notations.

mod any_position;
mod bitboard;
mod end;
mod fen;
mod game;
pub mod ggf;
mod input_error;
pub mod messages;
pub mod move_list;
mod moves;
mod played_move;
mod position;
mod properties;
pub mod random;
mod rays;
mod result;
#[cfg(feature = "serde")]
mod serde_text;
pub mod sgf;
mod side;
mod size;
mod square;
mod start;

pub use any_position::AnyPosition;
pub use any_position::HalfMove;
pub use bitboard::{Bitboard, Squares};
pub use end::{EndKind, GameEnd, Language};
pub use game::{FoundGame, Game, Line, Point, SideTimes};
pub use input_error::InputError;
pub use moves::{Coordinates, Move, QueenMove, UciMove};
pub use played_move::{PlayedMove, TurnFacts};
pub use position::{HalfPly, MAX_AMAZONS, Position, divide, perft};
pub use rays::queen_reach;
pub use side::Side;
pub use size::Size;
pub use square::{Square, SquareContent};
pub use start::Start;
