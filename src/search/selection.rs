//! Which edge a playout takes, and which is played in the end.

use super::edge::{Edge, Proof};
use super::parameters::Parameters;
use super::rave::{Half, Rave};
use crate::game::Side;
use crate::territory::ln;

/// Who chooses at a node, and between what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chooser {
    pub(super) side: Side,
    /// Whether a queen has moved and its arrow is to come.
    pub(super) shoots: bool,
}

impl Chooser {
    /// The move that an edge stands for here.
    #[inline]
    pub(super) fn half(self, edge: &Edge) -> Half {
        if self.shoots { Half::Arrow(edge.to()) } else { Half::Queen(edge.from(), edge.to()) }
    }
}

/// The edge to descend, of a node that has been passed `visits` times; `None` if all edges are proven lost.
///
/// Selects the greatest score in the PUCT form (Rosin 2011; Silver et al. 2017), `Q + c P sqrt(N) / (1 + n)`, with the
/// moves' values everywhere in the tree (RAVE); or in the UCT form (Kocsis and Szepesvári 2006), `Q + c sqrt(ln N / n)`,
/// which tries every edge once unless RAVE knows something of it.
///
/// Most edges that are looked at have not been visited, so these are spared the divisions, which would change nothing.
pub(super) fn select(
    edges: &[Edge],
    visits: u32,
    chooser: Chooser,
    rave: &Rave,
    parameters: &Parameters,
) -> Option<usize> {
    let visits = f64::from(visits.max(1));
    let (explore, log) = (parameters.exploration * visits.sqrt(), ln(visits));
    let elsewhere = Elsewhere::new(chooser, rave, parameters);
    let mut best = None;
    let mut best_score = f64::NEG_INFINITY;
    for (index, edge) in edges.iter().enumerate() {
        if edge.proof() == Proof::Loss {
            continue;
        }
        let figures = edge.figures();
        let n = f64::from(figures.visits);
        let own = own_value(edge, figures.mean(), parameters);
        let (value, virtual_visits) = elsewhere.mixed_with(own, n, edge);
        let score = if parameters.selection == 0 {
            let term = explore * edge.prior();
            value + if figures.visits == 0 { term } else { term / (1.0 + n) }
        } else if n + virtual_visits > 0.0 {
            value + parameters.exploration * (log / (n + virtual_visits)).sqrt()
        } else {
            f64::INFINITY
        };
        if score > best_score {
            (best, best_score) = (Some(index), score);
        }
    }
    best
}

/// What an edge is worth by its own playouts, mixed with its static value as implicit minimax has it; by the latter less
/// the first-play reduction before the first.
#[inline]
fn own_value(edge: &Edge, mean: Option<f64>, parameters: &Parameters) -> f64 {
    match mean {
        Some(mean) if parameters.implicit_minimax == 0.0 => mean,
        Some(mean) => mean + parameters.implicit_minimax * (edge.static_value() - mean),
        None => edge.static_value() - parameters.fpu_reduction,
    }
}

/// What RAVE has to say at one node.
struct Elsewhere<'a> {
    chooser: Chooser,
    rave: &'a Rave,
    virtual_visits: f64,
    /// The mean of the side's moves of this kind, where a move's value counts by how much it is above that.
    base: Option<f64>,
}

impl<'a> Elsewhere<'a> {
    #[inline]
    fn new(chooser: Chooser, rave: &'a Rave, parameters: &Parameters) -> Elsewhere<'a> {
        let base = match parameters.rave_form {
            0 => None,
            _ => rave.mean_of_all(chooser.side, chooser.shoots),
        };
        Elsewhere { chooser, rave, virtual_visits: parameters.rave_visits, base }
    }

    /// An edge's value with what its move is worth elsewhere, and as how many visits that counted.
    #[inline]
    fn mixed_with(&self, own: f64, visits: f64, edge: &Edge) -> (f64, f64) {
        let Some(mean) = self.rave.mean(self.chooser.side, self.chooser.half(edge)) else {
            return (own, 0.0);
        };
        let above = mean - self.base.unwrap_or(own);
        let share = if visits == 0.0 { 1.0 } else { self.virtual_visits / (self.virtual_visits + visits) };
        (own + share * above, self.virtual_visits)
    }
}

/// The edge to play: a proven win if there is one, otherwise the most visited that is not proven lost, and among all
/// lost the most visited; equals by mean, then by static value.
///
/// With a `bound` above 0, the edge with the greatest lower confidence bound `Q - bound / sqrt(n)` among those that have a
/// tenth of the visits of the most visited.
pub(super) fn choose(edges: &[Edge], bound: f64) -> Option<usize> {
    let class = |edge: &Edge| match edge.proof() {
        Proof::Win => 2,
        Proof::Unknown => 1,
        Proof::Loss => 0,
    };
    let top = edges.iter().map(|edge| (class(edge), edge.visits())).max()?;
    let rank = |edge: &Edge| {
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
    let mut best: Option<(usize, _)> = None;
    for (index, edge) in edges.iter().enumerate() {
        let rank = rank(edge);
        if best.is_none_or(|(_, leader)| rank > leader) {
            best = Some((index, rank));
        }
    }
    best.map(|(index, _)| index)
}

/// What the proofs of a node's edges say of the node, for the side that chooses there.
pub(super) fn proof(edges: impl IntoIterator<Item = Proof>) -> Proof {
    let mut all_lost = true;
    for proof in edges {
        match proof {
            Proof::Win => return Proof::Win,
            Proof::Unknown => all_lost = false,
            Proof::Loss => {}
        }
    }
    if all_lost { Proof::Loss } else { Proof::Unknown }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::arena::{Arena, Lease};
    use super::super::edge::{Block, NewEdge};
    use super::*;
    use crate::game::Square;

    const CHOOSER: Chooser = Chooser { side: Side::First, shoots: true };

    /// Edges given as static value, prior, values of playouts, proof.
    struct Node(Arena, Block);

    impl Node {
        fn new(edges: &[(f64, f64, &[f64], Proof)]) -> Node {
            let arena = Arena::new(0);
            let new = (0..).zip(edges).map(|(x, &(static_value, prior, _, proof))| NewEdge {
                from: Square::default(),
                to: Square::new(x, 0).unwrap(),
                static_value,
                prior,
                proof,
            });
            let new: Vec<_> = new.collect();
            let block = arena.push(&mut Lease::default(), &new).unwrap();
            for (edge, (.., playouts, _)) in arena.node(block).iter().zip(edges) {
                playouts.iter().for_each(|&value| edge.add_alone(value));
            }
            Node(arena, block)
        }

        fn edges(&self) -> &[Edge] {
            self.0.node(self.1)
        }

        fn select(&self, visits: u32, parameters: &Parameters) -> Option<usize> {
            select(self.edges(), visits, CHOOSER, &Rave::default(), parameters)
        }
    }

    const SEEN: (f64, f64, &[f64], Proof) = (0.5, 0.5, &[0.6, 0.6], Proof::Unknown);
    const LOST: (f64, f64, &[f64], Proof) = (0.9, 0.9, &[], Proof::Loss);

    #[test]
    fn selection_weighs_value_prior_and_visits() {
        let parameters = Parameters { exploration: 0.5, fpu_reduction: 0.1, ..Parameters::default() };
        // 0.6 + 0.5 sqrt(2) 0.5 / 3 = 0.718 against 0.5 - 0.1 + 0.5 sqrt(2) 0.5 = 0.754, and 0.684 at a prior of 0.4
        let fresh = |prior| (0.5, prior, &[][..], Proof::Unknown);
        assert_eq!(Node::new(&[SEEN, fresh(0.5)]).select(2, &parameters), Some(1));
        assert_eq!(Node::new(&[SEEN, fresh(0.4)]).select(2, &parameters), Some(0));
        assert_eq!(Node::new(&[LOST, SEEN]).select(2, &parameters), Some(1));
        assert_eq!(Node::new(&[LOST, LOST]).select(2, &parameters), None);
    }

    #[test]
    fn the_uct_form_tries_every_edge_and_then_weighs() {
        let parameters = Parameters { selection: 1, exploration: 0.45, ..Parameters::default() };
        let fresh = (0.1, 0.1, &[][..], Proof::Unknown);
        assert_eq!(Node::new(&[SEEN, LOST, fresh]).select(2, &parameters), Some(2));
        // 0.6 + 0.45 sqrt(ln 5 / 2) = 1.004 against 0.5 + 0.45 sqrt(ln 5 / 1) = 1.071
        let once = (0.1, 0.1, &[0.5][..], Proof::Unknown);
        assert_eq!(Node::new(&[SEEN, once]).select(5, &parameters), Some(1));
        let thrice = (0.1, 0.1, &[0.5, 0.5, 0.5][..], Proof::Unknown);
        assert_eq!(Node::new(&[SEEN, thrice]).select(5, &parameters), Some(0));
    }

    #[test]
    fn what_a_move_is_worth_elsewhere_counts_until_it_has_visits_of_its_own() {
        let node = Node::new(&[SEEN, SEEN]);
        let mut rave = Rave::default();
        rave.open();
        rave.add(CHOOSER.side, CHOOSER.half(&node.edges()[1]), 0.9);
        rave.add(CHOOSER.side, CHOOSER.half(&node.edges()[0]), 0.3);
        for (form, expected) in [(0, 0.6 + 0.5 * (0.9 - 0.6)), (1, 0.6 + 0.5 * (0.9 - 0.6))] {
            let parameters = Parameters { rave_visits: 2.0, rave_form: form, ..Parameters::default() };
            let (value, visits) =
                Elsewhere::new(CHOOSER, &rave, &parameters).mixed_with(0.6, 2.0, &node.edges()[1]);
            // The mean of all is 0.6 too, so that both forms agree here.
            assert!((value - expected).abs() < 1e-6 && visits == 2.0, "{value}");
            assert_eq!(select(node.edges(), 4, CHOOSER, &rave, &parameters), Some(1));
        }
        let parameters = Parameters { rave_visits: 2.0, ..Parameters::default() };
        let other = Chooser { side: Side::Second, ..CHOOSER };
        assert_eq!(
            Elsewhere::new(other, &rave, &parameters).mixed_with(0.6, 2.0, &node.edges()[1]),
            (0.6, 0.0)
        );
    }

    #[test]
    fn the_choice_goes_by_proof_then_visits_then_value() {
        let many = (0.5, 0.5, &[0.2, 0.2, 0.2][..], Proof::Unknown);
        let few = (0.9, 0.5, &[0.9][..], Proof::Unknown);
        let better = (0.5, 0.5, &[0.2, 0.3, 0.2][..], Proof::Unknown);
        let won = (0.5, 0.5, &[][..], Proof::Win);
        let lost = (0.5, 0.5, &[0.5; 9][..], Proof::Loss);
        let choice = |edges: &[_], bound| choose(Node::new(edges).edges(), bound);
        assert_eq!(choice(&[few, many], 0.0), Some(1));
        assert_eq!(choice(&[many, better], 0.0), Some(1));
        assert_eq!(choice(&[many, won, lost], 0.0), Some(1));
        assert_eq!(choice(&[lost, few], 0.0), Some(1));
        assert_eq!(choose(&[], 0.0), None);
        // 0.2 - 0.3 / sqrt 3 = 0.027 against 0.9 - 0.3 = 0.6; with a bound of 2, -0.95 against -1.1.
        assert_eq!(choice(&[many, few], 0.3), Some(1));
        assert_eq!(choice(&[many, few], 2.0), Some(0));
        assert_eq!(choice(&[many, won, few], 0.3), Some(1));
        assert_eq!(choice(&[lost, lost], 0.3), Some(0));
        let proofs = |edges: &[_]| proof(Node::new(edges).edges().iter().map(Edge::proof));
        assert_eq!(proofs(&[many, won]), Proof::Win);
        assert_eq!(proofs(&[lost, lost]), Proof::Loss);
        assert_eq!(proofs(&[lost, few]), Proof::Unknown);
    }
}
