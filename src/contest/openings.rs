//! The openings of games: those of a list, or random plies after one start.

use std::collections::HashSet;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::game::random::mix;
use crate::game::{FoundGame, Game, InputError, Ply, Position};

/// Marks the random plies of openings among the choices that follow from the contest's seed.
const OPENING: u64 = 1;

/// Openings for a whole contest, by number: games after which the side to move has a move.
#[derive(Clone, Debug)]
pub(crate) struct Openings {
    /// Games, one at least; after the last comes the first again.
    pub list: Vec<Game>,
    /// Random plies after the only game of a list, with which each number gives another opening; 0
    /// for other lists.
    pub random_plies: usize,
    /// The seed of the random plies.
    pub seed: u64,
}

impl Openings {
    /// The openings of a list of games.
    pub(crate) fn list(games: impl IntoIterator<Item = FoundGame>) -> Result<Vec<Game>, InputError> {
        let checked = |FoundGame { line, game }: FoundGame| {
            let game = game.map_err(|error| error.at(format_args!("line {line}")))?;
            if game.position().winner().is_some() {
                let expected = "has no move after this opening, expected a game to play";
                return Err(InputError(format!("line {line}: the side to move {expected}")));
            }
            // The moves alone: players and end are those of another game.
            Game::of(*game.start(), &game.moves())
        };
        let games: Vec<Game> = games.into_iter().map(checked).collect::<Result<_, _>>()?;
        if games.is_empty() {
            let expected = "expected moves or a FEN a line, # before comments";
            return Err(InputError(format!("no openings: {expected}")));
        }
        Ok(games)
    }

    /// Random plies from `start`.
    pub(crate) fn random(start: Position, random_plies: usize, seed: u64) -> Result<Openings, InputError> {
        let openings = Openings { list: vec![Game::new(start)], random_plies, seed };
        // Where one game in a hundred goes on so long, none of the many tries of a number will come
        // to nothing.
        let found = openings.find(0, 100).map(|_| openings);
        found.ok_or_else(|| {
            let cause = "random plies from here end the game almost always: expected fewer";
            InputError(format!("{random_plies} {cause}"))
        })
    }

    pub(crate) fn get(&self, number: usize) -> Game {
        self.find(number, 10_000).unwrap_or_else(|| self.of_list(number).clone())
    }

    fn of_list(&self, number: usize) -> &Game {
        &self.list[number % self.list.len()]
    }

    /// The first opening of this number after which the game goes on.
    fn find(&self, number: usize, tries: u64) -> Option<Game> {
        (0..tries).find_map(|attempt| {
            let seed = mix(&[self.seed, OPENING, number as u64, attempt]);
            let mut game = self.of_list(number).clone();
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let (moves, _) = game.position().random_line(self.random_plies, &mut rng)?;
            game.extend(moves.into_iter().map(Ply::from)).ok()?;
            Some(game)
        })
    }

    /// The number of different openings, where it is known.
    pub(crate) fn distinct(&self) -> Option<usize> {
        let lines = self.list.iter().map(|opening| (*opening.start(), opening.moves()));
        (self.random_plies == 0).then(|| lines.collect::<HashSet<_>>().len())
    }
}
