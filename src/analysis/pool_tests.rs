use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::request::tests::query;
use crate::search::SLICE_PLAYOUTS;

const MEMORY: usize = 16 << 20;

fn new_pool(threads: usize, slices: u32) -> QueryPool {
    QueryPool::new(threads, slices).unwrap()
}

impl QueryPool {
    fn pondered(&self) -> u64 {
        self.shared.state.lock().pondered
    }

    fn is_pondering(&self) -> bool {
        !self.shared.state.lock().pondering.is_empty()
    }
}

/// Submits a query. By default, it has 50 playouts and the board 6x6.
fn ask(pool: &QueryPool, text: &str, memory: usize) -> (Vec<(usize, Ticket)>, Receiver<Value>) {
    let (sender, receiver) = channel();
    let sink = move |answer: Answer| sender.send(json!(answer)).is_ok();
    let tickets = pool.search(query(text, memory), Box::new(sink));
    (tickets, receiver)
}

fn ask_after(pool: &QueryPool, moves: &str, reuse: bool, playouts: u64) -> Value {
    let text = format!(r#"{{"id":"a","moves":"{moves}","reuse":{reuse},"maxVisits":{playouts}}}"#);
    ask(pool, &text, MEMORY).1.recv().unwrap()
}

fn wait_until(pool: &QueryPool, holds: impl Fn(&QueryPool) -> bool) {
    let begun = Instant::now();
    while !holds(pool) {
        assert!(begun.elapsed() < Duration::from_secs(60), "{} slices pondered", pool.pondered());
        thread::sleep(Duration::from_millis(1));
    }
}

/// Different first moves. A search after one move cannot reuse the tree of a search after another.
const UNRELATED_MOVES: [&str; 4] = ["b1-b4/b5", "b1-b3/b5", "b1-b2/b5", "b1-b2/b1"];

fn reused(pool: &QueryPool, moves: &str) -> u64 {
    ask_after(pool, moves, true, 50)["reused"].as_u64().unwrap()
}

const ENDLESS: &str =
    r#"{"id":"endless","overrideSettings":{"maxTime":86400},"reportDuringSearchEvery":0.01}"#;

#[test]
fn each_turn_is_answered_independently() {
    let pool = new_pool(2, 0);
    let moves = r#""moves":"b1-b4/b5 a5-a3/a4 e1-e3/e2""#;
    let (_, all) = ask(&pool, &format!(r#"{{"id":"all",{moves},"analyzeTurns":"all"}}"#), MEMORY);
    let mut answers: Vec<Value> = all.iter().collect();
    answers.sort_by_key(|answer| answer["turnNumber"].as_u64());
    assert!(answers.iter().map(|answer| answer["turnNumber"].as_u64().unwrap()).eq(0..4), "{answers:?}");
    for answer in answers {
        let (_, one) = ask(
            &pool,
            &format!(r#"{{"id":"one",{moves},"analyzeTurns":[{}]}}"#, answer["turnNumber"]),
            MEMORY,
        );
        let one = one.recv().unwrap();
        for field in ["rootInfo", "moveInfos", "playouts", "stop"] {
            assert_eq!(one[field], answer[field], "{field}");
        }
    }
}

#[test]
fn searches_by_priority_then_arrival() {
    let pool = new_pool(1, 0);
    let (busy, answers) = ask(&pool, ENDLESS, MEMORY);
    answers.recv().unwrap();
    let (sender, order) = channel();
    for (id, priority) in [("low", -1), ("middle", 0), ("high", 5), ("also", 0)] {
        let (text, sender) = (format!(r#"{{"id":"{id}","priority":{priority}}}"#), sender.clone());
        let sink = Box::new(move |answer: Answer| sender.send(answer.id).is_ok());
        pool.search(query(&text, MEMORY), sink);
    }
    drop(sender);
    pool.terminate(busy[0].1);
    assert_eq!(order.iter().collect::<Vec<_>>(), ["high", "middle", "also", "low"]);
}

#[test]
fn next_query_reuses_pondered_tree() {
    let pool = new_pool(2, u32::MAX);
    let asked = |moves: &str, reuse: bool| ask_after(&pool, moves, reuse, 300);
    let first = asked("", true);
    wait_until(&pool, |pool| pool.pondered() >= 5);
    let here = asked("", true);
    let reused = here["reused"].as_u64().unwrap();
    assert!(
        reused >= 300 + 5 * SLICE_PLAYOUTS && here["playouts"] == 300 && here["stop"] == "playouts",
        "{here}"
    );
    let best_move = &here["moveInfos"][0];
    let next_answer = asked(best_move["move"].as_str().unwrap(), true);
    assert!(next_answer["reused"].as_u64() >= best_move["visits"].as_u64(), "{next_answer}");
    // The engine's tree begins after the move `best_move` and lacks the position after `b1-b4/b5`.
    assert_eq!(asked("b1-b4/b5", true)["reused"], 0);
    let alone = asked("", false);
    assert_eq!((&alone["reused"], &alone["moveInfos"]), (&json!(0), &first["moveInfos"]));
}

#[test]
fn queries_interrupt_pondering_and_finish() {
    let pool = new_pool(2, u32::MAX);
    for round in 0..50 {
        let before = pool.pondered();
        let query = format!(r#"{{"id":"a","reuse":true,"maxVisits":{}}}"#, 40 + round);
        for (_, answers) in [(); 3].map(|()| ask(&pool, &query, MEMORY)) {
            let answer = answers.recv().unwrap();
            assert_eq!((&answer["playouts"], &answer["stop"]), (&json!(40 + round), &json!("playouts")));
        }
        // After some rounds the engine's tree is full, and the engine no longer ponders.
        if round < 5 {
            wait_until(&pool, |pool| pool.pondered() > before);
        }
    }
}

#[test]
fn pondering_ends_with_the_memory_and_with_the_pool() {
    let pool = new_pool(1, u32::MAX);
    ask(&pool, r#"{"id":"a","reuse":true}"#, 1 << 20).1.recv().unwrap();
    wait_until(&pool, |pool| pool.pondered() > 0);
    wait_until(&pool, |pool| !pool.is_pondering());
    let most = pool.pondered();
    assert!(most < 100, "{most} slices in a megabyte");
    // Query `b` gets a new engine, so the memory that query `a` filled does not limit `b`. Without
    // `reuse` the new engine does not ponder, but the pool counts its call of `ponder` as a slice.
    let (_, again) = ask(&pool, r#"{"id":"b"}"#, 1 << 20);
    assert_eq!(again.recv().unwrap()["stop"], "playouts");
    assert!(pool.pondered() <= most + 1);

    // Dropping the pool ends pondering at once, even if the memory suffices for hours of pondering.
    let pool = new_pool(1, u32::MAX);
    ask(&pool, r#"{"id":"a","reuse":true}"#, 1 << 30).1.recv().unwrap();
    wait_until(&pool, |pool| pool.pondered() > 0);
    drop(pool);
}

#[test]
fn engines_ponder_in_turn_up_to_share() {
    let pool = new_pool(4, 6);
    // Each of the four queries needs an engine of its own, so the pool creates four engines.
    assert_eq!(UNRELATED_MOVES.map(|moves| reused(&pool, moves)), [0; 4]);
    wait_until(&pool, |pool| pool.pondered() >= 4 * 6);
    for moves in UNRELATED_MOVES {
        // The next query can interrupt a slice of pondering, which then has fewer playouts.
        let slices = reused(&pool, moves) / SLICE_PLAYOUTS;
        assert!((3..=6).contains(&slices), "{moves}: {slices}");
    }
}

#[test]
fn the_engine_longest_unused_makes_room() {
    let pool = new_pool(2, 0);
    let [a, b, c, _] = UNRELATED_MOVES;
    let known = |asked: &[&str]| asked.iter().map(|moves| reused(&pool, moves) > 0).collect::<Vec<_>>();
    assert_eq!(known(&[a, b, a, c, a, c, b]), [false, false, true, false, true, true, false]);
    pool.drop_idle_engines();
    assert_eq!(known(&[b, c]), [false, false]);
}

#[test]
fn panic_ends_only_its_job() {
    let pool = new_pool(1, 0);
    let search = |more: &str, sink: Sink| {
        let text = format!(r#"{{"id":"a","moves":"{}","reuse":true,{more}}}"#, UNRELATED_MOVES[0]);
        pool.search(query(&text, MEMORY), sink)
    };
    let (sender, answers) = channel();
    let panics_in_between = move |answer: Answer| {
        assert!(!answer.is_during_search, "as asked");
        sender.send(json!(answer)["noResults"].clone()).is_ok()
    };
    search(
        r#""overrideSettings":{"maxTime":600},"reportDuringSearchEvery":0.01"#,
        Box::new(panics_in_between),
    );
    assert_eq!(answers.iter().collect::<Vec<_>>(), [true]);
    assert_eq!(reused(&pool, UNRELATED_MOVES[0]), 0);
    search(r#""maxVisits":50"#, Box::new(|_| panic!("as asked")));
    assert!(reused(&pool, UNRELATED_MOVES[0]) >= 100);
}
