//! The input of the network: [`COUNT`] bytes for every unburnt square.
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

use amazons::{Bitboard, Square};

use crate::simd::Kernel;
use crate::territory::{Distances, View};

/// The number of input planes.
pub const COUNT: usize = 18;
/// The number of bytes for a square: the planes, padded to whole groups of four.
pub const STRIDE: usize = 20;
/// The byte that stands for 1.
pub const ONE: u8 = 126;
/// The byte of one king move; seven of them make [`ONE`].
const KING_MOVE: u8 = ONE / KING_MOVES;
const KING_MOVES: u8 = 7;

/// The number of queen moves from which on squares share a plane.
const MANY: u8 = 4;
/// The number for a square that no amazon of the side can reach.
const UNREACHED: u8 = MANY + 1;

/// The planes of an empty square, one in each byte, by side and number of queen moves; no plane for
/// 0.
static QUEEN_PLANES: [[u128; 8]; 2] = {
    let mut planes = [[0; 8]; 2];
    let mut moves = 1;
    while moves <= UNREACHED {
        let mut side = 0;
        while side < 2 {
            planes[side][moves as usize] = byte(2, ONE) | byte(5 + 5 * side + moves as usize, ONE);
            side += 1;
        }
        moves += 1;
    }
    planes
};

/// The planes of a square in three bytes, as in rows for the program that trains the network: one
/// bit for each of the planes 0 to 15, the lowest plane first, and four bits for the king moves of
/// each of the planes 16 and 17.
pub fn packed(bytes: &[u8; STRIDE]) -> [u8; 3] {
    let bits: u16 = (0..16).map(|plane| u16::from(bytes[plane] != 0) << plane).sum();
    let [first, second] = bits.to_le_bytes();
    let king_moves = |plane: usize| bytes[plane] / KING_MOVE;
    [first, second, king_moves(16) | king_moves(17) << 4]
}

/// A word with `value` in the byte of a plane, one of the first sixteen.
const fn byte(plane: usize, value: u8) -> u128 {
    (value as u128) << (8 * plane)
}

/// The bits of each byte as eight bytes of 0 or 1, the lowest bit first.
static SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut at = 0;
    while at < 8 * 256 {
        spread[at / 8] |= ((at / 8) as u64 >> (at % 8) & 1) << (8 * (at % 8));
        at += 1;
    }
    spread
};

/// The number of moves of a side to each empty square, by the square's index in groups of eight: at
/// most `most`, or `unreached` if no level contains the square. Other squares have 0.
fn moves(
    empty: Bitboard,
    levels: &[[Bitboard; 2]],
    side: usize,
    most: u8,
    unreached: u8,
) -> [[u8; 8]; Square::INDICES / 8] {
    let mut left = empty;
    let mut bits = [Bitboard::EMPTY; 3];
    let mut add = |moves: u8, squares: Bitboard| {
        let counted = bits.iter_mut().enumerate().filter(|(bit, _)| moves >> bit & 1 == 1);
        counted.for_each(|(_, set)| *set |= squares);
    };
    for (level, sides) in (1..).zip(levels) {
        left -= sides[side];
        add(most.min(level), sides[side]);
    }
    add(unreached, left);
    let [ones, twos, fours] = bits.map(|set| set.bits().to_le_bytes());
    std::array::from_fn(|at| {
        let [ones, twos, fours] = [ones, twos, fours].map(|bytes| SPREAD[usize::from(bytes[at])]);
        (ones | twos << 1 | fours << 2).to_le_bytes()
    })
}

/// The largest number of squares of a board.
pub(super) const MAX_SQUARES: usize = 100;
/// Padding before the first and after the last square for their neighbours. Rows are 12 apart, with
/// spare columns between them.
pub(super) const PADDING: usize = 13;
/// The index for a square that is burnt or off the board.
pub(super) const NONE: u8 = MAX_SQUARES as u8;

/// A position or half ply as input of the network.
#[derive(Clone, Debug)]
pub struct Planes {
    /// The unburnt squares, ascending.
    squares: Vec<Square>,
    bytes: Vec<[u8; STRIDE]>,
    /// The index of each square in `squares`, or [`NONE`]. The square with index `n` is at `PADDING
    /// + n`.
    pub(super) places: [u8; PADDING + Square::INDICES + PADDING],
}

impl Default for Planes {
    fn default() -> Planes {
        Planes {
            squares: Vec::with_capacity(MAX_SQUARES),
            bytes: Vec::with_capacity(MAX_SQUARES),
            places: [NONE; PADDING + Square::INDICES + PADDING],
        }
    }
}

impl Planes {
    /// Computes the planes of a position or half ply.
    pub fn read(&mut self, view: &View<'_>) {
        let amazons = view.amazons.map(|amazons| amazons.iter().copied().collect::<Bitboard>());
        let live = view.empty | amazons[0] | amazons[1];
        self.squares.clear();
        self.squares.extend(live.iter());
        self.places = [NONE; PADDING + Square::INDICES + PADDING];
        for (place, square) in (0..).zip(&self.squares) {
            self.places[PADDING + usize::from(square.index())] = place;
        }
        let Distances { queen, king } = Distances::of(view, Kernel::best());
        let queen = [0, 1].map(|side| moves(view.empty, queen.sets(), side, MANY, UNREACHED));
        let king = [0, 1].map(|side| moves(view.empty, king.sets(), side, KING_MOVES, KING_MOVES));
        let always = byte(4, if view.shooter.is_some() { ONE } else { 0 }) | byte(5, ONE);
        self.bytes.clear();
        self.bytes.extend(self.squares.iter().map(|square| {
            let (eighth, rest) = (usize::from(square.index()) / 8, usize::from(square.index()) % 8);
            let [own, other] =
                [0, 1].map(|side| QUEEN_PLANES[side][usize::from(queen[side][eighth][rest] % 8)]);
            let [own_king, other_king] = [0, 1].map(|side| KING_MOVE * king[side][eighth][rest]);
            let mut bytes = [0; STRIDE];
            bytes[..16].copy_from_slice(&(always | own | other).to_le_bytes());
            (bytes[16], bytes[17]) = (own_king, other_king);
            bytes
        }));
        for (side, amazons) in view.amazons.iter().enumerate() {
            amazons.iter().for_each(|&amazon| self.of(amazon)[side] = ONE);
        }
        if let Some(shooter) = view.shooter {
            self.of(shooter)[3] = ONE;
        }
    }

    /// The unburnt squares, ascending.
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// The bytes of each square of [`Planes::squares`].
    pub fn bytes(&self) -> &[[u8; STRIDE]] {
        &self.bytes
    }

    /// The index of an unburnt square in [`Planes::squares`].
    #[inline]
    pub fn place(&self, square: Square) -> usize {
        let place = usize::from(self.places[PADDING + usize::from(square.index())]);
        debug_assert_eq!(self.squares.get(place), Some(&square), "the square is not burnt");
        place
    }

    fn of(&mut self, square: Square) -> &mut [u8; STRIDE] {
        let place = self.place(square);
        &mut self.bytes[place]
    }
}
