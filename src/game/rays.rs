//! What a queen reaches: four lines through a square, each solved by one subtraction.

use super::bitboard::Bitboard;
use super::square::Square;

/// The squares that a queen or an arrow on `from` reaches in one step through `empty`.
///
/// `from` itself is never in the result, whether it is in `empty` or not.
#[inline]
#[must_use]
pub fn queen_reach(from: Square, empty: &Bitboard) -> Bitboard {
    let (x, y) = (from.x(), from.y());
    let falling = &FALLING[usize::from(x + 15 - y)];
    let rising = &RISING[usize::from(x + y)];

    // The squares of a diagonal differ in their column, so all its rows can be laid over one another.
    let along = |diagonal: &Bitboard| {
        let overlaid = (*empty & *diagonal).rows().iter().fold(0, |all, row| all | row);
        Bitboard::splat(open_run(overlaid, x)) & *diagonal
    };
    let mut reach = along(falling) | along(rising) | column_reach(x, y, empty);
    let row = usize::from(y);
    let mut rows = *reach.rows();
    rows[row] |= open_run(empty.rows()[row], x);
    reach = Bitboard::from_rows(rows);
    reach
}

/// [`queen_reach`] along the column only: gathered into one row, solved there, and laid out again.
#[inline]
fn column_reach(x: u8, y: u8, empty: &Bitboard) -> Bitboard {
    let bit = 1 << x;
    let mut line = 0;
    for (y, row) in empty.rows().iter().enumerate() {
        line |= if row & bit != 0 { 1 << y } else { 0 };
    }
    let run = open_run(line, y);
    Bitboard::from_rows(std::array::from_fn(|y| if run & 1 << y != 0 { bit } else { 0 }))
}

/// The squares that a piece at `at` reaches along a line whose empty squares are the bits of `open`.
///
/// With `lo` the first square after the nearest obstacle below and `hi` the nearest obstacle above,
/// they are the bits from `lo` to `hi - 1`: `2^hi - 2^lo`, less the piece itself. Bit 16 is always an obstacle.
#[inline]
fn open_run(open: u16, at: u8) -> u16 {
    let blocked = !u32::from(open);
    let above = blocked & u32::MAX << 1 << at;
    let below = blocked & ((1 << at) - 1);
    let hi = above & above.wrapping_neg();
    let lo = 1u32 << (32 - below.leading_zeros());
    ((hi - lo) & !(1 << at)) as u16
}

/// Diagonals on which `x - y` is constant, at index `x - y + 15`.
static FALLING: [Bitboard; 31] = {
    let mut masks = [Bitboard::EMPTY; 31];
    let mut index = 0;
    while index < 31 {
        let mut rows = [0u16; 16];
        let mut y = 0;
        while y < 16 {
            let x = index + y;
            if x >= 15 && x < 31 {
                rows[y] = 1 << (x - 15);
            }
            y += 1;
        }
        masks[index] = Bitboard::from_rows(rows);
        index += 1;
    }
    masks
};

/// Diagonals on which `x + y` is constant, at index `x + y`.
static RISING: [Bitboard; 31] = {
    let mut masks = [Bitboard::EMPTY; 31];
    let mut index = 0;
    while index < 31 {
        let mut rows = [0u16; 16];
        let mut y = 0;
        while y < 16 {
            if index >= y && index - y < 16 {
                rows[y] = 1 << (index - y);
            }
            y += 1;
        }
        masks[index] = Bitboard::from_rows(rows);
        index += 1;
    }
    masks
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Size;

    /// One square at a time, in eight directions.
    fn walked(from: Square, empty: &Bitboard) -> Bitboard {
        let mut reach = Bitboard::EMPTY;
        for (dx, dy) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
            let (mut x, mut y) = (from.x() as i8, from.y() as i8);
            loop {
                (x, y) = (x + dx, y + dy);
                let square = u8::try_from(x).ok().zip(u8::try_from(y).ok());
                match square.and_then(|(x, y)| Square::new(x, y)) {
                    Some(square) if empty.contains(square) => reach.insert(square),
                    _ => break,
                }
            }
        }
        reach
    }

    #[test]
    fn lines_agree_with_walking_on_every_density() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        for round in 0..400 {
            let size = Size::new(1 + random() as usize % 10, 1 + random() as usize % 10).unwrap();
            let empty = size.mask().iter().filter(|_| random() % 8 >= round % 8).collect();
            for from in &size.mask() {
                assert_eq!(queen_reach(from, &empty), walked(from, &empty), "{from} {empty:?}");
            }
        }
    }
}
