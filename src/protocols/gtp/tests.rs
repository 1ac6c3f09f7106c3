//! Tests of whole GTP sessions, which run in the process of the test.

use std::sync::Arc;

use amazons::{Move, Position, QueenMove, Size};
use parking_lot::Mutex;

use super::{COMMANDS, GtpOptions, GtpSession};
use crate::contest::Vertex;
use crate::games::Game;
use crate::protocols::Session as _;
use crate::search::EngineOptions;

fn start(board: usize) -> Position {
    Position::start(Size::square(board).unwrap()).unwrap()
}

fn converse(board: usize, input: &str) -> String {
    let page = Arc::<Mutex<Vec<u8>>>::default();
    let engine = EngineOptions { memory: 1 << 24, ..EngineOptions::default() };
    let options = GtpOptions { engine, start: start(board), playouts: 40, time: None };
    crate::protocols::converse(input.as_bytes(), &mut GtpSession::new(options, page.clone())).unwrap();
    String::from_utf8(page.lock().clone()).unwrap()
}

fn answers(board: usize, input: &str) -> Vec<String> {
    converse(board, input).trim_end().split("\n\n").map(str::to_owned).collect()
}

fn full_move(vertices: &[&str], size: Size) -> Move {
    let [from, to, arrow] = [0, 1, 2].map(|stage| Vertex::read(vertices[stage], size).unwrap().square);
    Move::new(QueenMove { from, to }, arrow)
}

fn after_equals(answer: &str) -> &str {
    answer.strip_prefix("= ").unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn board_is_shown_with_black_above() {
    let board = converse(10, "showboard\n");
    let rows: Vec<&str> = board.lines().collect();
    assert_eq!(rows[1], "   A B C D E F G H J K");
    assert_eq!(rows[2], "10 . . . X . . X . . .");
    assert_eq!(rows[11], " 1 . . . O . . O . . .");
    assert_eq!(rows[12], "black to choose the queen");
}

#[test]
fn ply_is_three_commands_whose_colours_do_not_matter() {
    let said = answers(10, "boardsize 10\nclear_board\ngenmove b\ngenmove w\ngenmove b\nshowboard\n");
    let vertices: Vec<&str> = said[2..5].iter().map(|answer| after_equals(answer)).collect();
    let after = start(10).play(full_move(&vertices, start(10).size())).unwrap();
    assert!(said[5].contains("white to choose the queen"), "{}", said[5]);
    let reply = after.legal_moves()[7];
    let [from, to, arrow] =
        [reply.from, reply.to, reply.arrow].map(|square| Vertex { square, size: after.size() });
    let text = format!(
        "boardsize 10\n{}play w {from}\nplay b {to}\nplay {arrow}\nundo\nplay w {arrow}\ngenmove b\n",
        vertices.iter().map(|vertex| format!("play b {vertex}\n")).collect::<String>()
    );
    let said = answers(10, &text);
    assert!(said.iter().all(|answer| answer.starts_with('=')), "{said:?}");
    let queen = Vertex::read(after_equals(&said[9]), after.size()).unwrap().square;
    let second = after.play(reply).unwrap();
    assert!(second.amazons(second.to_move()).contains(&queen));
}

#[test]
fn graphical_program_analyses_and_takes_back() {
    // Three squares are chosen with an analysis, taken back, and then played again.
    let turn =
        "5 kata-genmove_analyze b 100\nkata-genmove_analyze w\nkata-genmove_analyze b\nundo\nundo\nundo\n";
    let said = answers(8, turn);
    assert!(said[0].starts_with("=5\ninfo move "), "{}", said[0]);
    let mut vertices = Vec::new();
    for (stage, answer) in said[..3].iter().enumerate() {
        let (info, vertex) = answer.rsplit_once("\nplay ").unwrap();
        let words: Vec<&str> = info.lines().last().unwrap().split(' ').collect();
        let value = |name: &str| words[words.iter().position(|word| *word == name).unwrap() + 1];
        assert_eq!(value("pv"), value("move"), "stage {stage}: the line begins with the move");
        assert!((0.0..=1.0).contains(&value("winrate").parse::<f64>().unwrap()), "{info}");
        assert!(value("visits").parse::<u64>().unwrap() > 0 && value("order") == "0", "{info}");
        vertices.push(vertex);
    }
    assert!(start(8).play(full_move(&vertices, start(8).size())).is_ok(), "{vertices:?}");
    assert_eq!(said[3..], ["=", "=", "="]);
    let pairs = format!("{turn}play3 b {}\nlz-genmove_analyze w 50 maxmoves 2\n", vertices.join(" "));
    let said = answers(8, &pairs);
    let info = said[7].lines().rfind(|line| line.starts_with("info ")).unwrap();
    assert!(info.matches("info move ").count() <= 2, "{info}");
    let winrate = info.split(" winrate ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(winrate.parse::<u32>().unwrap() <= 10_000, "{info}");
}

#[test]
fn arrow_is_found_for_squares_that_were_played() {
    // The controlling program plays a queen and a destination that the search may not have tried.
    let start = start(6);
    for played in start.legal_moves().into_iter().step_by(97) {
        let [from, to] = [played.from, played.to].map(|square| Vertex { square, size: start.size() });
        let said = answers(6, &format!("play b {from}\nplay b {to}\ngenmove b\n"));
        let arrow = Vertex::read(after_equals(&said[2]), start.size()).unwrap().square;
        assert!(start.play(Move::new(QueenMove { from: played.from, to: played.to }, arrow)).is_ok());
    }
}

#[test]
fn analysis_streams_until_the_next_command() {
    let page = Arc::<Mutex<Vec<u8>>>::default();
    let engine = EngineOptions { memory: 1 << 24, ..EngineOptions::default() };
    let options = GtpOptions { engine, start: start(8), playouts: 10, time: None };
    let mut session = GtpSession::new(options, page.clone());
    let said = || String::from_utf8(page.lock().clone()).unwrap();
    for (command, begin) in
        [("7 kata-analyze b 1", "=7\ninfo move "), ("lz-analyze 1 maxmoves 3", "=\ninfo move ")]
    {
        page.lock().clear();
        session.handle_line(command.as_bytes()).unwrap();
        // The first lines must come while the analysis is running.
        while said().matches('\n').count() < 3 {
            std::thread::yield_now();
        }
        assert!(said().starts_with(begin), "{}", said());
        session.handle_line(b"name").unwrap();
        let (lines, name) =
            said().trim_end().rsplit_once("\n\n").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert!(lines.lines().skip(1).all(|line| line.starts_with("info move ")), "{lines}");
        assert_eq!(name, "= Quiver");
    }
}

#[test]
fn lost_side_resigns_and_pass_loses() {
    // Every square around the white amazon is burnt.
    let closed = "set_amazons_position w w A1 b F6 x A2 x B1 x B2\ngenmove w\n";
    assert_eq!(answers(6, closed), ["=", "= resign"]);
    let passed = "play b pass\ngenmove w\nplay w A1\nundo\ngenmove b\n";
    let said = answers(6, passed);
    assert_eq!(said[..2], ["=", "= resign"]);
    assert!(said[2].starts_with("? illegal move: A1: the game is over"), "{said:?}");
    assert!(said[4].starts_with("= "), "{said:?}");
}

#[test]
fn wrong_commands_are_refused_and_change_nothing() {
    let cases = [
        ("play b A1", "? illegal move: A1: no amazon of the first player can move from it"),
        ("play b Z9", "? 'Z9': expected a vertex from A1 to F6"),
        ("play red A1", "? 'red': expected black or white"),
        ("play b", "? 'b': expected a vertex"),
        ("play3 b A1 A2", "? 'b': expected a vertex"),
        ("play3 A1 A2", "? invalid arguments: expected a colour and this many vertices: 3"),
        ("undo", "? cannot undo: the game is at its start"),
        ("boardsize 7", "? unacceptable size: expected 6, 8 or 10"),
        ("time_settings 1", "? expected main time, byo-yomi time and stones"),
        ("kata-time_settings byoyomi 1 soon 2", "? 'soon': expected seconds"),
        ("time_left", "? expected a colour, a time and stones"),
        ("kata-analyze interval x", "? interval 'x': expected hundredths of a second"),
        ("kata-set-param maxVisits 0", "? maxVisits: expected a whole number above 0"),
        ("set_amazons_position b b", "? 'b': expected a vertex after it"),
        ("set_amazons_position b w A1 q A2", "? 'q': expected black or white"),
        ("loadsgf /nowhere.sgf", "? cannot load /nowhere.sgf: "),
        ("gogui-rules", "? unknown command 'gogui-rules'"),
        ("\u{fffd}", "? unknown command"),
    ];
    for (command, expected) in cases {
        let said = converse(6, &format!("showboard\n{command}\nshowboard\n"));
        let (before, rest) = said.split_once("\n\n").unwrap();
        let (refusal, after) = rest.split_once("\n\n").unwrap();
        assert!(refusal.starts_with(expected), "{command}: {refusal}");
        assert_eq!(after.trim_end(), before, "{command}");
    }
}

#[test]
fn comments_blank_lines_and_ids_are_read() {
    let said = converse(
        6,
        "# comment\r\n\r\n  12 name # Quiver\r\n3\tknown_command\tgenmove3\r\n\u{feff}quit\r\nname\r\n",
    );
    assert_eq!(said, "=12 Quiver\n\n=3 true\n\n=\n\n");
    for command in COMMANDS.split(' ').filter(|name| !name.contains("analyze") && !name.contains("sgf")) {
        assert!(!converse(6, command).contains("unknown command"), "{command}");
    }
}

#[test]
fn games_are_saved_and_loaded_by_stage() {
    let scratch = crate::scratch::Scratch::new("gtp-sgf");
    let path = scratch.path("game.sgf");
    let played = start(6).legal_moves()[100];
    let [from, to, arrow] =
        [played.from, played.to, played.arrow].map(|square| Vertex { square, size: start(6).size() });
    let said = answers(
        6,
        &format!(
            "p b {from} {to} {arrow}\nprintsgf\nprintsgf {path}\nclear_board\nloadsgf {path}\nshowboard\n\
                  loadsgf {path} 3\nshowboard\n"
        ),
    );
    assert!(said[1].starts_with("= (;"), "{}", said[1]);
    let game = Game::of(start(6), &[played]).unwrap();
    assert_eq!(
        amazons::sgf::read(after_equals(&said[1])).unwrap()[0].game.as_ref().unwrap().moves(),
        game.moves()
    );
    assert!(said[5].ends_with("white to choose the queen"), "{}", said[5]);
    assert!(said[7].ends_with("black to choose the arrow"), "{}", said[7]);
}
