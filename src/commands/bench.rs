//! `quiver bench`: measures how fast the engine does a fixed amount of work, and prints a
//! signature: a hash of its play. `--stress` measures how late turns end. The environment variable
//! `QUIVER_KERNEL=portable` selects the engine code that runs on every processor.

mod stress;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use amazons::{Position, QueenMove, Side};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use serde::Serialize;
use serde_json::{Value, json};

use super::options::{BoardArgs, EngineArgs, start};
use super::print_result;
use super::value_parsers::parse_seconds;
use crate::players::Book;
use crate::policy::{Inference, Network};
use crate::search::{Engine, EngineOptions, Limits};
use crate::simd::Kernel;
use crate::territory::reference::Grid;
use crate::territory::{Evaluator, Terms, View, flood_distances};
use crate::threads;
use crate::training::checksums;
use stress::{StressClock, StressTest};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print the figures as one JSON object
    #[arg(long)]
    json: bool,
    /// Print only the signature, a hash of the engine's play; with --board, the signature on that
    /// board and the checksums of the network, weights and book for that board
    #[arg(long, conflicts_with = "stress")]
    signature: bool,
    /// Play games for N turns and measure how late each turn ends, instead of the speed [default
    /// boards: 8 and 10]
    #[arg(long, value_name = "TURNS", value_parser = clap::value_parser!(u64).range(1..))]
    stress: Option<u64>,
    /// With --stress: the time limit of a turn
    #[arg(long, value_name = "SECONDS", default_value = "0.02", value_parser = parse_seconds, requires = "stress", conflicts_with = "signature")]
    time: Duration,
    /// With --stress: the clock that the time limit refers to
    #[arg(
        long,
        value_name = "CLOCK",
        value_enum,
        default_value = "wall",
        requires = "stress",
        conflicts_with = "signature"
    )]
    clock: StressClock,
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

const PLAYOUTS_PER_SEARCH: u64 = 2_000;

/// The number of rounds of each measurement. The fastest round counts: disturbances only add time.
const ROUNDS: usize = 7;

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let options = args.engine.options()?;
    if let Some(turns) = args.stress {
        let boards = if args.board.is_from_command_line() { vec![args.board.board] } else { vec![8, 10] };
        let starts = boards.into_iter().map(start).collect::<anyhow::Result<Vec<_>>>()?;
        let report = StressTest { turns, limit: args.time, clock: args.clock }.run(&starts, &options);
        let figures = serde_json::to_value(report)?;
        return print_result(args.json, &figures, || scalar_lines(&figures, ""));
    }
    let start = args.board.start()?;
    let one_thread = EngineOptions { threads: 1, ..options.clone() };
    let figures = if args.signature && args.board.is_from_command_line() {
        serde_json::to_value(board_signature(&start, &one_thread)?)?
    } else {
        let signature = play_signature(&one_thread, &[6, 8, 10])?;
        match args.signature {
            true if args.json => json!({"signature": signature}),
            true => return super::print(format_args!("{signature}\n")),
            false => serde_json::to_value(speeds(signature, &start, &options, &one_thread))?,
        }
    };
    print_result(args.json, &figures, || scalar_lines(&figures, ""))
}

/// The result of `bench`, whose fields `json.md` describes. A field that ends in `_ns` is the mean
/// time of one call in nanoseconds, in the fastest of [`ROUNDS`] rounds.
#[derive(Serialize)]
struct Speeds {
    signature: String,
    board: u8,
    playouts_per_second: f64,
    bytes_per_playout: f64,
    static_evaluations_per_second: f64,
    kernel: &'static str,
    distance_ns: f64,
    reference_distance_ns: f64,
    distance_speedup: f64,
    evaluation_ns: f64,
    queen_child_ns: f64,
    arrow_child_ns: f64,
    reference_evaluation_ns: f64,
    evaluation_speedup: f64,
    policy_ns: f64,
    playout_plies_per_second: f64,
    thread_scaling: BTreeMap<usize, f64>,
    collisions_per_playout: BTreeMap<usize, f64>,
}

/// The result of `bench --signature` with a board.
#[derive(Serialize)]
struct BoardSignature {
    board: u8,
    signature: String,
    network: String,
    weights: String,
    /// `None` if no opening book is shipped for the board.
    book: Option<String>,
}

fn speeds(
    signature: String,
    start: &Position,
    options: &EngineOptions,
    one_thread: &EngineOptions,
) -> Speeds {
    let sample = sample_positions(start, one_thread);
    let (kernel, evaluator) = (Kernel::best(), Evaluator::default());
    let distance = nanoseconds_per_call(&sample, |position| flood_distances(&View::from(position), kernel));
    let reference_distance = nanoseconds_per_call(&sample, |position| {
        let grid = Grid::new(position.empty());
        Side::BOTH.map(|side| grid.distances(position.amazons(side), 10, u8::MAX))
    });
    // Times only the evaluation's terms: their weighted sum would add less than 1 % to the time.
    let reference_evaluation =
        nanoseconds_per_call(&sample, |position| Terms::of(&View::from(position)).contest);
    let evaluation = nanoseconds_per_call(&sample, |position| evaluator.log_odds(&View::from(position)));
    let mut odds = Vec::new();
    let [queen_child, arrow_child] = [false, true].map(|arrows| {
        let mut evaluate = |position: &Position| evaluate_children(position, arrows, &evaluator, &mut odds);
        let children: usize = sample.iter().map(&mut evaluate).sum();
        nanoseconds_per_call(&sample, evaluate) * sample.len() as f64 / children as f64
    });
    let [playouts_per_second, bytes_per_playout, _] =
        speed_memory_and_collisions(start, one_thread, 5 * PLAYOUTS_PER_SEARCH);
    let [thread_scaling, collisions_per_playout] = scaling_and_collisions(start, options);
    Speeds {
        signature,
        board: start.size().width(),
        playouts_per_second: playouts_per_second.round(),
        bytes_per_playout: bytes_per_playout.round(),
        static_evaluations_per_second: (1e9 / evaluation).round(),
        kernel: kernel.name(),
        distance_ns: round_to_tenths(distance),
        reference_distance_ns: round_to_tenths(reference_distance),
        distance_speedup: round_to_tenths(reference_distance / distance),
        evaluation_ns: round_to_tenths(evaluation),
        queen_child_ns: round_to_tenths(queen_child),
        arrow_child_ns: round_to_tenths(arrow_child),
        reference_evaluation_ns: round_to_tenths(reference_evaluation),
        evaluation_speedup: round_to_tenths(reference_evaluation / evaluation),
        policy_ns: inference_nanoseconds(start, &sample).round(),
        playout_plies_per_second: playout_plies_per_second(start).round(),
        thread_scaling,
        collisions_per_playout,
    }
}

/// A checksum of the moves that the engine plays on one board, with checksums of the files that
/// these moves depend on.
fn board_signature(start: &Position, options: &EngineOptions) -> anyhow::Result<BoardSignature> {
    let size = start.size();
    let [network, weights] = checksums(options, size);
    let book = Book::shipped_checksum(size);
    Ok(BoardSignature {
        board: size.width(),
        signature: play_signature(options, &[size.width().into()])?,
        network,
        weights,
        book: (book != 0).then(|| format!("{book:016x}")),
    })
}

fn inference_nanoseconds(start: &Position, sample: &[Position]) -> f64 {
    let network = Network::shipped(start.size());
    let some: Vec<Position> = sample.iter().step_by(8).copied().collect();
    let mut inference = Inference::default();
    nanoseconds_per_call(&some, |position| {
        inference.run(&network, &View::from(position));
        inference.outputs(position.amazons(position.to_move())[0])[0]
    })
}

/// Formats each scalar of a JSON value as a line: the enclosing fields' names, then the scalar.
fn scalar_lines(value: &Value, path: &str) -> String {
    let under = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path} {name}") };
    match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| scalar_lines(field, &under(name))).collect()
        }
        Value::Array(parts) => parts.iter().map(|part| scalar_lines(part, path)).collect(),
        Value::String(text) => format!("{path:>30}  {text}\n"),
        other => format!("{path:>30}  {other}\n"),
    }
}

fn round_to_tenths(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}

/// Plays one game per board size in `sides`, and hashes all searches' moves, visits and values.
fn play_signature(options: &EngineOptions, sides: &[usize]) -> anyhow::Result<String> {
    let mut digest = 0;
    for &side in sides {
        let mut engine = Engine::new(options, &start(side)?);
        // Only every fourth ply gets a full search, so that the game reaches all phases quickly.
        for ply in 0.. {
            let playouts = if ply % 4 == 0 { PLAYOUTS_PER_SEARCH } else { PLAYOUTS_PER_SEARCH / 20 };
            let Some(report) = engine.search(&Limits::playouts(playouts)) else { break };
            for candidate in &report.candidates {
                let played = candidate.played;
                let [from, to, arrow] = [played.from, played.to, played.arrow].map(|square| square.to_byte());
                let squares = u64::from_le_bytes([0, 0, 0, 0, 0, from, to, arrow]);
                digest = [squares, candidate.visits, candidate.value.to_bits()]
                    .into_iter()
                    .fold(digest, add_to_hash);
            }
            engine.advance_unchecked(report.best);
        }
    }
    Ok(format!("{digest:016x}"))
}

/// Returns the hash `digest` after adding `word` to it and mixing the sum with the finaliser of
/// MurmurHash3 (Appleby 2011). The result is the same on every machine and in every version.
fn add_to_hash(digest: u64, word: u64) -> u64 {
    let mut mixed = digest.wrapping_add(word).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed = (mixed ^ mixed >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    mixed ^ mixed >> 33
}

/// The positions of ten random games, and of ten games in which the engine plays against itself
/// with 40 playouts a move after the first two plies, which are random.
fn sample_positions(start: &Position, options: &EngineOptions) -> Vec<Position> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2_005);
    let mut sample = Vec::new();
    for game in 0..20 {
        let mut position = *start;
        let random_plies = if game < 10 { usize::MAX } else { 2 };
        for _ in 0..random_plies {
            sample.push(position);
            let Some(played) = position.random_move(&mut rng) else { break };
            position = position.play_unchecked(played);
        }
        let mut engine = Engine::new(options, &position);
        while let Some(report) = engine.search(&Limits::playouts(40)) {
            sample.push(*engine.position());
            engine.advance_unchecked(report.best);
        }
    }
    sample
}

/// Evaluates all queen moves of a position in batches. If `arrows` is true, evaluates all arrows
/// after the first queen move instead. Returns the number of evaluated moves or arrows.
fn evaluate_children(position: &Position, arrows: bool, evaluator: &Evaluator, odds: &mut Vec<f64>) -> usize {
    odds.clear();
    let moves: Vec<QueenMove> = position.queen_moves().collect();
    match moves.first() {
        Some(&queen) if arrows => {
            let half = position.move_queen_unchecked(queen);
            evaluator.arrows(&View::from(&half), half.arrows(), odds);
        }
        _ => evaluator.queen_moves(&View::from(position), &moves, odds),
    }
    odds.len()
}

/// Calls `work` for every entry of the sample in several rounds. Returns the mean time of a call in
/// the fastest round, in nanoseconds.
fn nanoseconds_per_call<S, T>(sample: &[S], mut work: impl FnMut(&S) -> T) -> f64 {
    let mut round = || {
        let begin = Instant::now();
        for entry in sample {
            black_box(work(black_box(entry)));
        }
        begin.elapsed()
    };
    let fastest = (0..ROUNDS).map(|_| round()).min().unwrap_or_default();
    fastest.as_secs_f64() * 1e9 / sample.len() as f64
}

/// Two maps whose keys are numbers of threads. The first map has the search speed relative to one
/// thread, and the second map has the mean number of
/// [collisions](crate::search::Report::collisions) per playout.
fn scaling_and_collisions(start: &Position, options: &EngineOptions) -> [BTreeMap<usize, f64>; 2] {
    let cores = threads::cores();
    let counts = std::iter::successors(Some(1), |&count| Some(2 * count)).take_while(|&count| count < cores);
    let (mut scaling, mut collisions, mut one) = (BTreeMap::new(), BTreeMap::new(), None);
    for threads in counts.chain([cores]) {
        let options = EngineOptions { threads, ..options.clone() };
        let [speed, _, collided] =
            speed_memory_and_collisions(start, &options, 5 * threads as u64 * PLAYOUTS_PER_SEARCH);
        let ratio = speed / *one.get_or_insert(speed);
        scaling.insert(threads, (100.0 * ratio).round() / 100.0);
        collisions.insert(threads, (1e5 * collided).round() / 1e5);
    }
    [scaling, collisions]
}

/// Repeats a search from `start` [`ROUNDS`] times. Returns the playouts per second, the bytes per
/// playout and the collisions per playout of the fastest search.
fn speed_memory_and_collisions(start: &Position, options: &EngineOptions, playouts: u64) -> [f64; 3] {
    let round = |_| {
        let mut engine = Engine::new(options, start);
        let begin = Instant::now();
        let report = engine.search(&Limits::playouts(playouts));
        let (memory, collisions) = report.map_or((0, 0), |report| (report.memory, report.collisions));
        (begin.elapsed(), memory, collisions)
    };
    let (fastest, memory, collisions) = (0..ROUNDS).map(round).min().unwrap_or_default();
    let playouts = playouts as f64;
    [playouts / fastest.as_secs_f64(), memory as f64 / playouts, collisions as f64 / playouts]
}

/// Measures the plies per second of games with uniformly random moves, as in light playouts.
fn playout_plies_per_second(start: &Position) -> f64 {
    let seeds: Vec<u64> = (2_010..2_110).collect();
    let play = |&seed: &u64| {
        let (mut rng, mut position, mut plies) = (Xoshiro256PlusPlus::seed_from_u64(seed), *start, 0);
        while let Some(played) = position.random_move(&mut rng) {
            (position, plies) = (position.play_unchecked(played), plies + 1);
        }
        plies
    };
    let plies: u32 = seeds.iter().map(play).sum();
    1e9 * f64::from(plies) / (nanoseconds_per_call(&seeds, play) * seeds.len() as f64)
}
