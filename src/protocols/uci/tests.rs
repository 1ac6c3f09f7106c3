//! Tests of whole UCI sessions, which run in the process of the test.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use amazons::{Move, UciMove};
use parking_lot::Mutex;

use super::request::{Go, UciOptions, start};
use super::{UciReporter, UciSession};
use crate::files::MAX_LINE;
use crate::protocols::Session as _;
use crate::search::{Engine, EngineOptions, Limits, Parameters, Time};

fn converse(input: &str) -> String {
    let page = Arc::<Mutex<Vec<u8>>>::default();
    crate::protocols::converse(input.as_bytes(), &mut UciSession::new(engine(), page.clone())).unwrap();
    String::from_utf8(page.lock().clone()).unwrap()
}

fn engine() -> EngineOptions {
    EngineOptions { memory: 1 << 24, ..EngineOptions::default() }
}

fn best_move(text: &str) -> Move {
    let line = text.lines().find(|line| line.starts_with("bestmove ")).unwrap_or_else(|| panic!("{text}"));
    line.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn skips_a_line_without_end_and_goes_on() {
    let said = converse(&("x".repeat(MAX_LINE + 9) + "\nisready\n"));
    assert_eq!(said, "info string a line of more than 4194304 bytes: expected a shorter line\nreadyok\n");
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
    for name in "Hash,Threads,MultiPV,Ponder,Clear Hash,UCI_Variant,margin_ms".split(',') {
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
}

#[test]
fn variant_chooses_the_board() {
    let eight = best_move(&converse("setoption name UCI_Variant value amazons8\ngo nodes 5\n"));
    start(8).play(eight).unwrap();
}

#[test]
fn bad_lines_are_named_and_change_nothing() {
    let cases = [
        ("setoption exploration 1", "expected setoption name NAME value VALUE"),
        ("setoption name exploration value 99", "expected a number from 0 to 4"),
        ("setoption name Hash value 0", "option Hash = '0': expected 1 to 65536"),
        ("setoption name Threads value 0", "option Threads = '0': expected 1 to "),
        ("setoption name Threads value 100000", "option Threads = '100000': expected 1 to "),
        ("setoption name UCI_Variant value chess", "expected amazons, amazons8, amazons6"),
        ("setoption name Ponder value maybe", "option Ponder = 'maybe': expected true or false"),
        ("setoption name MultiPV value 21", "option MultiPV = '21': expected 1 to 20"),
        ("castle", "'castle': expected a UCI command"),
        ("\u{fffd}\u{fffd}", "': expected a UCI command"),
    ];
    for (line, expected) in cases {
        let text = converse(&format!("position startpos moves d1d7,d7g7\n{line}\ngo nodes 5\n"));
        let (complaint, rest) = text.split_once('\n').unwrap();
        assert!(complaint.starts_with("info string ") && complaint.contains(expected), "{line}: {complaint}");
        start(10).play("d1d7,d7g7".parse().unwrap()).unwrap().play(best_move(rest)).unwrap();
    }
    assert_eq!(converse("\n  \nponderhit\nquit\ngo nodes 5\n"), "");
}

#[test]
fn plays_no_move_after_refused_position() {
    for (line, expected) in [
        ("position", "expected startpos or fen FEN"),
        ("position here", "expected startpos or fen FEN"),
        ("position fen 3/3", "position fen: "),
        ("position fen Q9/11 w", "position fen: "),
        ("position startpos moves d1d7,d7g7 d1d7,d7g7", "position: move 2, d1-d7/g7: "),
        ("position startpos moves d1d7", "position: 'd1d7' is no full move"),
    ] {
        let text =
            converse(&format!("position startpos\n{line}\ngo nodes 5\nposition startpos\ngo nodes 5\n"));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("info string ") && lines[0].contains(expected), "{line}: {text}");
        assert_eq!(
            lines[1],
            "info string go: the last position was refused: expected a valid position first"
        );
        assert_eq!(lines[2], "bestmove (none)");
        start(10).play(best_move(&lines[3..].join("\n"))).unwrap();
    }
    let waits = converse("position here\ngo infinite\nisready\nstop\n");
    assert!(waits.ends_with("readyok\nbestmove (none)\n"), "{waits}");
}

#[test]
fn every_go_is_answered_by_move() {
    for (go, expected) in [
        ("go nodes 5 movetime soon", "go movetime 'soon': expected a whole number"),
        ("go movetime nodes 5", "go movetime '': expected a whole number"),
        ("go movetime 1 nodes", "go nodes '': expected a whole number"),
        ("go depth 9 nodes 5", "go: depth ignored"),
        ("go nodes 5 quickly", "go: quickly ignored"),
        ("go nodes 5 searchmoves", "go searchmoves: expected legal moves; all moves are searched"),
        ("go nodes 5 searchmoves d1d2", "go searchmoves: 'd1d2' is no full move"),
        (
            "go searchmoves d1d7,d7g7 g1g2,g2g1 nodes 50",
            "go searchmoves d1d7,d7g7: d1 holds nothing, expected an amazon",
        ),
    ] {
        let text = converse(&format!("position startpos moves d1d7,d7g7\n{go}\n"));
        assert!(text.starts_with(&format!("info string {expected}")), "{go}: {text}");
        let after = start(10).play("d1d7,d7g7".parse().unwrap()).unwrap();
        after.play(best_move(&text)).unwrap_or_else(|error| panic!("{go}: {error}: {text}"));
    }
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
    start(10).play("d1d7,d7g7".parse().unwrap()).unwrap().play(best_move(&text)).unwrap();
}

#[test]
fn offers_no_ponder_move_that_ends_the_game() {
    let fen = "Q***/1q**/**2/**** w - - 0 1";
    let text = converse(&format!("setoption name Ponder value true\nposition fen {fen}\ngo nodes 50\n"));
    let (info, last) = text.trim_end().rsplit_once('\n').unwrap();
    let line: Vec<Move> =
        info.rsplit_once(" pv ").unwrap().1.split(' ').map(|played| played.parse().unwrap()).collect();
    let mut position = fen.parse::<amazons::Position>().unwrap();
    for &played in &line[..2] {
        position = position.play(played).unwrap();
    }
    assert!(position.winner().is_some(), "{text}");
    assert_eq!(last, format!("bestmove {}", UciMove(line[0])));
}

#[test]
fn a_search_shows_as_many_lines_as_asked_for() {
    let text = converse("setoption name MultiPV value 3\nsetoption name Ponder value true\ngo nodes 400\n");
    let last: Vec<&str> = text.lines().rev().skip(1).take(3).collect();
    for (number, line) in (1..=3).rev().zip(last) {
        assert!(line.contains(&format!(" multipv {number} score cp ")), "{text}");
        assert!(line.contains(" seldepth ") && line.contains(" hashfull "), "{text}");
    }
    let best = text.lines().last().unwrap();
    assert!(best.contains(" ponder "), "{best}");
    start(10).play(best_move(&text)).unwrap();
}

#[test]
fn the_move_to_play_is_answered_even_where_it_is_not_listed() {
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
fn what_says_no_end_that_is_known_here_ends_all_the_same() {
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
fn an_infinite_search_ends_once_its_reader_is_gone() {
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let mut session = UciSession::new(engine(), Arc::new(Mutex::new(writer)));
    session.handle_line(b"go infinite").unwrap();
    let begun = std::time::Instant::now();
    while session.search.is_searching() {
        assert!(begun.elapsed().as_secs() < 60, "it searches on");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(session.handle_line(b"stop").is_err());
}

#[test]
fn a_search_answers_when_it_ends_or_is_told_to() {
    for (lines, expected) in [
        ("go infinite\nisready\nstop\nstop\nisready\n", "readyok bestmove readyok"),
        // A new position, `quit` or the end of the input ends a running search.
        ("stop\ngo\nposition startpos moves d1d7,d7g7\nisready\n", "bestmove readyok"),
        ("go infinite\nisready\nquit\ngo nodes 5\n", "readyok bestmove"),
        ("go infinite\nisready\n", "readyok bestmove"),
        // After `ponderhit` the search continues with the limits of `go ponder`.
        ("go ponder nodes 30\nisready\nponderhit\n", "readyok bestmove"),
        // The opponent played another move, so the GUI stops the search and starts a new one.
        ("go ponder movetime 10\nisready\nstop\nponderhit\nisready\n", "readyok bestmove readyok"),
        // An infinite search is answered only after `stop`, even if the game is over.
        ("position fen q***/Q***/****/**** w\ngo infinite\nisready\nstop\n", "readyok bestmove"),
        ("position fen q***/Q***/****/**** w\ngo ponder nodes 5\nisready\nponderhit\n", "readyok bestmove"),
        // Only the clock of the side to move counts. Its time may be negative.
        ("go wtime 400 btime 400 winc 10 binc 10 movestogo 5\ngo wtime -5 nodes 3\n", "bestmove bestmove"),
    ] {
        let said = converse(lines);
        let words = said.lines().filter_map(|line| line.split(' ').next()).filter(|word| *word != "info");
        assert_eq!(words.collect::<Vec<_>>().join(" "), expected, "{lines}");
    }
    let hit = converse("go ponder nodes 30\nponderhit\n");
    assert!(hit.contains(" nodes 30 "), "{hit}");
    start(10).play(best_move(&converse("go infinite\n"))).unwrap();
}
