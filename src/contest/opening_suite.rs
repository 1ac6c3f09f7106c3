//! Suites of even openings: the ones that are shipped, and how more are made.

use std::collections::BTreeSet;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::game::random::{below, mix};
use crate::game::{FullMove, Game, Position};
use crate::search::{Candidate, Engine, EngineOptions, Limits};

/// The shipped suite of a square board of this side, as the text of an openings file; `None` where
/// there is none.
///
/// The head of each names the command that made it.
pub(crate) fn shipped(side: u8) -> Option<&'static str> {
    match side {
        6 => Some(include_str!("suites/6.txt")),
        8 => Some(include_str!("suites/8.txt")),
        10 => Some(include_str!("suites/10.txt")),
        _ => None,
    }
}

/// The conditions on the openings of a suite, and the searches that check them.
#[derive(Clone, Debug)]
pub(crate) struct OpeningRecipe {
    /// The position that all begin with; its own mirror image left to right.
    pub start: Position,
    pub plies: usize,
    /// Playouts of the search that chooses each ply.
    pub choice_playouts: u64,
    /// Playouts of the search that judges the position reached.
    pub verdict_playouts: u64,
    /// The greatest distance of its value from one half.
    pub margin: f64,
}

impl OpeningRecipe {
    /// Openings by this recipe, each with the chance of winning of the side to move, in \[0,1\]. Ends
    /// only when a thousand attempts in a row bring nothing new.
    ///
    /// Each ply is one of the search's candidates, as likely as its share of visits. An opening is
    /// kept if a longer search finds it even and if it is no mirror image of an earlier one.
    pub(crate) fn openings(&self, options: &EngineOptions) -> impl Iterator<Item = (Game, f64)> {
        let mut seen = BTreeSet::new();
        let mut attempt = 0;
        std::iter::from_fn(move || {
            for _ in 0..1_000 {
                attempt += 1;
                let options = EngineOptions { seed: mix(&[options.seed, attempt]), ..options.clone() };
                let found = self.attempt(&options, &mut seen);
                if found.is_some() {
                    return found;
                }
            }
            None
        })
    }

    fn attempt(&self, options: &EngineOptions, seen: &mut BTreeSet<Option<u64>>) -> Option<(Game, f64)> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
        let mut engine = Engine::new(options, &self.start);
        let mut moves = Vec::new();
        for _ in 0..self.plies {
            let report = engine.search(&Limits::playouts(self.choice_playouts))?;
            let full = drawn(&report.candidates, &mut rng).unwrap_or(report.best);
            moves.push(full);
            engine.advance(full);
        }
        if !seen.insert(likeness(&self.start, &moves)) {
            return None;
        }
        let value = engine.search(&Limits::playouts(self.verdict_playouts))?.value;
        if (value - 0.5).abs() > self.margin {
            return None;
        }
        Some((Game::of(self.start, &moves).ok()?, value))
    }
}

/// The position after a line; `None` if a move is illegal.
pub(crate) fn played(start: &Position, line: &[FullMove]) -> Option<Position> {
    line.iter().try_fold(*start, |position, &full| position.play(full).ok())
}

/// A number that the position after a line shares with its mirror image left to right, and with no
/// other; the start must be its own mirror image.
pub(crate) fn likeness(start: &Position, line: &[FullMove]) -> Option<u64> {
    let image: Option<Vec<FullMove>> = line.iter().map(|full| full.mirrored(start.size())).collect();
    let keys = [played(start, line), image.and_then(|line| played(start, &line))];
    keys.into_iter().flatten().map(|position| position.key()).min()
}

/// One of the candidates, as likely as its share of their visits.
fn drawn(candidates: &[Candidate], rng: &mut Xoshiro256PlusPlus) -> Option<FullMove> {
    let total: u64 = candidates.iter().map(|candidate| candidate.visits).sum();
    let mut n = u64::from(below(rng, u32::try_from(total).ok().filter(|&total| total > 0)?));
    for candidate in candidates {
        if n < candidate.visits {
            return Some(candidate.full);
        }
        n -= candidate.visits;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::Openings;
    use crate::game::Size;
    use crate::game::move_list::{self, MoveListStart};

    #[test]
    fn what_is_shipped_can_be_played_and_no_opening_stands_twice() {
        for side in [6, 8, 10] {
            let text = shipped(side as u8).unwrap();
            let start = Position::start(Size::square(side).unwrap()).unwrap();
            let list = Openings::list(move_list::read(text, MoveListStart::Only(start))).unwrap();
            let distinct: BTreeSet<_> =
                list.iter().map(|opening| likeness(&start, &opening.moves())).collect();
            assert!(list.len() >= 50 && distinct.len() == list.len(), "{side}: {} openings", list.len());
        }
        assert!(shipped(7).is_none());
    }
}
