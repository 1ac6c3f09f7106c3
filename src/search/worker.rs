//! One playout, from the root down and back up, by one of the workers that share a tree.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::arena::{EdgeId, Lease};
use super::edge::{Edge, Proof};
use super::expansion::{Expander, Expansion};
use super::minimax::{self, Answer};
use super::parameters::Parameters;
use super::playout::{Leaf, play_out, static_value};
use super::rave::{Half, Rave};
use super::selection::{Chooser, Passed, select};
use super::tree::Tree;
use crate::game::random::mix;
use crate::policy::Networks;
use crate::game::{QueenMove, Side};
use crate::territory::Evaluator;

/// Places in the arena that a worker takes at a time where there are others: some 100 KB.
const LEASE: u32 = 4096;

/// Whoever makes playouts: all that need not be shared.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) expander: Expander,
    pub(super) rave: Rave,
    lease: Lease,
    rng: Xoshiro256PlusPlus,
    /// The only worker of its tree: it counts without locked instructions, and needs no virtual loss.
    alone: bool,
    /// Workers of its tree, itself included.
    workers: u32,
    /// The edges of the current descent, and who chose each.
    path: Vec<Step>,
    /// The half plies of the current light playout, if RAVE wants to know.
    played: Vec<(Side, Half)>,
}

/// An edge on the way down.
#[derive(Clone, Copy, Debug)]
struct Step {
    edge: EdgeId,
    chooser: Chooser,
}

/// What is known at the end of a descent.
struct Outcome {
    side: Side,
    /// The chance that `side` wins.
    value: f64,
    /// For `side`, about the edge that the descent ended with.
    proof: Proof,
}

impl Outcome {
    /// What is proven has a value of its own.
    fn proven(side: Side, proof: Proof) -> Option<Outcome> {
        Some(Outcome { side, value: proof.value()?, proof })
    }
}

impl Worker {
    /// The worker with this number of so many; the first draws as if it were alone.
    pub(super) fn new(
        number: usize,
        workers: usize,
        seed: u64,
        evaluator: Evaluator,
        networks: Networks,
    ) -> Worker {
        let alone = workers == 1;
        let seed = if number == 0 { seed } else { mix(&[seed, number as u64]) };
        Worker {
            expander: Expander::new(evaluator, networks),
            rave: Rave::default(),
            lease: Lease::of(if alone { 0 } else { LEASE }),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            alone,
            workers: workers as u32,
            path: Vec::new(),
            played: Vec::new(),
        }
    }

    /// One playout: descends to a leaf, expands and values it, and counts the result in along the way back.
    ///
    /// Returns the number of levels descended; 0 if the root has no edge worth a playout.
    pub(super) fn playout(&mut self, tree: &Tree, parameters: &Parameters) -> usize {
        self.path.clear();
        self.played.clear();
        let Some(outcome) = self.descend(tree, parameters) else { return 0 };
        self.back_up(tree, &outcome, parameters);
        self.path.len()
    }

    fn descend(&mut self, tree: &Tree, parameters: &Parameters) -> Option<Outcome> {
        let mut leaf = Leaf::Position(tree.position);
        let mut node = tree.root?;
        let mut visits = tree.visits();
        loop {
            let chooser = match &leaf {
                Leaf::Position(position) => Chooser { side: position.to_move(), shoots: false },
                Leaf::Half(half) => Chooser { side: half.mover(), shoots: true },
            };
            let passed = Passed { edges: tree.arena.node(node), visits, chooser };
            let Some(index) = select(&passed, &self.rave, parameters) else {
                // All lost. Above the root that ends the search; here another worker has just proven the last of them.
                let above = self.path.last()?.chooser.side;
                return Outcome::proven(above, if above == chooser.side { Proof::Loss } else { Proof::Win });
            };
            let id = node.edge(index);
            let edge = tree.arena.edge(id);
            let seen = edge.visits();
            if !self.alone {
                edge.enter(parameters.virtual_loss);
            }
            self.path.push(Step { edge: id, chooser });
            leaf = match leaf {
                Leaf::Position(position) => {
                    Leaf::Half(position.move_queen_unchecked(QueenMove { from: edge.from(), to: edge.to() }))
                }
                Leaf::Half(half) => Leaf::Position(half.shoot_unchecked(edge.to())),
            };
            if let Some(proven) = Outcome::proven(chooser.side, edge.proof()) {
                return Some(proven);
            }
            match edge.child() {
                Some(child) => {
                    if parameters.policy_visits > 0 && seen + 1 >= parameters.policy_visits && edge.claim_sharpening() {
                        self.expander.sharpen(tree.arena.node(child), &leaf, parameters);
                    }
                    (node, visits) = (child, seen);
                }
                None => return Some(self.evaluate(tree, edge, seen, &leaf, chooser.side, parameters)),
            }
        }
    }

    /// Values a leaf that was visited `seen` times, for the side that chose it; from its `expansion_visits`-th visit on,
    /// by its answers. They join the tree if there is room, where it gets short not before the second visit, and count all
    /// the same if they do not, so that a full arena does not change values. Where another worker is at it already, the leaf's own value has to do.
    fn evaluate(
        &mut self,
        tree: &Tree,
        edge: &Edge,
        seen: u32,
        leaf: &Leaf,
        side: Side,
        parameters: &Parameters,
    ) -> Outcome {
        if let (Leaf::Position(position), 0) = (leaf, seen) {
            let proof = self.expander.endings.at_leaf(position, parameters);
            if let Some(proven) = Outcome::proven(side, proof) {
                return proven;
            }
        }
        let view = leaf.view();
        let waste = self.expander.endings.waste(&view, parameters);
        let view = view.with_waste(waste.unwrap_or(0));
        // So far it had the waste of the node that it stands in.
        if waste.is_some() && seen == 0 && parameters.playout_weight < 1.0 {
            let for_next = matches!(leaf, Leaf::Half(_));
            edge.set_static_value(static_value(self.expander.evaluator(), &view, for_next));
        }
        let mut value = edge.static_value();
        if seen + 1 >= parameters.expansion_visits && (self.alone || edge.claim()) {
            let Worker { expander, lease, .. } = self;
            // Most leaves are never visited again.
            let arena = Some(&tree.arena).filter(|arena| seen > 0 || !arena.is_short());
            let (expansion, turned) = match leaf {
                Leaf::Position(position) => {
                    (expander.expand_position(arena, lease, parameters, position, view.waste), true)
                }
                Leaf::Half(half) => (expander.expand_half(arena, lease, parameters, half, view.waste), false),
            };
            let Some(Expansion { node, best, proof }) = expansion else {
                // Its side cannot move.
                edge.give_up();
                return Outcome { side, value: 1.0, proof: Proof::Win };
            };
            match node {
                Some(node) => edge.publish(node),
                None => edge.give_up(),
            }
            let proof = if turned { proof.reversed() } else { proof };
            if let Some(proven) = Outcome::proven(side, proof) {
                return proven;
            }
            value += parameters.lookahead * (if turned { 1.0 - best } else { best } - value);
        }
        if parameters.playout_weight > 0.0 {
            let Worker { expander, rng, played, .. } = self;
            let note = |mover, half| {
                if parameters.rave_visits > 0.0 {
                    played.push((mover, half));
                }
            };
            let random =
                play_out(expander.evaluator(), leaf, view.waste, parameters.playout_plies, side, rng, note);
            value += parameters.playout_weight * (random - value);
        }
        Outcome { side, value, proof: Proof::Unknown }
    }

    /// Counts the outcome in on every edge of the path, last first, and carries what is proven as far up as it goes.
    fn back_up(&mut self, tree: &Tree, outcome: &Outcome, parameters: &Parameters) {
        let value_for = |side| if side == outcome.side { outcome.value } else { 1.0 - outcome.value };
        // The most by which the visits of an edge can be more than its playouts.
        let under_way = if self.alone { 0 } else { parameters.virtual_loss * self.workers };
        let mut proven = outcome.proof;
        let mut below: Option<Answer> = None;
        for &Step { edge: id, chooser: Chooser { side, .. } } in self.path.iter().rev() {
            let edge = tree.arena.edge(id);
            if proven != Proof::Unknown {
                if let Some(Answer { chooser, .. }) = below {
                    // The edge below is proven; this one is if that settles the whole node it stands in.
                    let node = edge.child().map_or(Proof::Unknown, |child| tree.proof_of(child));
                    proven = if chooser == side { node } else { node.reversed() };
                }
                // Another worker may know more by now.
                if proven != Proof::Unknown {
                    edge.set_proof(proven);
                }
            }
            let before = edge.held_static_value();
            if let Some(answer) = below.filter(|_| parameters.implicit_minimax > 0.0) {
                minimax::back_up(tree, edge, side, answer);
            }
            let now = edge.held_static_value();
            below = Some(Answer { chooser: side, before, now, known: edge.visits() > under_way });
            if self.alone {
                edge.add_alone(value_for(side));
            } else {
                edge.leave(parameters.virtual_loss, value_for(side));
            }
        }
        tree.add_visit(self.alone);
        if proven != Proof::Unknown {
            tree.prove_root();
        }
        if parameters.rave_visits > 0.0 {
            self.learn(tree, value_for);
        }
    }

    /// Tells RAVE what the moves of the playout, in the tree and after it, were worth.
    fn learn(&mut self, tree: &Tree, value_for: impl Fn(Side) -> f64) {
        self.rave.open();
        for &Step { edge, chooser } in &self.path {
            self.rave.add(chooser.side, chooser.half(tree.arena.edge(edge)), value_for(chooser.side));
        }
        for &(side, half) in &self.played {
            self.rave.add(side, half, value_for(side));
        }
    }
}
