//! Prepares the root before a search.

use amazons::AnyPosition;

use super::super::arena::{Access, Lease};
use super::super::parameters::Parameters;
use super::super::policy_priors::RevisitedNode;
use super::super::tree::Tree;
use super::Worker;
use crate::territory::View;

impl Worker {
    /// Compacts the tree, expands the root and gives it the policy network's priors, unless an
    /// earlier search did so. The root stays empty only if the side to move has no move.
    pub(in super::super) fn expand_root(&mut self, tree: &mut Tree, parameters: &Parameters) {
        tree.compact();
        if !tree.complete_root() {
            // An empty tree always has enough space.
            tree.set_position(tree.position);
        }
        let state = AnyPosition::Position(tree.position);
        if tree.root.is_none() {
            let defect = if parameters.endgame { self.probe.defect(&View::from(&state)) } else { None };
            let expansion = self.expander.expand(&state, defect.unwrap_or(0), parameters);
            tree.root = expansion.and_then(|(edges, ..)| tree.arena.push(&mut Lease::default(), edges));
            tree.complete_root();
        }
        if parameters.policy_visits > 0
            && tree.network_value.is_none()
            && let Some(root) = tree.root
        {
            let (node, access) = (tree.arena.node(root), Access::Exclusive);
            let revisited = RevisitedNode { node, state: &state, access, with_value: true };
            tree.network_value = self.policy_priors.replace(&revisited, parameters);
        }
    }
}
