//! Weights that are linear between knots, folded for the columns that are counted.

use super::file::WeightsError;
use crate::territory::pair::Row;
use crate::territory::terms::{COLUMNS, COUNTED, DERIVED, Derived, TermGroup};

/// The rows of a table at its knots, and the place of each value of its measure between them.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PhaseWeights {
    /// For each two knots in succession.
    pub(super) segments: Vec<Segment>,
    /// For each value of the measure the segment and the share of its upper knot, in parts of
    /// [`PhaseWeights::PARTS`].
    places: Vec<(u16, u16)>,
}

/// The rows of two knots in succession: for positions, then for half plies.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Segment(pub(super) [[Row; 2]; 2]);

impl PhaseWeights {
    pub(super) const PARTS: u16 = 256;

    /// Rows at knots, which are in squares; the measure goes up to `most` squares, in parts of
    /// `unit`.
    pub(super) fn new(
        knots: &[u16],
        rows: &[Vec<i16>],
        most: u16,
        unit: u16,
    ) -> Result<PhaseWeights, WeightsError> {
        let rows = rows.iter().map(|row| Ok([folded(row, false)?, folded(row, true)?]));
        let rows: Vec<[Row; 2]> = rows.collect::<Result<_, WeightsError>>()?;
        let segment = |rows: &[[Row; 2]]| Segment([0, 1].map(|half| [rows[0][half], rows[1][half]]));
        let place = |value: u16| {
            let above = knots.iter().position(|&knot| value < knot * unit);
            let below = above.unwrap_or(knots.len() - 1).saturating_sub(1);
            let (from, to) = (knots[below] * unit, knots[below + 1] * unit);
            let inside = u32::from(value.clamp(from, to) - from);
            let (parts, span) = (u32::from(PhaseWeights::PARTS), u32::from(to - from));
            (below as u16, ((inside * parts + span / 2) / span) as u16)
        };
        Ok(PhaseWeights {
            segments: rows.windows(2).map(segment).collect(),
            places: (0..=most * unit).map(place).collect(),
        })
    }

    /// The segment of a value, and the shares of its two knots.
    #[inline(always)]
    pub(super) fn place(&self, value: i16) -> (usize, [i64; 2]) {
        let (segment, share) = self.places[(value.max(0) as usize).min(self.places.len() - 1)];
        (usize::from(segment), [i64::from(PhaseWeights::PARTS - share), i64::from(share)])
    }
}

/// The weights of the columns that are counted, with the weights of the columns that follow from
/// them folded in.
fn folded(row: &[i16], half: bool) -> Result<Row, WeightsError> {
    let mut weights: Vec<i32> = row.iter().copied().map(i32::from).collect();
    if half {
        for (tie, arrow_tie) in TermGroup::Ties.columns().zip(TermGroup::ArrowTies.columns()) {
            weights[tie] += weights[arrow_tie];
        }
    }
    // Each follows from earlier ones, so the last comes first.
    for Derived { column, sum } in DERIVED.iter().rev() {
        for &(other, factor) in *sum {
            weights[other] += i32::from(factor) * weights[*column];
        }
    }
    let mut folded = Row([[0; 16]; 2]);
    for (lanes, columns) in folded.0.iter_mut().zip(COUNTED) {
        for (lane, column) in lanes.iter_mut().zip(columns) {
            *lane = i16::try_from(weights[column])
                .map_err(|_| WeightsError::Range { column: COLUMNS[column], got: weights[column] })?;
        }
    }
    Ok(folded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::territory::terms::Terms;

    #[test]
    fn refuses_weights_that_do_not_fit_with_those_of_derived_columns() {
        let mut row = [0; Terms::COUNT];
        let [k1, t2] = [COUNTED[1][0], TermGroup::KingSums.first()];
        (row[k1], row[t2]) = (32_760, 7);
        assert_eq!(folded(&row, false).map(|Row(row)| row[1][0]), Ok(i16::MAX));
        row[t2] = 8;
        let error = WeightsError::Range { column: "k1", got: 32_768 };
        assert_eq!(folded(&row, false).map(|_| ()), Err(error));
    }

    /// Weights are linear between knots, and constant beyond.
    #[test]
    fn interpolates_between_knots() {
        let mut rows = [vec![0; Terms::COUNT], vec![0; Terms::COUNT], vec![0; Terms::COUNT]];
        for (row, weight) in rows.iter_mut().zip([100, 300, 400]) {
            row[COUNTED[1][2]] = weight;
        }
        let phase = PhaseWeights::new(&[2, 4, 14], &rows, 100, 16).unwrap();
        for (value, weight) in
            [(0, 100), (32, 100), (48, 200), (64, 300), (144, 350), (224, 400), (1600, 400)]
        {
            let (segment, shares) = phase.place(value);
            let knots = phase.segments[segment].0[0].map(|Row(row)| i64::from(row[1][2]));
            let sum = knots[0] * shares[0] + knots[1] * shares[1];
            assert_eq!(sum, weight * i64::from(PhaseWeights::PARTS), "{value}");
        }
    }
}
