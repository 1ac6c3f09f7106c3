//! Scores predicted winning chances against the results of games, by the number of empty squares.

use amazons::Position;
use serde::{Deserialize, Serialize};

/// Scores of predicted winning chances for a set of positions. Means are `None` for an empty set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Scores {
    pub positions: u64,
    #[serde(flatten)]
    pub proofs: Option<ProofCounts>,
    /// The mean of the negative natural logarithm of the probability that was predicted for the
    /// result, clipped to [1e-6, 1 - 1e-6].
    pub log_loss: Option<f64>,
    /// The mean squared difference between the predicted probability and the result.
    pub brier: Option<f64>,
    /// The fraction of positions for which the prediction gave the actual winner a probability
    /// above one half. A probability of one half counts as half a position.
    pub accuracy: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ProofCounts {
    pub proven: u64,
    /// The number of positions in which the side that lost the game was proven to win.
    pub contradicted: u64,
}

/// The scores of positions with at least `from` and fewer than `to` empty squares.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Bin {
    pub from: u32,
    pub to: u32,
    #[serde(flatten)]
    pub scores: Scores,
}

/// The scores of predictions for all positions, and in bins by the number of empty squares.
#[derive(Clone, Debug)]
pub(crate) struct BinnedScores {
    bins: Vec<Bin>,
    pub all: Scores,
}

impl Scores {
    const CLIP: f64 = 1e-6;

    fn add(&mut self, chance: f64, won: bool, proven: Option<bool>) {
        self.positions += 1;
        if let Some(proofs) = &mut self.proofs {
            proofs.proven += u64::from(proven.is_some());
            proofs.contradicted += u64::from(proven == Some(!won));
        }
        let right = if won { chance } else { 1.0 - chance };
        let predicted = if right == 0.5 { 0.5 } else { f64::from(u8::from(right > 0.5)) };
        let positions = self.positions as f64;
        for (mean, score) in [
            (&mut self.log_loss, -right.clamp(Scores::CLIP, 1.0 - Scores::CLIP).ln()),
            (&mut self.brier, (1.0 - right).powi(2)),
            (&mut self.accuracy, predicted),
        ] {
            let before = mean.unwrap_or_default();
            *mean = Some(before + (score - before) / positions);
        }
    }
}

impl BinnedScores {
    const MAX_SQUARES: u32 = 100;

    /// Creates empty scores. One bin begins at 0 empty squares, and one at each of the ascending
    /// numbers in `starts`. If `solved` is true, the scores also count positions with a proof.
    pub(crate) fn new(starts: &[u32], solved: bool) -> BinnedScores {
        let all = Scores { proofs: solved.then(ProofCounts::default), ..Scores::default() };
        let ends = starts.iter().copied().chain([BinnedScores::MAX_SQUARES + 1]);
        let bins = [0].iter().chain(starts).zip(ends).map(|(&from, to)| Bin { from, to, scores: all });
        BinnedScores { bins: bins.collect(), all }
    }

    /// Adds the predicted winning chance of a position's acting side. `won` is true if this side
    /// won the game. `proven` is true for a proven win of this side, and false for a proven loss.
    pub(crate) fn add(&mut self, empty_squares: u32, chance: f64, won: bool, proven: Option<bool>) {
        if let Some(bin) = self.bins.iter_mut().find(|bin| empty_squares < bin.to) {
            bin.scores.add(chance, won, proven);
        }
        self.all.add(chance, won, proven);
    }

    pub(crate) fn bins(&self) -> impl DoubleEndedIterator<Item = &Bin> {
        self.bins.iter().filter(|bin| bin.scores.positions > 0)
    }
}

/// Parses a line `{"position": FEN, "result": 1}`. Returns the position, and true if the side to
/// move won.
pub(crate) fn parse_labelled_position(line: &str) -> Result<(Position, bool), String> {
    #[derive(Deserialize)]
    #[serde(expecting = "an object")]
    struct Labelled {
        position: Position,
        result: serde_json::Number,
    }
    let form = |error| format!("{error}; expected {{\"position\": FEN, \"result\": 0 or 1}}");
    let Labelled { position, result } = serde_json::from_str(line).map_err(form)?;
    match result.as_f64() {
        Some(0.0) => Ok((position, false)),
        Some(1.0) => Ok((position, true)),
        _ => Err(format!("result {result}: expected 1 if the side to move won, 0 if it lost")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_equal_their_formulas() {
        let mut measure = BinnedScores::new(&[], false);
        assert_eq!((measure.all.log_loss, measure.bins().count()), (None, 0));
        for (chance, won) in [(0.8, true), (0.8, false), (0.5, true), (1.0, true), (0.0, true)] {
            measure.add(3, chance, won, None);
        }
        let all = measure.all;
        let expected = -(0.8f64.ln() + 0.2f64.ln() + 0.5f64.ln() + 1e-6f64.ln() + (1.0f64 - 1e-6).ln()) / 5.0;
        assert!((all.log_loss.unwrap() - expected).abs() < 1e-12);
        assert!((all.brier.unwrap() - (0.04 + 0.64 + 0.25 + 1.0) / 5.0).abs() < 1e-12);
        assert_eq!((all.positions, all.accuracy), (5, Some(2.5 / 5.0)));
    }
}
