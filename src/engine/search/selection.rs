//! Selects the edge that a playout takes at a node, and the edge to play after the search.

#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod avx512;

use super::arena::{Edge, GROUP_LEN, Node, NodeId, Proof, Statistics};
use super::chooser::Chooser;
use super::parameters::Parameters;
use super::rave::{Gains, Rave};
use crate::simd::Kernel;
use crate::territory::ln;

/// The inputs of selection at one node.
#[derive(Debug)]
pub(super) struct SelectionInputs<'a> {
    node: &'a Node<'a>,
    /// The factor `c sqrt(N)` of a prior in the score of an edge: see
    /// [`SelectionInputs::select_edge`].
    prior_factor: f32,
    gains: Gains<'a>,
    fpu_reduction: f32,
    rave_visits: f32,
}

impl<'a> SelectionInputs<'a> {
    #[inline]
    pub(super) fn new(
        node: &'a Node<'a>,
        visits: u32,
        chooser: Chooser,
        rave: &'a Rave,
        parameters: &Parameters,
    ) -> SelectionInputs<'a> {
        let factor = if chooser.shoots { parameters.arrow_exploration } else { 1.0 };
        let growth = exploration_growth_factor(visits, parameters.exploration_growth);
        let exploration = factor * parameters.exploration * growth;
        SelectionInputs {
            node,
            prior_factor: (exploration * f64::from(visits.max(1)).sqrt()) as f32,
            gains: rave.gains(chooser),
            fpu_reduction: parameters.fpu_reduction as f32,
            rave_visits: parameters.rave_visits as f32,
        }
    }

    /// Selects the edge with the greatest score; if several are equal, the first of them. `None` if
    /// all edges are proven lost. All kernels select the same edge.
    ///
    /// The score is PUCT (Rosin 2011; Silver et al. 2017), `Q + c P sqrt(N) / (1 + n)`. `P` is the
    /// prior, and `N` and `n` count the visits of node and edge. `Q` is the mean result; for an
    /// unvisited edge it is the static value minus the first-play reduction. RAVE adds the
    /// [gain](Gains) of the move elsewhere in the tree times `k / (k + n)`; `k` is `rave_visits`.
    /// The factor `c` grows with `N` (`exploration_growth`) and is smaller for arrows than for
    /// queen moves (`arrow_exploration`).
    ///
    /// Scores are in single precision, which is faster with AVX-512 (tuning/reports/search.md) and
    /// equally fast with AVX2.
    #[inline]
    pub(super) fn select_edge(&self, kernel: Kernel) -> Option<usize> {
        match kernel {
            // SAFETY: a value of `Avx512` proves that the processor has AVX-512 F, BW, DQ and VL.
            #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
            Kernel::Avx512(_) => unsafe { avx512::select(self) },
            _ => self.select_one_by_one(),
        }
    }

    /// Scores one edge after the other. The other kernels must give the same result.
    #[inline]
    fn select_one_by_one(&self) -> Option<usize> {
        let (mut best, mut best_score) = (0, f32::NEG_INFINITY);
        for (number, group) in self.node.groups().enumerate() {
            for (place, edge) in group.edges().enumerate() {
                if edge.proof() == Proof::Loss {
                    continue;
                }
                let score = self.puct(edge);
                if score > best_score {
                    (best, best_score) = (GROUP_LEN * number + place, score);
                }
            }
        }
        (best_score > f32::NEG_INFINITY).then_some(best)
    }

    #[inline(always)]
    fn puct(&self, edge: Edge<'_>) -> f32 {
        let gain = self.gains.gain(edge);
        let [prior, static_value] = edge.prior_and_static_value();
        let exploration = self.prior_factor * prior;
        match edge.statistics.map(Statistics::totals) {
            Some(totals) if totals.visits > 0 => {
                let n = totals.visits as f32;
                let rave_share = self.rave_visits / (self.rave_visits + n);
                totals.mean_for_selection() + rave_share * gain + exploration / (1.0 + n)
            }
            // Most edges are unvisited. For them, n is 0 and the formula needs no division.
            _ => static_value - self.fpu_reduction + gain + exploration,
        }
    }
}

/// The factor by which a node with many visits explores more: `1 + rate ln(1 + N / 1000)`, as in
/// AlphaZero (Silver et al. 2018). Without growth, a long search keeps to its first good move.
#[inline]
fn exploration_growth_factor(visits: u32, rate: f64) -> f64 {
    /// The number of visits below which the growth factor is 1. This saves most logarithms.
    const MIN_GROWTH_VISITS: u32 = 200;
    if visits < MIN_GROWTH_VISITS || rate == 0.0 {
        return 1.0;
    }
    1.0 + rate * ln(1.0 + f64::from(visits) / 1000.0)
}

/// Predicts the edge that a worker will take at a node: the edge that the worker last took there.
#[derive(Debug)]
pub(super) struct EdgePredictor(Box<[u8]>);

impl EdgePredictor {
    const SLOTS: usize = 1 << 16;

    pub(super) fn new() -> EdgePredictor {
        EdgePredictor(vec![0; EdgePredictor::SLOTS].into_boxed_slice())
    }

    /// Records the index of the edge selected at a node, and returns it.
    ///
    /// In nine of ten cases, `selected` equals the recorded index. The processor predicts this
    /// equality, and continues with the recorded index while it still computes scores. `black_box`
    /// hides from the compiler that `record` then equals `selected`. Otherwise the compiler could
    /// always return `selected` or use a conditional move, and the processor would wait for scores.
    #[inline]
    pub(super) fn record(&mut self, node: NodeId, selected: usize) -> usize {
        let last = &mut self.0[node.handle() as usize % EdgePredictor::SLOTS];
        let record = std::hint::black_box(*last);
        if usize::from(*last) == selected {
            return record.into();
        }
        EdgePredictor::store(last, selected);
        selected
    }

    #[cold]
    #[inline(never)]
    fn store(last: &mut u8, selected: usize) {
        *last = selected as u8;
    }
}

/// The index of the edge to play: a proven win if there is one, otherwise the most visited edge
/// that is not proven lost, or the most visited edge if all are lost. Between equal edges, the mean
/// decides first, then the static value.
///
/// If `bound` is above 0, an unproven edge is instead chosen by its lower confidence bound `mean -
/// bound / sqrt(visits)`, among edges with at least a tenth of the visits of the most visited edge.
pub(super) fn index_to_play(node: &Node<'_>, bound: f64) -> Option<usize> {
    let class = |edge: Edge<'_>| match edge.proof() {
        Proof::Win => 2,
        Proof::Unknown => 1,
        Proof::Loss => 0,
    };
    let top = node.edges().map(|edge| (class(edge), edge.visits())).max()?;
    let rank = |edge: Edge<'_>| {
        let visits = edge.visits();
        let score = if bound == 0.0 || class(edge) != 1 {
            f64::from(visits)
        } else if class(edge) < top.0 || u64::from(visits) * 10 < u64::from(top.1) || visits == 0 {
            f64::NEG_INFINITY
        } else {
            edge.mean().unwrap_or(0.0) - bound / f64::from(visits).sqrt()
        };
        (class(edge), score, edge.mean(), edge.static_value())
    };
    let ranks = node.edges().map(rank).enumerate();
    let best = ranks.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(index, _)| index)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::arena::{Access, Arena, Lease, PackedEdge};
    use super::*;
    use amazons::{HalfMove, QueenMove, Side, Square};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    const CHOOSER: Chooser = Chooser { side: Side::First, shoots: true };

    /// A node whose edges are given by static value, prior, playout values and proof.
    struct Example(Arena, NodeId);

    impl Example {
        fn new(edges: &[(f64, f64, &[f64], Proof)]) -> Example {
            let arena = Arena::new(0);
            let new = (0..).zip(edges).map(|(place, &(static_value, prior, _, proof))| {
                let from = Square::new(place % 9, 9).unwrap();
                let to = Square::new(place % 10, place / 10).unwrap();
                PackedEdge::new(HalfMove::Queen(QueenMove { from, to }), static_value, prior, proof)
            });
            let new: Vec<_> = new.collect();
            let lease = &mut Lease::default();
            let node = arena.push(lease, &new).unwrap();
            for (index, (.., playouts, _)) in edges.iter().enumerate().filter(|(_, edge)| !edge.2.is_empty())
            {
                let id = arena.ensure_statistics(lease, &arena.node(node), index).unwrap();
                playouts.iter().for_each(|&value| arena.edge(id).1.add_result(Access::Exclusive, 0, value));
            }
            Example(arena, node)
        }

        fn node(&self) -> Node<'_> {
            self.0.node(self.1)
        }

        fn select(&self, visits: u32, side: Side, rave: &Rave, parameters: &Parameters) -> Option<usize> {
            let chooser = Chooser { side, ..CHOOSER };
            SelectionInputs::new(&self.node(), visits, chooser, rave, parameters).select_edge(Kernel::best())
        }
    }

    const SEEN: (f64, f64, &[f64], Proof) = (0.5, 0.5, &[0.6, 0.6], Proof::Unknown);
    const LOST: (f64, f64, &[f64], Proof) = (0.9, 0.9, &[], Proof::Loss);

    #[test]
    fn selection_weighs_value_prior_and_visits() {
        let parameters = Parameters {
            exploration: 0.5,
            arrow_exploration: 1.0,
            fpu_reduction: 0.1,
            ..Parameters::default()
        };
        // The node has two visits. `SEEN`, with both visits, the mean 0.6 and the prior 0.5, scores
        // 0.6 + 0.5 sqrt(2) 0.5 / 3 = 0.718. An unvisited edge with the value 0.5, less 0.1 for
        // FPU, scores 0.4 + 0.5 sqrt(2) 0.5 = 0.754 with the prior 0.5, and 0.683 with 0.4.
        let fresh = |prior| (0.5, prior, &[][..], Proof::Unknown);
        // `less` multiplies the last term by 0.6: `SEEN` scores 0.6 + 0.6 * 0.118 = 0.671, and
        // `fresh(0.5)` scores 0.4 + 0.6 * 0.354 = 0.612.
        let less = Parameters { arrow_exploration: 0.6, ..parameters.clone() };
        for (edges, parameters, expected) in [
            ([SEEN, fresh(0.5)], &parameters, Some(1)),
            ([SEEN, fresh(0.4)], &parameters, Some(0)),
            ([SEEN, fresh(0.5)], &less, Some(0)),
            ([LOST, SEEN], &parameters, Some(1)),
            ([LOST, LOST], &parameters, None),
        ] {
            let selected = Example::new(&edges).select(2, Side::First, &Rave::default(), parameters);
            assert_eq!(selected, expected, "{edges:?}");
        }
    }

    #[test]
    fn exploration_grows_with_visits() {
        assert_eq!(exploration_growth_factor(199, 0.5), 1.0);
        assert_eq!(exploration_growth_factor(1_000_000, 0.0), 1.0);
        for visits in [200, 1_000, 54_321, u32::MAX] {
            let expected = 1.0 + 0.5 * (1.0 + f64::from(visits) / 1_000.0).ln();
            assert!((exploration_growth_factor(visits, 0.5) / expected - 1.0).abs() < 1e-8, "{visits}");
        }
        // Without growth, the edges score 0.6 + 0.01 sqrt(40,000) 0.5 / 3 = 0.933 and 0.4 + 0.01
        // sqrt(40,000) 0.2 = 0.8. A growth of 0.3 multiplies both second terms by 2.114 and gives
        // 1.305 and 1.246. A growth of 1 multiplies both by 4.714 and gives 2.171 and 2.285.
        let node = Example::new(&[SEEN, (0.4, 0.2, &[], Proof::Unknown)]);
        let select = |exploration_growth| {
            let parameters = Parameters {
                exploration: 0.01,
                arrow_exploration: 1.0,
                fpu_reduction: 0.0,
                exploration_growth,
                ..Parameters::default()
            };
            node.select(40_000, Side::First, &Rave::default(), &parameters)
        };
        assert_eq!([0.0, 0.3, 1.0].map(select), [Some(0), Some(0), Some(1)]);
    }

    #[test]
    fn gain_elsewhere_counts_as_virtual_visits() {
        let node = Example::new(&[SEEN, SEEN]);
        let mut rave = Rave::default();
        rave.allocate();
        rave.add(CHOOSER.side, CHOOSER.half_move(node.node().edge(1)), 0.9);
        rave.add(CHOOSER.side, CHOOSER.half_move(node.node().edge(0)), 0.3);
        // The two results have the mean 0.6, so the gain of edge 1 is 0.9 - 0.6 = 0.3.
        let gain = rave.gains(CHOOSER).gain(node.node().edge(1));
        assert!((gain - 0.3).abs() < 1.0 / 65_535.0, "{gain}");
        let parameters = Parameters { rave_visits: 2.0, ..Parameters::default() };
        assert_eq!(node.select(4, Side::First, &rave, &parameters), Some(1));
        assert_eq!(node.select(4, Side::First, &Rave::default(), &parameters), Some(0));
        // The RAVE table of the other side is empty, so the first of two equal edges is selected.
        assert_eq!(node.select(4, Side::Second, &rave, &parameters), Some(0));
        // Eight visits outweigh RAVE: `better` gets 0.8 - 2 / (2 + 8) * 0.3 = 0.74, and `many` gets
        // 0.66. The exploration terms are equal.
        let many = (0.5, 0.5, &[0.6; 8][..], Proof::Unknown);
        let better = (0.5, 0.5, &[0.8; 8][..], Proof::Unknown);
        assert_eq!(Example::new(&[better, many]).select(16, Side::First, &rave, &parameters), Some(0));
    }

    #[test]
    fn all_kernels_select_the_same_edge() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut rave = Rave::default();
        let mut selected = [0; 2];
        for round in 0..2_000 {
            let mut share = || (rng.next_u64() % 1_000) as f64 / 999.0;
            let playouts: Vec<Vec<f64>> = (0..1 + (40.0 * share()) as usize)
                .map(|_| vec![1.2 * share() - 0.2; (12.0 * share()).max(7.0) as usize - 7])
                .collect();
            let edges: Vec<_> = playouts
                .iter()
                .map(|playouts| {
                    // Draws from only a few different numbers, so that scores are often equal.
                    let (value, prior) = ((4.0 * share()).round() / 4.0, (4.0 * share()).round() / 16.0);
                    let proof = match share() {
                        ..0.3 => Proof::Loss,
                        0.3..0.4 => Proof::Win,
                        _ => Proof::Unknown,
                    };
                    (value, prior, &playouts[..], proof)
                })
                .collect();
            let example = Example::new(&edges);
            let chooser = Chooser { shoots: round % 2 == 0, ..CHOOSER };
            for edge in example.node().edges() {
                if let Some(statistics) = edge.statistics.filter(|_| share() < 0.5) {
                    statistics.publish_child(example.1);
                }
                if round >= 50 && share() < 0.02 {
                    rave.allocate();
                    rave.add(chooser.side, chooser.half_move(edge), share() as f32);
                }
            }
            let (rave_visits, exploration_growth) = (8.0 * share(), share());
            let parameters = Parameters { rave_visits, exploration_growth, ..Parameters::default() };
            let node = example.node();
            let selection = SelectionInputs::new(&node, round, chooser, &rave, &parameters);
            let expected = selection.select_one_by_one();
            for kernel in Kernel::available() {
                assert_eq!(selection.select_edge(kernel), expected, "{} in round {round}", kernel.name());
            }
            selected[usize::from(expected.is_some())] += 1;
        }
        assert!(selected.iter().all(|&rounds| rounds > 10), "{selected:?}");
    }

    #[test]
    fn choice_goes_by_proof_then_visits_then_value() {
        let many = (0.5, 0.5, &[0.2, 0.2, 0.2][..], Proof::Unknown);
        let few = (0.9, 0.5, &[0.9][..], Proof::Unknown);
        let better = (0.5, 0.5, &[0.2, 0.3, 0.2][..], Proof::Unknown);
        let won = (0.5, 0.5, &[][..], Proof::Win);
        let lost = (0.5, 0.5, &[0.5; 9][..], Proof::Loss);
        let choice = |edges: &[_], bound| index_to_play(&Example::new(edges).node(), bound);
        assert_eq!(choice(&[few, many], 0.0), Some(1));
        assert_eq!(choice(&[many, better], 0.0), Some(1));
        assert_eq!(choice(&[many, won, lost], 0.0), Some(1));
        assert_eq!(choice(&[lost, few], 0.0), Some(1));
        // The lower confidence bounds of `many` and `few` are 0.2 - 0.3 / sqrt 3 = 0.027 and
        // 0.9 - 0.3 = 0.6 if `bound` is 0.3. They are -0.95 and -1.1 if `bound` is 2.
        assert_eq!(choice(&[many, few], 0.3), Some(1));
        assert_eq!(choice(&[many, few], 2.0), Some(0));
        assert_eq!(choice(&[many, won, few], 0.3), Some(1));
        assert_eq!(choice(&[lost, lost], 0.3), Some(0));
        let proofs = |edges: &[_]| Proof::of_node(Example::new(edges).node().edges().map(Edge::proof));
        assert_eq!(proofs(&[many, won]), Proof::Win);
        assert_eq!(proofs(&[lost, lost]), Proof::Loss);
        assert_eq!(proofs(&[lost, few]), Proof::Unknown);
    }
}
