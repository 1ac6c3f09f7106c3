//! A pool whose engines only count.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::*;

/// A wait for another thread that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(60);

impl<J: SearchJob> EnginePool<J> {
    /// The slices that the engines have pondered.
    pub(crate) fn pondered(&self) -> u64 {
        self.shared.state.lock().pondered
    }

    pub(crate) fn is_pondering(&self) -> bool {
        !self.shared.state.lock().pondering.is_empty()
    }

    /// Waits until a condition holds, for at most [`PATIENCE`].
    pub(crate) fn wait_until(&self, holds: impl Fn(&EnginePool<J>) -> bool) {
        let begun = Instant::now();
        while !holds(self) {
            assert!(begun.elapsed() < PATIENCE, "{} slices pondered", self.pondered());
            thread::sleep(Duration::from_millis(1));
        }
    }
}

struct Counter {
    name: u32,
    slices: u32,
    jobs: u32,
    handle: StopHandle,
}

/// Uses the counter of its name.
struct Count {
    name: u32,
    panics: Panics,
    ended: Sender<Option<[u32; 2]>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Panics {
    Never,
    Searching,
    /// When its listener hears how it ended.
    Listening,
}

impl PooledEngine for Counter {
    fn stop_handle(&self) -> Option<StopHandle> {
        Some(self.handle.clone())
    }

    fn ponder(&mut self) -> bool {
        self.slices += 1;
        true
    }
}

impl SearchJob for Count {
    type Engine = Counter;
    /// Slices pondered and jobs done.
    type Outcome = [u32; 2];

    fn fit(&self, engine: &Counter) -> Option<usize> {
        (engine.name == self.name).then_some(1)
    }

    fn engine(&self, kept: Option<Counter>) -> Counter {
        let new = || Counter { name: self.name, slices: 0, jobs: 0, handle: StopHandle::default() };
        kept.unwrap_or_else(new)
    }

    fn run(&self, engine: &mut Counter) -> [u32; 2] {
        assert!(self.panics != Panics::Searching, "as asked");
        engine.jobs += 1;
        [engine.slices, engine.jobs]
    }

    fn finish(self, outcome: Option<[u32; 2]>) {
        assert!(self.panics != Panics::Listening, "as asked");
        self.ended.send(outcome).unwrap();
    }
}

fn submit(pool: &EnginePool<Count>, name: u32, panics: Panics) -> Receiver<Option<[u32; 2]>> {
    let (ended, results) = channel();
    pool.submit(0, [Count { name, panics, ended }]);
    results
}

fn count(pool: &EnginePool<Count>, name: u32) -> Option<[u32; 2]> {
    submit(pool, name, Panics::Never).recv_timeout(PATIENCE).unwrap()
}

#[test]
fn all_engines_ponder_in_turn_and_no_longer_than_their_share() {
    let pool = EnginePool::new(2, 3, 5).unwrap();
    // On one thread at a time, so that three engines are made.
    for name in 0..3 {
        assert!(count(&pool, name).is_some());
    }
    pool.wait_until(|pool| pool.pondered() >= 15);
    for name in 0..3 {
        assert_eq!(count(&pool, name), Some([5, 2]), "{name}");
    }
}

#[test]
fn the_engine_longest_unused_makes_room() {
    let pool = EnginePool::new(1, 2, 0).unwrap();
    for name in [0, 1, 0, 2] {
        count(&pool, name);
    }
    let kept =
        || -> BTreeSet<u32> { pool.shared.state.lock().idle.iter().map(|idle| idle.engine.name).collect() };
    assert_eq!(kept(), [0, 2].into());
    pool.keep(|engine| engine.name != 0);
    assert_eq!(kept(), [2].into());
}

#[test]
fn one_match_too_many_costs_one_tree_a_round() {
    let pool = EnginePool::new(2, 3, 0).unwrap();
    for round in 0..5 {
        let (ended, results) = channel();
        let job = |name| Count { name, panics: Panics::Never, ended: ended.clone() };
        pool.submit(0, (0..4).map(job));
        drop(ended);
        let new = results.iter().filter(|ended| *ended == Some([0, 1])).count();
        assert!(round == 0 || new <= 2, "round {round}: {new} new engines");
    }
}

#[test]
fn a_panic_costs_its_job_and_no_other() {
    let pool = EnginePool::new(1, 1, 0).unwrap();
    let results = submit(&pool, 0, Panics::Searching);
    assert_eq!(results.recv(), Ok(None));
    assert_eq!(count(&pool, 0), Some([0, 1]));
    // A listener that panics is gone, and the thread goes on.
    submit(&pool, 0, Panics::Listening).recv_timeout(PATIENCE).unwrap_err();
    assert_eq!(count(&pool, 0), Some([0, 3]));
}
