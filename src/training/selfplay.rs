//! Plays games of the engine against itself.
//!
//! A game depends only on its number and on the settings of the [`SelfPlayRecipe`], not on the
//! number of threads. One engine with one tree plays both sides.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::Range;
use std::path::Path;

use amazons::hash::mix;
use amazons::random::uniform;
use amazons::{Move, Position, Size};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::SELFPLAY_JOURNAL;
use super::policy_rows::MAX_SHARES;
use crate::contest::{BLUNDER_COMMENT, GameRecord, Openings, RecordedPlayer, record};
use crate::files::{Journal, JournalError};
use crate::games::{EndKind, Game, GameEnd, PlayedMove, TurnFacts};
use crate::search::{Engine, EngineOptions, Limits, Report, StopHandle};
use crate::{InputError, jobs};

/// The number mixed into a game's seed for the random numbers of its opening and blunders.
const OPENING_STREAM: u64 = 11;
/// The number mixed into a game's seed for the random numbers of its searches.
const SEARCH_STREAM: u64 = 12;

const MAX_OPENING_DRAWS: usize = 10_000;

#[derive(Clone, Debug)]
pub struct SelfPlayRecipe {
    pub start: Position,
    pub playouts: u64,
    /// The number of random plies at the start of each game; `None` draws 2 to 8 for each game.
    pub random_plies: Option<usize>,
    /// The chance, from 0 to 1, that a random move replaces the engine's move.
    pub blunders: f64,
    /// The options of the engine. Their seed also determines the openings and blunders.
    pub engine: EngineOptions,
}

impl SelfPlayRecipe {
    /// The header of a record of this recipe's games. Two headers are equal exactly if the recipes
    /// are equal and the engines play alike. The header does not depend on the number of games.
    pub fn header(&self) -> Value {
        let parameters = self.engine.parameters.on(self.start.size()).values();
        let [net, evaluator] = checksums(&self.engine, self.start.size());
        json!({"contest": {
            "start": self.start,
            "seed": self.engine.seed,
            "playouts": self.playouts,
            "random_plies": self.random_plies,
            "blunders": self.blunders,
            "memory": self.engine.memory,
            "parameters": parameters.collect::<BTreeMap<_, _>>(),
            // `version` is last, because an error message names only the first key that differs.
            "version": {
                "quiver": env!("CARGO_PKG_VERSION"),
                "evaluator": evaluator,
                "net": net,
                "play": format!("{:016x}", self.sample_game_digest()),
            },
        }})
    }

    /// A hash of one game of at most 40 playouts a move, which shows whether engines play alike.
    fn sample_game_digest(&self) -> u64 {
        let quick = SelfPlayRecipe { playouts: self.playouts.min(40), ..self.clone() };
        let line = quick.play(u32::MAX).line();
        line.bytes().fold(0, |digest, byte| mix(&[digest, u64::from(byte)]))
    }

    pub(crate) fn resume(&self, path: &Path) -> Result<(Journal, Vec<GameRecord>), JournalError> {
        record::resume(&SELFPLAY_JOURNAL, path, &self.header())
    }

    /// Plays the games with these numbers, `concurrency` at a time, and returns them in order of
    /// number. After `stop` is set, no further game begins.
    ///
    /// # Errors
    /// If almost all games would end within their random plies.
    pub fn play_all(
        &self,
        numbers: Range<u32>,
        concurrency: usize,
        stop: &StopHandle,
    ) -> Result<Vec<GameRecord>, InputError> {
        self.check_openings()?;
        let (numbers, mut records): (Vec<u32>, _) = (numbers.collect(), Vec::new());
        let take = |record| {
            records.push(record);
            Ok::<_, Infallible>(())
        };
        let Ok(()) = jobs::run(concurrency, stop, &numbers, |&number| Some(self.play(number)), take);
        records.sort_by_key(|record| record.number);
        Ok(records)
    }

    /// Checks that most games do not end within their random plies.
    pub(crate) fn check_openings(&self) -> Result<(), InputError> {
        Openings::random(self.start, self.random_plies.unwrap_or(8), self.engine.seed).map(|_| ())
    }

    pub(crate) fn play(&self, number: u32) -> GameRecord {
        let seed = |mark| mix(&[self.engine.seed, mark, u64::from(number)]);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed(OPENING_STREAM));
        let plies = self.random_plies.unwrap_or_else(|| 2 + uniform(&mut rng, 7) as usize);
        let opening = (0..MAX_OPENING_DRAWS).find_map(|_| self.start.random_line(plies, &mut rng));
        let (moves, position) = opening.unwrap_or((Vec::new(), self.start));
        let legal = "the engine plays by the rules";
        let player = RecordedPlayer { name: "quiver selfplay".to_owned(), ..RecordedPlayer::default() };
        let players = [player.clone(), player];
        let mut record =
            GameRecord::new(number as usize, players, Game::of(self.start, &moves).expect(legal));

        let options = EngineOptions { seed: seed(SEARCH_STREAM), ..self.engine.clone() };
        let mut engine = Engine::new(&options, &position);
        while let Some(report) = engine.search(&Limits::playouts(self.playouts)) {
            // A number of 53 bits is exact as `f64`, so the draw is the same on every platform.
            let blundered = ((rng.next_u64() >> 11) as f64) < self.blunders * (1u64 << 53) as f64;
            let played = if blundered { blunder(engine.position(), &report, &mut rng) } else { report.best };
            // If the solver has proven the winner, the visits of moves mean nothing.
            let (queen_moves, arrows) = match report.ending {
                None => (engine.queen_visits(), engine.arrow_visits(played.queen())),
                Some(_) => Default::default(),
            };
            let facts = TurnFacts {
                comment: if blundered { BLUNDER_COMMENT.to_owned() } else { String::new() },
                // Six decimal digits are enough, because training rows store values less precisely.
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

/// The most visited moves with their shares of all visits, in units of 1 / 65,535. `visits` must be
/// sorted, most visited first.
pub(super) fn shares<T: Copy>(visits: &[(T, u32)]) -> Vec<(T, u16)> {
    let total: u64 = visits.iter().map(|&(_, visits)| u64::from(visits)).sum();
    let share = |visits| ((u64::from(visits) * u64::from(u16::MAX) + total / 2) / total) as u16;
    let visited = visits.iter().filter(|(_, visits)| *visits > 0);
    visited.take(MAX_SHARES).map(|&(what, visits)| (what, share(visits))).collect()
}

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

    #[test]
    fn shares_are_of_all_visits() {
        assert_eq!(shares(&[('a', 3), ('b', 1), ('c', 0)]), [('a', 49_151), ('b', 16_384)]);
        assert_eq!(shares::<char>(&[]), []);
    }
}
