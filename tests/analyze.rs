//! Tests `quiver analyze`, and every example in the description of its protocol.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Output, Stdio};

use crate::common::program::{Run, assert_fields, inputs, printed, printed_json, quiver, run};
use serde_json::{Value, json};

const PROTOCOL: &str = include_str!("../src/analysis/protocol.md");

const ENGINE: [&str; 6] = ["analyze", "--jsonl", "--concurrency", "2", "--memory", "16M"];

/// A time limit of one hour, for queries that the tests end earlier.
const ONE_HOUR_LIMIT: &str = r#""overrideSettings":{"maxTime":3600}"#;

fn engine() -> Child {
    let mut command = quiver(&ENGINE);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// True if the answer `got` has all fields of the example `shown`, with values of the same types.
/// Booleans and the fields in `EXACT` must have equal values; other values change with the engine.
fn fits(shown: &Value, got: &Value, name: &str) -> bool {
    const EXACT: &str = "id turnNumber currentPlayer error field action terminateId found stop scoreLead";
    match (shown, got) {
        _ if EXACT.split(' ').any(|exact| exact == name) => shown == got,
        (Value::Object(shown), Value::Object(got)) => {
            shown.iter().all(|(name, value)| got.get(name).is_some_and(|got| fits(value, got, name)))
        }
        (Value::Array(shown), Value::Array(got)) => {
            let more = shown.last() == Some(&json!("…"));
            let known = &shown[..shown.len() - usize::from(more)];
            // An example list that ends with "…" may be shorter than the answer's list.
            (if more { got.len() >= known.len() } else { got.len() == known.len() })
                && known.iter().zip(got).all(|(shown, got)| fits(shown, got, ""))
        }
        (Value::Bool(shown), Value::Bool(got)) => shown == got,
        _ => std::mem::discriminant(shown) == std::mem::discriminant(got),
    }
}

#[test]
fn examples_of_protocol_are_true() {
    assert_eq!(printed(quiver(&["analyze", "--protocol"])), PROTOCOL);
    let blocks: Vec<&str> = PROTOCOL.split("```").skip(1).step_by(2).collect();
    assert_eq!(blocks.len(), 8);
    for block in blocks {
        let marked =
            |mark: &str| -> Vec<&str> { block.lines().filter_map(|line| line.strip_prefix(mark)).collect() };
        let (sent, shown) = (marked("> "), marked("< "));
        assert!(!sent.is_empty() && !shown.is_empty(), "{block}");
        let Run { code, out, err } = run(quiver(&ENGINE), (sent.join("\n") + "\n").as_bytes());
        assert_eq!(code, Some(0), "{err}");
        let got: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for line in &shown {
            let example: Value = serde_json::from_str(line).unwrap();
            assert!(got.iter().any(|got| fits(&example, got, "")), "{line}\n{got:#?}");
        }
        // An example with `staticValue` must have exactly the fields of the real answer.
        if let Some(whole) = shown.iter().find(|line| line.contains("staticValue")) {
            let whole: Value = serde_json::from_str(whole).unwrap();
            let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(&whole), names(&got[0]));
            assert_eq!(names(&whole["moveInfos"][0]), names(&got[0]["moveInfos"][0]));
        }
    }
}

const REFUSED: &str = include_str!("snapshots/quiver__analyze__errors.snap");

#[test]
fn errors_name_their_field() {
    let lines: Vec<&str> = inputs(REFUSED).collect();
    let command = quiver(&["analyze", "--jsonl", "--board", "8"]);
    let Run { code, out, err } = run(command, lines.join("\n").as_bytes());
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let told = lines.iter().zip(out.lines()).map(|(line, answer)| format!("{line}\n{answer}\n\n"));
    insta::assert_snapshot!("errors", told.collect::<String>());
    // An unknown field is ignored with a warning.
    let out = run(quiver(&ENGINE), br#"{"id":"a","komi":7,"maxVisits":1}"#).out;
    let warning = r#"{"field":"komi","id":"a","warning":"no such field: expected one of `boardXSize`"#;
    assert!(out.starts_with(warning) && out.lines().count() == 2, "{out}");
}

#[test]
fn terminates_running_queries() {
    let mut child = engine();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    writeln!(input, r#"{{"id":"endless","boardXSize":6,{ONE_HOUR_LIMIT},"reportDuringSearchEvery":0.01}}"#)
        .unwrap();
    assert_eq!(next()["isDuringSearch"], true);
    writeln!(input, r#"{{"id":"short","boardXSize":6,"maxVisits":5}}"#).unwrap();
    while next()["id"] != "short" {}
    writeln!(input, r#"{{"id":"endless","boardXSize":6}}"#).unwrap();
    let mut until = |holds: &dyn Fn(&Value) -> bool| std::iter::repeat_with(&mut next).find(holds).unwrap();
    let refusal = until(&|answer| !answer["error"].is_null());
    assert_fields(&refusal, json!({"field": "id", "id": "endless"}));
    // The query "endless" occupies one of two engines, so one of the two searches of "two" waits.
    writeln!(
        input,
        r#"{{"id":"two","boardXSize":6,"moves":"b1-b4/b5","analyzeTurns":"all",{ONE_HOUR_LIMIT}}}"#
    )
    .unwrap();
    writeln!(input, r#"{{"id":"no more","action":"terminate","terminateId":"two"}}"#).unwrap();
    let two = [(); 2].map(|()| until(&|answer| answer["id"] == "two"));
    let waiting =
        |turn: usize| json!({"id": "two", "turnNumber": turn, "isDuringSearch": false, "noResults": true});
    assert!(two.contains(&waiting(0)) || two.contains(&waiting(1)), "{two:?}");
    writeln!(input, r#"{{"id":"enough","action":"terminate","terminateId":"endless"}}"#).unwrap();
    let last = until(&|answer| answer["id"] == "endless" && answer["isDuringSearch"] == false);
    assert_eq!(last["stop"], "stopped");
    assert!(last["playouts"].as_u64().unwrap() > 0);
    writeln!(input, r#"{{"id":"endless","boardXSize":6,"maxVisits":5}}"#).unwrap();
    drop(input);
    assert_eq!(next()["stop"], "playouts");
    assert!(lines.next().is_none() && child.wait().unwrap().success());
}

#[test]
fn ends_when_output_fails() {
    let mut child = engine();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    writeln!(input, r#"{{"id":"silent","boardXSize":6,{ONE_HOUR_LIMIT}}}"#).unwrap();
    writeln!(input, r#"{{"id":"told","boardXSize":6,{ONE_HOUR_LIMIT},"reportDuringSearchEvery":0.01}}"#)
        .unwrap();
    output.read_line(&mut String::new()).unwrap();
    drop(output);
    // The input is still open, so only the failed output can end the process.
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    assert_eq!((status.code(), stderr.as_slice()), (Some(0), &b""[..]));
    drop(input);
}

#[test]
fn text_and_json_have_same_moves() {
    let line = ["analyze", "--board", "8", "--playouts", "300", "--territory"];
    let (text, answer) = (printed(quiver(&line)), printed_json(&line));
    let best = answer["moveInfos"][0]["move"].as_str().unwrap();
    assert!(text.contains(&format!("best {best}, expecting {best}")), "{text}");
    for candidate in answer["moveInfos"].as_array().unwrap().iter().take(10) {
        assert!(text.contains(candidate["move"].as_str().unwrap()), "{candidate}: {text}");
    }
    assert!(text.contains("numbers of queen moves of the first player's amazons: "), "{text}");
    assert_eq!(answer["territory"]["queen"]["first"].as_array().unwrap().len(), 64);
    assert_eq!(answer["playouts"], 300);
}

#[test]
fn finished_game_has_winner_without_moves() {
    let over = ["analyze", "--position", "Q*q/**1 w"];
    let text = printed(quiver(&over));
    assert!(text.contains("the first player has no move left: the second player has won"), "{text}");
    let answer = printed_json(&[&over[..], &["--territory"]].concat());
    assert_fields(&answer, json!({"winner": "second", "stop": "no move", "proven": true, "moveInfos": []}));
    assert_fields(&answer["territory"], json!({"nearer": {"first": 0, "second": 1, "even": 0}}));
}
