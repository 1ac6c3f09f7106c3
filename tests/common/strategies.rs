//! Generates random boards, and moves that need not be legal, for property tests.

use proptest::prelude::*;
use quiver::amazons::{Move, Side, Square, SquareContent};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::plain::{PlainBoard, square};

/// A board of this size with up to four amazons for each side, and any number of burnt squares.
pub(crate) fn boards(width: usize, height: usize) -> impl Strategy<Value = PlainBoard> {
    (any::<u64>(), 0..=4_usize, 0..=4_usize, 0..=width * height).prop_map(
        move |(seed, first, second, empty)| {
            random_board(width, height, [first, second], empty, &mut Xoshiro256PlusPlus::seed_from_u64(seed))
        },
    )
}

/// A board with these numbers of amazons and of empty squares at random places. All other squares
/// are burnt. If there are too few squares, amazons are placed first.
pub(crate) fn random_board(
    width: usize,
    height: usize,
    [first, second]: [usize; 2],
    empty: usize,
    rng: &mut impl Rng,
) -> PlainBoard {
    let [first_amazon, second_amazon] = Side::BOTH.map(SquareContent::Amazon);
    let kinds = [
        (first_amazon, first),
        (second_amazon, second),
        (SquareContent::Empty, empty),
        (SquareContent::Burnt, width * height),
    ];
    let contents = kinds.into_iter().flat_map(|(content, count)| std::iter::repeat_n(content, count));
    let mut contents: Vec<_> = contents.take(width * height).collect();
    // Shuffles the contents (Fisher-Yates).
    for last in (1..contents.len()).rev() {
        contents.swap(last, rng.next_u32() as usize % (last + 1));
    }
    let to_move = Side::BOTH[rng.next_u32() as usize % 2];
    PlainBoard { cells: contents.chunks(width).map(<[_]>::to_vec).collect(), to_move }
}

pub(crate) fn squares() -> impl Strategy<Value = Square> {
    (0..10_usize, 0..10_usize).prop_map(square)
}

pub(crate) fn arbitrary_moves() -> impl Strategy<Value = Move> {
    [squares(), squares(), squares()].prop_map(|[from, to, arrow]| Move { from, to, arrow })
}
