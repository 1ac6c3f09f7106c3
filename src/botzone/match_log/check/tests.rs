//! Logs that are right and logs that are wrong, each in one way.

use super::*;
use crate::game::{Fen, FullMove, Size, TurnFacts};

fn numbers(text: &str) -> Coordinates {
    Coordinates::from(text.parse::<FullMove>().unwrap())
}

/// A log of these moves as the judge would write it, still open.
fn log(start: &Position, moves: &[&str]) -> MatchLog {
    let mut log = MatchLog::default();
    let mut position = *start;
    let mut shown = Coordinates::NONE;
    for text in moves {
        let mut turn = request(&position, shown);
        shown = numbers(text);
        turn.answer = Some(answer(position.to_move(), Reply::Numbers(shown)));
        log.turns.push(turn);
        position = text.parse().ok().and_then(|full| position.play(full).ok()).unwrap_or(position);
    }
    log.turns.push(request(&position, shown));
    log
}

fn request(position: &Position, shown: Coordinates) -> Turn {
    let counts = Side::BOTH.map(|side| position.count_full_moves(side));
    Turn { asked: Some(position.to_move()), shown: Some(shown), counts: Some(counts), answer: None }
}

fn answer(side: Side, reply: Reply) -> LoggedAnswer {
    LoggedAnswer { side, reply, verdict: "OK".into(), facts: TurnFacts::default() }
}

fn start(side: usize, start: Start) -> Position {
    start.position(Size::square(side).unwrap()).unwrap()
}

fn eight() -> Position {
    start(8, Start::Formula)
}

fn finish(winner: Side, error: Option<&str>) -> Finish {
    let mut scores = [0.0; 2];
    scores[winner.index()] = 2.0;
    let error = error.map(str::to_owned);
    Finish { winner: Some(winner), scores: Some(scores), error, shown: None, counts: None }
}

fn kinds(replay: &CheckedGame) -> Vec<&'static str> {
    replay.disagreements.iter().map(|disagreement| disagreement.kind).collect()
}

fn kind(replay: &CheckedGame) -> Option<EndKind> {
    replay.game.end.as_ref().map(|end| end.kind)
}

const OPENING: [&str; 3] = ["f1-d3/g6", "a6-e6/d5", "a3-a4/d1"];

#[test]
fn boards_and_starts_are_told_by_their_moves() {
    let cases = [
        (8, Start::Formula, vec!["c1-c4/c5"]),
        (10, Start::Formula, vec!["d1-d7/g7"]),
        (6, Start::Formula, vec!["b1-b4/b5"]),
        // Legal under both starts until the second player's move is not.
        (10, Start::Left, vec!["d1-d2/d3", "g1-g2/g3"]),
    ];
    for (side, which, moves) in cases {
        let replay = check(&log(&start(side, which), &moves));
        assert_eq!(*replay.game.start(), start(side, which), "{moves:?}");
        assert_eq!((kinds(&replay), replay.agreed_counts), (vec![], moves.len() + 1), "{moves:?}");
    }
    // The counts alone: no move was made.
    assert_eq!(check(&log(&start(10, Start::Formula), &[])).game.start().size().width(), 10);
}

#[test]
fn an_illegal_move_ends_a_match_if_the_judge_says_so() {
    let mut illegal = log(&eight(), &["f1-d3/g6", "a6-a1/a2"]);
    illegal.turns.pop();
    illegal.finish = Some(Finish { counts: Some([9, 9]), ..finish(Side::First, Some("INVALIDMOVE")) });
    let replay = check(&illegal);
    assert_eq!((kinds(&replay), replay.game.winner()), (vec![], Some(Side::First)));
    assert_eq!(kind(&replay), Some(EndKind::IllegalMove));
    illegal.finish = Some(finish(Side::First, Some("INVALID_INPUT_VERDICT_TLE")));
    assert_eq!(kinds(&check(&illegal)), ["reason"]);
    illegal.finish = Some(finish(Side::Second, Some("INVALIDMOVE")));
    assert_eq!(kinds(&check(&illegal)), ["winner"]);
}

#[test]
fn programs_fail_in_their_own_ways() {
    let fail = |verdict: &str, reply: Reply, error: &str| {
        let mut log = log(&eight(), &["f1-d3/g6"]);
        let counts = log.turns[1].counts;
        log.turns[1].answer =
            Some(LoggedAnswer { verdict: verdict.to_owned(), ..answer(Side::Second, reply) });
        log.finish = Some(Finish { counts, ..finish(Side::First, Some(error)) });
        check(&log)
    };
    let timeout = fail("TLE", Reply::Missing, "INVALID_INPUT_VERDICT_TLE");
    assert_eq!((kinds(&timeout), timeout.agreed_counts), (vec![], 3));
    let end = timeout.game.end.as_ref().unwrap();
    assert_eq!((end.winner, end.kind, end.detail.as_deref()), (Side::First, EndKind::Time, Some("TLE")));
    let garbage = fail("OK", Reply::Unreadable("x".into()), "INVALID_INPUT_VERDICT_OK");
    assert_eq!((kinds(&garbage), garbage.game.winner()), (vec![], Some(Side::First)));
    let beyond = fail("OK", Reply::Numbers(Coordinates::NONE), "INVALIDMOVE");
    assert_eq!((kinds(&beyond), kind(&beyond)), (vec![], Some(EndKind::IllegalMove)));
    let crash = fail("RE", Reply::Missing, "INVALID_INPUT_VERDICT_TLE");
    assert_eq!(kinds(&crash), ["reason"]);
}

#[test]
fn an_end_too_early_and_a_legal_move_refused_are_seen() {
    let mut early = log(&eight(), &OPENING);
    early.turns.pop();
    early.finish = Some(finish(Side::First, None));
    let replay = check(&early);
    assert_eq!((kinds(&replay), replay.game.winner()), (vec!["ended-early"], Some(Side::First)));
    early.finish = Some(finish(Side::Second, Some("INVALIDMOVE")));
    assert_eq!(kinds(&check(&early)), ["refused"]);
}

#[test]
fn turns_out_of_turn_are_seen() {
    let change = |change: fn(&mut MatchLog)| {
        let mut log = log(&eight(), &OPENING);
        change(&mut log);
        kinds(&check(&log))
    };
    assert_eq!(change(|log| log.turns[1].asked = Some(Side::First)), ["asked"]);
    assert_eq!(change(|log| log.turns[1].answer = Some(answer(Side::First, Reply::Missing))), ["answered"]);
    assert_eq!(change(|log| log.turns[1].answer = None), ["skipped"]);
    assert_eq!(change(|log| log.turns[1].shown = Some(Coordinates::NONE)), ["passed-on"]);
}

#[test]
fn a_match_that_outlives_its_end_is_seen() {
    // Walked from a position of its own: no start is so near its end.
    let near = "Q1q w".parse::<Fen>().unwrap().0;
    let mut log = log(&near, &["a1-b1/a1"]);
    log.turns.last_mut().unwrap().answer = Some(answer(Side::Second, Reply::Missing));
    assert_eq!(kinds(&Replay::new(near).through(&log)), ["went-on"]);
    log.turns.pop();
    log.finish = Some(finish(Side::First, None));
    let replay = Replay::new(near).through(&log);
    assert_eq!((kinds(&replay), kind(&replay)), (vec![], Some(EndKind::NoMove)));
    log.finish = Some(Finish { scores: Some([1.0, 0.0]), ..finish(Side::First, None) });
    assert_eq!(kinds(&Replay::new(near).through(&log)), ["scores"]);
}

#[test]
fn an_empty_log_is_an_open_match() {
    assert_eq!(check(&MatchLog::default()).game.end, None);
}

#[test]
fn a_log_without_contradiction_is_believed() {
    // The second move is legal under the left start only, and its log says that it was not.
    let formula = start(10, Start::Formula);
    let mut refused = log(&formula, &["d1-d2/d3", "g1-g2/g3"]);
    refused.turns.pop();
    for turn in &mut refused.turns {
        turn.counts = None;
    }
    refused.finish = Some(finish(Side::First, Some("INVALIDMOVE")));
    let replay = check(&refused);
    assert_eq!((*replay.game.start(), kinds(&replay)), (formula, vec![]));
    refused.finish = None;
    assert_eq!(*check(&refused).game.start(), start(10, Start::Left));
}
