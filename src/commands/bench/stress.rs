//! `quiver bench --stress N`: measures how late the engine's turns end. Like a judge of matches, it
//! measures with a clock outside the engine.
//!
//! The engine plays games like a bot that is kept running: the first turn creates the engine, and
//! each later turn advances the tree by the engine's move and the opponent's reply. The games have
//! different amounts of memory. With little memory the engine often copies the tree, and with much
//! memory the system often maps new pages. Both may delay a turn. After a reply that the engine
//! expects, the engine keeps most of the tree. After a random reply it keeps almost nothing.

use std::time::{Duration, Instant};

use amazons::random::uniform;
use amazons::{Move, Position};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use serde::Serialize;

use super::round_to_tenths;
use crate::messages::warn;
use crate::search::{Cpu, Engine, EngineOptions, Limits, StopReason, Stopwatch, Time};
use crate::simd::Kernel;

pub(super) struct StressTest {
    pub(super) turns: u64,
    pub(super) limit: Duration,
    pub(super) clock: StressClock,
}

/// The clock by which the engine keeps the time limit of a turn.
#[derive(Clone, Copy, Debug, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum StressClock {
    /// Wall time
    Wall,
    /// CPU time of the process
    Cpu,
    /// The larger of wall time and CPU time, as on Botzone
    Botzone,
}

/// Each game divides the engine's memory by the next of these numbers. After the last number, the
/// first number is used again. With less memory the engine copies the tree more often.
const MEMORY_DIVISORS: [usize; 3] = [1, 16, 64];
const MIN_MEMORY: usize = 1 << 20;

/// On average, the opponent plays a random reply once in this number of turns. In all other turns
/// it plays the reply that the engine expects.
const RANDOM_REPLY_INTERVAL: u32 = 8;

const MAX_OPENING_PLIES: u32 = 4;

/// The result of `bench --stress`.
#[derive(Serialize)]
pub(super) struct StressReport {
    /// The number of turns on each board.
    stress: u64,
    /// The time limit of a turn in milliseconds.
    limit_ms: f64,
    clock: StressClock,
    kernel: &'static str,
    boards: Vec<StressFigures>,
}

/// The measurements of all turns on one board.
#[derive(Default, Serialize)]
struct StressFigures {
    board: u8,
    turns: u64,
    /// Number of turns that created a new engine.
    fresh: u64,
    /// Number of turns that began with a copy of the tree.
    copied: u64,
    /// CPU time of the process during a turn, minus the turn's limit.
    cpu: Lateness,
    /// Wall time of a turn, minus the turn's limit.
    wall: Lateness,
    /// The search's time minus the search's limit, which is the turn's limit less a margin. Only
    /// searches that ran out of time are measured.
    bound: Lateness,
}

/// By how many milliseconds each turn exceeded a time limit; negative for turns that ended in time.
#[derive(Clone, Default, Serialize)]
#[serde(into = "LatenessFigures")]
struct Lateness(Vec<f64>);

/// Quantiles of the lateness by the nearest-rank method, in milliseconds; `None` without turns.
#[derive(Debug, PartialEq, Serialize)]
struct LatenessFigures {
    count: usize,
    median_ms: Option<f64>,
    p99_ms: Option<f64>,
    p999_ms: Option<f64>,
    worst_ms: Option<f64>,
    /// The number of turns that exceeded the limit.
    over: usize,
}

impl StressTest {
    pub(super) fn run(&self, starts: &[Position], options: &EngineOptions) -> StressReport {
        StressReport {
            stress: self.turns,
            limit_ms: round_to_tenths(self.limit.as_secs_f64() * 1e3),
            clock: self.clock,
            kernel: Kernel::best().name(),
            boards: starts.iter().map(|start| self.measure_board(start, options)).collect(),
        }
    }

    fn measure_board(&self, start: &Position, options: &EngineOptions) -> StressFigures {
        let mut figures = StressFigures { board: start.size().width(), ..StressFigures::default() };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
        let mut divisors = MEMORY_DIVISORS.into_iter().cycle();
        while let (true, Some(divisor)) = (figures.turns < self.turns, divisors.next()) {
            let memory = (options.memory / divisor).max(MIN_MEMORY);
            self.play(start, &EngineOptions { memory, ..options.clone() }, &mut rng, &mut figures);
            warn(format_args!("{}: {} of {} turns", start.size(), figures.turns, self.turns));
        }
        figures
    }

    fn play(
        &self,
        start: &Position,
        options: &EngineOptions,
        rng: &mut Xoshiro256PlusPlus,
        figures: &mut StressFigures,
    ) {
        let mut position = *start;
        for _ in 0..uniform(rng, MAX_OPENING_PLIES + 1) {
            let Some(played) = position.random_move(rng) else { return };
            position = position.play_unchecked(played);
        }
        let mut engine: Option<Engine> = None;
        // The engine's last move and the reply to it, by which the next turn advances the tree.
        let mut moves: Vec<Move> = Vec::new();
        let mut memory = 0;
        while figures.turns < self.turns {
            // The measured time includes the creation of the engine, as in a bot's first turn.
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
            figures.turns += 1;
            figures.fresh += u64::from(fresh);
            // The memory of a kept tree decreases only when the engine copies the tree.
            figures.copied += u64::from(report.reused > 0 && report.memory < memory);
            memory = report.memory;
            figures.cpu.record_lateness(cpu, self.limit);
            figures.wall.record_lateness(wall, self.limit);
            if let Some(bound) = report.bound.filter(|_| report.stop == Some(StopReason::Time)) {
                figures.bound.record_lateness(report.time, bound);
            }

            position = position.play_unchecked(report.best);
            let expected = report
                .principal_variation
                .get(1)
                .copied()
                .filter(|_| uniform(rng, RANDOM_REPLY_INTERVAL) > 0);
            let Some(reply) = expected.or_else(|| position.random_move(rng)) else { return };
            position = position.play_unchecked(reply);
            moves = vec![report.best, reply];
        }
    }
}

impl Lateness {
    fn record_lateness(&mut self, time: Duration, limit: Duration) {
        self.0.push((time.as_secs_f64() - limit.as_secs_f64()) * 1e3);
    }
}

impl From<Lateness> for LatenessFigures {
    fn from(Lateness(mut times): Lateness) -> LatenessFigures {
        times.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let rank = (share * times.len() as f64).ceil() as usize;
            times.get(rank.max(1) - 1).map(|&time| (1e3 * time).round() / 1e3)
        };
        LatenessFigures {
            count: times.len(),
            median_ms: quantile(0.5),
            p99_ms: quantile(0.99),
            p999_ms: quantile(0.999),
            worst_ms: quantile(1.0),
            over: times.iter().filter(|&&time| time > 0.0).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_the_nearest_rank() {
        let times = (1..=1000).rev().map(f64::from).chain([-1.0; 1000]).collect();
        let expected = LatenessFigures {
            count: 2000,
            median_ms: Some(-1.0),
            p99_ms: Some(980.0),
            p999_ms: Some(998.0),
            worst_ms: Some(1000.0),
            over: 1000,
        };
        assert_eq!(LatenessFigures::from(Lateness(times)), expected);
        assert_eq!(LatenessFigures::from(Lateness::default()).worst_ms, None);
        assert_eq!(LatenessFigures::from(Lateness(vec![0.25])).median_ms, Some(0.25));
    }
}
