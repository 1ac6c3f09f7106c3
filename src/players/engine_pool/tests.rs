//! A pool whose engines only count.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

/// An engine that only counts.
struct Counter {
    name: u32,
    slices: u32,
    jobs: u32,
    handle: StopHandle,
}

/// Uses the counter of its name.
struct Count {
    name: u32,
    panics: bool,
    ended: Sender<Ended<[u32; 2]>>,
}

impl PooledEngine for Counter {
    fn stop_handle(&self) -> Option<StopHandle> {
        Some(self.handle.clone())
    }

    fn may_ponder(&self) -> bool {
        true
    }

    fn ponder(&mut self) -> Pondered {
        self.slices += 1;
        Pondered { playouts: 1, more: true }
    }
}

impl Job for Count {
    type Engine = Counter;
    /// Slices pondered and jobs done.
    type Outcome = [u32; 2];

    fn fit(&self, engine: &Counter) -> Option<usize> {
        (engine.name == self.name).then_some(1)
    }

    fn run(&self, engine: Option<Counter>, control: &Control<'_, Count>) -> (Option<Counter>, [u32; 2]) {
        assert!(!self.panics, "as asked");
        let new = || Counter { name: self.name, slices: 0, jobs: 0, handle: StopHandle::default() };
        let mut engine = engine.unwrap_or_else(new);
        control.begin(&engine.handle);
        engine.jobs += 1;
        let figures = [engine.slices, engine.jobs];
        (Some(engine), figures)
    }

    fn finish(self, ended: Ended<[u32; 2]>) -> bool {
        self.ended.send(ended).is_ok()
    }
}

fn submit(pool: &EnginePool<Count>, name: u32, panics: bool) -> Receiver<Ended<[u32; 2]>> {
    let (ended, results) = channel();
    pool.submit(pool.ticket(), 0, [Count { name, panics, ended }]);
    results
}

#[test]
fn all_engines_ponder_in_turn_and_no_longer_than_their_share() {
    let pool = EnginePool::new(2, 3, Pondering::InTurn(5)).unwrap();
    // On one thread at a time, so that three engines are made.
    for name in 0..3 {
        assert!(matches!(submit(&pool, name, false).recv(), Ok(Ended::Done(_))));
    }
    while pool.pondered() < 15 {
        thread::yield_now();
    }
    for name in 0..3 {
        assert_eq!(submit(&pool, name, false).recv(), Ok(Ended::Done([5, 2])), "{name}");
    }
}

#[test]
fn the_engine_longest_unused_makes_room() {
    let pool = EnginePool::new(1, 2, Pondering::Off).unwrap();
    for name in [0, 1, 0, 2] {
        submit(&pool, name, false).recv().unwrap();
    }
    let mut kept: Vec<u32> = pool.shared.state.lock().idle.iter().map(|idle| idle.engine.name).collect();
    kept.sort_unstable();
    assert_eq!(kept, [0, 2]);
    pool.discard(|engine| engine.name == 0);
    assert_eq!(pool.idle(), 1);
}

#[test]
fn one_match_too_many_costs_one_tree_a_round() {
    let pool = EnginePool::new(2, 3, Pondering::Off).unwrap();
    for round in 0..5 {
        let (ended, results) = channel();
        let job = |name| Count { name, panics: false, ended: ended.clone() };
        pool.submit(pool.ticket(), 0, (0..4).map(job));
        drop(ended);
        let new = results.iter().filter(|ended| *ended == Ended::Done([0, 1])).count();
        assert!(round == 0 || new <= 2, "round {round}: {new} new engines");
    }
}

#[test]
fn a_panic_costs_its_job_and_no_other() {
    let pool = EnginePool::new(1, 1, Pondering::Off).unwrap();
    assert_eq!(submit(&pool, 0, true).recv(), Ok(Ended::Panicked("as asked".to_owned())));
    assert_eq!(submit(&pool, 0, false).recv(), Ok(Ended::Done([0, 1])));
}
