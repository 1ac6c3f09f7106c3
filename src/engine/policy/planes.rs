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

use amazons::{Bitboard, Square};

use crate::simd::Kernel;
use crate::territory::{Distances, View};

/// Planes of the input.
pub const COUNT: usize = 18;
/// Bytes of a square: the planes, filled up to whole groups of four.
pub const STRIDE: usize = 20;
/// The byte that stands for 1.
pub const ONE: u8 = 126;
/// The byte of one king move; 7 of them are [`ONE`].
const KING_MOVE: u8 = ONE / KING_MOVES;
const KING_MOVES: u8 = 7;

/// The queen moves to a square from which on they share a plane.
const MANY: u8 = 4;
/// Stands for the queen moves to a square that no amazon of the side can reach.
const UNREACHED: u8 = MANY + 1;

/// The planes of an empty square, one a byte, by side and queen moves to it; none for 0.
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

/// The planes of a square in three bytes, as rows for the program that trains the network have them: a
/// bit for each of the planes 0 to 15 that is not 0, the lowest plane first, and the king moves of the
/// planes 16 and 17 in four bits each.
pub fn packed(bytes: &[u8; STRIDE]) -> [u8; 3] {
    let bits: u16 = (0..16).map(|plane| u16::from(bytes[plane] != 0) << plane).sum();
    let [first, second] = bits.to_le_bytes();
    let king_moves = |plane: usize| bytes[plane] / KING_MOVE;
    [first, second, king_moves(16) | king_moves(17) << 4]
}

/// A plane's byte among the first sixteen.
const fn byte(plane: usize, value: u8) -> u128 {
    (value as u128) << (8 * plane)
}

/// The bits of a byte as eight bytes of 0 or 1, the lowest first.
static SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut at = 0;
    while at < 8 * 256 {
        spread[at / 8] |= ((at / 8) as u64 >> (at % 8) & 1) << (8 * (at % 8));
        at += 1;
    }
    spread
};

/// By eighths of the square's index, how many moves of a side lead to each empty square: at most
/// `most`, and `unreached` where no level has it. 0 for other squares.
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

/// The most squares of a board.
pub(super) const MOST_SQUARES: usize = 100;
/// Room before the first and after the last square, for neighbours: rows are 12 apart, with spare
/// columns.
pub(super) const ROOM: usize = 13;
/// Stands for a square that is burnt or not on the board.
pub(super) const NONE: u8 = MOST_SQUARES as u8;

/// A position or half ply as the network sees it.
#[derive(Clone, Debug)]
pub struct Planes {
    /// The squares that are not burnt, ascending.
    squares: Vec<Square>,
    bytes: Vec<[u8; STRIDE]>,
    /// The place of each square in `squares`, [`NONE`] for others; the square with index `n` is at
    /// `ROOM + n`.
    pub(super) places: [u8; ROOM + Square::INDICES + ROOM],
}

impl Default for Planes {
    fn default() -> Planes {
        Planes {
            squares: Vec::with_capacity(MOST_SQUARES),
            bytes: Vec::with_capacity(MOST_SQUARES),
            places: [NONE; ROOM + Square::INDICES + ROOM],
        }
    }
}

impl Planes {
    /// Reads a position or half ply.
    pub fn read(&mut self, view: &View<'_>) {
        let amazons = view.amazons.map(|amazons| amazons.iter().copied().collect::<Bitboard>());
        let live = view.empty | amazons[0] | amazons[1];
        self.squares.clear();
        self.squares.extend(live.iter());
        self.places = [NONE; ROOM + Square::INDICES + ROOM];
        for (place, square) in (0..).zip(&self.squares) {
            self.places[ROOM + usize::from(square.index())] = place;
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
        let place = usize::from(self.places[ROOM + usize::from(square.index())]);
        debug_assert_eq!(self.squares.get(place), Some(&square), "the square is not burnt");
        place
    }

    fn of(&mut self, square: Square) -> &mut [u8; STRIDE] {
        let place = self.place(square);
        &mut self.bytes[place]
    }
}
