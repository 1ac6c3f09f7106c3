//! Weaker players for human opponents: fourteen named levels, from a beginner upwards.
//!
//! A weak level makes human errors: it examines few moves, searches them briefly, and misjudges
//! their values. Noise is added to the value of every move before the best is chosen. The report
//! `tuning/reports/strength.md` has the strength of each level.

use amazons::{Move, Position};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{Choice, Player, greatest};
use crate::search::{Engine, EngineOptions, Limits};
use crate::territory::{Evaluator, View, logistic};

/// The method by which a level chooses its moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Evaluates this many random moves, without a search.
    Sample(u32),
    /// Searches with this many playouts.
    Search(u64),
}

use Method::{Sample, Search};

/// A strength of play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The number of the level, from 1 for the weakest.
    pub number: usize,
    /// The name in English.
    pub name: &'static str,
    /// The method by which the level chooses its moves.
    pub method: Method,
    /// The standard deviation of the error in a move's winning chance, from 0 to 1.
    pub noise: f64,
}

// No level's noise is NaN.
impl Eq for Level {}

/// The levels, weakest first. `level1` names the first.
pub const LEVELS: [Level; 14] = [
    Level { number: 1, name: "Beginner", method: Sample(4), noise: 0.25 },
    Level { number: 2, name: "Novice", method: Sample(8), noise: 0.22 },
    Level { number: 3, name: "Learner", method: Sample(16), noise: 0.19 },
    Level { number: 4, name: "Casual", method: Sample(38), noise: 0.16 },
    Level { number: 5, name: "Amateur", method: Sample(100), noise: 0.13 },
    Level { number: 6, name: "Regular", method: Sample(230), noise: 0.093 },
    Level { number: 7, name: "Club", method: Sample(300), noise: 0.044 },
    Level { number: 8, name: "Solid", method: Sample(1_300), noise: 0.022 },
    Level { number: 9, name: "Skilled", method: Search(20), noise: 0.12 },
    Level { number: 10, name: "Strong", method: Search(45), noise: 0.061 },
    Level { number: 11, name: "Expert", method: Search(100), noise: 0.038 },
    Level { number: 12, name: "Master", method: Search(200), noise: 0.024 },
    Level { number: 13, name: "Grandmaster", method: Search(400), noise: 0.01 },
    Level { number: 14, name: "Champion", method: Search(650), noise: 0.003 },
];

/// Plays at a level.
#[derive(Debug)]
pub(super) struct LevelPlayer {
    level: Level,
    engine: Engine,
    evaluator: Evaluator,
    rng: Xoshiro256PlusPlus,
}

impl LevelPlayer {
    /// A player that will play from `position`. The seed of `options` determines its errors.
    pub(super) fn new(level: Level, options: &EngineOptions, position: &Position) -> LevelPlayer {
        LevelPlayer {
            level,
            engine: Engine::new(options, position),
            evaluator: options.evaluator.clone(),
            rng: Xoshiro256PlusPlus::seed_from_u64(options.seed),
        }
    }

    /// An error with mean 0 and the level's standard deviation: the sum of twelve uniform numbers,
    /// which is nearly normal and the same on every machine.
    fn error(&mut self) -> f64 {
        let sum: f64 = (0..12).map(|_| (self.rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64).sum();
        (sum - 6.0) * self.level.noise
    }

    fn sample(&mut self, moves: u32) -> Option<Move> {
        let position = *self.engine.position();
        greatest((0..moves).map_while(|_| {
            let chosen = position.random_move(&mut self.rng)?;
            let next = position.play_unchecked(chosen);
            let value = logistic(-self.evaluator.log_odds(&View::from(&next))) + self.error();
            Some((value, chosen))
        }))
    }

    fn search(&mut self, playouts: u64, limits: &Limits) -> Option<Choice> {
        let playouts = Some(limits.playouts.map_or(playouts, |limit| limit.min(playouts)));
        let report = self.engine.search(&Limits { playouts, ..limits.clone() })?;
        let noisy = report.candidates.iter().map(|found| (found.value + self.error(), found.played));
        let chosen = greatest(noisy).unwrap_or(report.best);
        Some(Choice { chosen, report: Some(report) })
    }
}

impl Player for LevelPlayer {
    fn warm_up(&mut self) {
        self.engine.warm_up();
    }

    fn set_position(&mut self, position: &Position) {
        self.engine.set_position(position);
    }

    fn advance(&mut self, chosen: Move) {
        self.engine.advance_unchecked(chosen);
    }

    fn choose(&mut self, limits: &Limits) -> Option<Choice> {
        match self.level.method {
            Sample(moves) => self.sample(moves).map(Choice::from),
            Search(playouts) => self.search(playouts, limits),
        }
    }
}

#[cfg(test)]
mod tests {
    use amazons::Size;

    use super::*;
    use crate::players::PlayerKind;

    #[test]
    fn levels_are_read_as_they_are_written() {
        for (number, level) in (1..).zip(LEVELS) {
            let kind = PlayerKind::Level(level);
            assert_eq!((level.number, kind.to_string().parse()), (number, Ok(kind)));
        }
        for other in ["level", "level0", "level15", "level-1", "levels1", "level300"] {
            assert!(other.parse::<PlayerKind>().is_err(), "{other}");
        }
    }

    #[test]
    fn every_level_thinks_at_least_as_much_as_the_one_before() {
        // A search first evaluates every move of its root, so even ten playouts see all moves.
        let effort = |level: &Level| match level.method {
            Sample(moves) => u64::from(moves),
            Search(playouts) => 10_000 + playouts,
        };
        for pair in LEVELS.windows(2) {
            assert!(effort(&pair[0]) <= effort(&pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn a_limit_of_the_caller_holds_for_a_level_too() {
        let start = Position::start(Size::square(6).unwrap()).unwrap();
        let options = EngineOptions { memory: 1 << 20, ..EngineOptions::default() };
        let mut player = LevelPlayer::new(LEVELS[13], &options, &start);
        let report = player.choose(&Limits::playouts(3)).unwrap().report.unwrap();
        assert_eq!(report.playouts, 3);
    }
}
