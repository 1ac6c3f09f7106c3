//! The openings of games: a file, or random plies.

use std::collections::HashSet;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::game::random::mix;
use crate::game::{FoundGame, Game, InputError, Position};

/// Marks the random plies of openings among the choices that follow from the contest's seed.
const OPENING: u64 = 1;

/// Openings for a whole contest, by number: games after which the side to move has a move.
#[derive(Clone, Debug)]
pub(crate) enum Openings {
    /// A list. After its last opening comes its first again.
    List(Vec<Game>),
    /// Random plies from a start; each number gives another game.
    Random { start: Position, plies: usize, seed: u64 },
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

    /// `plies` random plies from `start`; `seed` decides them.
    pub(crate) fn random(start: Position, plies: usize, seed: u64) -> Result<Openings, InputError> {
        if plies == 0 {
            return Ok(Openings::List(vec![Game::new(start)]));
        }
        // Where one game in a hundred goes on so long, none of the many tries of a number will come
        // to nothing.
        random_opening(start, plies, seed, 0, 100).ok_or_else(|| {
            InputError(format!("{plies} random plies from here end the game almost always: expected fewer"))
        })?;
        Ok(Openings::Random { start, plies, seed })
    }

    pub(crate) fn get(&self, number: usize) -> Game {
        match self {
            Openings::List(list) => list[number % list.len()].clone(),
            Openings::Random { start, plies, seed } => {
                let found = random_opening(*start, *plies, *seed, number as u64, 10_000);
                found.unwrap_or(Game::new(*start))
            }
        }
    }

    pub(crate) fn starts(&self) -> Vec<Position> {
        match self {
            Openings::List(list) => list.iter().map(|opening| *opening.start()).collect(),
            Openings::Random { start, .. } => vec![*start],
        }
    }

    /// The number of different openings, where it is known.
    pub(crate) fn distinct(&self) -> Option<usize> {
        match self {
            Openings::List(list) => {
                let lines = list.iter().map(|opening| (*opening.start(), opening.moves()));
                Some(lines.collect::<HashSet<_>>().len())
            }
            Openings::Random { .. } => None,
        }
    }
}

/// The first game of this number that goes on after this many random plies.
fn random_opening(start: Position, plies: usize, seed: u64, number: u64, tries: u64) -> Option<Game> {
    (0..tries).find_map(|attempt| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(mix(&[seed, OPENING, number, attempt]));
        let (moves, _) = start.random_line(plies, &mut rng)?;
        Game::of(start, &moves).ok()
    })
}
