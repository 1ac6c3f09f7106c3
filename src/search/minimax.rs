//! Implicit minimax (Lanctot et al., "Monte Carlo tree search with heuristic evaluations using
//! implicit minimax backups", 2014): the static value of a move becomes that of the best answer to
//! it, and so on up the tree.

use super::edge::{Edge, StaticValue};
use super::tree::Tree;
use crate::game::Side;

/// An edge that a playout has backed up, as the edge above sees it: an answer to the move above.
#[derive(Clone, Copy, Debug)]
pub(super) struct BackupStep {
    /// The side that chose it.
    pub(super) side: Side,
    /// Its static value before the playout and now.
    pub(super) before: StaticValue,
    pub(super) now: StaticValue,
    /// Whether an earlier playout has passed it, so that the move above already has the value of
    /// its best answer.
    pub(super) known: bool,
}

/// Gives an edge chosen by `side` the static value of the best answer to it, of which only this one
/// has changed.
///
/// Skips the look at all answers where the result is the same. With other workers at them it may
/// miss a change, until the next playout through the edge.
pub(super) fn back_up(tree: &Tree, edge: &Edge, side: Side, answer: BackupStep) {
    let Some(node) = edge.child() else { return };
    let seen_by_chooser = |value: StaticValue| if answer.side == side { value } else { value.reversed() };
    let best = seen_by_chooser(edge.held_static_value());
    let better = if answer.known && answer.now >= best {
        answer.now
    } else if answer.known && answer.before < best {
        best
    } else {
        tree.arena.node(node).iter().map(Edge::held_static_value).max().unwrap_or(best)
    };
    if better != best {
        edge.hold_static_value(seen_by_chooser(better));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::edge::Block;
    use super::super::{Engine, EngineOptions, Limits};
    use super::*;
    use crate::game::{Size, Start};

    /// Checks what lies below a node where `side` moves, or has moved and shoots; returns how many
    /// moves it compared.
    fn check(tree: &Tree, node: Block, side: Side, shoots: bool) -> usize {
        let next = if shoots { !side } else { side };
        let mut compared = 0;
        for edge in tree.arena.node(node) {
            let Some(child) = edge.child() else { continue };
            let answers = tree.arena.node(child);
            // No playout has backed up an answer yet.
            if answers.iter().all(|answer| answer.visits() == 0) {
                continue;
            }
            let best = answers.iter().map(Edge::held_static_value).max().unwrap();
            assert_eq!(edge.held_static_value(), if next == side { best } else { best.reversed() });
            compared += 1 + check(tree, child, next, !shoots);
        }
        compared
    }

    #[test]
    fn every_move_has_the_static_value_of_its_best_answer() {
        for setting in ["expansion_visits=1", "expansion_visits=3", "playout_weight=1"] {
            let start = Start::Formula.position(Size::square(6).unwrap()).unwrap();
            let mut options = EngineOptions { memory: 1 << 20, ..EngineOptions::default() };
            options.set_pair(setting).unwrap();
            options.set_pair("implicit_minimax=0.5").unwrap();
            let mut engine = Engine::new(&options, &start);
            for _ in 0..3 {
                // More than the memory has room for.
                let report = engine.search(&Limits::playouts(3000)).unwrap();
                let tree = &engine.tree;
                let compared = check(tree, tree.root.unwrap(), tree.position.to_move(), false);
                assert!(compared > 300, "{setting}: {compared}");
                engine.advance(report.best);
            }
        }
    }
}
