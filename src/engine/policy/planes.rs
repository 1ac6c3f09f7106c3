//! The input of the network: [`COUNT`] bytes for every square that is not burnt.
//!
//! | planes | what they say of a square |
//! |---|---|
//! | 0, 1 | an amazon of the side that acts, of its opponent |
//! | 2 | empty |
//! | 3 | the shooter, where a queen has moved and its arrow is to come |
//! | 4 | all squares, where an arrow is to come |
//! | 5 | all squares |
//! | 6 to 10 | empty, and from the acting side 1, 2, 3, at least 4 queen moves, or unreachable |
//! | 11 to 15 | the same for the opponent |
//! | 16, 17 | king moves from the acting side and the opponent, 7 for more or unreachable |

use crate::game::{Bitboard, Square};
use crate::territory::{Distances, Kernel, View};

/// Planes of the input.
pub const COUNT: usize = 18;
/// Bytes of a square: the planes, filled up to whole groups of four.
pub const STRIDE: usize = 20;
/// The byte that stands for 1.
pub const ONE: u8 = 126;
/// The byte of one king move; 7 of them are [`ONE`].
pub const KING_MOVE: u8 = ONE / KING_MOVES;
const KING_MOVES: u8 = 7;

/// The most squares of a board.
pub const MOST_SQUARES: usize = 100;

/// A position or half ply as the network sees it.
#[derive(Clone, Debug)]
pub struct Planes {
    /// The squares that are not burnt, ascending.
    squares: Vec<Square>,
    bytes: Vec<[u8; STRIDE]>,
    /// The place of each square in `squares`, by square index.
    places: [u8; Square::INDICES],
}

impl Default for Planes {
    fn default() -> Planes {
        Planes {
            squares: Vec::with_capacity(MOST_SQUARES),
            bytes: Vec::with_capacity(MOST_SQUARES),
            places: [0; Square::INDICES],
        }
    }
}

impl Planes {
    /// Reads a position or half ply; `shooter` is the amazon whose arrow is to come.
    pub fn read(&mut self, view: &View<'_>, shooter: Option<Square>) {
        let amazons = view.amazons.map(|amazons| amazons.iter().collect::<Bitboard>());
        let live = view.empty | amazons[0] | amazons[1];
        let mut blank = [0; STRIDE];
        (blank[4], blank[5]) = (if shooter.is_some() { ONE } else { 0 }, ONE);
        self.squares.clear();
        self.squares.extend(live.iter());
        self.bytes.clear();
        self.bytes.resize(self.squares.len(), blank);
        for (place, square) in (0..).zip(&self.squares) {
            self.places[usize::from(square.index())] = place;
        }
        for (side, amazons) in view.amazons.iter().enumerate() {
            amazons.iter().for_each(|&amazon| self.of(amazon)[side] = ONE);
        }
        if let Some(shooter) = shooter {
            self.of(shooter)[3] = ONE;
        }
        for square in view.empty.iter() {
            let bytes = self.of(square);
            bytes[2] = ONE;
            (bytes[10], bytes[15]) = (ONE, ONE);
            (bytes[16], bytes[17]) = (ONE, ONE);
        }
        let distances = Distances::of(view, Kernel::best());
        for (level, sides) in distances.queen.sets().iter().enumerate() {
            for (side, squares) in sides.iter().enumerate() {
                for square in squares.iter() {
                    let bytes = self.of(square);
                    bytes[6 + 5 * side + level.min(3)] = ONE;
                    bytes[10 + 5 * side] = 0;
                }
            }
        }
        for (level, sides) in (0..KING_MOVES).zip(distances.king.sets()) {
            for (side, squares) in sides.iter().enumerate() {
                for square in squares.iter() {
                    self.of(square)[16 + side] = KING_MOVE * (level + 1);
                }
            }
        }
    }

    /// The squares that are not burnt, ascending.
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// The bytes of each of these squares.
    pub fn bytes(&self) -> &[[u8; STRIDE]] {
        &self.bytes
    }

    /// The place of a square that is not burnt in [`Planes::squares`].
    #[inline]
    pub fn place(&self, square: Square) -> usize {
        let place = usize::from(self.places[usize::from(square.index())]);
        debug_assert_eq!(self.squares.get(place), Some(&square), "the square is not burnt");
        place
    }

    fn of(&mut self, square: Square) -> &mut [u8; STRIDE] {
        let place = self.place(square);
        &mut self.bytes[place]
    }
}
