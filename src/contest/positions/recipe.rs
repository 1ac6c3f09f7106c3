//! How collections of test positions are made: game by game, each with a seed of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::{TestPosition, Theme, agreed, proven};
use crate::contest::opening_suite;
use crate::endgame::Solver;
use crate::game::Size;
use crate::search::EngineOptions;

/// Bytes of the solver.
const SOLVER: usize = 64 << 20;

/// What a collection is made of.
#[derive(Clone, Debug)]
pub struct CollectionRecipe {
    /// The board.
    pub size: Size,
    /// The kind of position.
    pub kind: CollectionKind,
    /// What the engine is made with; its seed is that of the collection.
    pub options: EngineOptions,
    /// Positions of one theme at most.
    pub most_of_theme: usize,
}

/// A kind of position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionKind {
    /// Proven by the solver.
    Proven,
    /// Two searches of this many playouts agree.
    Agreed {
        /// Playouts of each.
        playouts: u64,
    },
}

impl CollectionRecipe {
    /// Searches game after game, from number `next` on, for positions by this recipe; never ends.
    /// `known` are the positions of earlier games. `None` stands for a game without a new position.
    pub fn positions<'a>(
        &'a self,
        known: &[TestPosition],
        next: u64,
    ) -> impl Iterator<Item = Option<TestPosition>> + 'a {
        let mut seen: BTreeSet<String> =
            known.iter().map(|known| opening_suite::likeness(&known.position())).collect();
        let mut themes: BTreeMap<Theme, usize> = BTreeMap::new();
        known.iter().for_each(|known| *themes.entry(known.theme).or_default() += 1);
        (next..).map(move |number| {
            let found = self.attempt(number)?;
            let theme = themes.entry(found.theme).or_default();
            if *theme >= self.most_of_theme || !seen.insert(opening_suite::likeness(&found.position())) {
                return None;
            }
            *theme += 1;
            Some(found)
        })
    }

    /// Looks for a position in the game of this number. Depends on nothing else.
    fn attempt(&self, number: u64) -> Option<TestPosition> {
        match self.kind {
            CollectionKind::Proven => proven::attempt(self, number, &mut Solver::new(SOLVER)),
            CollectionKind::Agreed { playouts } => agreed::attempt(self, number, playouts),
        }
    }
}
