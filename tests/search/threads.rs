//! Several workers in one tree.

use super::*;

fn threaded(threads: usize, memory: usize, position: &Position) -> Engine {
    let engine = Engine::new(&EngineOptions { threads, ..options(memory) }, position);
    assert_eq!(engine.threads(), threads);
    engine
}

#[test]
fn threads_share_one_tree_and_count_every_playout_once() {
    for (threads, virtual_loss) in [(2, 1), (4, 3), (3, 0)] {
        let mut options = EngineOptions { threads, ..options(64 << 20) };
        options.parameters.set("virtual_loss", &virtual_loss.to_string()).unwrap();
        let mut engine = Engine::new(&options, &start(8));
        let report = engine.search(&Limits::playouts(10_000)).unwrap();
        assert_eq!((report.stop, report.playouts, report.reused), (StopReason::Playouts, 10_000, 0));
        // What every candidate has counted is a share of the whole: no worker is still counted in.
        let counted: u64 = report.candidates.iter().map(|candidate| candidate.visits).sum();
        assert!(counted <= 10_000, "{counted}");
        // It goes on from where it stands, over moves played, as one thread does.
        engine.advance(report.best);
        let next = engine.search(&Limits::playouts(1_000)).unwrap();
        assert_eq!(next.playouts, 1_000);
        assert!(next.reused > 0 && next.reused < 10_000);
        let (value, alone) = (report.value, searched(&self::options(64 << 20), 8, 10_000).value);
        assert!((value - alone).abs() < 0.1, "{value} by {threads}, {alone} by one");
    }
}

#[test]
fn threads_play_whole_games_and_prove_what_is_true() {
    let mut engine = threaded(3, 1 << 20, &start(6));
    let mut proven = 0;
    while let Some(report) = engine.search(&Limits::playouts(400)) {
        assert!(engine.position().play(report.best).is_ok());
        if report.proven && engine.position().empty().count() <= 8 {
            assert_eq!(report.value == 1.0, wins(engine.position()), "{}", Fen(*engine.position()));
            proven += 1;
        }
        engine.advance(report.best);
    }
    assert!(proven > 0);
}

#[test]
fn threads_stop_when_told_and_when_the_arena_is_full() {
    let mut engine = threaded(4, 0, &start(10));
    let report = stopped_after(&mut engine, Duration::from_millis(30));
    assert!(report.memory <= 48 << 10);
    // And once more, with the same threads.
    assert_eq!(engine.search(&Limits::playouts(100)).unwrap().playouts, 100);
}
