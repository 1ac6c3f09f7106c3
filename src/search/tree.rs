//! One playout, from the root down and back up.
//!
//! The tree has two levels a ply: edges of a position are queen moves, edges of a half ply are arrows. All values
//! are for the side that chooses, which changes below an arrow only.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::arena::{Arena, Block, Edge, EdgeId, Proof};
use super::ending::Endings;
use super::expansion::{Expander, Expansion};
use super::parameters::Parameters;
use super::playout::{Leaf, play_out};
use super::selection::{proof, select};
use crate::game::{Bitboard, FullMove, Position, QueenMove, Side};
use crate::territory::Evaluator;

/// The tree below one position.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) arena: Arena,
    pub(super) position: Position,
    /// The node of `position`; none before its expansion, or if its side has no move.
    pub(super) root: Option<Block>,
    /// Playouts from the root, those kept from earlier turns included.
    pub(super) visits: u32,
    /// What is proven about the side to move at the root.
    pub(super) proof: Proof,
    /// Whether some queen moves were left out of `root`: see [`Tree::restrict`].
    restricted: bool,
    pub(super) endings: Endings,
    pub(super) expander: Expander,
    rng: Xoshiro256PlusPlus,
    /// The edges of the current descent, and who chose each.
    path: Vec<(EdgeId, Side)>,
}

/// What is known at the end of a descent.
struct Outcome {
    side: Side,
    /// The chance that `side` wins.
    value: f64,
    /// For `side`, about the edge that the descent ended with.
    proof: Proof,
}

impl Tree {
    pub(super) fn new(memory: usize, seed: u64, evaluator: Evaluator, position: Position) -> Tree {
        Tree {
            arena: Arena::new(memory),
            position,
            root: None,
            visits: 0,
            proof: Proof::Unknown,
            restricted: false,
            endings: Endings::default(),
            expander: Expander::new(evaluator),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            path: Vec::new(),
        }
    }

    /// Starts an empty tree below a position.
    pub(super) fn set_position(&mut self, position: Position) {
        self.arena.clear();
        self.position = position;
        self.root = None;
        self.visits = 0;
        self.proof = Proof::Unknown;
        self.restricted = false;
    }

    /// Goes on by a legal move. The subtree below it is kept, by name only: see [`Tree::compact`].
    pub(super) fn advance(&mut self, full: FullMove) {
        let find = |arena: &Arena, node: Option<Block>, wanted: &dyn Fn(&Edge) -> bool| {
            arena.node(node?).iter().find(|edge| wanted(edge)).copied()
        };
        let queen = find(&self.arena, self.root, &|edge| edge.from == full.from && edge.to == full.to);
        let arrow = find(&self.arena, queen.and_then(|edge| edge.child()), &|edge| edge.to == full.arrow);
        let next = self.position.play_unchecked(full);
        match arrow {
            Some(edge) if edge.child().is_some() => {
                self.position = next;
                self.root = edge.child();
                self.visits = edge.visits;
                self.proof = edge.proof.reversed();
                self.restricted = false;
            }
            _ => self.set_position(next),
        }
    }

    /// Drops what the moves played have cut off, if the free part of the arena is getting short.
    pub(super) fn compact(&mut self) {
        match self.root {
            Some(root) if self.arena.is_half_full() => self.root = Some(self.arena.keep(root)),
            _ => {}
        }
    }

    /// Expands the root if it is not; afterwards `root` is set unless the side to move has no move.
    pub(super) fn expand_root(&mut self, parameters: &Parameters) {
        if self.root.is_none() {
            let expansion = self.expander.expand_position(&mut self.arena, parameters, &self.position);
            self.root = expansion.and_then(|expansion| expansion.node);
        }
    }

    /// Leaves only the queen moves of the amazons on these squares at an expanded root, with all that is known of
    /// them. Returns whether there are any; if not, nothing changes.
    pub(super) fn restrict(&mut self, amazons: &Bitboard, parameters: &Parameters) -> bool {
        let allowed = |tree: &Tree| -> Vec<Edge> {
            let edges = tree.root.map_or(&[][..], |root| tree.arena.node(root));
            edges.iter().filter(|edge| amazons.contains(edge.from)).copied().collect()
        };
        let mut edges = allowed(self);
        if edges.is_empty() {
            return false;
        }
        let mut root = self.arena.push(&edges);
        if root.is_none() {
            // No room beside what is known: better a fresh tree than a move that must not be made.
            self.set_position(self.position);
            self.expand_root(parameters);
            edges = allowed(self);
            root = self.arena.push(&edges);
        }
        let visits = edges.iter().fold(0, |sum: u32, edge| sum.saturating_add(edge.visits));
        (self.root, self.visits, self.proof, self.restricted) = (root, visits, proof(&edges), true);
        root.is_some()
    }

    /// Takes a restriction back; what was known goes with it.
    pub(super) fn lift_restriction(&mut self) {
        if self.restricted {
            self.set_position(self.position);
        }
    }

    /// One playout: descends to a leaf, expands and values it, and counts the result in along the way back.
    ///
    /// Returns the number of levels descended; 0 if the root has no edge worth a playout.
    pub(super) fn playout(&mut self, parameters: &Parameters) -> usize {
        let Some(root) = self.root else { return 0 };
        self.path.clear();
        let Some(outcome) = self.descend(root, parameters) else { return 0 };
        self.back_up(&outcome);
        self.path.len()
    }

    fn descend(&mut self, root: Block, parameters: &Parameters) -> Option<Outcome> {
        let mut leaf = Leaf::Position(self.position);
        let mut node = root;
        let mut visits = self.visits;
        loop {
            let index = select(self.arena.node(node), visits, parameters)?;
            let id = node.edge(index);
            let edge = *self.arena.edge(id);
            let side;
            (leaf, side) = match leaf {
                Leaf::Position(position) => {
                    let queen = QueenMove { from: edge.from, to: edge.to };
                    (Leaf::Half(position.move_queen_unchecked(queen)), position.to_move())
                }
                Leaf::Half(half) => (Leaf::Position(half.shoot_unchecked(edge.to)), half.mover()),
            };
            self.path.push((id, side));
            if let Some(value) = edge.proof.value() {
                return Some(Outcome { side, value, proof: edge.proof });
            }
            match edge.child() {
                Some(child) => node = child,
                None => return Some(self.evaluate(id, &leaf, side, parameters)),
            }
            visits = edge.visits;
        }
    }

    /// Values a leaf for the side that chose it; from its `expansion_visits`-th visit on, by its answers. They join the
    /// tree if there is room, and count all the same if there is none, so that a full arena does not change values.
    fn evaluate(&mut self, id: EdgeId, leaf: &Leaf, side: Side, parameters: &Parameters) -> Outcome {
        let edge = *self.arena.edge(id);
        if let (Leaf::Position(position), 0) = (leaf, edge.visits) {
            let proof = self.endings.at_leaf(position, parameters);
            if let Some(value) = proof.value() {
                return Outcome { side, value, proof };
            }
        }
        let mut value = edge.static_value();
        if edge.visits + 1 >= parameters.expansion_visits {
            let (expansion, turned) = match leaf {
                Leaf::Position(position) => {
                    (self.expander.expand_position(&mut self.arena, parameters, position), true)
                }
                Leaf::Half(half) => (self.expander.expand_half(&mut self.arena, parameters, half), false),
            };
            if let Some(Expansion { node, best, proof }) = expansion {
                if let Some(node) = node {
                    self.arena.link(id, node);
                }
                let proof = if turned { proof.reversed() } else { proof };
                if let Some(value) = proof.value() {
                    return Outcome { side, value, proof };
                }
                value += parameters.lookahead * (if turned { 1.0 - best } else { best } - value);
            }
        }
        if parameters.playout_weight > 0.0 {
            let played =
                play_out(self.expander.evaluator(), leaf, parameters.playout_plies, side, &mut self.rng);
            value += parameters.playout_weight * (played - value);
        }
        Outcome { side, value, proof: Proof::Unknown }
    }

    /// What a node's edges prove for the side that chose to go there: the other side if it is a position.
    fn proof_below(&self, child: Block, turned: bool) -> Proof {
        let proof = proof(self.arena.node(child));
        if turned { proof.reversed() } else { proof }
    }

    /// Counts the outcome in on every edge of the path, last first, and carries what is proven as far up as it goes.
    fn back_up(&mut self, outcome: &Outcome) {
        let mut proven = outcome.proof;
        let mut below: Option<Side> = None;
        for index in (0..self.path.len()).rev() {
            let (id, side) = self.path[index];
            if proven != Proof::Unknown {
                if let Some(chooser) = below {
                    // The edge below is proven; this one is if that settles the whole node it stands in.
                    proven = match self.arena.edge(id).child() {
                        Some(child) => self.proof_below(child, chooser != side),
                        None => Proof::Unknown,
                    };
                }
                self.arena.edge_mut(id).proof = proven;
            }
            let value = if side == outcome.side { outcome.value } else { 1.0 - outcome.value };
            self.arena.edge_mut(id).add(value);
            below = Some(side);
        }
        self.visits = self.visits.saturating_add(1);
        if let (true, Some(root)) = (proven != Proof::Unknown, self.root) {
            self.proof = proof(self.arena.node(root));
        }
    }
}
