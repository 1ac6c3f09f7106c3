//! The reach of a queen: the four lines through a square, solved together in one 64-bit word.
//!
//! Each line is gathered into sixteen bits: row and diagonals by the columns of their squares, the
//! column by its rows. The piece then stands on bit `x` of the first three and on bit `y` of the
//! last. One subtraction upwards and a few shifts downwards find its open run on all four.

use super::bitboard::Bitboard;
use super::square::{FIRST, STRIDE, Square};

/// The squares that a queen or an arrow on `from` reaches in one step through `empty`.
///
/// `from` itself is never in the result, whether it is in `empty` or not.
#[inline]
pub fn queen_reach(from: Square, empty: Bitboard) -> Bitboard {
    let lines = &LINES[usize::from(from.index())];
    let runs = open_runs(lines, empty);
    let [row, falling, rising] = [0, 16, 32].map(|shift| {
        let rows = (runs >> shift & 0x3ff) * EACH_ROW;
        [rows << FIRST, rows]
    });
    // Bit r of the column to bit 12 r of a half: r times eleven bits further.
    let column = [48, 53].map(|shift| (((runs >> shift & 0x1f) * EACH_ELEVENTH) & EACH_ROW) << lines.x);
    let half = |half: usize, column: u64| {
        column
            | row[half] & lines.masks[0][half]
            | falling[half] & lines.masks[1][half]
            | rising[half] & lines.masks[2][half]
    };
    let (low, high) = (half(0, column[0] << FIRST), half(1, column[1]));
    Bitboard::from_bits(u128::from(high) << 64 | u128::from(low))
}

#[inline]
pub(super) fn queen_reach_count(from: Square, empty: Bitboard) -> u32 {
    open_runs(&LINES[usize::from(from.index())], empty).count_ones()
}

/// The squares of the queen's line that leads from one square to another, the second included; none
/// if there is no such line.
pub(super) fn line(from: Square, to: Square) -> impl Iterator<Item = Square> {
    let (dx, dy) = (to.x() as i8 - from.x() as i8, to.y() as i8 - from.y() as i8);
    let is_line = dx == 0 || dy == 0 || dx.abs() == dy.abs();
    let steps = if is_line { dx.abs().max(dy.abs()) } else { 0 };
    let along = move |start: u8, step: i8, count: i8| start.wrapping_add_signed(step.signum() * count);
    (1..=steps).filter_map(move |n| Square::new(along(from.x(), dx, n), along(from.y(), dy, n)))
}

/// Bits `12 r` for the five rows of a half.
const EACH_ROW: u64 = 1 | 1 << 12 | 1 << 24 | 1 << 36 | 1 << 48;

/// Bits `11 r` for the five rows of a half.
const EACH_ELEVENTH: u64 = 1 | 1 << 11 | 1 << 22 | 1 << 33 | 1 << 44;

const EACH_LINE: u64 = 0x0001_0001_0001_0001;

/// The squares reached along row, falling diagonal, rising diagonal and column, sixteen bits each.
#[inline]
fn open_runs(lines: &LinesThrough, empty: Bitboard) -> u64 {
    let [low, high] = empty.halves();
    // No two squares of these lines share a column, so the rows add up without a carry. The sum of
    // the five rows is at bit 48; what is above bit 59 is no square, but beyond an obstacle.
    let overlaid = |mask: &[u64; 2]| ((low & mask[0]) >> FIRST | high & mask[1]).wrapping_mul(EACH_ROW);
    let [row, falling, rising] = lines.masks.each_ref().map(overlaid);
    // Bit 12 r of either half moves to bit 48 + r. No two bits meet, so there is no carry.
    let column = (low >> FIRST >> lines.x & EACH_ROW) | (high >> lines.x & EACH_ROW) << 5;
    let column = column.wrapping_mul(EACH_ELEVENTH << 4);
    let lane = 0xffff << 48;
    let open = row >> 48 | (falling & lane) >> 32 | (rising & lane) >> 16 | column & lane;
    let (blocked, piece) = (!open, lines.piece);

    // Above: subtracting from the obstacles turns over every bit from the first square to the
    // nearest obstacle. There is one in each line, as no line is longer than the board; so nothing
    // is borrowed from the next.
    let first = piece << 1;
    let obstacles = blocked & !(first - EACH_LINE);
    let above = (obstacles ^ (obstacles - first)) & open;

    // Below: obstacles throw a shadow down to bit 0. They stand on bits 0 to 8, so eight steps are
    // enough; the last is kept from a line's bit 8, the first that the shadow of the next line
    // would get to.
    let below = piece - EACH_LINE;
    let mut shadow = blocked & below;
    shadow |= shadow >> 1;
    shadow |= shadow >> 2;
    shadow |= shadow >> 4;
    shadow |= (shadow >> 1) & (EACH_LINE * 0xff);
    above | below & !shadow
}

/// The lines through a square, one line of the processor's cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct LinesThrough {
    /// Row, falling diagonal (constant `x - y`) and rising diagonal (constant `x + y`), in halves.
    masks: [[u64; 2]; 3],
    /// The square itself, in the four lines that are solved.
    piece: u64,
    x: u8,
}

static LINES: [LinesThrough; Square::INDICES] = {
    let mut lines = [LinesThrough { masks: [[0; 2]; 3], piece: 0, x: 0 }; Square::INDICES];
    let mut at = 0;
    while at < 100 {
        let (x, y) = (at % 10, at / 10);
        let mut masks = [0_u128; 3];
        let mut other = 0;
        while other < 100 {
            let (column, row) = (other % 10, other / 10);
            let bit = 1 << (FIRST as usize + STRIDE as usize * row + column);
            masks[0] |= if row == y { bit } else { 0 };
            masks[1] |= if column + y == row + x { bit } else { 0 };
            masks[2] |= if column + row == x + y { bit } else { 0 };
            other += 1;
        }
        let square = &mut lines[FIRST as usize + STRIDE as usize * y + x];
        let mut line = 0;
        while line < 3 {
            square.masks[line] = [masks[line] as u64, (masks[line] >> 64) as u64];
            line += 1;
        }
        square.piece = (EACH_LINE >> 16) << x | 1 << y << 48;
        square.x = x as u8;
        at += 1;
    }
    lines
};
