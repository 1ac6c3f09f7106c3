//! Weaker players for people: fourteen named levels, from a beginner upwards.
//!
//! A weak level errs like people do. It looks at few moves, it looks at them briefly, and it
//! misjudges what it sees: noise is added to the value of every move before the best is chosen. The
//! strength of each level is measured in `tuning/reports/strength.md`.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{Choice, Player, greatest};
use crate::game::{FullMove, Position};
use crate::search::{Engine, EngineOptions, Limits, StopHandle};
use crate::territory::{Evaluator, View, logistic};

/// The method by which a level chooses its moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Thought {
    /// Looks at this many random moves, without a search.
    Glance(u32),
    /// Searches this many playouts.
    Search(u64),
}

/// A strength of play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Its place in [`LEVELS`], from 1.
    pub number: usize,
    /// The name in English.
    pub name: &'static str,
    /// The name in Chinese.
    pub chinese: &'static str,
    /// The method by which it looks at a position.
    pub thought: Thought,
    /// Standard deviation of the error that it makes about a move's winning chance, from 0 to 1.
    pub noise: f64,
}

// The noise is a number.
impl Eq for Level {}

const fn level(
    number: usize,
    name: &'static str,
    chinese: &'static str,
    thought: Thought,
    noise: f64,
) -> Level {
    Level { number, name, chinese, thought, noise }
}

/// The levels, weakest first. `level1` names the first.
pub const LEVELS: [Level; 14] = [
    level(1, "Beginner", "入门", Thought::Glance(4), 0.25),
    level(2, "Novice", "新手", Thought::Glance(8), 0.22),
    level(3, "Learner", "学徒", Thought::Glance(16), 0.19),
    level(4, "Casual", "休闲", Thought::Glance(38), 0.16),
    level(5, "Amateur", "业余", Thought::Glance(100), 0.13),
    level(6, "Regular", "常客", Thought::Glance(230), 0.093),
    level(7, "Club", "棋社", Thought::Glance(300), 0.044),
    level(8, "Solid", "稳健", Thought::Glance(1_300), 0.022),
    level(9, "Skilled", "熟手", Thought::Search(20), 0.12),
    level(10, "Strong", "强手", Thought::Search(45), 0.061),
    level(11, "Expert", "专家", Thought::Search(100), 0.038),
    level(12, "Master", "大师", Thought::Search(200), 0.024),
    level(13, "Grandmaster", "特级大师", Thought::Search(400), 0.01),
    level(14, "Champion", "冠军", Thought::Search(650), 0.003),
];

/// Plays at a level.
#[derive(Debug)]
pub struct LevelPlayer {
    level: Level,
    engine: Engine,
    evaluator: Evaluator,
    rng: Xoshiro256PlusPlus,
}

impl LevelPlayer {
    /// A player about to play from `position`; its errors follow from the seed of `options`.
    pub fn new(level: Level, options: &EngineOptions, position: &Position) -> LevelPlayer {
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

    fn glance(&mut self, moves: u32) -> Option<FullMove> {
        let position = *self.engine.position();
        greatest((0..moves).map_while(|_| {
            let full = position.random_full_move(&mut self.rng)?;
            let next = position.play_unchecked(full);
            let value = logistic(-self.evaluator.log_odds(&View::from(&next))) + self.error();
            Some((value, full))
        }))
    }

    fn search(&mut self, playouts: u64, limits: &Limits) -> Option<Choice> {
        let playouts = Some(limits.playouts.map_or(playouts, |limit| limit.min(playouts)));
        let report = self.engine.search(&Limits { playouts, ..*limits })?;
        let mut full = report.best;
        if self.level.noise > 0.0 {
            let noisy = report.candidates.iter().map(|found| (found.value + self.error(), found.full));
            full = greatest(noisy).unwrap_or(full);
        }
        Some(Choice { full, report: Some(report) })
    }
}

impl Player for LevelPlayer {
    fn warm_up(&mut self) {
        self.engine.warm_up();
    }

    fn set_position(&mut self, position: &Position) {
        self.engine.set_position(position);
    }

    fn advance(&mut self, full: FullMove) {
        self.engine.advance(full);
    }

    fn choose(&mut self, limits: &Limits) -> Option<Choice> {
        match self.level.thought {
            Thought::Glance(moves) => self.glance(moves).map(|full| Choice { full, report: None }),
            Thought::Search(playouts) => self.search(playouts, limits),
        }
    }

    fn stop_handle(&self) -> Option<StopHandle> {
        Some(self.engine.stop_handle())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Size;
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
        // A search evaluates every move of its root first, so even ten playouts see all moves.
        let effort = |level: &Level| match level.thought {
            Thought::Glance(moves) => u64::from(moves),
            Thought::Search(playouts) => 10_000 + playouts,
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
