//! The evaluator of the program Campya, as published (Kloetzer, PhD thesis 2010, appendix B).

use amazons::{Bitboard, Square, queen_reach};

use super::distance::Distances;
use super::view::View;
use crate::simd::Kernel;

/// The number of fixed-point units that make up 1.0. Fractions are summed in these units.
const FRACTION_UNITS: i32 = 1 << 15;

/// The log-odds that the side to act wins; minus infinity if it must move an amazon and cannot.
///
/// The log-odds are `E / 20`. `E = t1 + s t2 + 0.8 s (confinement of the opponent - own
/// confinement)` is in squares, and `s` is `min(1, w / 40)`. Lieberum ("An evaluation function for
/// the game of amazons", 2005) defines t1, t2 and w. Squares equally near to both sides add 0 to t1
/// or t2.
pub fn log_odds(view: &View<'_>) -> f64 {
    let around = |&square: &Square| Bitboard::of(square).king_reach() & view.empty;
    if view.amazons[0].iter().all(|square| around(square).is_empty()) {
        return f64::NEG_INFINITY;
    }
    let distances = Distances::of(view, Kernel::best());
    let (queen, king) = (distances.queen.sets(), distances.king.sets());
    let mut reached = [Bitboard::EMPTY; 2];
    for [own, other] in queen {
        reached = [reached[0] | *own, reached[1] | *other];
    }
    let confinement = [0, 1].map(|side: usize| {
        let amazons = view.amazons[side].iter();
        amazons.map(|&square| confinement(square, view.empty, reached[1 - side])).sum::<i32>()
    });
    let share = (f64::from(contest(queen)) / f64::from(FRACTION_UNITS) / 40.0).min(1.0);
    let confinement = f64::from(confinement[1] - confinement[0]) / f64::from(FRACTION_UNITS);
    (f64::from(territory_balance(queen))
        + share * f64::from(territory_balance(king))
        + 0.8 * share * confinement)
        / 20.0
}

/// Lieberum's t1 or t2: the squares nearer to the mover minus the squares nearer to the opponent.
fn territory_balance(levels: &[[Bitboard; 2]]) -> i32 {
    let (mut balance, mut reached) = (0, [Bitboard::EMPTY; 2]);
    for &[own, other] in levels {
        reached = [reached[0] | own, reached[1] | other];
        balance += (own - reached[1]).count() as i32 - (other - reached[0]).count() as i32;
    }
    balance
}

/// Lieberum's w, which measures how contested the board is: the sum of 2^-|difference of queen
/// moves| over the squares that both sides reach, in units of 1 / [`FRACTION_UNITS`].
fn contest(levels: &[[Bitboard; 2]]) -> i32 {
    let mut sum = 0;
    for (sooner, [own, other]) in levels.iter().enumerate() {
        sum += FRACTION_UNITS * (*own & *other).count() as i32;
        for (difference, [own_later, other_later]) in (1..).zip(&levels[sooner + 1..]) {
            let squares = (*own & *other_later).count() + (*other & *own_later).count();
            sum += squares as i32 * (FRACTION_UNITS >> difference);
        }
    }
    sum
}

/// The confinement 30 / (5 + alpha) of one amazon, in units of 1 / [`FRACTION_UNITS`], rounded
/// down. Alpha (Lieberum 2005) is a sum over the contested squares that the amazon reaches in one
/// move: 2^-steps times the number of empty neighbours.
fn confinement(amazon: Square, empty: Bitboard, contested: Bitboard) -> i32 {
    // The unit of `alpha` is 2^-9, because a queen move has at most nine steps.
    let mut alpha = 0;
    for square in queen_reach(amazon, empty) & contested {
        let steps = square.x().abs_diff(amazon.x()).max(square.y().abs_diff(amazon.y()));
        let neighbours = (Bitboard::of(square).king_reach() & empty).count() - 1;
        alpha += neighbours << (9 - steps);
    }
    30 * 512 * FRACTION_UNITS / (5 * 512 + alpha as i32)
}

#[cfg(test)]
mod tests {
    use amazons::Position;

    use super::*;

    fn points(fen: &str) -> f64 {
        let position: Position = fen.parse().unwrap();
        20.0 * log_odds(&View::from(&position))
    }

    /// The expected points of the last three positions were computed by another program, all others
    /// by hand. D1 and D2 are the numbers of queen and king moves that Q and q need to reach a
    /// square, or "-" if they cannot reach the square. P is the confinement.
    #[test]
    fn gives_the_points_of_the_published_formula() {
        // A corridor with Q on a2 and q on d2; b2, c2 and e2 are empty. D1 of Q and of q: b2 1 and
        // 1, c2 1 and 1, e2 - and 1: t1 = -1, w = 1 + 1 = 2, s = 2/40. D2: b2 1 and 2, c2 2 and 1,
        // e2 - and 1: t2 = 1 - 1 - 1 = -1. alpha Q: b2 2^-1 * 1 (c2) + c2 2^-2 * 1 (b2) = 0.75;
        // alpha q: c2 2^-1 * 1 + b2 2^-2 * 1 = 0.75. E = -1 - 2/40 + 0
        let corridor = -1.05;
        // A 3x3 board with Q on a3 and q on c1; a1, a2 and c2 are burnt. D1 of Q and of q: b3 1 and
        // 2, c3 1 and 2, b2 1 and 1, b1 2 and 1: t1 = 1 + 1 - 1 = 1, w = 1/2 + 1/2 + 1 + 1/2 = 2.5,
        // s = 1/16. D2: b3 1 and 2, c3 2 and 2, b2 1 and 1, b1 2 and 1: t2 = 1 - 1 = 0. Empty
        // neighbours: b3 2 (c3, b2), c3 2 (b3, b2), b2 3 (b3, c3, b1), b1 1 (b2). alpha Q: b3 2/2 +
        // c3 2/4 + b2 3/2 = 3, P = 30/8; alpha q: b1 1/2 + b2 3/2 = 2, P = 30/7. E = 1 + 0.8/16 *
        // (30/7 - 30/8)
        let square = 1.0 + 0.05 * (30.0 / 7.0 - 30.0 / 8.0);
        // Q alone reaches two squares, and q alone reaches one square: w = 0, E = t1 = 1.
        for (fen, expected) in [
            ("Q2q1/***** w", corridor),
            ("Q2q1/***** b", -corridor),
            ("Q2/*1*/*1q w", square),
            ("Q2/*1*/*1q b", -square),
            ("Q2*1q/****** w", 1.0),
            ("Q2*1q/****** b", -1.0),
            // Each side is nearer to one square by king moves, but not by queen moves.
            ("Q2q w", 0.0),
            // The first player has three squares and the second has one.
            ("2*q/Q1*1 w", 2.0),
            ("q3q3/8/8/3**3/2****2/1*QQ**2/1*QQ***1/q1*****q w", -45.316_774),
            ("3q2q3/10/2*4*2/q3*4q/4*1*3/5*4/Q2*4*Q/1*8/10/3Q2Q3 b", 4.482_519),
            ("1*2q*1q/3*2*1/**Q1*3/2*3*1/1*1*q*2/Q2*1**1/*2*2Q1/1q**1Q** b", 4.058_191),
        ] {
            // The confinement of each amazon is rounded to a multiple of 1 / 32,768.
            assert!((points(fen) - expected).abs() < 1e-4, "{fen}: {} for {expected}", points(fen));
        }
        assert_eq!(points("Q*q1/**** w"), f64::NEG_INFINITY);
    }
}
