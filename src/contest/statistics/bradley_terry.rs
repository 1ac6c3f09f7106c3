//! Elo ratings of many players by maximum likelihood, and of one player against known ratings.

use serde::Serialize;

use super::{PairCounts, score_of};
use crate::normal_distribution::NORMAL_QUANTILE_97_5;

/// The ratings of all players of a contest by the model of Bradley and Terry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ratings {
    pub players: Vec<Rating>,
    /// True if every two players that met got half a win each in addition to their games. This
    /// keeps the ratings finite when some of the players won all games against the rest.
    pub regularised: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Rating {
    /// The rating in Elo points. All ratings add up to zero, unless a player has a fixed rating.
    pub elo: f64,
    /// Half the width of the rating's 95 % interval, in Elo points. If another player has a fixed
    /// rating, the interval is that of the difference between the two ratings.
    pub error: f64,
}

/// Computes ratings from `wins`, where `wins[a][b]` is the number of games that player a won
/// against b. `anchor` has the index of a player with a fixed rating, and its rating in Elo.
///
/// `pairs[a][b]` has the numbers of complete pairs of games in which player a won 0, 1 and 2 games
/// against b. The games of a pair depend on each other. Therefore the errors come from the sandwich
/// estimator of White ("Maximum likelihood estimation of misspecified models", 1982), which treats
/// each pair as one observation. Games outside complete pairs count as independent games, and so do
/// the games of two players whose pairs all have the same score.
///
/// Returns `None` if the players form several groups without a game between the groups.
pub(crate) fn ratings(
    wins: &[Vec<u64>],
    pairs: &[Vec<PairCounts>],
    anchor: Option<(usize, f64)>,
) -> Option<Ratings> {
    let n = wins.len();
    let met = |a: usize, b: usize| wins[a][b] + wins[b][a] > 0;
    if n == 0 || !reaches_all(n, met) {
        return None;
    }
    // The ratings that maximise the likelihood are finite exactly if a chain of wins leads from
    // every player to every other player.
    let regularised = !(reaches_all(n, |a, b| wins[a][b] > 0) && reaches_all(n, |a, b| wins[b][a] > 0));
    let extra = if regularised { 0.5 } else { 0.0 };
    let won: Vec<Vec<f64>> = (0..n)
        .map(|a| (0..n).map(|b| if met(a, b) { wins[a][b] as f64 + extra } else { 0.0 }).collect())
        .collect();
    let strengths = strengths(&won);
    let covariances = inverse(fisher_information(&won, &strengths));
    let (base, given) = anchor.map_or((0.0, 0.0), |(anchor, elo)| (strengths[anchor], elo));
    let players = strengths.iter().enumerate().map(|(a, &strength)| {
        // Returns the derivative of player a's rating with respect to player b's number of wins.
        let rating_derivative = |b: usize| {
            ELO_POINT * (covariances[a][b] - anchor.map_or(0.0, |(anchor, _)| covariances[anchor][b]))
        };
        let meetings = (0..n).flat_map(|b| (0..b).map(move |c| (b, c)));
        let variances = meetings.map(|(b, c)| {
            let expected = score_of(strengths[b] - strengths[c]);
            wins_variance(wins[b][c] + wins[c][b], pairs[b][c], expected)
                * (rating_derivative(b) - rating_derivative(c)).powi(2)
        });
        Rating { elo: strength - base + given, error: NORMAL_QUANTILE_97_5 * variances.sum::<f64>().sqrt() }
    });
    Some(Ratings { players: players.collect(), regularised })
}

/// One Elo point in units of log-odds.
const ELO_POINT: f64 = std::f64::consts::LN_10 / 400.0;

/// True if every player can be reached from player 0. A step from a to b exists if `linked(a, b)`.
fn reaches_all(n: usize, linked: impl Fn(usize, usize) -> bool) -> bool {
    let mut reached = vec![0];
    let mut next = 0;
    while let Some(&a) = reached.get(next) {
        let found: Vec<usize> = (0..n).filter(|b| linked(a, *b) && !reached.contains(b)).collect();
        reached.extend(found);
        next += 1;
    }
    reached.len() == n
}

/// Computes the maximum likelihood ratings in Elo with the iteration of Hunter ("MM algorithms for
/// generalized Bradley-Terry models", 2004).
fn strengths(won: &[Vec<f64>]) -> Vec<f64> {
    let n = won.len();
    let mut gamma = vec![1.0; n];
    for _ in 0..100_000 {
        let next: Vec<f64> = (0..n)
            .map(|a| {
                let total: f64 = won[a].iter().sum();
                let shares: f64 = (0..n).map(|b| (won[a][b] + won[b][a]) / (gamma[a] + gamma[b])).sum();
                if shares > 0.0 { total / shares } else { gamma[a] }
            })
            .collect();
        // Only ratios of strengths have a meaning, so they are scaled to a geometric mean of one.
        let mean = (next.iter().map(|gamma| gamma.ln()).sum::<f64>() / n as f64).exp();
        let next: Vec<f64> = next.into_iter().map(|gamma| gamma / mean).collect();
        let change = gamma.iter().zip(&next).map(|(old, new)| (new / old).ln().abs()).fold(0.0, f64::max);
        gamma = next;
        if change < 1e-12 {
            break;
        }
    }
    gamma.into_iter().map(|gamma| gamma.ln() / ELO_POINT).collect()
}

/// The variance of the number of games that a player won against one opponent. `expected` is the
/// player's expected score in a game.
fn wins_variance(games: u64, pairs: PairCounts, expected: f64) -> f64 {
    let single = expected * (1.0 - expected);
    let counts = pairs.map(|count| count as f64);
    let whole: f64 = counts.iter().sum();
    let alone = games as f64 - 2.0 * whole;
    let alike = counts.iter().filter(|&&count| count > 0.0).count() < 2;
    let by_pairs = if alike {
        2.0 * whole * single
    } else {
        let squares = counts.iter().zip([0.0, 1.0, 2.0]);
        let sum: f64 = squares.map(|(count, won)| count * (won - 2.0 * expected).powi(2)).sum();
        sum * whole / (whole - 1.0)
    };
    by_pairs + alone.max(0.0) * single
}

/// The Fisher information matrix of the ratings in Elo.
fn fisher_information(won: &[Vec<f64>], elos: &[f64]) -> Vec<Vec<f64>> {
    let n = won.len();
    let mut matrix = vec![vec![0.0; n]; n];
    for (a, row) in matrix.iter_mut().enumerate() {
        for b in (0..n).filter(|&b| b != a) {
            let expected = score_of(elos[a] - elos[b]);
            let weight = (won[a][b] + won[b][a]) * expected * (1.0 - expected) * ELO_POINT * ELO_POINT;
            row[a] += weight;
            row[b] -= weight;
        }
    }
    // Only differences of ratings have a meaning, so the matrix is singular. A constant is added to
    // all entries. It makes the matrix invertible and does not change the errors of differences.
    let ridge = matrix.iter().enumerate().map(|(a, row)| row[a]).fold(0.0, f64::max).max(1e-12);
    matrix.iter_mut().flatten().for_each(|entry| *entry += ridge / n as f64);
    matrix
}

/// The inverse of a positive definite matrix, by Gauss-Jordan elimination.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    // The identity matrix is appended on the right, and elimination turns it into the inverse.
    for (row, entries) in matrix.iter_mut().enumerate() {
        entries.extend((0..n).map(|column| f64::from(u8::from(row == column))));
    }
    for pivot in 0..n {
        let scale = 1.0 / matrix[pivot][pivot];
        matrix[pivot].iter_mut().for_each(|entry| *entry *= scale);
        let unit = matrix[pivot].clone();
        for (_, entries) in matrix.iter_mut().enumerate().filter(|(row, _)| *row != pivot) {
            let factor = entries[pivot];
            entries.iter_mut().zip(&unit).for_each(|(entry, unit)| *entry -= factor * unit);
        }
    }
    matrix.into_iter().map(|mut entries| entries.split_off(n)).collect()
}

/// The standard deviation of the prior distribution of a player's rating, in Elo. The prior keeps
/// the rating finite if the player won or lost all games.
const PRIOR_DEVIATION: f64 = 2000.0;

/// The maximum a posteriori rating of a player from games against opponents of known rating. Each
/// entry of `results` is an opponent's rating, and the games that the player won and lost against
/// it. `expected` is the mean of the prior. All games count as independent.
pub(crate) fn rating_against(
    results: impl Iterator<Item = (f64, u64, u64)> + Clone,
    expected: f64,
) -> Rating {
    let prior_precision = PRIOR_DEVIATION.powi(-2);
    // Returns the first derivative of the log-posterior, and the observed information: minus the
    // second derivative. The first derivative decreases in `elo`, so it has exactly one zero.
    let slope_and_information = |elo: f64| {
        results.clone().fold(
            ((expected - elo) * prior_precision, prior_precision),
            |(slope, information), (opponent, wins, losses)| {
                let (share, games) = (score_of(elo - opponent), (wins + losses) as f64);
                let added = games * share * (1.0 - share) * ELO_POINT * ELO_POINT;
                (slope + (wins as f64 - share * games) * ELO_POINT, information + added)
            },
        )
    };
    let elo = find_zero(expected, |elo| slope_and_information(elo).0);
    let (_, information) = slope_and_information(elo);
    Rating { elo, error: NORMAL_QUANTILE_97_5 / information.sqrt() }
}

/// The one-sided 95 % upper bound of the rating of a player that lost all games. A player with this
/// rating loses all these games with a probability of 5 %. Each entry of `games` is an opponent's
/// rating and a number of games.
pub(crate) fn rating_bound_of_losses(games: impl Iterator<Item = (f64, u64)> + Clone) -> f64 {
    let centre = games.clone().map(|(opponent, _)| opponent).fold(0.0, f64::max);
    find_zero(centre, |elo| {
        let lost = games.clone().map(|(opponent, count)| count as f64 * score_of(opponent - elo).ln());
        lost.sum::<f64>() - 0.05_f64.ln()
    })
}

/// Finds the zero of a decreasing function by bisection. The search covers `centre` plus or minus
/// ten times [`PRIOR_DEVIATION`].
fn find_zero(centre: f64, decreasing: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (centre - 10.0 * PRIOR_DEVIATION, centre + 10.0 * PRIOR_DEVIATION);
    for _ in 0..60 {
        let half = low.midpoint(high);
        *(if decreasing(half) > 0.0 { &mut low } else { &mut high }) = half;
    }
    low.midpoint(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::statistics::{HeadToHead, elo_of};

    #[test]
    fn errors_are_those_of_pairs() {
        // In most of these pairs each player wins one game. Errors computed from pairs are then
        // smaller than errors that treat the same games as independent.
        let (wins, pairs) = (vec![vec![0, 110], vec![90, 0]], [10_u64, 70, 20]);
        let table = vec![vec![[0; 3], pairs], vec![[20, 70, 10], [0; 3]]];
        let by_pairs = ratings(&wins, &table, Some((1, 0.0))).unwrap().players;
        assert_eq!(by_pairs[1].elo, 0.0);
        assert!(by_pairs[1].error < 1e-6);
        let standing = HeadToHead::new(110, 90, pairs);
        // `HeadToHead` finds the same difference in Elo as `ratings`. The errors differ a little,
        // because `HeadToHead` takes its error from Wilson's interval.
        assert!((by_pairs[0].elo - standing.elo.unwrap()).abs() < 1e-6);
        let expected = standing.elo_error.unwrap();
        assert!((by_pairs[0].error / expected - 1.0).abs() < 0.02, "{} for {expected}", by_pairs[0].error);
        let by_games = ratings(&wins, &vec![vec![[0; 3]; 2]; 2], Some((1, 0.0))).unwrap().players;
        // Half the width of the 95 % interval after N independent games with the score p is
        // 1.96 / (ELO_POINT sqrt(N p (1 - p))).
        let by_hand = NORMAL_QUANTILE_97_5 / (ELO_POINT * (200.0_f64 * 0.55 * 0.45).sqrt());
        assert!((by_games[0].error - by_hand).abs() < 1e-6, "{} for {by_hand}", by_games[0].error);
        assert!(by_pairs[0].error < 0.9 * by_games[0].error, "{by_pairs:?} {by_games:?}");
    }

    /// The expected values are abilities of baseball teams, relative to Baltimore. Agresti
    /// ("Categorical Data Analysis") fitted the model to the American League's games of 1987.
    #[test]
    fn published_values_are_met() {
        // Rows and columns: Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore.
        let wins: [[u64; 7]; 7] = [
            [0, 7, 9, 7, 7, 9, 11],
            [6, 0, 7, 5, 11, 9, 9],
            [4, 6, 0, 7, 7, 8, 12],
            [6, 8, 6, 0, 6, 7, 10],
            [6, 2, 6, 7, 0, 7, 12],
            [4, 4, 5, 6, 6, 0, 6],
            [2, 4, 1, 3, 1, 7, 0],
        ];
        let fitted = [1.581, 1.436, 1.294, 1.248, 1.108, 0.684, 0.0];
        let wins: Vec<Vec<u64>> = wins.iter().map(|row| row.to_vec()).collect();
        let players = ratings(&wins, &vec![vec![[0; 3]; 7]; 7], None).unwrap().players;
        for (player, expected) in players.iter().zip(fitted) {
            let ability = (player.elo - players[6].elo) * ELO_POINT;
            assert!((ability - expected).abs() < 0.001, "{ability} for {expected}");
        }
    }

    fn place(results: &[(f64, u64, u64)]) -> Rating {
        rating_against(results.iter().copied(), 1000.0)
    }

    #[test]
    fn rating_follows_from_score() {
        let many = place(&[(500.0, 30_000, 10_000)]);
        assert!((many.elo - 500.0 - elo_of(0.75)).abs() < 1.0, "{many:?}");
        let by_hand = NORMAL_QUANTILE_97_5 / (ELO_POINT * (40_000.0_f64 * 0.75 * 0.25).sqrt());
        assert!((many.error / by_hand - 1.0).abs() < 0.01, "{many:?} for {by_hand}");
        let two = place(&[(500.0, 100, 100), (900.0, 100, 100)]);
        assert!((two.elo - 700.0).abs() < 5.0, "{two:?}");
    }

    #[test]
    fn rating_is_finite_after_equal_results() {
        let [none, won, lost] = [&[][..], &[(1000.0, 4, 0)], &[(1000.0, 0, 4)]].map(place);
        assert!(
            (none.elo - 1000.0).abs() < 1e-6
                && (none.error - NORMAL_QUANTILE_97_5 * PRIOR_DEVIATION).abs() < 1e-6
        );
        assert!(won.elo > 1200.0 && won.elo < 3000.0 && lost.elo < 800.0, "{won:?} {lost:?}");
        assert!(won.error < none.error);
    }

    #[test]
    fn lost_games_bound_a_rating() {
        // A player with an expected score of 0.7764 loses two games with a probability of 5 %. The
        // rating of this player is 216.3 Elo above the opponent's rating of 324.
        let two = rating_bound_of_losses([(324.0, 2)].into_iter());
        assert!((two - 540.3).abs() < 0.2, "{two}");
        assert!(rating_bound_of_losses([(324.0, 2), (0.0, 2)].into_iter()) < 324.0);
    }
}
