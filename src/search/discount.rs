//! Discounted means: a playout weighs less, the more have passed through its edge since.
//!
//! What the first playouts through an edge found, they found in a smaller tree. After `n` playouts of values
//! `v_1 .. v_n` the mean is therefore `sum d^(n-i) v_i / sum d^(n-i)`, for a factor `d` up to 1 (Kocsis and Szepesvári,
//! "Discounted UCB", 2006; for Amazons Kloetzer, thesis 2010). They discount an edge whenever its node is passed, and its
//! visits too; here it fades by its own playouts alone, and visits stay whole, so that exploration, the choice of a
//! move and what is reused mean what they always do.
//!
//! An edge holds a count and a sum, and whoever selects divides one by the other. So that nothing of that changes, the
//! sum is kept at `n` times the discounted mean. From `mean += (v - mean) (1 - d) / (1 - d^(n+1))` it follows that a new
//! value is to be added as it always is once the sum has been moved by `(v - mean) excess`, where
//! `excess = (n + 1) (1 - d) / (1 - d^(n+1)) - 1` is what the newest playout weighs beyond one of `n + 1` equals.

use super::parameters::Parameters;

/// How edges forget.
#[derive(Clone, Copy, Debug)]
pub(super) struct Discount(f64);

impl Discount {
    /// What the parameters ask for; `None` for plain means.
    #[inline]
    pub(super) fn of(parameters: &Parameters) -> Option<Discount> {
        (parameters.discount < 1.0).then_some(Discount(parameters.discount))
    }

    /// By how many values of a playout a sum moves, at most, for the one that follows `playouts` others. From 0 to
    /// `playouts`, so that no sum leaves what so many playouts can add up to.
    pub(super) fn excess(self, playouts: u32) -> f64 {
        let Discount(factor) = self;
        let count = f64::from(playouts) + 1.0;
        let weights = (1.0 - power(factor, u64::from(playouts) + 1)) / (1.0 - factor);
        (count / weights - 1.0).clamp(0.0, f64::from(playouts))
    }
}

/// By repeated squaring, which gives the same bits everywhere.
fn power(mut base: f64, mut exponent: u64) -> f64 {
    let mut result = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    result
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::arena::{Arena, Lease};
    use super::super::edge::{NewEdge, Proof};
    use super::*;
    use crate::game::Square;

    #[test]
    fn an_edge_holds_the_discounted_mean() {
        let square = Square::default();
        let new = NewEdge { from: square, to: square, static_value: 0.5, prior: 1.0, proof: Proof::Unknown };
        for factor in [0.99, 0.999, 0.9999] {
            let arena = Arena::new(0);
            let node = arena.push(&mut Lease::default(), &[new]).unwrap();
            let edge = &arena.node(node)[0];
            let (mut sum, mut weights) = (0.0, 0.0);
            for n in 0..3000u32 {
                // Worse and worse, and up and down.
                let value = 0.4 + 0.4 / (1.0 + f64::from(n) / 300.0) + 0.2 * f64::from(n * 7 % 11) / 11.0;
                edge.fade(value, Discount(factor), 0);
                edge.add_alone(value);
                (sum, weights) = (factor * sum + value, factor * weights + 1.0);
                let mean = edge.mean().unwrap();
                assert!((mean - sum / weights).abs() < 1e-6, "{factor}: {mean} after {n}");
            }
            assert_eq!(edge.visits(), 3000);
        }
    }

    #[test]
    fn the_newest_weighs_at_least_its_share_and_at_most_all() {
        for factor in [0.99, 0.999, 0.9999] {
            let discount = Discount(factor);
            assert_eq!(discount.excess(0), 0.0);
            let mut last = 0.0;
            for playouts in (0..32).map(|bit| u32::MAX >> (31 - bit)) {
                let excess = discount.excess(playouts);
                assert!(excess >= last && excess <= f64::from(playouts), "{factor}, {playouts}: {excess}");
                last = excess;
            }
            assert!((last / ((1.0 - factor) * f64::from(u32::MAX)) - 1.0).abs() < 1e-3);
        }
        let parameters = Parameters::default();
        assert!(Discount::of(&parameters).is_none());
        assert!(Discount::of(&Parameters { discount: 0.999, ..parameters }).is_some());
    }
}
