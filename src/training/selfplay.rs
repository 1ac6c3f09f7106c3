//! Plays games of the engine against itself.
//!
//! A game depends only on its number and the recipe, so the games are the same for any number of
//! threads and any order of completion. One engine with one tree plays both sides.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use amazons::hash::mix;
use amazons::random::uniform;
use amazons::{Move, Position, Size};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::KIND;
use super::policy_rows::MAX_SHARES;
use crate::contest::{BLUNDER, GameRecord, Openings, RecordedPlayer, record};
use crate::files::{Journal, JournalError};
use crate::games::{EndKind, Game, GameEnd, PlayedMove, TurnFacts};
use crate::search::{Engine, EngineOptions, Limits, Report, StopHandle};
use crate::{InputError, jobs};

/// The mark of seeds for openings and blunders.
const CHANCE: u64 = 11;
/// The mark of seeds for searches.
const SEARCH: u64 = 12;

/// The number of attempts to draw an opening: enough if one in a hundred succeeds.
const TRIES: usize = 10_000;

/// The settings of games of self-play.
#[derive(Clone, Debug)]
pub struct SelfPlayRecipe {
    /// The position that openings begin from.
    pub start: Position,
    /// The number of playouts of each search, besides those kept from the search before.
    pub playouts: u64,
    /// The number of random plies at the start of each game; `None` draws 2 to 8 for each game.
    pub random_plies: Option<usize>,
    /// The chance, from 0 to 1, that a random move replaces the search's choice.
    pub blunders: f64,
    /// The engine. Its seed is also the recipe's.
    pub engine: EngineOptions,
}

impl SelfPlayRecipe {
    /// The header of records of these games. Two headers are equal exactly if the recipes are equal
    /// and the engines play alike with the same weights. The number of games is not part of it.
    pub fn header(&self) -> Value {
        let parameters = self.engine.values(self.start.size());
        let [net, evaluator] = checksums(&self.engine, self.start.size());
        json!({"contest": {
            "start": self.start,
            "seed": self.engine.seed,
            "playouts": self.playouts,
            "random_plies": self.random_plies,
            "blunders": self.blunders,
            "memory": self.engine.memory,
            "parameters": parameters.collect::<BTreeMap<_, _>>(),
            // Last by its name: if other settings differ, they say more than this.
            "version": {
                "quiver": env!("CARGO_PKG_VERSION"),
                "evaluator": evaluator,
                "net": net,
                "play": format!("{:016x}", self.play_digest()),
            },
        }})
    }

    /// A digest of a game by this recipe at few playouts. It changes when the search changes.
    fn play_digest(&self) -> u64 {
        let quick = SelfPlayRecipe { playouts: self.playouts.min(40), ..self.clone() };
        let line = quick.play(u32::MAX).line();
        line.bytes().fold(0, |digest, byte| mix(&[digest, u64::from(byte)]))
    }

    /// Continues a record of these games, or begins one. Returns its games too.
    pub(crate) fn resume(&self, path: &Path) -> Result<(Journal, Vec<GameRecord>), JournalError> {
        record::resume(&KIND, path, &self.header())
    }

    /// Plays the games with these numbers, `concurrency` at a time, and returns them by number.
    /// There are fewer if `stop` ends the work after the games in progress.
    ///
    /// # Errors
    /// If almost no game is longer than the random plies.
    pub fn play_all(
        &self,
        numbers: Range<u32>,
        concurrency: usize,
        stop: &StopHandle,
    ) -> Result<Vec<GameRecord>, InputError> {
        self.check()?;
        let (numbers, mut records): (Vec<u32>, _) = (numbers.collect(), Vec::new());
        let take = |record| {
            records.push(record);
            Ok::<_, Infallible>(ControlFlow::Continue(()))
        };
        let Ok(()) = jobs::run(concurrency, stop, &numbers, |&number| Some(self.play(number)), take);
        records.sort_by_key(|record| record.number);
        Ok(records)
    }

    /// Checks that games last longer than the random plies that they begin with.
    pub(crate) fn check(&self) -> Result<(), InputError> {
        Openings::random(self.start, self.random_plies.unwrap_or(8), self.engine.seed).map(|_| ())
    }

    /// Plays the game with this number, counted from 0.
    pub(crate) fn play(&self, number: u32) -> GameRecord {
        let seed = |mark| mix(&[self.engine.seed, mark, u64::from(number)]);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed(CHANCE));
        let plies = self.random_plies.unwrap_or_else(|| 2 + uniform(&mut rng, 7) as usize);
        let opening = (0..TRIES).find_map(|_| self.start.random_line(plies, &mut rng));
        let (moves, position) = opening.unwrap_or((Vec::new(), self.start));
        let legal = "the engine plays by the rules";
        let player = RecordedPlayer { name: "quiver selfplay".to_owned(), ..RecordedPlayer::default() };
        let players = [player.clone(), player];
        let mut record =
            GameRecord::new(number as usize, players, Game::of(self.start, &moves).expect(legal));

        let options = EngineOptions { seed: seed(SEARCH), ..self.engine.clone() };
        // Each game has a new engine, so it depends only on its number. The memory costs nothing
        // until the tree uses it.
        let mut engine = Engine::new(&options, &position);
        while let Some(report) = engine.search(&Limits::playouts(self.playouts)) {
            // 53 bits fill a float's fraction, so the chance is exact and the same everywhere.
            let blundered = ((rng.next_u64() >> 11) as f64) < self.blunders * (1u64 << 53) as f64;
            let played = if blundered { blunder(engine.position(), &report, &mut rng) } else { report.best };
            // If the solver has proven the winner, visits are meaningless.
            let (queen_moves, arrows) = match report.ending {
                None => (engine.queen_visits(), engine.arrow_visits(played.queen())),
                Some(_) => Default::default(),
            };
            let facts = TurnFacts {
                comment: if blundered { BLUNDER.to_owned() } else { String::new() },
                // Six digits are more than rows store.
                value: Some((report.value * 1e6).round() / 1e6),
                proven: report.proven,
                queen_shares: shares(&queen_moves),
                arrow_shares: if blundered { Vec::new() } else { shares(&arrows) },
                ..TurnFacts::default()
            };
            record.game.play(PlayedMove { played, facts }).expect(legal);
            engine.advance_unchecked(played);
        }
        record.game.end = Some(GameEnd::new(!engine.position().to_move(), EndKind::NoMove));
        record
    }
}

/// The checksums of an engine's network and of its evaluator's weights on boards of this size.
pub(crate) fn checksums(engine: &EngineOptions, size: Size) -> [String; 2] {
    let [small, large] = engine.evaluator.weights();
    let weights = if size.is_large() { large } else { small };
    [format!("{:08x}", engine.networks.on(size).checksum()), format!("{:016x}", weights.checksum())]
}

/// The most visited moves with their shares of all visits in units of 1 / 65,535, by sorted
/// `visits`.
pub(super) fn shares<T: Copy>(visits: &[(T, u32)]) -> Vec<(T, u16)> {
    let total: u64 = visits.iter().map(|&(_, visits)| u64::from(visits)).sum();
    let share = |visits| ((u64::from(visits) * u64::from(u16::MAX) + total / 2) / total) as u16;
    let visited = visits.iter().filter(|(_, visits)| *visits > 0);
    visited.take(MAX_SHARES).map(|&(what, visits)| (what, share(visits))).collect()
}

/// A deliberate blunder: with equal chances another candidate, or a random legal move.
fn blunder(position: &Position, report: &Report, rng: &mut impl Rng) -> Move {
    let others = report.candidates.iter().map(|candidate| candidate.played);
    let others: Vec<Move> = others.filter(|&played| played != report.best).collect();
    if !others.is_empty() && uniform(rng, 2) == 0 {
        return others[uniform(rng, others.len() as u32) as usize];
    }
    position.random_move(rng).unwrap_or(report.best)
}

#[cfg(test)]
mod tests {
    use super::shares;

    // `tests/training.rs` shows what games are like.
    #[test]
    fn shares_are_of_all_visits() {
        assert_eq!(shares(&[('a', 3), ('b', 1), ('c', 0)]), [('a', 49_151), ('b', 16_384)]);
        assert_eq!(shares::<char>(&[]), []);
    }
}
