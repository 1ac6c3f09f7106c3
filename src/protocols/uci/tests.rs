//! Tests of whole UCI sessions, which run in the process of the test.

use std::cell::Cell;
use std::io;
use std::time::Duration;

use amazons::{Move, Position, UciMove};

use super::arguments::{Go, UciOptions, start};
use super::{UciReporter, UciSession};
use crate::files::MAX_LINE;
use crate::protocols::transcript::{assert_transcript, session_output};
use crate::protocols::{Session as _, output};
use crate::search::{Engine, EngineOptions, Limits, Parameters, Time};

fn converse(input: &str) -> String {
    session_output(input.as_bytes(), |output| UciSession::new(engine(), output))
}

fn engine() -> EngineOptions {
    EngineOptions { memory: 1 << 24, ..EngineOptions::default() }
}

fn best_move(text: &str) -> Move {
    let line = text.lines().find(|line| line.starts_with("bestmove ")).unwrap_or_else(|| panic!("{text}"));
    line.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn skips_overlong_line() {
    let printed = converse(&("x".repeat(MAX_LINE + 9) + "\nisready\n"));
    assert_eq!(printed, "info string a line of more than 4194304 bytes: expected a shorter line\nreadyok\n");
}

#[test]
fn fairy_stockfishs_conversation_is_understood() {
    // In the transcript "<" marks each line that a match runner sent to Fairy-Stockfish.
    let transcript = include_str!("../../../tests/data/uci/fairy-stockfish.txt");
    let sent: Vec<&str> = transcript.lines().filter_map(|line| line.strip_prefix("< ")).collect();
    let short: String =
        sent.iter().map(|line| line.replace("go movetime 200", "go nodes 20") + "\n").collect();
    let (first_game, no_move) = short.split_once("quit\n").unwrap();
    let text = converse(first_game);
    assert!(text.starts_with("id name Quiver "), "{text}");
    for line in ["uciok", "readyok"] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    assert!(!text.contains("info string"), "{text}");
    let moves: Vec<&str> = text.lines().filter(|line| line.starts_with("bestmove")).collect();
    assert_eq!(moves.len(), 2, "{text}");
    start(10).play(best_move(moves[0])).unwrap();
    start(10).play("d1d7,d7g7".parse().unwrap()).unwrap().play(best_move(moves[1])).unwrap();
    assert!(converse(no_move).ends_with("info depth 0 score mate 0\nbestmove (none)\n"));
}

#[test]
fn every_parameter_is_an_option() {
    let text = converse("uci\n");
    for row in Parameters::TABLE {
        assert!(text.contains(&format!("option name {} type ", row.name)), "{}", row.name);
    }
    for name in "Hash,Threads,MultiPV,Ponder,Clear Hash,UCI_Variant".split(',') {
        assert!(text.contains(&format!("option name {name} type ")), "{name}");
    }
    let set = "setoption name exploration value 0.5\nsetoption name Hash value 64\n\
               setoption name playout_plies value 3\nsetoption name UCI_Variant value amazons8\n\
               setoption name Threads value 1\nsetoption name reuse value false\nuci\n";
    let text = converse(set);
    assert!(!text.contains("info string"), "{text}");
    let changed = "exploration type string default 0.5,Hash type spin default 64,\
                   playout_plies type spin default 3,reuse type check default false";
    for changed in changed.split(',') {
        assert!(text.contains(changed), "{changed}: {text}");
    }
    for threads in ["0", "100000"] {
        let text = converse(&format!("setoption name Threads value {threads}\n"));
        assert!(text.starts_with(&format!("info string option Threads = '{threads}': expected 1 to ")));
    }
}

#[test]
fn answers_as_in_the_transcript() {
    let at = Cell::new(None::<(usize, Position)>);
    let send = |session: &mut UciSession, line: &[u8]| {
        // If a command ends a search, the search's move is for the position before the command.
        at.set(session.game.as_ref().map(|game| (game.len() + 1, *game.position())));
        let goes_on = session.handle_line(line);
        if !session.infinite {
            session.search.wait();
        }
        goes_on
    };
    let shown = |line: &str| {
        let answer = line.strip_prefix("bestmove ").and_then(|answer| answer.split(' ').next()?.parse().ok());
        if let (Some(chosen), Some((ply, position))) = (answer, at.get()) {
            assert!(position.play(chosen).is_ok(), "{chosen}: {position}");
            return Some(format!("bestmove (legal in ply {ply} on {})", position.size()));
        }
        (!line.starts_with("info depth")).then(|| line.to_owned())
    };
    let transcript = include_str!("../../../tests/data/uci/transcript.txt");
    assert_transcript(transcript, |output| UciSession::new(engine(), output), send, shown);
}

#[test]
fn plays_only_moves_of_searchmoves() {
    let text = converse("go searchmoves d1d1,d1d1 g1g2,g2g1 nodes 50\n");
    assert_eq!(best_move(&text).to_string(), "g1-g2/g1");
    let text = converse("go nodes 50 searchmoves d1d2,d2d1 g1g2,g2g1\n");
    assert!(["d1-d2/d1", "g1-g2/g1"].contains(&best_move(&text).to_string().as_str()), "{text}");
}

#[test]
fn any_white_space_separates_words() {
    let text = converse(
        "\u{feff}position\tstartpos \t moves\td1d7,d7g7\r\nsetoption\tname  Clear\tHash\r\n\
         setoption name MultiPV\tvalue\t2\r\ngo\tnodes\t50 \r\n",
    );
    assert!(!text.contains("info string") && text.contains(" multipv 2 "), "{text}");
    assert_eq!(converse("\n  \nponderhit\nquit\ngo nodes 5\n"), "");
    start(10).play("d1d7,d7g7".parse().unwrap()).unwrap().play(best_move(&text)).unwrap();
}

#[test]
fn offers_no_ponder_move_that_ends_the_game() {
    let fen = "Q***/1q**/**2/**** w - - 0 1";
    let text = converse(&format!("setoption name Ponder value true\nposition fen {fen}\ngo nodes 50\n"));
    let (info, last) = text.trim_end().rsplit_once('\n').unwrap();
    let line: Vec<Move> =
        info.rsplit_once(" pv ").unwrap().1.split(' ').map(|played| played.parse().unwrap()).collect();
    let mut position = fen.parse::<Position>().unwrap();
    for &played in &line[..2] {
        position = position.play(played).unwrap();
    }
    assert!(position.winner().is_some(), "{text}");
    assert_eq!(last, format!("bestmove {}", UciMove(line[0])));
}

#[test]
fn search_prints_multipv_lines() {
    let text = converse("setoption name MultiPV value 3\nsetoption name Ponder value true\ngo nodes 400\n");
    let last: Vec<&str> = text.lines().rev().skip(1).take(3).collect();
    for (number, line) in (1..=3).rev().zip(last) {
        assert!(line.contains(&format!(" multipv {number} score cp ")), "{text}");
        assert!(line.contains(" seldepth ") && line.contains(" hashfull "), "{text}");
    }
    let best = text.lines().last().unwrap();
    assert!(best.contains(" ponder "), "{best}");
    let hit = converse("go ponder nodes 30\nponderhit\n");
    assert!(hit.contains(" nodes 30 "), "{hit}");
    start(10).play(best_move(&text)).unwrap();
}

#[test]
fn answers_best_move_missing_from_candidates() {
    let (options, position) = (UciOptions { lines: 2, ..UciOptions::new(engine()) }, start(6));
    let mut report = Engine::new(&options.engine, &position).search(&Limits::playouts(50)).unwrap();
    let best = report.best;
    report.candidates.retain(|listed| listed.played != best);
    // The mean value of a move's playouts may be 1 although no win is proven.
    report.candidates[0].value = 1.0;
    for root_moves in [vec![], vec![report.candidates[0].played, best]] {
        let reporter = UciReporter { options: options.clone(), root_moves, position };
        let (answer, best) = (reporter.answer(&report), UciMove(best));
        assert!(answer.contains(&format!(" pv {best}")) && !answer.contains(" mate "), "{answer}");
        assert!(answer.ends_with(&format!("\nbestmove {best}")), "{answer}");
    }
}

#[test]
fn a_proven_win_is_a_mate() {
    let won = converse("position fen Q2*1q/3*2 w - - 0 1\ngo nodes 100\n");
    assert!(won.contains(" score mate ") && !won.contains("mate -"), "{won}");
    let lost = converse("position fen q2*1Q/3*2 b - - 0 1\ngo nodes 100\n");
    assert!(lost.contains(" score mate "), "{lost}");
}

#[test]
fn go_without_supported_limit_gets_time_limit() {
    for (texts, infinite) in
        [(&["", " ", "infinite", "infinite depth 3"][..], true), (&["depth 3", "mate 2", "btime 500"], false)]
    {
        for text in texts {
            let go = Go::read(text, &start(10));
            assert_eq!((go.is_infinite(), go.limits.time.is_some()), (infinite, !infinite), "{text}");
        }
    }
}

#[test]
fn clocks_are_those_of_the_side_to_move() {
    let game = |[remaining, increment]: [u64; 2]| Time::Game {
        remaining: Duration::from_millis(remaining),
        increment: Duration::from_millis(increment),
    };
    for (text, expected) in [
        ("wtime 400 btime 800", [[400, 0], [800, 0]]),
        ("wtime 400 btime -5 winc 10 binc 20", [[400, 10], [0, 20]]),
    ] {
        let second = start(10).play("d1d7,d7g7".parse().unwrap()).unwrap();
        let times = [start(10), second].map(|position| Go::read(text, &position).limits.time);
        assert_eq!(times, expected.map(|own| Some(game(own))), "{text}");
    }
}

#[test]
fn infinite_search_ends_when_output_closes() {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let mut session = UciSession::new(engine(), output(writer));
    session.handle_line(b"go infinite").unwrap();
    let begun = std::time::Instant::now();
    while session.search.is_searching() {
        assert!(begun.elapsed().as_secs() < 60, "it searches on");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(session.handle_line(b"stop").is_err());
}
