//! Tests of the search through its public interface.

use std::iter;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::strategies::random_board;
use crate::common::{mover_wins, position, start};
use quiver::amazons::Move;
use quiver::search::{
    Cpu, Engine, EngineOptions, Limits, Parameters, Report, StopReason, Stopwatch, Time, Watch,
};
use quiver::territory::{Evaluate, Evaluator, View};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

fn options(memory: usize) -> EngineOptions {
    EngineOptions { memory, seed: 7, ..EngineOptions::default() }
}

fn set(pair: &str) -> EngineOptions {
    let mut options = options(16 << 20);
    options.parameters.set_pair(pair).unwrap();
    options
}

fn searched(options: &EngineOptions, board: usize, playouts: u64) -> Report {
    Engine::new(options, &start(board)).search(&Limits::playouts(playouts)).unwrap()
}

#[test]
fn proofs_agree_with_exhaustive_search() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
    let (mut won, mut lost) = (0, 0);
    for round in 0..600 {
        let options = set(if round < 300 { "endgame=1" } else { "endgame=0" });
        let board = random_board(3 + round % 3, 3 + round % 2, [2, 2], 5, &mut rng);
        let position = board.position();
        let Some(report) = Engine::new(&options, &position).search(&Limits::playouts(200_000)) else {
            assert_eq!(position.winner(), Some(!position.to_move()));
            continue;
        };
        assert!(report.proven && report.stop == Some(StopReason::Proven), "{position}");
        assert_eq!(report.value == 1.0, mover_wins(&position), "{position}");
        if report.value == 1.0 {
            assert!(!mover_wins(&position.play(report.best).unwrap()), "{position} {}", report.best);
            won += 1;
        } else {
            lost += 1;
        }
    }
    assert!(won > 100 && lost > 100, "too few wins or losses: {won} won, {lost} lost");
}

/// The moves and values of a whole game that an engine plays against itself.
fn game(memory: usize, playouts: u64, size: usize) -> Vec<(Move, f64)> {
    let mut engine = Engine::new(&options(memory), &start(size));
    let mut moves = Vec::new();
    while let Some(report) = engine.search(&Limits::playouts(playouts)) {
        assert!(engine.position().play(report.best).is_ok(), "{} in {}", report.best, engine.position());
        assert!((0.0..=1.0).contains(&report.value));
        moves.push((report.best, report.value));
        engine.advance(report.best).unwrap();
    }
    moves
}

#[test]
fn same_seed_gives_same_game() {
    assert_eq!(game(64 << 20, 60, 10), game(64 << 20, 60, 10));
    // The engine drops unreachable nodes on nearly every turn with 2 MiB, and never with 256 MiB.
    assert_eq!(game(2 << 20, 300, 8), game(256 << 20, 300, 8));
}

#[test]
fn warm_up_does_not_change_results() {
    let told = |engine: &mut Engine| {
        let Report { best, value, candidates, .. } = engine.search(&Limits::playouts(400)).unwrap();
        let visits = candidates.into_iter().map(|candidate| (candidate.played, candidate.visits));
        (best, value, visits.collect::<Vec<_>>())
    };
    for size in [6, 8, 10] {
        let options = options(8 << 20);
        let [mut cold, mut warm] = [0, 1].map(|_| Engine::new(&options, &start(size)));
        // With and without a warm-up, the results must be equal in the first three turns.
        for _ in 0..3 {
            warm.warm_up();
            let expected = told(&mut cold);
            assert_eq!(told(&mut warm), expected);
            cold.advance(expected.0).unwrap();
            warm.advance(expected.0).unwrap();
        }
    }
    let mut threads = Engine::new(&EngineOptions { threads: 3, ..options(1 << 20) }, &start(8));
    threads.warm_up();
    assert_eq!(threads.search(&Limits::playouts(50)).unwrap().playouts, 50);
}

#[test]
fn advance_keeps_the_subtree() {
    let mut engine = Engine::new(&options(64 << 20), &start(8));
    let first = engine.search(&Limits::playouts(2_000)).unwrap();
    assert_eq!(first.reused, 0);
    let [own, reply] = first.principal_variation[..2] else { panic!("a line of two plies") };
    engine.advance(own).unwrap();
    engine.advance(reply).unwrap();
    let second = engine.search(&Limits::playouts(1)).unwrap();
    assert!(second.reused > 0 && second.reused < 2_000, "{}", second.reused);
    let known: u64 = second.candidates.iter().map(|candidate| candidate.visits).sum();
    assert!(known > 0 && known <= second.reused + 1);

    for (position, reused) in [(*engine.position(), second.reused + 1), (start(8), 0)] {
        engine.set_position(&position);
        assert_eq!(engine.search(&Limits::playouts(1)).unwrap().reused, reused);
    }
}

#[test]
fn tree_restarts_without_reuse_or_visits() {
    for (options, played) in [(set("reuse=0"), None), (options(64 << 20), Some("c1-c2/c1"))] {
        let mut engine = Engine::new(&options, &start(8));
        let best = engine.search(&Limits::playouts(50)).unwrap().best;
        engine.advance(played.map_or(best, |played| played.parse().unwrap())).unwrap();
        let report = engine.search(&Limits::playouts(50)).unwrap();
        assert_eq!(report.reused, 0);
        assert!(engine.position().play(report.best).is_ok());
    }
}

#[test]
fn ponder_continues_the_tree_until_stopped() {
    let (mut engine, ten) = (Engine::new(&options(1 << 20), &start(8)), Limits::playouts(10));
    engine.search(&Limits::playouts(100)).unwrap();
    let report = engine.ponder(&Limits::playouts(150)).unwrap();
    assert_eq!((report.playouts, report.reused), (150, 100));
    assert!(engine.can_grow());
    // Pondering continues in a tree that has filled its memory.
    assert_eq!(engine.ponder(&Limits::playouts(5_000)).unwrap().playouts, 5_000);
    let stopped = Limits::playouts(10);
    stopped.stop.stop();
    for _ in 0..2 {
        assert_eq!(engine.ponder(&stopped).unwrap().stop, Some(StopReason::Stopped));
    }
    assert_eq!(engine.search(&ten).unwrap().stop, Some(StopReason::Playouts));
    stopped.stop.reset();
    assert_eq!(engine.ponder(&stopped).unwrap().stop, Some(StopReason::Playouts));

    // An engine can ponder without an earlier search, but not in a position without legal moves.
    let mut fresh = Engine::new(&options(1 << 20), &start(6));
    assert_eq!(fresh.ponder(&ten).unwrap().playouts, 10);
    fresh.set_position(&position("Q*q/**1 w"));
    assert!(fresh.ponder(&ten).is_none());
}

#[test]
fn full_arena_keeps_only_played_subtree() {
    // If the arena is over half full, the next search keeps only the subtree of the played move.
    for size in [8, 10] {
        let mut engine = Engine::new(&options(1 << 18), &start(size));
        let mut search = || engine.ponder(&Limits::playouts(20)).unwrap();
        let before = iter::repeat_with(&mut search).find(|report| report.memory > 3 << 15).unwrap();
        engine.advance(before.best).unwrap();
        let report = engine.ponder(&Limits::playouts(20)).unwrap();
        assert!(report.reused > 0 && report.playouts == 20, "{} on {size}x{size}", report.reused);
        assert!(report.memory < before.memory, "{size}x{size}: {} bytes", report.memory);
        assert!(engine.position().play(report.best).is_ok());
    }
}

#[test]
fn watch_reports_without_changing_results() {
    let limits = Limits::playouts(2_000);
    let mut seen = Vec::new();
    let mut tell = |report: &Report| {
        assert_eq!(report.stop, None);
        assert!(report.candidates.iter().all(|candidate| candidate.line[0] == candidate.played));
        seen.push(report.playouts);
    };
    let mut watch = Watch::new(Duration::from_micros(100), &mut tell);
    let watched = Engine::new(&options(16 << 20), &start(8)).search_watched(&limits, &mut watch).unwrap();
    assert!(seen.len() > 1 && seen.is_sorted() && seen.iter().all(|&playouts| playouts <= 2_000), "{seen:?}");
    let alone = searched(&options(16 << 20), 8, 2_000);
    assert_eq!((watched.best, watched.value), (alone.best, alone.value));
    assert!(watched.candidates.iter().any(|candidate| candidate.line == watched.principal_variation));
}

#[test]
fn unlimited_search_ends_only_when_stopped() {
    for (threads, milliseconds) in [(1, 0), (4, 30)] {
        let mut engine = Engine::new(&EngineOptions { threads, ..options(0) }, &start(10));
        let limits = Limits::default();
        let report = std::thread::scope(|scope| {
            let search = scope.spawn(|| engine.search(&limits).unwrap());
            std::thread::sleep(Duration::from_millis(milliseconds));
            limits.stop.stop();
            search.join().unwrap()
        });
        assert_eq!(report.stop, Some(StopReason::Stopped));
        assert!(report.memory <= 48 << 10);
        // Stopping a search does not end the engine's threads, so they can run another search.
        assert_eq!(engine.search(&Limits::playouts(100)).unwrap().playouts, 100);
    }
}

#[test]
fn search_ends_without_time_or_choice() {
    let turn = |seconds| Time::PerMove(Duration::from_secs(seconds));
    let bank = Time::Game { remaining: Duration::from_secs(20), increment: Duration::ZERO };
    for (position, time, expected) in [
        (start(10), turn(0), StopReason::Time),
        (start(8), turn(0), StopReason::Time),
        (position("Q1*/***/q2 w"), turn(60), StopReason::OnlyMove),
        // With a clock for the whole game, a search ends before its hard bound of the time.
        (start(8), bank, StopReason::Decided),
    ] {
        // The load of the machine changes nothing, because the CPU time counts.
        let stopwatch = Some(Stopwatch::cpu(Cpu::Thread));
        let limits = Limits { time: Some(time), stopwatch, ..Limits::default() };
        let report = Engine::new(&options(16 << 20), &position).search(&limits).unwrap();
        assert_eq!(report.stop, Some(expected), "{} in {position}", report.status());
        assert_eq!(report.playouts > 0, time == bank, "{}", position);
        assert!(position.play(report.best).is_ok());
    }
    // This callback delays each clock check by 50 ms, so the search keeps a larger time margin.
    let mut sleep = |_: &Report| std::thread::sleep(Duration::from_millis(50));
    let (limits, mut engine) =
        (Limits::per_move(Duration::from_millis(400)), Engine::new(&options(16 << 20), &start(8)));
    let late = engine.search_watched(&limits, &mut Watch::new(Duration::ZERO, &mut sleep)).unwrap();
    assert!(late.stop == Some(StopReason::Time) && late.bound < Some(Duration::from_millis(360)), "{late:?}");
    let over = Engine::new(&options(1 << 20), &position("Q*/*q w"))
        .search(&Limits::per_move(Duration::from_secs(60)));
    assert!(over.is_none());
}

#[test]
fn each_search_starts_its_clock() {
    let (limits, mut engine) = (Limits::playouts(1), Engine::new(&options(1 << 20), &start(8)));
    std::thread::sleep(Duration::from_millis(20));
    let begun = Instant::now();
    let report = engine.search(&limits).unwrap();
    assert!(report.time <= begun.elapsed(), "{:?}", report.time);
    let running = limits.started();
    std::thread::sleep(Duration::from_millis(20));
    assert!(engine.search(&running).unwrap().time >= Duration::from_millis(20));
}

#[test]
fn extreme_parameters_give_valid_reports() {
    let settings = "expansion_visits=1 expansion_visits=9 playout_weight=0 playout_weight=1 playout_plies=0 \
                    playout_plies=100 exploration=0 exploration=4 queen_temperature=0.05 \
                    arrow_temperature=10 fpu_reduction=1 rave_visits=10 final_bound=1";
    for setting in settings.split(' ') {
        let report = searched(&set(setting), 6, 400);
        assert_eq!(report.playouts, 400, "{setting}");
        assert!((0.0..=1.0).contains(&report.value), "{setting}");
    }
}

#[test]
fn little_memory_hardly_changes_values() {
    for threads in [1, 3] {
        let report = searched(&EngineOptions { threads, ..options(0) }, 10, 3_000);
        assert_eq!((report.stop, report.playouts), (Some(StopReason::Playouts), 3_000));
        assert!(report.memory <= 48 << 10);
    }
    // With only 2 MiB of memory, the search has to prune its tree several times.
    for size in [8, 10] {
        let [small, large] =
            [2 << 20, 256 << 20].map(|memory| searched(&options(memory), size, 20_000).value);
        assert!((small - large).abs() < 0.05, "{size}: {small} with little memory, {large} with much");
    }
}

#[test]
fn full_tree_is_pruned() {
    let mut engine = Engine::new(&options(2 << 20), &start(8));
    let mut search = || engine.ponder(&Limits::playouts(200)).unwrap();
    let reports: Vec<Report> = iter::repeat_with(&mut search).take(100).collect();
    // Half of the engine's 2 MiB is a second region, to which pruning copies the nodes it keeps.
    assert!(reports.iter().all(|report| report.memory <= 1 << 20));
    let prunes = reports.windows(2).filter(|pair| pair[1].memory < pair[0].memory).count();
    assert!(prunes > 5, "{prunes} prunes");
    let (first, last) = (&reports[0], &reports[99]);
    assert!(last.depth > first.depth && last.reused == 19_800, "{last:?}");
}

#[test]
fn rave_and_network_value_are_reproducible() {
    let search = |setting: &str| searched(&set(setting), 8, 2_000);
    for [without, with] in [["rave_visits=0", "rave_visits=5"], ["value_visits=0", "value_visits=1000"]] {
        assert_ne!(search(without).value, search(with).value, "{with}");
        assert_eq!(search(with).value, search(with).value, "{with}");
    }
    let [without, with] = ["value_visits=0", "value_visits=1000"].map(search);
    let shared = searched(&EngineOptions { threads: 4, ..set("value_visits=1000") }, 8, 5_000);
    for candidate in with.candidates.iter().chain(&shared.candidates) {
        assert!((0.0..=1.0).contains(&candidate.value), "{}", candidate.value);
    }
    // The network's own value of the root does not depend on `value_visits`.
    let own = with.network_value.unwrap();
    assert!(own > 0.0 && own < 1.0 && without.network_value == Some(own));
}

#[test]
fn own_evaluator_replaces_the_weights() {
    let search = |evaluator: Evaluator, size| {
        let report = searched(&EngineOptions { evaluator, ..options(16 << 20) }, size, 400);
        (report.value.to_bits(), report.principal_variation, report.candidates.len())
    };
    for size in [6, 10] {
        let own = Evaluator::default().with_own(Arc::new(Evaluator::default()));
        assert_eq!(search(own, size), search(Evaluator::default(), size));
    }
    // If the search calls this evaluator, the NaN that it returns changes the search's result.
    #[derive(Debug)]
    struct AlwaysNan;
    impl Evaluate for AlwaysNan {
        fn log_odds(&self, _: &View<'_>) -> f64 {
            f64::NAN
        }
    }
    let always_nan = Evaluator::default().with_own(Arc::new(AlwaysNan));
    assert_ne!(search(always_nan, 6), search(Evaluator::default(), 6));
}

#[test]
fn set_position_selects_parameters_by_board() {
    let mut explicit = options(16 << 20);
    for row in Parameters::TABLE {
        explicit.parameters.set(row.name, &row.small_default.to_string()).unwrap();
    }
    let search = |options: &EngineOptions, from: usize, board: usize| {
        let mut engine = Engine::new(options, &start(from));
        engine.set_position(&start(board));
        engine.search(&Limits::playouts(300)).unwrap().value.to_bits()
    };
    let usual = options(16 << 20);
    for from in [8, 10] {
        assert_eq!(search(&usual, from, 8), search(&explicit, from, 8));
        assert_ne!(search(&usual, from, 10), search(&explicit, from, 10));
    }
}

#[test]
fn threads_count_every_playout_once() {
    for (threads, virtual_loss) in [(2, 1), (4, 3), (3, 0)] {
        let setting = set(&format!("virtual_loss={virtual_loss}"));
        let shared = EngineOptions { threads, memory: 64 << 20, ..setting };
        let mut engine = Engine::new(&shared, &start(8));
        assert_eq!(engine.threads(), threads);
        let report = engine.search(&Limits::playouts(10_000)).unwrap();
        assert_eq!((report.stop, report.playouts, report.reused), (Some(StopReason::Playouts), 10_000, 0));
        // More visits than playouts would mean that some virtual losses were not removed.
        let counted: u64 = report.candidates.iter().map(|candidate| candidate.visits).sum();
        assert!(counted <= 10_000, "{counted}");
        // With several threads too, the next search continues from the played move's subtree.
        engine.advance(report.best).unwrap();
        let next = engine.search(&Limits::playouts(1_000)).unwrap();
        assert_eq!(next.playouts, 1_000);
        assert!(next.reused > 0 && next.reused < 10_000);
        let (value, alone) = (report.value, searched(&options(64 << 20), 8, 10_000).value);
        assert!((value - alone).abs() < 0.1, "{value} by {threads}, {alone} by one");
    }
}

#[test]
fn lost_root_is_searched_within_limits() {
    let long = "3*****/2*q1q*Q/1*2****/2***1**/*1*1q*2/*Q3*q1/Q1*1***1/***1*Q** w";
    let short = "4*2*/1*q*3q/1***1**1/**1***1*/q*1**Q1Q/1***1***/***q***1/2*QQ1*1 w";
    // In cases 1 and 2 the solver proves the loss at the root, and in case 3 at leaves of the tree.
    // Case 3 allows many playouts: while the thread that will prove the last leaf waits for a CPU
    // core, the other threads continue their playouts and could use up a smaller limit.
    for (lost, setting, playouts, stop) in [
        (long, "endgame=1", 2_000, StopReason::Playouts),
        (short, "endgame=1", 2_000, StopReason::Playouts),
        (short, "endgame_contested=0", 5_000_000, StopReason::Proven),
    ] {
        for threads in [1, 4] {
            let mut engine = Engine::new(&EngineOptions { threads, ..set(setting) }, &position(lost));
            let report = engine.search(&Limits::playouts(playouts)).unwrap();
            assert_eq!(
                (report.value, report.proven, report.stop),
                (0.0, true, Some(stop)),
                "{threads}: {lost}"
            );
            let whole = report.playouts == playouts;
            assert_eq!((whole, report.reused), (stop == StopReason::Playouts, 0), "{threads}: {lost}");
            assert!(report.depth > 0 && report.playouts <= playouts, "{threads}: {lost}");
        }
    }
}

#[test]
fn proofs_of_several_threads_are_true() {
    let mut engine = Engine::new(&EngineOptions { threads: 3, ..options(1 << 20) }, &start(6));
    let mut proven = 0;
    while let Some(report) = engine.search(&Limits::playouts(400)) {
        assert!(engine.position().play(report.best).is_ok());
        if report.proven && engine.position().empty().count() <= 8 {
            assert_eq!(report.value == 1.0, mover_wins(engine.position()), "{}", engine.position());
            proven += 1;
        }
        engine.advance(report.best).unwrap();
    }
    assert!(proven > 0);
}

#[test]
fn advance_rejects_illegal_moves() {
    let mut engine = Engine::new(&options(1 << 20), &start(8));
    let before = engine.search(&Limits::playouts(50)).unwrap();
    // Move 1 ends on an amazon, move 2's arrow is no queen move, move 3 moves an opponent's amazon.
    for illegal in ["c1-f1/f2", "c1-c4/h5", "a6-a7/a8"] {
        engine.advance(illegal.parse().unwrap()).unwrap_err();
        assert_eq!(engine.position(), &start(8), "{illegal}");
    }
    assert_eq!(engine.ponder(&Limits::playouts(1)).unwrap().reused, 50);
    engine.advance(before.best).unwrap();
}
