//! What a queen reaches: the four lines through a square, solved together in one 64-bit word.
//!
//! Each line is gathered into sixteen bits: the row as it is, the diagonals laid over one another
//! (their squares differ in their column), the column turned on its side. The piece then stands on
//! bit `x` of the first three and on bit `y` of the last, and one piece of arithmetic finds its
//! open run on all of them.

use super::bitboard::Bitboard;
use super::square::Square;

/// The squares that a queen or an arrow on `from` reaches in one step through `empty`.
///
/// `from` itself is never in the result, whether it is in `empty` or not. Both must lie on the
/// largest board: a bit of `empty` beyond it, as the complement of a set has, would be taken for a
/// square.
#[inline]
#[must_use]
pub fn queen_reach(from: Square, empty: &Bitboard) -> Bitboard {
    let (x, y) = (from.x(), from.y());
    let runs = open_runs(from, empty);
    let [row, falling, rising, column] = [0, 16, 32, 48].map(|shift| (runs >> shift) as u16);
    let straight = Bitboard::from_rows(std::array::from_fn(|lane| {
        let crossed = if column & 1 << lane != 0 { 1 << x } else { 0 };
        if lane == usize::from(y) { row } else { crossed }
    }));
    straight
        | Bitboard::splat(falling) & *falling_through(from)
        | Bitboard::splat(rising) & *rising_through(from)
}

/// How many squares [`queen_reach`] holds, without laying them out.
#[inline]
#[must_use]
pub(super) fn queen_reach_count(from: Square, empty: &Bitboard) -> u32 {
    open_runs(from, empty).count_ones()
}

/// One bit in each of the four lines.
const EACH: u64 = 0x0001_0001_0001_0001;

/// The squares reached along row, falling diagonal, rising diagonal and column, sixteen bits each.
#[inline]
fn open_runs(from: Square, empty: &Bitboard) -> u64 {
    debug_assert!(empty.iter().all(|square| Square::new(square.x(), square.y()).is_some()), "{empty:?}");
    let (x, y) = (from.x(), from.y());
    let overlaid = |diagonal: &Bitboard| (*empty & *diagonal).rows().iter().fold(0, |all, row| all | row);
    let lines = u64::from(empty.rows()[usize::from(y)])
        | u64::from(overlaid(falling_through(from))) << 16
        | u64::from(overlaid(rising_through(from))) << 32
        | u64::from(empty.column(x)) << 48;
    let blocked = !lines;
    let piece = (EACH >> 16) << x | 1 << y << 48;

    // Above: subtracting from the obstacles turns over every bit from the first square to the
    // nearest obstacle. There is one in each line, as no line is longer than the board; so nothing
    // is borrowed from the next.
    let first = piece << 1;
    let obstacles = blocked & !(first - EACH);
    let above = (obstacles ^ (obstacles - first)) & !blocked;

    // Below: obstacles throw a shadow down to bit 0. They stand on bits 0 to 8, so eight steps are
    // enough; the last is kept from a line's bit 8, the first that the shadow of the next line
    // would get to.
    let below = piece - EACH;
    let mut shadow = blocked & below;
    shadow |= shadow >> 1;
    shadow |= shadow >> 2;
    shadow |= shadow >> 4;
    shadow |= (shadow >> 1) & (EACH * 0xff);
    above | below & !shadow
}

/// The diagonal through a square on which `x - y` is constant.
#[inline]
fn falling_through(square: Square) -> &'static Bitboard {
    &FALLING[usize::from(square.x() + 15 - square.y())]
}

/// The diagonal through a square on which `x + y` is constant.
#[inline]
fn rising_through(square: Square) -> &'static Bitboard {
    &RISING[usize::from(square.x() + square.y())]
}

/// Diagonals on which `x - y` is constant, at index `x - y + 15`.
static FALLING: [Bitboard; 31] = diagonals(true);

/// Diagonals on which `x + y` is constant, at index `x + y`.
static RISING: [Bitboard; 31] = diagonals(false);

/// All lanes and bits are filled: were some known to be zero, the compiler would take the vectors
/// apart.
const fn diagonals(falling: bool) -> [Bitboard; 31] {
    let mut rows = [[0; 16]; 31];
    let mut at = 0;
    while at < 256 {
        let (x, y) = (at % 16, at / 16);
        rows[if falling { x + 15 - y } else { x + y }][y] = 1 << x;
        at += 1;
    }
    let mut boards = [Bitboard::EMPTY; 31];
    let mut index = 0;
    while index < 31 {
        boards[index] = Bitboard::from_rows(rows[index]);
        index += 1;
    }
    boards
}

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
                let reach = queen_reach(from, &empty);
                assert_eq!(reach, walked(from, &empty), "{from} {empty:?}");
                assert_eq!(queen_reach_count(from, &empty), reach.count(), "{from} {empty:?}");
            }
        }
    }
}
