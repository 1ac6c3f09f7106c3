//! Plays games of the engine against itself.
//!
//! A game depends only on its number and the recipe. So the games are the same for any number of
//! threads and any order in which they end. One engine plays both sides, with one tree that follows
//! the game.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::{Map, Value, json};

use super::file::FORMAT;
use super::game::{MOST_SHARES, PlyKind, TrainingGame, TrainingPly};
use crate::game::random::{below, mix};
use crate::game::{Fen, FullMove, Position};
use crate::jobs::Jobs;
use crate::search::{Engine, EngineOptions, Limits, Report, VisitCounts};
use crate::territory::View;

/// Marks seeds of openings and blunders.
const CHANCE: u64 = 11;
/// Marks seeds of searches.
const SEARCH: u64 = 12;

/// Tries before an opening is given up, at a length where one in a hundred succeeds.
const TRIES: usize = 10_000;

/// Everything that decides what is played.
#[derive(Clone, Debug)]
pub struct SelfPlayRecipe {
    /// The position that all games begin with.
    pub start: Position,
    /// Playouts of each search, beside those kept from the one before.
    pub playouts: u64,
    /// Random plies that each game begins with; drawn from 2 to 8 for each game if the user does
    /// not say.
    pub random_plies: Option<usize>,
    /// The chance, from 0 to 1, that a ply is not the search's.
    pub blunders: f64,
    /// The engine; its seed is the recipe's.
    pub engine: EngineOptions,
}

impl SelfPlayRecipe {
    /// Checks that games can be played by this recipe.
    ///
    /// # Errors
    /// If hardly any goes on after its opening.
    pub fn check(&self) -> Result<(), String> {
        let plies = self.random_plies.unwrap_or(8);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.engine.seed);
        match (0..100).any(|_| self.start.random_line(plies, &mut rng).is_some()) {
            true => Ok(()),
            false => {
                Err(format!("{plies} random plies from here end the game almost always: expected fewer"))
            }
        }
    }

    /// What files of these games begin with: equal for equal recipes, engines that play and
    /// evaluate alike, and no others. The number of games is no part of it.
    #[must_use]
    pub fn header(&self) -> Value {
        let values = self.engine.values(self.start.size());
        let parameters: Map<String, Value> =
            values.map(|(name, value)| (name.to_owned(), json!(value))).collect();
        json!({"selfplay": {
            "format": FORMAT,
            "start": Fen(self.start).to_string(),
            "seed": self.engine.seed,
            "playouts": self.playouts,
            "random_plies": self.random_plies,
            "blunders": self.blunders,
            "memory": self.engine.memory,
            "parameters": parameters,
            // By its name the last: where settings differ, these do as well, and say less.
            "version": {
                "quiver": env!("CARGO_PKG_VERSION"),
                "evaluator": format!("{:016x}", self.evaluator_digest()),
                "net": format!("{:08x}", self.engine.networks.on(self.start.size()).checksum()),
                "play": format!("{:016x}", self.play_digest()),
            },
        }})
    }

    /// A digest of the evaluator's values of the positions and half plies of a few random games. It
    /// changes when the weights change.
    fn evaluator_digest(&self) -> u64 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let evaluator = &self.engine.evaluator;
        let mut digest = 0;
        for _ in 0..8 {
            let mut position = self.start;
            while let Some(full) = position.random_full_move(&mut rng) {
                let half = position.move_queen_unchecked(full.queen());
                for view in [View::from(&position), View::from(&half)] {
                    digest = mix(&[digest, evaluator.log_odds(&view).to_bits()]);
                }
                position = half.shoot_unchecked(full.arrow);
            }
        }
        digest
    }

    /// A digest of a game by this recipe at few playouts. It changes when the search changes.
    fn play_digest(&self) -> u64 {
        let quick = SelfPlayRecipe { playouts: self.playouts.min(40), ..self.clone() };
        let bytes = quick.play(u32::MAX).to_bytes();
        bytes.iter().fold(0, |digest, &byte| mix(&[digest, u64::from(byte)]))
    }

    /// Plays the game of this number.
    #[must_use]
    pub fn play(&self, number: u32) -> TrainingGame {
        let seed = |mark| mix(&[self.engine.seed, mark, u64::from(number)]);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed(CHANCE));
        let plies = self.random_plies.unwrap_or_else(|| 2 + below(&mut rng, 7) as usize);
        let opening = (0..TRIES).find_map(|_| self.start.random_line(plies, &mut rng));
        let (moves, position) = opening.unwrap_or((Vec::new(), self.start));
        let opening = |full| TrainingPly::unvalued(full, PlyKind::Opening);
        let mut plies: Vec<TrainingPly> = moves.into_iter().map(opening).collect();

        let options = EngineOptions { seed: seed(SEARCH), ..self.engine.clone() };
        // A new one for each game: only then does a game follow from its number alone. Its memory
        // costs nothing until the tree grows into it.
        let mut engine = Engine::new(&options, &position);
        while let Some(report) = engine.search(&Limits::playouts(self.playouts)) {
            // 53 bits fill a float's fraction; the chance is exact and the same everywhere.
            let blundered = ((rng.next_u64() >> 11) as f64) < self.blunders * (1u64 << 53) as f64;
            let (full, kind) = if blundered {
                (blunder(engine.position(), &report, &mut rng), PlyKind::Blunder)
            } else {
                (report.best, PlyKind::Best)
            };
            let value = (report.value * f64::from(u16::MAX)).round() as u16;
            let visits = if report.ending.is_some() { VisitCounts::default() } else { engine.visits(full) };
            let arrows = if blundered { &[][..] } else { &visits.arrows };
            plies.push(TrainingPly {
                full,
                kind,
                value,
                proven: report.proven,
                queen_shares: shares(&visits.queen_moves),
                arrow_shares: shares(arrows),
            });
            engine.advance(full);
        }
        TrainingGame { number, winner: !engine.position().to_move(), plies }
    }

    /// Plays all games below `games` but those already `done`, and hands each to `on_game` with the
    /// number of the worker that played it, as it ends.
    ///
    /// No new game begins after an error of `on_game`, nor once `interrupt` is set; those in
    /// progress are played to their end, and after an interrupt handed over as well.
    ///
    /// # Errors
    /// The first that `on_game` returns.
    pub fn run<E>(
        &self,
        games: u32,
        done: &BTreeSet<u32>,
        concurrency: usize,
        interrupt: &AtomicBool,
        mut on_game: impl FnMut(usize, TrainingGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let to_play: Vec<u32> = (0..games).filter(|number| !done.contains(number)).collect();
        let play = |worker, &number: &u32| Some((worker, self.play(number)));
        let take = |(worker, game)| on_game(worker, game).map(ControlFlow::Continue);
        Jobs { concurrency, interrupt }.run(&to_play, play, || (), take)
    }
}

/// The most visited moves, each with its share of all visits in units of 1 / 65,535. `visits` is
/// sorted.
fn shares<T: Copy>(visits: &[(T, u32)]) -> Vec<(T, u16)> {
    let total: u64 = visits.iter().map(|&(_, visits)| u64::from(visits)).sum();
    let share = |visits| ((u64::from(visits) * u64::from(u16::MAX) + total / 2) / total) as u16;
    let visited = visits.iter().filter(|(_, visits)| *visits > 0);
    visited.take(MOST_SHARES).map(|&(what, visits)| (what, share(visits))).collect()
}

/// A deliberate blunder: with even chances another candidate of the search, or a random legal move.
fn blunder(position: &Position, report: &Report, rng: &mut impl Rng) -> FullMove {
    let others: Vec<FullMove> = report
        .candidates
        .iter()
        .map(|candidate| candidate.full)
        .filter(|&full| full != report.best)
        .collect();
    if !others.is_empty() && below(rng, 2) == 0 {
        return others[below(rng, others.len() as u32) as usize];
    }
    position.random_full_move(rng).unwrap_or(report.best)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::game::{Side, Size, Start};

    /// A quick recipe on 6x6.
    pub(in crate::training) fn quick() -> SelfPlayRecipe {
        SelfPlayRecipe {
            start: Start::Formula.position(Size::square(6).unwrap()).unwrap(),
            playouts: 12,
            random_plies: None,
            blunders: 0.1,
            engine: EngineOptions { memory: 4 << 20, seed: 3, ..EngineOptions::default() },
        }
    }

    fn games(recipe: &SelfPlayRecipe, done: &[u32], concurrency: usize) -> Vec<TrainingGame> {
        let mut games = Vec::new();
        let done = done.iter().copied().collect();
        let never = AtomicBool::new(false);
        let run = recipe.run(12, &done, concurrency, &never, |worker, game| {
            assert!(worker < concurrency);
            games.push(game);
            Ok::<(), ()>(())
        });
        assert_eq!(run, Ok(()));
        games.sort_by_key(|game| game.number);
        games
    }

    #[test]
    fn games_do_not_depend_on_how_many_are_played_at_a_time() {
        let recipe = quick();
        let one = games(&recipe, &[], 1);
        assert_eq!(one, games(&recipe, &[], 3));
        assert_eq!(one[5..], games(&recipe, &[0, 1, 2, 3, 4], 2));
        let mut openings = BTreeSet::new();
        for game in &one {
            game.check(&recipe.start).unwrap();
            let plies = game.plies.iter().take_while(|ply| ply.kind == PlyKind::Opening).count();
            assert!((2..=8).contains(&plies), "{plies}");
            assert!(game.plies[plies..].iter().all(|ply| ply.kind != PlyKind::Opening));
            openings.insert(game.plies[..plies].iter().map(|ply| ply.full).collect::<Vec<_>>());
        }
        assert_eq!(openings.len(), one.len());
        let kinds = one.iter().flat_map(|game| &game.plies).filter(|ply| ply.kind == PlyKind::Blunder);
        assert!((5..60).contains(&kinds.count()));
        // The proven winner wins, unless a player blunders on purpose after the proof.
        for game in &one {
            let mover = |ply: usize| if ply.is_multiple_of(2) { Side::First } else { Side::Second };
            for (index, ply) in game.plies.iter().enumerate().rev() {
                if ply.kind == PlyKind::Blunder {
                    break;
                }
                let won = mover(index) == game.winner;
                assert!(!ply.proven || ply.value == if won { u16::MAX } else { 0 }, "{index}: {ply:?}");
            }
        }
    }

    #[test]
    fn searched_plies_record_visit_shares() {
        // Enough playouts that the queen move of every choice has had one of its arrows visited.
        let game = SelfPlayRecipe { playouts: 100, ..quick() }.play(2);
        for (index, ply) in game.plies.iter().enumerate() {
            assert!(ply.kind != PlyKind::Opening || ply.queen_shares.is_empty());
            let sum: u32 = ply.queen_shares.iter().map(|&(_, share)| u32::from(share)).sum();
            let searched = ply.kind != PlyKind::Opening && !ply.proven;
            assert!(!searched || (60_000..=65_540).contains(&sum), "ply {index}: {sum}");
            assert!(ply.queen_shares.is_sorted_by(|(_, a), (_, b)| a >= b));
            if searched && ply.kind == PlyKind::Best {
                assert!(ply.queen_shares.iter().any(|&(queen, _)| queen == ply.full.queen()), "ply {index}");
                assert!(ply.arrow_shares.iter().any(|&(arrow, _)| arrow == ply.full.arrow), "ply {index}");
            }
            if ply.kind != PlyKind::Best {
                assert_eq!(ply.arrow_shares, []);
            }
        }
        assert_eq!(shares(&[('a', 3), ('b', 1), ('c', 0)]), [('a', 49_151), ('b', 16_384)]);
        assert_eq!(shares::<char>(&[]), []);
    }

    #[test]
    fn headers_tell_recipes_apart() {
        let recipe = quick();
        let header = recipe.header();
        assert_eq!(header, quick().header());
        let mut others = [recipe.clone(), recipe.clone(), recipe.clone(), recipe.clone()];
        others[0].engine.seed = 4;
        others[1].playouts = 13;
        others[2].random_plies = Some(3);
        others[3].engine.set_pair("exploration=0.9").unwrap();
        for other in others {
            let other = other.header();
            assert_ne!(header, other);
            // The first that differs is what a refusal names.
            let names: Vec<&String> = other["selfplay"].as_object().unwrap().keys().collect();
            assert_eq!(names.last().unwrap().as_str(), "version");
        }
    }

    #[test]
    fn openings_that_end_every_game_are_refused() {
        let mut recipe = quick();
        recipe.random_plies = Some(28);
        assert!(recipe.check().unwrap_err().starts_with("28 random plies from here end the game"));
        recipe.random_plies = Some(4);
        recipe.check().unwrap();
    }
}
