//! The openings of games, which come from a list or consist of random plies. This module also has
//! the shipped suites of even openings and a search for new even openings. An opening is even if
//! both sides have nearly equal chances after it.

use std::collections::{BTreeSet, HashSet};

use amazons::hash::mix;
use amazons::random::uniform;
use amazons::{Move, Position};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::InputError;
use crate::games::{FoundGame, Game};
use crate::search::{Candidate, Engine, EngineOptions, Limits};

/// A constant that makes the seeds of openings differ from the other random seeds of a contest.
const OPENING_STREAM: u64 = 1;

/// The numbered openings of a contest. After each opening the side to move has a legal move.
#[derive(Clone, Debug)]
pub(crate) struct Openings {
    /// A list of games, which is never empty. Opening `n` begins with game `n % list.len()`.
    pub list: Vec<Game>,
    /// The number of random plies that each opening adds to its game of the list.
    pub random_plies: usize,
}

impl Openings {
    /// The games of a file as openings. A game with no legal move at its end is an error.
    pub(crate) fn games_as_openings(
        games: impl IntoIterator<Item = FoundGame>,
    ) -> Result<Vec<Game>, InputError> {
        let checked = |FoundGame { line, game }: FoundGame| {
            let game = game.map_err(|error| error.at(format_args!("line {line}")))?;
            if game.position().winner().is_some() {
                let expected = "has no legal move after this opening: expected an unfinished game";
                return Err(InputError(format!("line {line}: the side to move {expected}")));
            }
            // Only the moves are kept, without the names of players and the end of the game.
            Ok(Game::of(*game.start(), &game.moves())?)
        };
        games.into_iter().map(checked).collect()
    }

    /// Openings that consist of random plies from `start`.
    ///
    /// # Errors
    /// If random games from `start` almost always end within `random_plies` plies.
    pub(crate) fn random(start: Position, random_plies: usize, seed: u64) -> Result<Openings, InputError> {
        let openings = Openings { list: vec![Game::new(start)], random_plies };
        // This checks that `find` needs at most 100 tries for opening 0. The 10,000 tries of `get`
        // are then almost certainly enough for every other opening.
        let found = openings.find(seed, 0, 100).map(|_| openings);
        found.ok_or_else(|| {
            let cause = "random plies from the start almost always end the game: expected fewer plies";
            InputError(format!("{random_plies} {cause}"))
        })
    }

    /// The opening with this number. `seed` must be the seed that [`Openings::random`] got.
    pub(crate) fn get(&self, seed: u64, number: usize) -> Game {
        self.find(seed, number, 10_000).unwrap_or_else(|| self.list[number % self.list.len()].clone())
    }

    /// The opening with this number. `None` if the random plies of every try end the game.
    fn find(&self, seed: u64, number: usize, tries: u64) -> Option<Game> {
        (0..tries).find_map(|attempt| {
            let seed = mix(&[seed, OPENING_STREAM, number as u64, attempt]);
            let mut game = self.list[number % self.list.len()].clone();
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let (moves, _) = game.position().random_line(self.random_plies, &mut rng)?;
            game.extend(moves).ok()?;
            Some(game)
        })
    }

    /// The number of different openings in the list. `None` for random openings.
    pub(crate) fn distinct_count(&self) -> Option<usize> {
        let lines = self.list.iter().map(|opening| (*opening.start(), opening.moves()));
        (self.random_plies == 0).then(|| lines.collect::<HashSet<_>>().len())
    }
}

/// The text of the shipped file of even openings for a board of `side` x `side`. `None` if no file
/// is shipped for this size. Each file begins with the command that made it.
pub(crate) fn shipped_openings(side: u8) -> Option<&'static str> {
    match side {
        6 => Some(include_str!("suites/6.txt")),
        8 => Some(include_str!("suites/8.txt")),
        10 => Some(include_str!("suites/10.txt")),
        _ => None,
    }
}

/// The settings of a search for even openings.
#[derive(Clone, Debug)]
pub(crate) struct OpeningRecipe {
    /// The position at which each opening begins. It must equal its left-right mirror image.
    pub start: Position,
    pub plies: usize,
    /// The number of playouts of each search that chooses a ply.
    pub choice_playouts: u64,
    /// The number of playouts of the search that judges the position after the opening.
    pub verdict_playouts: u64,
    /// An opening is even if its value in \[0,1\] differs from 0.5 by at most this number.
    pub margin: f64,
}

impl OpeningRecipe {
    /// Finds even openings, each with the value in \[0,1\] of its last position for the side to
    /// move. The iterator ends after a thousand attempts in a row without a new opening.
    ///
    /// Each ply is drawn from the root moves of a search in proportion to their visits. An opening
    /// is kept if a search with `verdict_playouts` judges its last position even, and if no
    /// earlier attempt reached this position or its mirror image.
    pub(crate) fn openings(&self, options: &EngineOptions) -> impl Iterator<Item = (Game, f64)> {
        let (mut seen, mut attempts) = (BTreeSet::new(), 1..);
        std::iter::from_fn(move || {
            attempts.by_ref().take(1_000).find_map(|attempt| {
                let options = EngineOptions { seed: mix(&[options.seed, attempt]), ..options.clone() };
                self.attempt(&options, &mut seen)
            })
        })
    }

    fn attempt(&self, options: &EngineOptions, seen: &mut BTreeSet<Option<u64>>) -> Option<(Game, f64)> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
        let mut engine = Engine::new(options, &self.start);
        let mut moves = Vec::new();
        for _ in 0..self.plies {
            let report = engine.search(&Limits::playouts(self.choice_playouts))?;
            let played = sample_by_visits(&report.candidates, &mut rng).unwrap_or(report.best);
            moves.push(played);
            engine.advance_unchecked(played);
        }
        if !seen.insert(mirror_hash(&self.start, &moves)) {
            return None;
        }
        let value = engine.search(&Limits::playouts(self.verdict_playouts))?.value;
        let game = Game::of(self.start, &moves).ok()?;
        ((value - 0.5).abs() <= self.margin).then_some((game, value))
    }
}

pub(crate) fn position_after(start: &Position, line: &[Move]) -> Option<Position> {
    line.iter().try_fold(*start, |position, &played| position.play(played).ok())
}

/// A hash of the position after a line of moves. If `start` is symmetric, a line and its left-right
/// mirror image have the same hash.
pub(crate) fn mirror_hash(start: &Position, line: &[Move]) -> Option<u64> {
    let image: Option<Vec<Move>> = line.iter().map(|played| played.mirrored(start.size())).collect();
    let keys = [position_after(start, line), image.and_then(|line| position_after(start, &line))];
    keys.into_iter().flatten().map(|position| position.hash64()).min()
}

/// Draws one of a search's root moves in proportion to their visits.
fn sample_by_visits(candidates: &[Candidate], rng: &mut Xoshiro256PlusPlus) -> Option<Move> {
    let total: u64 = candidates.iter().map(|candidate| candidate.visits).sum();
    let mut n = u64::from(uniform(rng, u32::try_from(total).ok().filter(|&total| total > 0)?));
    for candidate in candidates {
        if n < candidate.visits {
            return Some(candidate.played);
        }
        n -= candidate.visits;
    }
    None
}

#[cfg(test)]
mod tests {
    use amazons::{Size, move_list};

    use super::*;
    use crate::games::found_from_notation;

    #[test]
    fn shipped_openings_are_legal_and_distinct() {
        for side in [6, 8, 10] {
            let text = shipped_openings(side as u8).unwrap();
            let start = Position::start(Size::square(side).unwrap()).unwrap();
            let games = move_list::read(text, &[start]).into_iter().map(found_from_notation);
            let list = Openings::games_as_openings(games).unwrap();
            let distinct: BTreeSet<_> =
                list.iter().map(|opening| mirror_hash(&start, &opening.moves())).collect();
            assert!(list.len() >= 50 && distinct.len() == list.len(), "{side}: {} openings", list.len());
        }
        assert!(shipped_openings(7).is_none());
    }
}
