//! The root of a tree before a search: expanded, with the network's priors and statistics for every
//! edge.

use super::arena::Lease;
use super::parameters::Parameters;
use super::tree::Tree;
use super::worker::Worker;
use crate::game::Moment;
use crate::territory::View;

impl Tree {
    /// Expands the root and gives it the policy network's priors, unless done for this root. Leaves
    /// `root` empty only if the side to move has no move.
    pub(super) fn expand_root(&mut self, worker: &mut Worker, parameters: &Parameters) {
        if !self.complete_root() {
            // A fresh tree always has room.
            self.set_position(self.position);
        }
        if self.root.is_none() {
            let state = Moment::Position(self.position);
            let waste =
                if parameters.endgame == 1 { worker.endings.waste(&View::from(&state)) } else { None };
            let expansion = worker.expander.expand(&state, waste.unwrap_or(0), parameters);
            self.root = expansion.and_then(|(edges, ..)| self.arena.push(&mut Lease::default(), edges));
            self.complete_root();
        }
        if parameters.policy_visits > 0
            && self.network_value.is_none()
            && let Some(root) = self.root
        {
            let state = Moment::Position(self.position);
            self.network_value =
                worker.policy_priors.replace(&self.arena.node(root), &state, parameters, true);
        }
    }

    /// Gives every edge of the root statistics, so that no playout ends at the root. Where they do
    /// not fit, drops what the moves played have cut off. Returns false if that is not enough.
    fn complete_root(&mut self) -> bool {
        let Some(root) = self.root else { return true };
        if self.arena.visit_all(&mut Lease::default(), root) {
            return true;
        }
        let root = self.arena.keep(root);
        self.root = Some(root);
        self.arena.visit_all(&mut Lease::default(), root)
    }
}
