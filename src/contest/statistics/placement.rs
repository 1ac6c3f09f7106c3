//! One player against players of known ratings: its rating, with an interval.

use super::bradley_terry::{POINT, Rating};
use super::score_of;
use crate::normal::QUANTILE;

/// Standard deviation of the ratings that a player may have before its first game, around the
/// middle of the ladder. It keeps the rating finite where every game ended alike.
const SPREAD: f64 = 1000.0;

/// The likeliest rating of a player with these results, each an opponent's rating, games won and
/// games lost; `middle` is that of the ladder. The games are taken for independent.
pub(crate) fn placed(results: impl Iterator<Item = (f64, u64, u64)> + Clone, middle: f64) -> Rating {
    let known = SPREAD.powi(-2);
    // The logarithm of the posterior is concave: its slope falls through zero once.
    let slope = |elo: f64| {
        let games = results.clone().map(|(opponent, wins, losses)| {
            let expected = score_of(elo - opponent) * (wins + losses) as f64;
            (wins as f64 - expected) * POINT
        });
        games.sum::<f64>() - (elo - middle) * known
    };
    let (mut low, mut high) = (middle - 10.0 * SPREAD, middle + 10.0 * SPREAD);
    for _ in 0..60 {
        let half = low.midpoint(high);
        *(if slope(half) > 0.0 { &mut low } else { &mut high }) = half;
    }
    let elo = low.midpoint(high);
    let games = results.map(|(opponent, wins, losses)| {
        let expected = score_of(elo - opponent);
        (wins + losses) as f64 * expected * (1.0 - expected) * POINT * POINT
    });
    Rating { elo, error: QUANTILE / (games.sum::<f64>() + known).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rating(results: &[(f64, u64, u64)]) -> Rating {
        placed(results.iter().copied(), 1000.0)
    }

    #[test]
    fn a_rating_stands_where_its_score_puts_it() {
        let many = rating(&[(500.0, 30_000, 10_000)]);
        assert!((many.elo - 500.0 - crate::contest::statistics::elo_of(0.75)).abs() < 1.0, "{many:?}");
        // By hand: 1.96 / (POINT sqrt(N p q)).
        let by_hand = QUANTILE / (POINT * (40_000.0_f64 * 0.75 * 0.25).sqrt());
        assert!((many.error / by_hand - 1.0).abs() < 0.01, "{many:?} for {by_hand}");
        let two = rating(&[(500.0, 100, 100), (900.0, 100, 100)]);
        assert!((two.elo - 700.0).abs() < 5.0, "{two:?}");
    }

    #[test]
    fn games_that_all_ended_alike_leave_it_finite() {
        let [none, won, lost] = [&[][..], &[(1000.0, 4, 0)], &[(1000.0, 0, 4)]].map(rating);
        assert!((none.elo - 1000.0).abs() < 1e-6 && (none.error - QUANTILE * SPREAD).abs() < 1e-6);
        assert!(won.elo > 1200.0 && won.elo < 3000.0 && lost.elo < 800.0, "{won:?} {lost:?}");
        assert!(won.error < none.error);
    }
}
