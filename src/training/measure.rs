//! Measures how well the chance of winning was predicted, by number of empty squares.

use std::ops::Range;

/// The scores of the predictions for a set of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Scores {
    pub positions: u64,
    /// Those of them whose winner was proven.
    pub proven: u64,
    /// Those of them that were proven against their label.
    pub contradicted: u64,
    log_loss: f64,
    brier: f64,
    right: f64,
}

/// Predictions and results, counted by empty squares, each bin without its upper end.
#[derive(Clone, Debug)]
pub(crate) struct Measure {
    /// The least numbers of the bins after the first.
    starts: Vec<u32>,
    /// One more than there are starts.
    bins: Vec<Scores>,
    all: Scores,
}

impl Default for Measure {
    /// From 0 to 20, then in steps of 15.
    fn default() -> Measure {
        Measure::new((20..Measure::SQUARES).step_by(15).collect())
    }
}

impl Scores {
    /// A probability of 0 or 1 that fails costs no more than this one would.
    const CLIP: f64 = 1e-6;

    fn add(&mut self, chance: f64, won: bool, proven: Option<bool>) {
        let outcome = if won { 1.0 } else { 0.0 };
        let clipped = chance.clamp(Scores::CLIP, 1.0 - Scores::CLIP);
        self.positions += 1;
        self.proven += u64::from(proven.is_some());
        self.contradicted += u64::from(proven == Some(!won));
        self.log_loss -= if won { clipped.ln() } else { (1.0 - clipped).ln() };
        self.brier += (chance - outcome) * (chance - outcome);
        // A prediction of one half counts as right half the time.
        self.right += if chance == 0.5 { 0.5 } else { f64::from(u8::from((chance > 0.5) == won)) };
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        (self.positions > 0).then(|| sum / self.positions as f64)
    }

    /// The log-loss: the negated mean natural logarithm of the probability of the outcome, clipped
    /// to [1e-6, 1 - 1e-6]. `None` without positions.
    pub(crate) fn log_loss(&self) -> Option<f64> {
        self.mean(self.log_loss)
    }

    /// The Brier score: the mean square of the difference between probability and outcome. `None`
    /// without positions.
    pub(crate) fn brier(&self) -> Option<f64> {
        self.mean(self.brier)
    }

    /// The accuracy: the share of positions whose winner was predicted; a prediction of one half
    /// counts half. `None` without positions.
    pub(crate) fn accuracy(&self) -> Option<f64> {
        self.mean(self.right)
    }
}

impl Measure {
    const SQUARES: u32 = 101;

    /// A measure whose second and later bins begin with these numbers of empty squares, in
    /// ascending order.
    pub(crate) fn new(starts: Vec<u32>) -> Measure {
        let bins = vec![Scores::default(); starts.len() + 1];
        Measure { starts, bins, all: Scores::default() }
    }

    /// Counts a prediction: the chance given to the side that acts, whether it won, and whether it
    /// was proven to win, if anything was proven.
    pub(crate) fn add(&mut self, empty_squares: u32, chance: f64, won: bool, proven: Option<bool>) {
        let bin = self.starts.partition_point(|&start| start <= empty_squares);
        self.bins[bin].add(chance, won, proven);
        self.all.add(chance, won, proven);
    }

    pub(crate) fn all(&self) -> Scores {
        self.all
    }

    /// The bins that hold positions, fewest empty squares first: these numbers, and their scores.
    pub(crate) fn bins(&self) -> impl DoubleEndedIterator<Item = (Range<u32>, Scores)> + '_ {
        let bins = self.bins.iter().enumerate().filter(|(_, scores)| scores.positions > 0);
        bins.map(|(index, &scores)| {
            let from = if index == 0 { 0 } else { self.starts[index - 1] };
            (from..self.starts.get(index).copied().unwrap_or(Measure::SQUARES), scores)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_textbook() {
        let mut measure = Measure::default();
        assert_eq!((measure.all().log_loss(), measure.bins().count()), (None, 0));
        for (chance, won) in [(0.8, true), (0.8, false), (0.5, true), (1.0, true), (0.0, true)] {
            measure.add(3, chance, won, None);
        }
        let all = measure.all();
        let expected = -(0.8f64.ln() + 0.2f64.ln() + 0.5f64.ln() + 1e-6f64.ln() + (1.0f64 - 1e-6).ln()) / 5.0;
        assert!((all.log_loss().unwrap() - expected).abs() < 1e-12);
        assert!((all.brier().unwrap() - (0.04 + 0.64 + 0.25 + 1.0) / 5.0).abs() < 1e-12);
        assert_eq!((all.positions, all.accuracy()), (5, Some(2.5 / 5.0)));
    }

    #[test]
    fn bins_are_half_open() {
        let mut measure = Measure::default();
        for empty in [0, 19, 20, 34, 35, 80, 92] {
            measure.add(empty, 0.5, true, None);
        }
        let bins: Vec<_> =
            measure.bins().map(|(bin, scores)| (bin.start, bin.end, scores.positions)).collect();
        assert_eq!(bins, [(0, 20, 2), (20, 35, 2), (35, 50, 1), (80, 95, 2)]);
        assert_eq!(measure.all().positions, 7);
        let mut measure = Measure::new(vec![20, 28]);
        for (empty, proven) in [(27, Some(true)), (27, Some(false)), (27, None), (100, Some(false))] {
            measure.add(empty, 0.5, true, proven);
        }
        let bins: Vec<_> =
            measure.bins().map(|(bin, scores)| (bin, scores.proven, scores.contradicted)).collect();
        assert_eq!(bins, [(20..28, 2, 1), (28..101, 1, 1)]);
        assert_eq!((measure.all().proven, measure.all().contradicted), (3, 2));
    }
}
