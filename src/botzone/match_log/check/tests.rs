//! Logs that are right and logs that are wrong, each in one way.

use serde_json::json;

use super::*;
use crate::botzone::judge_log::entries;
use crate::botzone::match_log::form::match_log;
use crate::game::{Fen, FullMove, Size};

const OPENING: [&str; 3] = ["f1-d3/g6", "a6-e6/d5", "a3-a4/d1"];

fn game(start: Position, moves: &[&str]) -> Game {
    let moves: Vec<FullMove> = moves.iter().map(|text| text.parse().unwrap()).collect();
    Game::of(start, &moves).unwrap()
}

fn start(side: usize, start: Start) -> Position {
    start.position(Size::square(side).unwrap()).unwrap()
}

/// The entries of a match on 8x8 that is still open: a request, and an answer and a request for
/// each move.
fn open(moves: &[&str]) -> Vec<Value> {
    entries(&game(start(8, Start::Formula), moves))
}

/// The entries of a match on 8x8 that ends with the fault of the player to move.
fn lost(moves: &[&str], kind: EndKind, answered: Option<Coordinates>) -> Vec<Value> {
    let mut game = game(start(8, Start::Formula), moves);
    let end = GameEnd::new(!game.position().to_move(), kind);
    game.end = Some(GameEnd { answered, ..end });
    entries(&game)
}

fn finish(winner: Side, error: Option<&str>) -> Value {
    let [first, second] = Side::BOTH.map(|side| if side == winner { 2 } else { 0 });
    let display = json!({"winner": winner.index(), "err": error});
    json!({"output": {"command": "finish", "content": {"0": first, "1": second}, "display": display}})
}

fn replay(entries: &[Value]) -> CheckedGame {
    check(&match_log(json!(entries)).unwrap())
}

fn kinds(replay: &CheckedGame) -> Vec<&'static str> {
    replay.disagreements.iter().map(|disagreement| disagreement.kind).collect()
}

fn kind(replay: &CheckedGame) -> Option<EndKind> {
    replay.game.end.as_ref().map(|end| end.kind)
}

#[test]
fn boards_and_starts_are_told_by_their_moves() {
    let cases = [
        (8, Start::Formula, vec!["c1-c4/c5"]),
        (10, Start::Formula, vec!["d1-d7/g7"]),
        (6, Start::Formula, vec!["b1-b4/b5"]),
        // Legal under both starts until the second player's move is not.
        (10, Start::Left, vec!["d1-d2/d3", "g1-g2/g3"]),
        // The counts alone: no move was made.
        (10, Start::Formula, vec![]),
    ];
    for (side, which, moves) in cases {
        let replay = replay(&entries(&game(start(side, which), &moves)));
        assert_eq!(*replay.game.start(), start(side, which), "{moves:?}");
        assert_eq!((kinds(&replay), replay.agreed_counts), (vec![], moves.len() + 1), "{moves:?}");
    }
}

#[test]
fn an_illegal_move_ends_a_match_if_the_judge_says_so() {
    let numbers = "a6-a1/a2".parse::<FullMove>().unwrap().into();
    let mut illegal = lost(&["f1-d3/g6"], EndKind::IllegalMove, Some(numbers));
    illegal[4]["output"]["display"]["blackCount"] = 9.into();
    let checked = replay(&illegal);
    assert_eq!((kinds(&checked), checked.game.winner()), (vec![], Some(Side::First)));
    assert_eq!(kind(&checked), Some(EndKind::IllegalMove));
    illegal[4] = finish(Side::First, Some("INVALID_INPUT_VERDICT_TLE"));
    assert_eq!(kinds(&replay(&illegal)), ["reason"]);
    illegal[4] = finish(Side::Second, Some("INVALIDMOVE"));
    assert_eq!(kinds(&replay(&illegal)), ["winner"]);
}

#[test]
fn programs_fail_in_their_own_ways() {
    let fail = |kind| lost(&["f1-d3/g6"], kind, None);
    let timeout = replay(&fail(EndKind::Time));
    assert_eq!((kinds(&timeout), timeout.agreed_counts), (vec![], 3));
    let end = timeout.game.end.as_ref().unwrap();
    assert_eq!((end.winner, end.kind, end.detail.as_deref()), (Side::First, EndKind::Time, Some("TLE")));
    let mut garbage = fail(EndKind::Malformed);
    garbage[3] = json!({"1": {"response": "x"}});
    garbage[4]["output"]["display"]["err"] = "INVALID_INPUT_VERDICT_OK".into();
    let garbage = replay(&garbage);
    assert_eq!((kinds(&garbage), garbage.game.winner()), (vec![], Some(Side::First)));
    let beyond = replay(&lost(&["f1-d3/g6"], EndKind::IllegalMove, Some(Coordinates::NONE)));
    assert_eq!((kinds(&beyond), kind(&beyond)), (vec![], Some(EndKind::IllegalMove)));
    let mut crash = fail(EndKind::Crash);
    crash[4]["output"]["display"]["err"] = "INVALID_INPUT_VERDICT_TLE".into();
    assert_eq!(kinds(&replay(&crash)), ["reason"]);
}

#[test]
fn an_end_too_early_and_a_legal_move_refused_are_seen() {
    let mut early = open(&OPENING);
    early[6] = finish(Side::First, None);
    let checked = replay(&early);
    assert_eq!((kinds(&checked), checked.game.winner()), (vec!["ended-early"], Some(Side::First)));
    early[6] = finish(Side::Second, Some("INVALIDMOVE"));
    assert_eq!(kinds(&replay(&early)), ["refused"]);
}

#[test]
fn turns_out_of_turn_are_seen() {
    let change = |change: fn(&mut Vec<Value>)| {
        let mut log = open(&OPENING);
        change(&mut log);
        kinds(&replay(&log))
    };
    let asks_first = |log: &mut Vec<Value>| {
        let content = &mut log[2]["output"]["content"];
        *content = json!({"0": content["1"]});
    };
    assert_eq!(change(asks_first), ["asked"]);
    assert_eq!(change(|log| log[3] = json!({"0": {}})), ["answered"]);
    assert_eq!(change(|log| drop(log.remove(3))), ["skipped"]);
    assert_eq!(change(|log| log[2]["output"]["content"]["1"] = json!(Coordinates::NONE)), ["passed-on"]);
}

#[test]
fn a_match_that_outlives_its_end_is_seen() {
    // Walked from a position of its own: no start is so near its end.
    let near = "Q1q w".parse::<Fen>().unwrap().0;
    let replay = |entries: &[Value]| super::replay(near, &match_log(json!(entries)).unwrap());
    let mut log = entries(&game(near, &["a1-b1/a1"]));
    let ended = replay(&log);
    assert_eq!((kinds(&ended), kind(&ended)), (vec![], Some(EndKind::NoMove)));
    log[2]["output"]["content"]["0"] = 1.into();
    assert_eq!(kinds(&replay(&log)), ["scores"]);
    let display = log[2]["output"]["display"].clone();
    log[2]["output"] = json!({"command": "request", "content": {"1": display}, "display": display});
    log.push(json!({"1": {}}));
    assert_eq!(kinds(&replay(&log)), ["went-on"]);
}

#[test]
fn a_log_without_contradiction_is_believed() {
    // The second move is legal under the left start only, and its log says that it was not.
    let formula = start(10, Start::Formula);
    let mut refused = entries(&game(start(10, Start::Left), &["d1-d2/d3", "g1-g2/g3"]));
    for entry in refused.iter_mut().step_by(2) {
        entry["output"]["display"] = json!({});
    }
    let open = refused.clone();
    refused[4] = finish(Side::First, Some("INVALIDMOVE"));
    let checked = replay(&refused);
    assert_eq!((*checked.game.start(), kinds(&checked)), (formula, vec![]));
    assert_eq!(*replay(&open).game.start(), start(10, Start::Left));
}
