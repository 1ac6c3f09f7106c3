//! Weaker players for human opponents: fourteen named levels, from beginner to champion.
//!
//! A weak level makes human errors: it examines few moves, searches them briefly, and misjudges
//! their values. The report `tuning/reports/strength.md` gives the strength of each level.

use amazons::Position;
use rand_xoshiro::rand_core::Rng;

use super::{Choice, greatest};
use crate::search::{Engine, Limits};
use crate::territory::{Evaluator, View, logistic};

/// The method by which a level chooses its moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Evaluates this many random moves without a search.
    Sample(u32),
    /// Searches with this many playouts.
    Search(u64),
}

use Method::{Sample, Search};

/// A level of strength for human opponents: the settings of one weaker player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The number of the level, from 1 for the weakest.
    pub number: usize,
    /// The English name of the level.
    pub name: &'static str,
    /// The method by which the level chooses its moves.
    pub method: Method,
    /// The standard deviation of the error that the level adds to a winning chance from 0 to 1.
    pub noise: f64,
}

// Equality is reflexive, because the noise of a level is never NaN.
impl Eq for Level {}

/// All levels, weakest first. The player `level1` is the first.
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

impl Level {
    /// A random error with mean 0 and the level's standard deviation. It is the sum of twelve
    /// uniform numbers, which is nearly normally distributed and the same on every machine.
    fn random_noise(self, rng: &mut impl Rng) -> f64 {
        let sum: f64 = (0..12).map(|_| (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64).sum();
        (sum - 6.0) * self.noise
    }

    /// The best of `moves` random moves, by their static values plus the level's random errors.
    pub(super) fn best_of_random_moves(
        self,
        moves: u32,
        position: &Position,
        evaluator: &Evaluator,
        rng: &mut impl Rng,
    ) -> Option<Choice> {
        let best = greatest((0..moves).map_while(|_| {
            let chosen = position.random_move(rng)?;
            let next = position.play_unchecked(chosen);
            let value = logistic(-evaluator.log_odds(&View::from(&next))) + self.random_noise(rng);
            Some((value, chosen))
        }));
        best.map(Choice::from)
    }

    /// The best candidate of a search, by the candidates' values plus the level's random errors.
    pub(super) fn search(
        self,
        playouts: u64,
        engine: &mut Engine,
        limits: &Limits,
        rng: &mut impl Rng,
    ) -> Option<Choice> {
        let playouts = Some(limits.playouts.map_or(playouts, |limit| limit.min(playouts)));
        let report = engine.search(&Limits { playouts, ..limits.clone() })?;
        let noisy = report.candidates.iter().map(|found| (found.value + self.random_noise(rng), found));
        let chosen = greatest(noisy).cloned();
        Some(match chosen {
            Some(candidate) => Choice::of_candidate(candidate, report),
            None => Choice { chosen: report.best, report: Some(report) },
        })
    }
}

#[cfg(test)]
mod tests {
    use amazons::Size;

    use super::*;
    use crate::players::PlayerKind;
    use crate::search::EngineOptions;

    #[test]
    fn names_of_levels_round_trip() {
        for (number, level) in (1..).zip(LEVELS) {
            let kind = PlayerKind::Level(level);
            assert_eq!((level.number, kind.to_string().parse()), (number, Ok(kind)));
        }
        for other in ["level", "level0", "level15", "level-1", "level+1", "level01", "levels1", "level300"] {
            assert!(other.parse::<PlayerKind>().is_err(), "{other}");
        }
    }

    #[test]
    fn effort_never_decreases_with_level() {
        // `Search` first evaluates all moves of the root, so it needs more work than any `Sample`.
        let effort = |level: &Level| match level.method {
            Sample(moves) => u64::from(moves),
            Search(playouts) => 10_000 + playouts,
        };
        for pair in LEVELS.windows(2) {
            assert!(effort(&pair[0]) <= effort(&pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn report_of_a_lost_position_keeps_the_proof() {
        let position: Position = "2*1q1/*1qQ*1/*q**q*/1*1**1/Q1*Q*1/1*Q1*1 w".parse().unwrap();
        let options = EngineOptions { memory: 1 << 20, ..EngineOptions::default() };
        for seed in 0..20 {
            let options = EngineOptions { seed, ..options.clone() };
            let mut player = PlayerKind::Level(LEVELS[13]).build(&options, &position);
            let Choice { chosen, report } = player.choose(&Limits::playouts(30)).unwrap();
            let report = report.unwrap();
            assert_eq!((report.best, report.principal_variation[0]), (chosen, chosen));
            assert!(report.proven && report.value == 0.0 && report.ending.is_some(), "{report:?}");
        }
    }

    #[test]
    fn levels_obey_limits_of_the_caller() {
        let start = Position::start(Size::square(6).unwrap()).unwrap();
        let options = EngineOptions { memory: 1 << 20, ..EngineOptions::default() };
        let mut player = PlayerKind::Level(LEVELS[13]).build(&options, &start);
        let report = player.choose(&Limits::playouts(3)).unwrap().report.unwrap();
        assert_eq!(report.playouts, 3);
    }
}
