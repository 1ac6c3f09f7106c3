//! A pool with queries, without a process.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::*;
use crate::analysis::{AnalysisRequest, Defaults, QueryLimits};

const MEMORY: usize = 16 << 20;

fn query(text: &str) -> Query {
    let engine = EngineOptions { memory: MEMORY, ..EngineOptions::default() };
    let defaults =
        Defaults { engine, board: 6, limits: QueryLimits { playouts: Some(50), ..QueryLimits::default() } };
    match AnalysisRequest::read(text.as_bytes(), &defaults).unwrap().0 {
        AnalysisRequest::Query(query) => *query,
        other => panic!("{other:?}"),
    }
}

/// Submits a query; the answers end when it does.
fn ask(pool: &QueryPool, text: &str) -> (Ticket, Receiver<Value>) {
    let (sender, receiver) = channel();
    let sink = Box::new(move |answer| sender.send(answer).is_ok());
    let ticket = pool.ticket();
    pool.submit(ticket, query(text), sink);
    (ticket, receiver)
}

const ENDLESS: &str = r#"{"id":"endless","time":86400,"report_every":0.01}"#;

#[test]
fn every_turn_is_answered_once_and_alone_gives_the_same() {
    let pool = QueryPool::new(2, MEMORY).unwrap();
    let moves = r#""moves":"b1-b4/b5 a5-a3/a4 e1-e3/e2""#;
    let (_, all) = ask(&pool, &format!(r#"{{"id":"all",{moves},"turns":"all"}}"#));
    let mut answers: Vec<Value> = all.iter().collect();
    answers.sort_by_key(|answer| answer["turn"].as_u64());
    assert_eq!(
        answers.iter().map(|answer| answer["turn"].as_u64().unwrap()).collect::<Vec<_>>(),
        [0, 1, 2, 3]
    );
    for answer in answers {
        let (_, one) = ask(&pool, &format!(r#"{{"id":"one",{moves},"turns":[{}]}}"#, answer["turn"]));
        let one = one.recv().unwrap();
        for field in ["best", "value", "moves", "line", "playouts", "stop"] {
            assert_eq!(one[field], answer[field], "{field}");
        }
    }
}

#[test]
fn a_terminated_query_answers_what_it_has_and_what_it_has_not() {
    let pool = QueryPool::new(1, MEMORY).unwrap();
    let (ticket, answers) =
        ask(&pool, &ENDLESS.replace("\"time\"", r#""moves":"b1-b4/b5","turns":"all","time""#));
    let first = answers.recv().unwrap();
    assert_eq!((&first["searching"], &first["turn"]), (&json!(true), &json!(0)));
    pool.terminate(ticket);
    let rest: Vec<Value> = answers.iter().collect();
    assert!(
        rest.contains(&json!({"id": "endless", "turn": 1, "turnNumber": 1, "terminated": true})),
        "{rest:?}"
    );
    let stopped: Vec<_> = rest.iter().filter(|answer| answer["searching"] == false).collect();
    assert_eq!((stopped.len(), &stopped[0]["stop"]), (1, &json!("stopped")));
    // Nothing is left of it that would stop the next.
    let (_, next) = ask(&pool, r#"{"id":"next"}"#);
    assert_eq!(next.recv().unwrap()["stop"], "playouts");
}

#[test]
fn a_query_that_nobody_listens_to_ends() {
    let pool = QueryPool::new(1, MEMORY).unwrap();
    let (_, answers) = ask(&pool, ENDLESS);
    answers.recv().unwrap();
    drop(answers);
    let (_, next) = ask(&pool, r#"{"id":"next"}"#);
    assert!(next.recv_timeout(Duration::from_secs(60)).is_ok());
}

#[test]
fn what_matters_more_is_searched_first() {
    let pool = QueryPool::new(1, MEMORY).unwrap();
    let (busy, answers) = ask(&pool, ENDLESS);
    answers.recv().unwrap();
    let (sender, order) = channel();
    for (id, priority) in [("low", -1), ("middle", 0), ("high", 5), ("also", 0)] {
        let text = format!(r#"{{"id":"{id}","priority":{priority}}}"#);
        let sender = sender.clone();
        pool.submit(
            pool.ticket(),
            query(&text),
            Box::new(move |answer| sender.send(answer["id"].clone()).is_ok()),
        );
    }
    drop(sender);
    pool.terminate(busy);
    assert_eq!(order.iter().collect::<Vec<_>>(), ["high", "middle", "also", "low"]);
}

#[test]
fn a_search_goes_on_from_an_earlier_one_if_it_may() {
    let pool = QueryPool::new(2, MEMORY).unwrap();
    let asked = |moves: &str, reuse: bool| {
        let text = format!(r#"{{"id":"a","moves":"{moves}","reuse":{reuse},"playouts":2000}}"#);
        ask(&pool, &text).1.recv().unwrap()
    };
    let first = asked("", true);
    let best = first["best"].as_str().unwrap();
    assert!(asked(best, true)["reused"].as_u64().unwrap() > 0);
    assert_eq!(asked(best, false)["reused"], 0);
    assert_eq!(asked("b1-b4/b5", true)["reused"], 0);
}

#[test]
fn a_finished_game_and_a_finished_desk() {
    let pool = QueryPool::new(1, MEMORY).unwrap();
    let (_, answers) = ask(&pool, r#"{"id":"over","position":"Q*q/**1 w","territory":true}"#);
    let (_, later) = ask(&pool, r#"{"id":"later"}"#);
    pool.finish();
    let answer = answers.recv().unwrap();
    assert_eq!(
        (&answer["winner"], &answer["value"], &answer["best"]),
        (&json!("second"), &json!(0.0), &Value::Null)
    );
    assert_eq!(answer["territory"]["nearer"], json!({"first": 0, "second": 1, "even": 0}));
    assert_eq!(later.iter().count(), 1);
}

/// Waits until pondering has made this many playouts.
fn pondered(pool: &QueryPool, playouts: u64) {
    while pool.pool.pondered() < playouts {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn what_was_pondered_is_there_for_the_next_query() {
    let pool = QueryPool::pondering(2, MEMORY).unwrap();
    let asked = |moves: &str, reuse: bool| {
        let text = format!(r#"{{"id":"a","moves":"{moves}","reuse":{reuse},"playouts":300}}"#);
        ask(&pool, &text).1.recv().unwrap()
    };
    let first = asked("", true);
    pondered(&pool, 5_000);
    let here = asked("", true);
    let reused = here["reused"].as_u64().unwrap();
    // Pondered to the end, and then searched in full.
    assert!(reused >= 5_300 && here["playouts"] == 300 && here["stop"] == "playouts", "{here}");
    let best = here["moves"].as_array().unwrap().iter().find(|one| one["move"] == here["best"]).unwrap();
    let below = asked(here["best"].as_str().unwrap(), true);
    assert!(below["reused"].as_u64() >= best["visits"].as_u64(), "{below}");
    // A query without `reuse` sees nothing of it.
    let alone = asked("", false);
    assert_eq!((&alone["reused"], &alone["moves"]), (&json!(0), &first["moves"]));
}

#[test]
fn pondering_gives_way_at_once_and_to_everybody() {
    let pool = QueryPool::pondering(2, MEMORY).unwrap();
    for round in 0..50 {
        let before = pool.pool.pondered();
        let answers: Vec<_> = (0..3)
            .map(|query| {
                let text = format!(r#"{{"id":"{query}","reuse":true,"playouts":{}}}"#, 40 + round);
                ask(&pool, &text).1
            })
            .collect();
        for answers in answers {
            let answer = answers.recv().unwrap();
            // A stop that was meant for the pondering cuts no answer short.
            assert_eq!((&answer["playouts"], &answer["stop"]), (&json!(40 + round), &json!("playouts")));
        }
        // A tree that is full is pondered no longer.
        if round < 5 {
            pondered(&pool, before + 1);
        }
    }
}

#[test]
fn pondering_ends_with_the_memory_and_with_the_desk() {
    let pool = QueryPool::pondering(1, 1 << 20).unwrap();
    ask(&pool, r#"{"id":"a","reuse":true}"#).1.recv().unwrap();
    pondered(&pool, 1);
    while pool.pool.is_pondering() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let most = pool.pool.pondered();
    assert!(most < 100_000, "{most} playouts in a megabyte");
    // It neither begins anew nor is in the way.
    let (_, again) = ask(&pool, r#"{"id":"b"}"#);
    assert_eq!(again.recv().unwrap()["stop"], "playouts");
    assert_eq!(pool.pool.pondered(), most);

    // Memory for hours: the end of the pool does not wait for it.
    let pool = QueryPool::pondering(1, 1 << 30).unwrap();
    ask(&pool, r#"{"id":"a","reuse":true}"#).1.recv().unwrap();
    pondered(&pool, 1);
    drop(pool);
    assert_eq!(QueryPool::new(1, MEMORY).unwrap().pool.pondered(), 0);
}
