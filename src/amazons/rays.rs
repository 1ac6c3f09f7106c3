//! The reach of a queen along all four lines through a square, computed in one 64-bit word.
//!
//! Each of the four lines through a square takes sixteen bits of the 64-bit word. In a row or a
//! diagonal, bit `x` is the square in column `x`. In a column, bit `y` is the square in row `y`.

use super::bitboard::Bitboard;
use super::square::{FIRST_BIT, ROW_STRIDE, Square};

/// The squares that a queen or an arrow on `from` reaches in one move through `empty` squares.
/// `from` itself is never in the result, whether it is in `empty` or not.
#[inline]
pub fn queen_reach(from: Square, empty: Bitboard) -> Bitboard {
    let lines = &LINES[usize::from(from.index())];
    let runs = queen_reach_by_line(lines, empty);
    let [row, falling, rising] = [0, 16, 32].map(|shift| {
        let rows = (runs >> shift & 0x3ff) * EACH_ROW;
        [rows << FIRST_BIT, rows]
    });
    // Each half of the bitboard holds five rows, so it takes five bits of the column. The product
    // copies bit r of these five bits to bit 12 * r, because rows begin 12 bits apart.
    let column = [48, 53].map(|shift| (((runs >> shift & 0x1f) * EACH_ELEVENTH) & EACH_ROW) << lines.column);
    let half = |half: usize, column: u64| {
        column
            | row[half] & lines.masks[0][half]
            | falling[half] & lines.masks[1][half]
            | rising[half] & lines.masks[2][half]
    };
    let (low, high) = (half(0, column[0] << FIRST_BIT), half(1, column[1]));
    Bitboard::from_bits(u128::from(high) << 64 | u128::from(low))
}

#[inline]
pub(super) fn queen_reach_count(from: Square, empty: Bitboard) -> u32 {
    queen_reach_by_line(&LINES[usize::from(from.index())], empty).count_ones()
}

/// The squares on the line from `from` to `to` without `from`; empty if no line joins both squares.
pub(super) fn line(from: Square, to: Square) -> impl Iterator<Item = Square> {
    let (dx, dy) = (to.x() as i8 - from.x() as i8, to.y() as i8 - from.y() as i8);
    let is_line = dx == 0 || dy == 0 || dx.abs() == dy.abs();
    let steps = if is_line { dx.abs().max(dy.abs()) } else { 0 };
    let along = move |start: u8, step: i8, count: i8| start.wrapping_add_signed(step.signum() * count);
    (1..=steps).filter_map(move |n| Square::new(along(from.x(), dx, n), along(from.y(), dy, n)))
}

const EACH_ROW: u64 = 1 | 1 << 12 | 1 << 24 | 1 << 36 | 1 << 48;

const EACH_ELEVENTH: u64 = 1 | 1 << 11 | 1 << 22 | 1 << 33 | 1 << 44;

const EACH_LINE: u64 = 0x0001_0001_0001_0001;

/// The squares that a queen reaches along the row, the falling diagonal, the rising diagonal and
/// the column, in sixteen bits for each line.
#[inline]
fn queen_reach_by_line(lines: &LinesThrough, empty: Bitboard) -> u64 {
    let [low, high] = empty.halves();
    // For a row or a diagonal, the product collects the empty squares of the line, by column, in
    // bits 48 to 57. There is no carry, because each column has at most one square of the line.
    // Bits 58 and 59 are always 0 and act as obstacles, so bits 60 to 63 have no effect.
    let overlaid = |mask: &[u64; 2]| ((low & mask[0]) >> FIRST_BIT | high & mask[1]).wrapping_mul(EACH_ROW);
    let [row, falling, rising] = lines.masks.each_ref().map(overlaid);
    // For the column, the product moves the square in row r to bit 48 + r. Each bit gets at most
    // one square, so there is no carry.
    let column = (low >> FIRST_BIT >> lines.column & EACH_ROW) | (high >> lines.column & EACH_ROW) << 5;
    let column = column.wrapping_mul(EACH_ELEVENTH << 4);
    let lane = 0xffff << 48;
    let open = row >> 48 | (falling & lane) >> 32 | (rising & lane) >> 16 | column & lane;
    let (blocked, origin) = (!open, lines.origin);

    // In each line, the subtraction flips the bits above the queen's bit (`origin`), up to the
    // nearest obstacle. It never borrows from another line, because bits 10 and 11 of every line
    // are obstacles.
    let first = origin << 1;
    let obstacles = blocked & !(first - EACH_LINE);
    let upper = (obstacles ^ (obstacles - first)) & open;

    // Below the queen's bit, the shifts mark every bit below an obstacle as hidden. Obstacles are
    // on bits 0 to 8, so eight steps (1 + 2 + 4 + 1) are enough. The first seven steps can bring
    // bits of the next line down to bit 9. The mask keeps the last step from moving them to bit 8.
    let lower = origin - EACH_LINE;
    let mut hidden = blocked & lower;
    hidden |= hidden >> 1;
    hidden |= hidden >> 2;
    hidden |= hidden >> 4;
    hidden |= (hidden >> 1) & (EACH_LINE * 0xff);
    upper | lower & !hidden
}

/// The four lines through a square, stored in one cache line of the processor.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct LinesThrough {
    /// The squares of the row, the falling diagonal (constant `x - y`) and the rising diagonal
    /// (constant `x + y`), each as the two halves of a bitboard.
    masks: [[u64; 2]; 3],
    /// The bit of the square itself in each of the four lines.
    origin: u64,
    column: u8,
}

static LINES: [LinesThrough; Square::INDICES] = {
    let mut lines = [LinesThrough { masks: [[0; 2]; 3], origin: 0, column: 0 }; Square::INDICES];
    let mut at = 0;
    while at < 100 {
        let (x, y) = (at % 10, at / 10);
        let mut masks = [0_u128; 3];
        let mut other = 0;
        while other < 100 {
            let (column, row) = (other % 10, other / 10);
            let bit = 1 << (FIRST_BIT as usize + ROW_STRIDE as usize * row + column);
            masks[0] |= if row == y { bit } else { 0 };
            masks[1] |= if column + y == row + x { bit } else { 0 };
            masks[2] |= if column + row == x + y { bit } else { 0 };
            other += 1;
        }
        let square = &mut lines[FIRST_BIT as usize + ROW_STRIDE as usize * y + x];
        let mut line = 0;
        while line < 3 {
            square.masks[line] = [masks[line] as u64, (masks[line] >> 64) as u64];
            line += 1;
        }
        square.origin = (EACH_LINE >> 16) << x | 1 << y << 48;
        square.column = x as u8;
        at += 1;
    }
    lines
};
