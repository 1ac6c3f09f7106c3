//! Progressive widening: a node that was passed a few times tries its few best moves, and more as visits grow.
//!
//! Of moves held best first, as many are tried as `widening visits^widening_exponent` says (Coulom 2007; Chaslot et al.,
//! "Progressive strategies for Monte-Carlo tree search", 2008). What is proven lost is no longer tried and takes no
//! place, so that refuting the best moves admits the next.

use super::edge::{Edge, Proof};
use super::parameters::Parameters;
use crate::territory::{exp, ln};

/// The edges among which a node that was passed `visits` times selects: all of them where nothing is widened.
#[inline]
pub(super) fn candidates<'a>(edges: &'a [Edge], visits: u32, parameters: &Parameters) -> &'a [Edge] {
    if parameters.widening == 0.0 { edges } else { widened(edges, visits, parameters) }
}

fn widened<'a>(edges: &'a [Edge], visits: u32, parameters: &Parameters) -> &'a [Edge] {
    let power = exp(parameters.widening_exponent * ln(f64::from(visits.max(1))));
    // Rounded, so that the approximate exponential of a whole number counts as that number.
    let most = ((parameters.widening * power + 0.5) as usize).max(1);
    let mut open = edges.iter().enumerate().filter(|(_, edge)| edge.proof() != Proof::Loss);
    match open.nth(most - 1) {
        Some((last, _)) => &edges[..=last],
        None => edges,
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::arena::{Arena, Lease};
    use super::super::edge::NewEdge;
    use super::*;
    use crate::game::Square;

    /// How many of edges with these proofs are candidates.
    fn count(proofs: &[Proof], visits: u32, widening: f64, widening_exponent: f64) -> usize {
        let square = Square::default();
        let new = |&proof: &Proof| NewEdge { from: square, to: square, static_value: 0.5, prior: 0.1, proof };
        let arena = Arena::new(0);
        let new: Vec<_> = proofs.iter().map(new).collect();
        let node = arena.push(&mut Lease::default(), &new).unwrap();
        let parameters = Parameters { widening, widening_exponent, ..Parameters::default() };
        candidates(arena.node(node), visits, &parameters).len()
    }

    #[test]
    fn more_moves_are_tried_as_visits_grow() {
        let open = [Proof::Unknown; 20];
        for (visits, expected) in [(0, 2), (1, 2), (4, 4), (16, 8), (25, 10), (99, 20), (u32::MAX, 20)] {
            assert_eq!(count(&open, visits, 2.0, 0.5), expected, "{visits}");
        }
        assert_eq!(count(&open, 1000, 0.001, 0.5), 1);
        assert_eq!(count(&open, 1000, 3.0, 0.0), 3);
        assert_eq!(count(&open, 7, 1.0, 1.0), 7);
        assert_eq!(count(&open, 1, 0.0, 0.5), 20);
    }

    #[test]
    fn what_is_lost_takes_no_place() {
        let (open, lost) = (Proof::Unknown, Proof::Loss);
        assert_eq!(count(&[lost, lost, open, lost, open, open], 1, 1.0, 0.5), 3);
        assert_eq!(count(&[lost, lost, open, lost, open, open], 1, 2.0, 0.5), 5);
        assert_eq!(count(&[lost, lost, open], 1, 2.0, 0.5), 3);
        assert_eq!(count(&[lost, lost], 1, 1.0, 0.5), 2);
    }
}
