//! Interpolates weights between knots. A derived column is a weighted sum of other columns, so this
//! module adds the weight of a derived column to the weights of those columns.

use std::ops::Range;

use amazons::Size;

use super::WeightsError;
use crate::simd::{LookupTable, Words};
use crate::territory::pair::SixteenNumbers;
use crate::territory::terms::{
    ARROW_TIES, COLUMNS, COUNTED_COLUMNS, DERIVED_COLUMNS, FAR_FREEDOM, MOVE_COLUMN, NEAR_FREEDOM, TIES,
};

const MAX_SQUARES: u16 = Size::MAX as u16 * Size::MAX as u16;

/// The sum of the shares of two knots between which a weight is interpolated.
pub(super) const SHARE_UNITS: u16 = 256;

pub(super) const KNOT_INDEX_MASK: u64 = u32::MAX as u64;

/// Weights as a function of how contested the board is, or of the number of empty squares.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PhaseWeights {
    /// For each knot, the weights of positions and the weights of half plies.
    rows: Vec<[Row; 2]>,
    /// Indexed by the value of the phase. The bits of [`KNOT_INDEX_MASK`] hold the index of the
    /// knot below this value. The higher bits hold the next knot's share, up to [`SHARE_UNITS`].
    pub(super) knots_and_shares: Vec<u64>,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// The weights of the columns that are counted directly, four in each word.
    counted: [[[i16; 4]; 4]; 2],
    /// The weight of an amazon for [`NEAR_FREEDOM`], indexed by its [`near_freedom_column`].
    near: LookupTable,
    /// The weight of an amazon for [`FAR_FREEDOM`], indexed by its [`far_freedom_column`].
    far: LookupTable,
    move_weight: i32,
}

/// For each of four amazons, the index of its column in [`NEAR_FREEDOM`]: half of its number of
/// contested squares, rounded up.
#[inline(always)]
pub(super) fn near_freedom_column<W: Words>(squares: W) -> W {
    squares.add_i16(W::splat(squares.cpu(), 0x0001_0001_0001_0001)).high_products(1 << 15)
}

/// For each of four amazons, the index of its column in [`FAR_FREEDOM`]: a third of its number of
/// contested squares, rounded up, and at most 13.
#[inline(always)]
pub(super) fn far_freedom_column<W: Words>(squares: W) -> W {
    let thirds = squares.add_i16(W::splat(squares.cpu(), 0x0002_0002_0002_0002)).high_products(21_846);
    thirds.min_i16(W::splat(squares.cpu(), 0x000d_000d_000d_000d))
}

impl Row {
    fn new(row: &[i16], half: bool) -> Result<Row, WeightsError> {
        let table = |group: Range<usize>| {
            let columns = &row[group];
            LookupTable::new(std::array::from_fn(|index| columns[index.min(columns.len() - 1)]))
        };
        Ok(Row {
            counted: fold_derived_columns(row, half)?,
            near: table(NEAR_FREEDOM),
            far: table(FAR_FREEDOM),
            move_weight: i32::from(row[MOVE_COLUMN]) + if half { i32::from(row[MOVE_COLUMN + 1]) } else { 0 },
        })
    }

    /// The weighted sum of each position's counts. Each lane holds two 32-bit parts, which the
    /// caller must add. The second argument has each amazon's column indexes in `NEAR_FREEDOM` and
    /// `FAR_FREEDOM`. `more_amazons` is the mover's number of amazons minus the opponent's.
    #[inline(always)]
    pub(super) fn weighted_sums<W: Words>(
        &self,
        counts: [SixteenNumbers<W>; 2],
        [own_near, own_far, near, far]: SixteenNumbers<W>,
        more_amazons: i32,
    ) -> W {
        // If a side has fewer than four amazons, the sums below count each missing amazon as an
        // amazon with 0 contested squares. `constant` cancels the weights of missing amazons.
        let no_freedom_weight = i32::from(self.near.numbers[0]) + i32::from(self.far.numbers[0]);
        let constant = self.move_weight + more_amazons * no_freedom_weight;
        let mut sums = W::splat(own_near.cpu(), u64::from(constant as u32));
        for (counts, weights) in counts.into_iter().zip(self.counted) {
            for (four, weights) in counts.into_iter().zip(weights) {
                sums = sums.add_products(four, weights);
            }
        }
        sums.add_products(own_near.looked_up(&self.near), [1; 4])
            .add_products(own_far.looked_up(&self.far), [1; 4])
            .add_products(near.looked_up(&self.near), [-1; 4])
            .add_products(far.looked_up(&self.far), [-1; 4])
    }
}

impl PhaseWeights {
    /// Prepares the rows of weights, one for each of `knots`. Knots are in squares, but values of
    /// the phase are in units, and `unit` of them make up one square.
    pub(super) fn new(knots: &[u16], rows: &[Vec<i16>], unit: u16) -> Result<PhaseWeights, WeightsError> {
        let rows = rows.iter().map(|row| Ok([Row::new(row, false)?, Row::new(row, true)?]));
        let knot_and_share = |value: u16| {
            let above = knots.iter().position(|&knot| value < knot * unit);
            let lower_knot = above.unwrap_or(knots.len() - 1).saturating_sub(1);
            let (from, to) = (knots[lower_knot] * unit, knots[lower_knot + 1] * unit);
            let inside = u32::from(value.clamp(from, to) - from);
            let (parts, span) = (u32::from(SHARE_UNITS), u32::from(to - from));
            lower_knot as u64 | u64::from((inside * parts + span / 2) / span) << 32
        };
        Ok(PhaseWeights {
            rows: rows.collect::<Result<_, WeightsError>>()?,
            knots_and_shares: (0..=MAX_SQUARES * unit).map(knot_and_share).collect(),
        })
    }

    /// The index of the knot below a value, and the shares of this knot and the next knot.
    #[inline(always)]
    pub(super) fn knot_and_shares(&self, value: usize) -> (usize, [u64; 2]) {
        let packed = self.knots_and_shares[value.min(self.knots_and_shares.len() - 1)];
        ((packed & KNOT_INDEX_MASK) as usize, [u64::from(SHARE_UNITS) - (packed >> 32), packed >> 32])
    }

    #[inline(always)]
    pub(super) fn rows(&self, knot: usize, half: bool) -> [&Row; 2] {
        let half = usize::from(half);
        [&self.rows[knot][half], &self.rows[knot + 1][half]]
    }
}

pub(super) fn check_knots(name: &'static str, knots: &[u16]) -> Result<(), WeightsError> {
    if knots.len() < 2 || !knots.is_sorted_by(|a, b| a < b) || knots.iter().any(|&knot| knot > MAX_SQUARES) {
        let expected = format!("at least 2 rising numbers up to {MAX_SQUARES}");
        return Err(WeightsError::Field { name, got: format!("{knots:?}"), expected });
    }
    Ok(())
}

pub(super) fn check_table(name: &'static str, knots: usize, rows: &[Vec<i16>]) -> Result<(), WeightsError> {
    let error = |got, expected| Err(WeightsError::Field { name, got, expected });
    if rows.len() != knots {
        return error(format!("{} rows", rows.len()), format!("a row for each of its {knots} knots"));
    }
    match rows.iter().find(|row| row.len() != COLUMNS.len()) {
        Some(row) => error(format!("rows of {} weights", row.len()), COLUMNS.len().to_string()),
        None => Ok(()),
    }
}

fn fold_derived_columns(row: &[i16], half: bool) -> Result<[[[i16; 4]; 4]; 2], WeightsError> {
    let mut weights: Vec<i32> = row.iter().copied().map(i32::from).collect();
    if half {
        for (tie, arrow_tie) in TIES.zip(ARROW_TIES) {
            weights[tie] += weights[arrow_tie];
        }
    }
    // A column is derived from earlier columns only, so the loop begins with the last column.
    for (column, others, factors) in DERIVED_COLUMNS.into_iter().rev() {
        for (&other, &factor) in others.iter().zip(factors) {
            weights[other] += i32::from(factor) * weights[column];
        }
    }
    let mut folded = [[[0; 4]; 4]; 2];
    for (words, columns) in folded.iter_mut().zip(COUNTED_COLUMNS) {
        for (number, column) in words.as_flattened_mut().iter_mut().zip(columns) {
            let got = weights[column];
            *number = i16::try_from(got).map_err(|_| WeightsError::Sum { column: COLUMNS[column], got })?;
        }
    }
    Ok(folded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::territory::terms::{KING_SUMS, Terms};

    #[test]
    fn rejects_weights_that_overflow_16_bits() {
        let mut row = [0; Terms::COUNT];
        let [k1, t2] = [COUNTED_COLUMNS[1][0], KING_SUMS];
        (row[k1], row[t2]) = (32_760, 7);
        assert_eq!(fold_derived_columns(&row, false).map(|row| row[1][0][0]), Ok(i16::MAX));
        row[t2] = 8;
        let error = fold_derived_columns(&row, false).unwrap_err().to_string();
        assert!(error.contains("'k1'") && error.ends_with(" 32768: expected -32768 to 32767"), "{error}");
    }
}
