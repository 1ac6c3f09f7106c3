//! The input planes of the network: [`COUNT`] bytes for every unburnt square.
//!
//! | planes | what they say about a square |
//! |---|---|
//! | 0, 1 | it holds an amazon of the side to act (0) or of its opponent (1) |
//! | 2 | it is empty |
//! | 3 | its amazon has just moved and must shoot (only in a half ply) |
//! | 4 | set on all squares of a half ply, the state between a queen move and its arrow |
//! | 5 | set on all squares |
//! | 6 to 10 | it is empty, and the side to act needs 1, 2, 3, 4+ queen moves, or cannot reach it |
//! | 11 to 15 | as 6 to 10, but for the opponent |
//! | 16, 17 | king distance from the side to act (16), opponent (17), at most 7; 0 if not empty |

use amazons::{Bitboard, Square};

use crate::simd::Kernel;
use crate::territory::{Distances, View};

/// The number of input planes.
pub const COUNT: usize = 18;
/// The number of bytes for each square: the planes, padded to a multiple of four.
pub const STRIDE: usize = 20;
/// The byte that means "true" in the planes 0 to 15.
pub const ONE: u8 = 126;
/// The byte that means one king move in the planes 16 and 17. Seven king moves make [`ONE`].
const KING_MOVE: u8 = ONE / MAX_KING_MOVES;
const MAX_KING_MOVES: u8 = 7;

/// All queen distances of at least this number of moves share one plane.
const FAR_MOVES: u8 = 4;
const UNREACHABLE: u8 = FAR_MOVES + 1;

/// `QUEEN_PLANES[side][moves]` has the planes 0 to 15, one in each byte, of an empty square that
/// `side` reaches in `moves` queen moves. `QUEEN_PLANES[side][0]` sets no plane, because it is for
/// squares that are not empty.
static QUEEN_PLANES: [[u128; 8]; 2] = {
    let mut planes = [[0; 8]; 2];
    let mut moves = 1;
    while moves <= UNREACHABLE {
        let mut side = 0;
        while side < 2 {
            planes[side][moves as usize] = in_plane(2, ONE) | in_plane(5 + 5 * side + moves as usize, ONE);
            side += 1;
        }
        moves += 1;
    }
    planes
};

/// Packs the planes of a square into three bytes for the training program: one bit for each of the
/// planes 0 to 15, the lowest plane first, and four bits for the king moves of each of the planes
/// 16 and 17.
pub fn packed(bytes: &[u8; STRIDE]) -> [u8; 3] {
    let bits: u16 = (0..16).map(|plane| u16::from(bytes[plane] != 0) << plane).sum();
    let [first, second] = bits.to_le_bytes();
    let king_moves = |plane: usize| bytes[plane] / KING_MOVE;
    [first, second, king_moves(16) | king_moves(17) << 4]
}

const fn in_plane(plane: usize, value: u8) -> u128 {
    (value as u128) << (8 * plane)
}

/// For each byte, its eight bits as eight bytes of 0 or 1, the lowest bit first.
static BITS_AS_BYTES: [u64; 256] = {
    let mut spread = [0; 256];
    let mut at = 0;
    while at < 8 * 256 {
        spread[at / 8] |= ((at / 8) as u64 >> (at % 8) & 1) << (8 * (at % 8));
        at += 1;
    }
    spread
};

/// The number of moves that a side needs to reach each empty square, at most `most`. Empty squares
/// in no set of `sets_by_distance` get `unreached`, and squares that are not empty get 0. Item
/// `[i][j]` is for the square with index 8i + j.
fn moves_to_reach(
    empty: Bitboard,
    sets_by_distance: &[[Bitboard; 2]],
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
    for (distance, sides) in (1..).zip(sets_by_distance) {
        left -= sides[side];
        add(most.min(distance), sides[side]);
    }
    add(unreached, left);
    let [ones, twos, fours] = bits.map(|set| set.bits().to_le_bytes());
    std::array::from_fn(|at| {
        let [ones, twos, fours] = [ones, twos, fours].map(|bytes| BITS_AS_BYTES[usize::from(bytes[at])]);
        (ones | twos << 1 | fours << 2).to_le_bytes()
    })
}

pub(super) const MAX_SQUARES: usize = 100;
/// The number of unused entries of `Planes::list_indexes` before the first square and after the
/// last. Rows are 12 indexes apart, so each neighbour of a square has an entry.
pub(super) const PADDING: usize = 13;
/// The index of a square that is burnt or off the board.
pub(super) const NO_SQUARE: u8 = MAX_SQUARES as u8;

/// The input of the network for a position or half ply.
#[derive(Clone, Debug)]
pub struct Planes {
    squares: Vec<Square>,
    bytes: Vec<[u8; STRIDE]>,
    /// Entry `PADDING + square.index()` is the index of `square` in `squares`, or `NO_SQUARE`.
    pub(super) list_indexes: [u8; PADDING + Square::INDICES + PADDING],
}

impl Default for Planes {
    fn default() -> Planes {
        Planes {
            squares: Vec::with_capacity(MAX_SQUARES),
            bytes: Vec::with_capacity(MAX_SQUARES),
            list_indexes: [NO_SQUARE; PADDING + Square::INDICES + PADDING],
        }
    }
}

impl Planes {
    /// Computes the planes of a position or half ply.
    pub fn read(&mut self, view: &View<'_>) {
        let amazons = view.amazons.map(|amazons| amazons.iter().copied().collect::<Bitboard>());
        let unburnt = view.empty | amazons[0] | amazons[1];
        self.squares.clear();
        self.squares.extend(unburnt.iter());
        self.list_indexes = [NO_SQUARE; PADDING + Square::INDICES + PADDING];
        for (list_index, square) in (0..).zip(&self.squares) {
            self.list_indexes[PADDING + usize::from(square.index())] = list_index;
        }
        let Distances { queen, king } = Distances::of(view, Kernel::best());
        let queen = [0, 1].map(|side| moves_to_reach(view.empty, queen.sets(), side, FAR_MOVES, UNREACHABLE));
        let king =
            [0, 1].map(|side| moves_to_reach(view.empty, king.sets(), side, MAX_KING_MOVES, MAX_KING_MOVES));
        let always = in_plane(4, if view.shooter.is_some() { ONE } else { 0 }) | in_plane(5, ONE);
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

    /// The unburnt squares in ascending order.
    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// The bytes of the planes for each square of [`Planes::squares`].
    pub fn bytes(&self) -> &[[u8; STRIDE]] {
        &self.bytes
    }

    /// The index of an unburnt square in [`Planes::squares`].
    #[inline]
    pub fn list_index(&self, square: Square) -> usize {
        let list_index = usize::from(self.list_indexes[PADDING + usize::from(square.index())]);
        debug_assert_eq!(self.squares.get(list_index), Some(&square), "the square is not burnt");
        list_index
    }

    fn of(&mut self, square: Square) -> &mut [u8; STRIDE] {
        let index = self.list_index(square);
        &mut self.bytes[index]
    }
}
