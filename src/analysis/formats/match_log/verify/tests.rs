//! Tests with correct logs, and with logs that contradict the rules in one way each.

use amazons::{Move, Position, Size};

use super::*;
use crate::formats::judge_log::entries;
use crate::formats::match_log::form::match_log;
use crate::games::MatchGame;

const OPENING: [&str; 3] = ["f1-d3/g6", "a6-e6/d5", "a3-a4/d1"];

fn game(start: Position, moves: &[&str]) -> Game {
    let moves: Vec<Move> = moves.iter().map(|text| text.parse().unwrap()).collect();
    Game::of(start, &moves).unwrap()
}

fn start(side: usize, start: Start) -> Position {
    start.position(Size::square(side).unwrap()).unwrap()
}

/// The log of an unfinished match on 8x8: a request, then for each move an answer and a request.
fn open(moves: &[&str]) -> Vec<Value> {
    entries(&game(start(8, Start::Formula), moves))
}

/// The entries of a match on 8x8 that the player to move loses by a fault of kind `kind`.
fn lost(moves: &[&str], kind: EndKind, answered: Option<Coordinates>) -> Vec<Value> {
    let mut game = game(start(8, Start::Formula), moves);
    let end = GameEnd::new(!game.position().to_move(), kind);
    game.end = Some(GameEnd { answered, ..end });
    entries(&game)
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

fn finish(winner: Side, error: Option<&str>) -> Value {
    let [first, second] = Side::BOTH.map(|side| if side == winner { 2 } else { 0 });
    let display = format!(r#"{{"winner": {}, "err": {}}}"#, winner.index(), Value::from(error));
    value(&format!(
        r#"{{"output": {{"command": "finish", "content": {{"0": {first}, "1": {second}}}, "display": {display}}}}}"#
    ))
}

fn replay(entries: &[Value]) -> CheckedGame {
    verify(&match_log(entries.into()).unwrap())
}

fn kinds(replay: &CheckedGame) -> Vec<&'static str> {
    replay.disagreements.iter().map(|disagreement| disagreement.kind).collect()
}

fn kind(replay: &CheckedGame) -> Option<EndKind> {
    replay.game.end.as_ref().map(|end| end.kind)
}

#[test]
fn finds_start_position_of_log() {
    let cases = [
        (8, Start::Formula, vec!["c1-c4/c5"]),
        (10, Start::Formula, vec!["d1-d7/g7"]),
        (6, Start::Formula, vec!["b1-b4/b5"]),
        // From the start position `Left` both moves are legal, from `Formula` only the first move.
        (10, Start::Left, vec!["d1-d2/d3", "g1-g2/g3"]),
        // A log without moves still states the numbers of legal moves, which show the board's size.
        (10, Start::Formula, vec![]),
    ];
    for (side, which, moves) in cases {
        let replay = replay(&entries(&game(start(side, which), &moves)));
        assert_eq!(*replay.game.start(), start(side, which), "{moves:?}");
        assert_eq!((kinds(&replay), replay.agreed_counts), (vec![], moves.len() + 1), "{moves:?}");
    }
}

fn with(mut log: Vec<Value>, entry: usize, place: &str, value: impl Into<Value>) -> Vec<Value> {
    *log[entry].pointer_mut(place).unwrap() = value.into();
    log
}

#[test]
fn disagreements_have_their_kinds() {
    use EndKind::{Crash, Disputed, IllegalMove, Malformed, Time};
    let numbers: Coordinates = "a6-a1/a2".parse::<Move>().unwrap().into();
    let illegal = || lost(&["f1-d3/g6"], IllegalMove, Some(numbers));
    let failed = |kind| lost(&["f1-d3/g6"], kind, None);
    let garbage = with(failed(Malformed), 3, "", value(r#"{"1": {"response": "x"}}"#));
    let (first, second) = (Some(Side::First), Some(Side::Second));
    let mut skipped = open(&OPENING);
    skipped.remove(3);
    let asked_first = value(&format!(r#"{{"0": {}}}"#, skipped[2]["output"]["content"]["1"]));
    let error = |log, error: &str| with(log, 4, "/output/display/err", error);
    let ended = |log: Vec<Value>, winner, error| {
        let last = log.len() - 1;
        with(log, last, "", finish(winner, error))
    };
    let [tle, refused] = [Some("INVALID_INPUT_VERDICT_TLE"), Some("INVALIDMOVE")];
    let begun = || open(&OPENING);
    let forgiven = || with(begun(), 3, "/1/response/x2", 9);
    for (log, expected, end, winner) in [
        // After an illegal move, the log may have wrong numbers of legal moves: see
        // `form::legal_move_counts`.
        (with(illegal(), 4, "/output/display/blackCount", 9), &[][..], Some(IllegalMove), first),
        (ended(illegal(), Side::First, tle), &["reason"], Some(IllegalMove), first),
        (ended(illegal(), Side::Second, refused), &["winner"], Some(IllegalMove), first),
        (lost(&["f1-d3/g6"], IllegalMove, Some(Coordinates::NONE)), &[], Some(IllegalMove), first),
        (failed(Time), &[], Some(Time), first),
        (error(failed(Crash), "INVALID_INPUT_VERDICT_TLE"), &["reason"], Some(Crash), first),
        (error(garbage, "INVALID_INPUT_VERDICT_OK"), &[], Some(Malformed), first),
        (ended(begun(), Side::First, None), &["ended-early"], Some(Disputed), first),
        (ended(begun(), Side::Second, refused), &["refused"], Some(Disputed), second),
        (with(begun(), 2, "/output/content", asked_first), &["asked"], None, None),
        (with(begun(), 3, "", value(r#"{"0": {}}"#)), &["answered"], None, None),
        (skipped, &["skipped"], None, None),
        (forgiven(), &["forgiven"], None, None),
        ([forgiven(), vec![finish(Side::Second, None)]].concat(), &["forgiven"], Some(Disputed), second),
        (
            with(begun(), 2, "/output/content/1", serde_json::to_value(Coordinates::NONE).unwrap()),
            &["passed-on"],
            None,
            None,
        ),
    ] {
        let checked = replay(&log);
        let got = (&kinds(&checked)[..], kind(&checked), checked.game.winner());
        assert_eq!(got, (expected, end, winner), "{log:?}");
    }
    let [told] = &replay(&forgiven()).disagreements[..] else { panic!("one disagreement") };
    assert_eq!(told.ply, Some(2));
    assert!(told.message.starts_with("ply 2: the log goes on although the second player made "), "{told}");
}

#[test]
fn reports_log_beyond_end_of_game() {
    // The replay begins at a position near the end of a game, not at a start position.
    let near = "Q1q w".parse::<Position>().unwrap();
    let replay = |entries: &[Value]| super::replay(near, &match_log(entries.into()).unwrap());
    let mut log = entries(&game(near, &["a1-b1/a1"]));
    let ended = replay(&log);
    assert_eq!((kinds(&ended), kind(&ended)), (vec![], Some(EndKind::NoMove)));
    log[2]["output"]["content"]["0"] = 1.into();
    assert_eq!(kinds(&replay(&log)), ["scores"]);
    let display = log[2]["output"]["display"].clone();
    log[2]["output"] =
        value(&format!(r#"{{"command": "request", "content": {{"1": {display}}}, "display": {display}}}"#));
    log.push(value(r#"{"1": {}}"#));
    assert_eq!(kinds(&replay(&log)), ["went-on"]);
}

#[test]
fn prefers_start_without_disagreement() {
    // The second move is legal from the start position `Left`, but the log calls it illegal.
    let formula = start(10, Start::Formula);
    let mut refused = entries(&game(start(10, Start::Left), &["d1-d2/d3", "g1-g2/g3"]));
    for entry in refused.iter_mut().step_by(2) {
        entry["output"]["display"] = value("{}");
    }
    let open = refused.clone();
    refused[4] = finish(Side::First, Some("INVALIDMOVE"));
    let checked = replay(&refused);
    assert_eq!((*checked.game.start(), kinds(&checked)), (formula, vec![]));
    assert_eq!(*replay(&open).game.start(), start(10, Start::Left));
}
