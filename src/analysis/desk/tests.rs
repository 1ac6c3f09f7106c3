//! A desk with queries on it, without a process.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::*;
use crate::analysis::query::{Defaults, Effort, Request};
use crate::players::EngineOptions;

const MEMORY: usize = 16 << 20;

fn query(text: &str) -> Query {
    let engine = EngineOptions { memory: MEMORY, ..EngineOptions::default() };
    let defaults = Defaults { engine, board: 6, limits: Effort { playouts: Some(50), time: None } };
    match Request::read(text.as_bytes(), &defaults).unwrap() {
        Request::Query(query) => *query,
        other => panic!("{other:?}"),
    }
}

/// Puts a query on the desk; the answers end when it does.
fn ask(desk: &Desk, text: &str) -> (Ticket, Receiver<Value>) {
    let (sender, receiver) = channel();
    let sink = Box::new(move |answer| sender.send(answer).is_ok());
    let ticket = desk.ticket();
    desk.submit(ticket, query(text), sink);
    (ticket, receiver)
}

const ENDLESS: &str = r#"{"id":"endless","time":86400,"report_every":0.01}"#;

#[test]
fn every_turn_is_answered_once_and_alone_gives_the_same() {
    let desk = Desk::new(2, MEMORY);
    let moves = r#""moves":"b1-b4/b5 a5-a3/a4 e1-e3/e2""#;
    let (_, all) = ask(&desk, &format!(r#"{{"id":"all",{moves},"turns":"all"}}"#));
    let mut answers: Vec<Value> = all.iter().collect();
    answers.sort_by_key(|answer| answer["turn"].as_u64());
    assert_eq!(
        answers.iter().map(|answer| answer["turn"].as_u64().unwrap()).collect::<Vec<_>>(),
        [0, 1, 2, 3]
    );
    for answer in answers {
        let (_, one) = ask(&desk, &format!(r#"{{"id":"one",{moves},"turns":[{}]}}"#, answer["turn"]));
        let one = one.recv().unwrap();
        for field in ["best", "value", "moves", "line", "playouts", "stop"] {
            assert_eq!(one[field], answer[field], "{field}");
        }
    }
}

#[test]
fn a_terminated_query_answers_what_it_has_and_what_it_has_not() {
    let desk = Desk::new(1, MEMORY);
    let (ticket, answers) =
        ask(&desk, &ENDLESS.replace("\"time\"", r#""moves":"b1-b4/b5","turns":"all","time""#));
    let first = answers.recv().unwrap();
    assert_eq!((&first["searching"], &first["turn"]), (&json!(true), &json!(0)));
    desk.terminate(ticket);
    let rest: Vec<Value> = answers.iter().collect();
    assert!(rest.contains(&json!({"id": "endless", "turn": 1, "terminated": true})), "{rest:?}");
    let stopped: Vec<_> = rest.iter().filter(|answer| answer["searching"] == false).collect();
    assert_eq!((stopped.len(), &stopped[0]["stop"]), (1, &json!("stopped")));
    // Nothing is left of it that would stop the next.
    let (_, next) = ask(&desk, r#"{"id":"next"}"#);
    assert_eq!(next.recv().unwrap()["stop"], "playouts");
}

#[test]
fn a_query_that_nobody_listens_to_ends() {
    let desk = Desk::new(1, MEMORY);
    let (_, answers) = ask(&desk, ENDLESS);
    answers.recv().unwrap();
    drop(answers);
    let (_, next) = ask(&desk, r#"{"id":"next"}"#);
    assert!(next.recv_timeout(Duration::from_secs(60)).is_ok());
}

#[test]
fn what_matters_more_is_searched_first() {
    let desk = Desk::new(1, MEMORY);
    let (busy, answers) = ask(&desk, ENDLESS);
    answers.recv().unwrap();
    let (sender, order) = channel();
    for (id, priority) in [("low", -1), ("middle", 0), ("high", 5), ("also", 0)] {
        let text = format!(r#"{{"id":"{id}","priority":{priority}}}"#);
        let sender = sender.clone();
        desk.submit(
            desk.ticket(),
            query(&text),
            Box::new(move |answer| sender.send(answer["id"].clone()).is_ok()),
        );
    }
    drop(sender);
    desk.terminate(busy);
    assert_eq!(order.iter().collect::<Vec<_>>(), ["high", "middle", "also", "low"]);
}

#[test]
fn a_search_goes_on_from_an_earlier_one_if_it_may() {
    let desk = Desk::new(2, MEMORY);
    let asked = |moves: &str, reuse: bool| {
        let text = format!(r#"{{"id":"a","moves":"{moves}","reuse":{reuse},"playouts":2000}}"#);
        ask(&desk, &text).1.recv().unwrap()
    };
    let first = asked("", true);
    let best = first["best"].as_str().unwrap();
    assert!(asked(best, true)["reused"].as_u64().unwrap() > 0);
    assert_eq!(asked(best, false)["reused"], 0);
    assert_eq!(asked("b1-b4/b5", true)["reused"], 0);
}

#[test]
fn a_finished_game_and_a_finished_desk() {
    let desk = Desk::new(1, MEMORY);
    let (_, answers) = ask(&desk, r#"{"id":"over","position":"Q*q/**1 w","territory":true}"#);
    let (_, later) = ask(&desk, r#"{"id":"later"}"#);
    desk.finish();
    let answer = answers.recv().unwrap();
    assert_eq!(
        (&answer["winner"], &answer["value"], &answer["best"]),
        (&json!("second"), &json!(0.0), &Value::Null)
    );
    assert_eq!(answer["territory"]["nearer"], json!({"first": 0, "second": 1, "even": 0}));
    assert_eq!(later.iter().count(), 1);
}

/// Waits until so many playouts have been made while nobody asked.
fn pondered(desk: &Desk, playouts: u64) {
    while desk.shared.state().pondered < playouts {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn what_was_pondered_is_there_for_the_next_query() {
    let desk = Desk::pondering(2, MEMORY);
    let asked = |moves: &str, reuse: bool| {
        let text = format!(r#"{{"id":"a","moves":"{moves}","reuse":{reuse},"playouts":300}}"#);
        ask(&desk, &text).1.recv().unwrap()
    };
    let first = asked("", true);
    pondered(&desk, 5_000);
    let here = asked("", true);
    let reused = here["reused"].as_u64().unwrap();
    // Pondered to the end, and then searched in full.
    assert!(reused >= 5_300 && here["playouts"] == 300 && here["stop"] == "playouts", "{here}");
    let best = here["moves"].as_array().unwrap().iter().find(|one| one["move"] == here["best"]).unwrap();
    let below = asked(here["best"].as_str().unwrap(), true);
    assert!(below["reused"].as_u64() >= best["visits"].as_u64(), "{below}");
    // Whoever does not want it sees nothing of it.
    let alone = asked("", false);
    assert_eq!((&alone["reused"], &alone["moves"]), (&json!(0), &first["moves"]));
}

#[test]
fn pondering_gives_way_at_once_and_to_everybody() {
    let desk = Desk::pondering(2, MEMORY);
    for round in 0..50 {
        let before = desk.shared.state().pondered;
        let answers: Vec<_> = (0..3)
            .map(|query| {
                let text = format!(r#"{{"id":"{query}","reuse":true,"playouts":{}}}"#, 40 + round);
                ask(&desk, &text).1
            })
            .collect();
        for answers in answers {
            let answer = answers.recv().unwrap();
            // A stop that was meant for the pondering cuts no answer short.
            assert_eq!((&answer["playouts"], &answer["stop"]), (&json!(40 + round), &json!("playouts")));
        }
        // A tree that is full is pondered no longer.
        if round < 5 {
            pondered(&desk, before + 1);
        }
    }
}

#[test]
fn pondering_ends_with_the_memory_and_with_the_desk() {
    let desk = Desk::pondering(1, 1 << 20);
    ask(&desk, r#"{"id":"a","reuse":true}"#).1.recv().unwrap();
    pondered(&desk, 1);
    while desk.shared.state().pondering.is_some() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let most = desk.shared.state().pondered;
    assert!(most < 100_000, "{most} playouts in a megabyte");
    // It neither begins anew nor is in the way.
    let (_, again) = ask(&desk, r#"{"id":"b"}"#);
    assert_eq!(again.recv().unwrap()["stop"], "playouts");
    assert_eq!(desk.shared.state().pondered, most);

    // Memory for hours: the end of the desk does not wait for it.
    let desk = Desk::pondering(1, 1 << 30);
    ask(&desk, r#"{"id":"a","reuse":true}"#).1.recv().unwrap();
    pondered(&desk, 1);
    drop(desk);
    assert_eq!(Desk::new(1, MEMORY).shared.state().pondered, 0);
}
