//! `quiver bench --stress N`: how late turns end, measured from outside as a judge measures them.
//!
//! Games are played like those of a bot that is kept running: the first turn has a new engine, and
//! each later turn advances the tree by the own move and the reply. The games vary whatever may
//! delay a turn. With little memory the tree is copied often, with much memory pages are new all
//! the time. An expected reply keeps most of the tree, a random one hardly any.

use std::time::{Duration, Instant};

use amazons::random::uniform;
use amazons::{Move, Position};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use serde::Serialize;
use serde_json::{Value, json};

use super::tenths;
use crate::messages::warn;
use crate::search::{Cpu, Engine, EngineOptions, Limits, StopReason, Stopwatch, Time};
use crate::simd::Kernel;

pub(super) struct Stress {
    pub(super) turns: u64,
    pub(super) limit: Duration,
    pub(super) clock: StressClock,
}

/// The clock that the engine holds to the limit.
#[derive(Clone, Copy, Debug, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum StressClock {
    /// Wall time
    Wall,
    /// CPU time of the process
    Cpu,
    /// The larger of both, as on Botzone
    Botzone,
}

/// Games get the memory asked for, and these parts of it, in turn: the less, the more often a tree
/// is copied.
const MEMORY_PARTS: [usize; 3] = [1, 16, 64];
const LEAST_MEMORY: usize = 1 << 20;

/// One reply in this many is random; the others are what the engine expects.
const RANDOM_REPLY: u32 = 8;

/// Most random plies before a game; half as many on average.
const OPENING_PLIES: u32 = 4;

#[derive(Default, Serialize)]
struct LateAnswers {
    board: u8,
    turns: u64,
    fresh: u64,
    /// Turns that began by copying the tree.
    copied: u64,
    /// By the process's CPU time and by the wall, over the limit.
    cpu: Lateness,
    wall: Lateness,
    /// By the engine's own clock, over its own bound; only of turns that ended by it.
    bound: Lateness,
}

/// Times over a limit, in milliseconds, negative where a turn ended early.
#[derive(Clone, Default, Serialize)]
#[serde(into = "Value")]
struct Lateness(Vec<f64>);

impl Stress {
    pub(super) fn run(&self, starts: &[Position], options: &EngineOptions) -> Value {
        json!({
            "stress": self.turns,
            "limit_ms": tenths(self.limit.as_secs_f64() * 1e3),
            "clock": self.clock,
            "kernel": Kernel::best().name(),
            "boards": starts.iter().map(|start| self.on_board(start, options)).collect::<Vec<_>>(),
        })
    }

    fn on_board(&self, start: &Position, options: &EngineOptions) -> LateAnswers {
        let mut lateness = LateAnswers { board: start.size().width(), ..LateAnswers::default() };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
        let mut parts = MEMORY_PARTS.into_iter().cycle();
        while let (true, Some(part)) = (lateness.turns < self.turns, parts.next()) {
            let memory = (options.memory / part).max(LEAST_MEMORY);
            self.play(start, &EngineOptions { memory, ..options.clone() }, &mut rng, &mut lateness);
            warn(format_args!("{}: {} of {} turns", start.size(), lateness.turns, self.turns));
        }
        lateness
    }

    /// Plays a game, or what is left of it to measure.
    fn play(
        &self,
        start: &Position,
        options: &EngineOptions,
        rng: &mut Xoshiro256PlusPlus,
        lateness: &mut LateAnswers,
    ) {
        let mut position = *start;
        for _ in 0..uniform(rng, OPENING_PLIES + 1) {
            let Some(played) = position.random_move(rng) else { return };
            position = position.play_unchecked(played);
        }
        let mut engine: Option<Engine> = None;
        // The own move and the reply to it that the next turn begins with.
        let mut moves: Vec<Move> = Vec::new();
        let mut memory = 0;
        while lateness.turns < self.turns {
            // A fresh process is charged for its engine too.
            let (wall, cpu) = (Instant::now(), Cpu::Process.now());
            let stopwatch = match self.clock {
                StressClock::Wall => Stopwatch::wall(),
                StressClock::Cpu => Stopwatch::cpu(Cpu::Process),
                StressClock::Botzone => Stopwatch { wall: Some(wall), cpu: Some((Cpu::Process, cpu)) },
            };
            let fresh = engine.is_none();
            let engine = engine.get_or_insert_with(|| Engine::new(options, &position));
            moves.iter().for_each(|&played| engine.advance_unchecked(played));
            let time = Some(Time::PerMove(self.limit));
            let report = engine.search(&Limits { time, stopwatch: Some(stopwatch), ..Limits::default() });
            let (cpu, wall) = (Cpu::Process.now().saturating_sub(cpu), wall.elapsed());

            let Some(report) = report else { return };
            lateness.turns += 1;
            lateness.fresh += u64::from(fresh);
            // All else only ever adds to a tree that is kept.
            lateness.copied += u64::from(report.reused > 0 && report.memory < memory);
            memory = report.memory;
            lateness.cpu.note(cpu, self.limit);
            lateness.wall.note(wall, self.limit);
            if let Some(bound) = report.bound.filter(|_| report.stop == Some(StopReason::Time)) {
                lateness.bound.note(report.time, bound);
            }

            position = position.play_unchecked(report.best);
            // Mostly what the engine expects of the opponent.
            let expected =
                report.principal_variation.get(1).copied().filter(|_| uniform(rng, RANDOM_REPLY) > 0);
            let Some(reply) = expected.or_else(|| position.random_move(rng)) else { return };
            position = position.play_unchecked(reply);
            moves = vec![report.best, reply];
        }
    }
}

impl Lateness {
    fn note(&mut self, time: Duration, bound: Duration) {
        self.0.push((time.as_secs_f64() - bound.as_secs_f64()) * 1e3);
    }
}

impl From<Lateness> for Value {
    /// Quantiles of the times, by the nearest rank, and how many are above zero.
    fn from(Lateness(mut times): Lateness) -> Value {
        times.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let rank = (share * times.len() as f64).ceil() as usize;
            times.get(rank.max(1) - 1).map(|&time| (1e3 * time).round() / 1e3)
        };
        json!({
            "count": times.len(),
            "median_ms": quantile(0.5),
            "p99_ms": quantile(0.99),
            "p999_ms": quantile(0.999),
            "worst_ms": quantile(1.0),
            "over": times.iter().filter(|&&time| time > 0.0).count(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_the_nearest_rank() {
        let times = (1..=1000).rev().map(f64::from).chain([-1.0; 1000]).collect();
        let figures = Value::from(Lateness(times));
        let expected = json!({
            "count": 2000, "median_ms": -1.0, "p99_ms": 980.0, "p999_ms": 998.0, "worst_ms": 1000.0, "over": 1000,
        });
        assert_eq!(figures, expected);
        assert_eq!(Value::from(Lateness::default())["worst_ms"], Value::Null);
        assert_eq!(Value::from(Lateness(vec![0.25]))["median_ms"], 0.25);
    }
}
