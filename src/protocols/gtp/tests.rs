//! Tests of whole GTP sessions, which run in the process of the test.

use std::sync::Arc;
use std::time::Duration;

use amazons::{Move, Position, Size, sgf};
use parking_lot::Mutex;

use super::staged_game::squares;
use super::{COMMANDS, GtpOptions, GtpSession};
use crate::contest::Vertex;
use crate::protocols::transcript::{assert_transcript, session_output};
use crate::protocols::{Output, Session as _, output};
use crate::search::{EngineOptions, Limits, Time};

fn start(board: usize) -> Position {
    Position::start(Size::square(board).unwrap()).unwrap()
}

fn session(board: usize, output: Output) -> GtpSession {
    let engine = EngineOptions { memory: 1 << 24, ..EngineOptions::default() };
    GtpSession::new(GtpOptions { engine, start: start(board), playouts: Some(40), time: None }, output)
}

fn converse(board: usize, input: &str) -> String {
    session_output(input.as_bytes(), |output| session(board, output))
}

fn answers_to(board: usize, input: &str) -> Vec<String> {
    converse(board, input).trim_end().split("\n\n").map(str::to_owned).collect()
}

/// The three vertices of a move, separated by blanks. `board` is the side length of the board.
fn vertices(board: usize, played: Move) -> String {
    let size = Size::square(board).unwrap();
    squares(played).map(|square| Vertex { square, size }.to_string()).join(" ")
}

/// The moves of the game in the answer to `printsgf`.
fn moves(answer: &str) -> Vec<Move> {
    sgf::read(after_equals(answer)).unwrap().remove(0).game.unwrap().moves()
}

fn after_equals(answer: &str) -> &str {
    answer.strip_prefix("= ").unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn answers_as_in_the_transcript() {
    let transcript = include_str!("../../../tests/data/gtp/transcript.txt");
    let begin = |output| session(6, output);
    assert_transcript(transcript, begin, GtpSession::handle_line, |line| Some(line.to_owned()));
}

#[test]
fn ply_is_three_commands_whose_colours_do_not_matter() {
    let input = "boardsize 10\nclear_board\ngenmove b\ngenmove w\ngenmove b\nshowboard\nprintsgf\n";
    let answers = answers_to(10, input);
    let first = moves(&answers[6])[0];
    assert_eq!(answers[2..5].join(" ").replace("= ", ""), vertices(10, first));
    assert!(answers[5].contains("white to choose the queen"), "{}", answers[5]);
    let reply = start(10).play(first).unwrap().legal_moves()[7];
    let plies = [first, reply].map(|played| vertices(10, played)).join(" ");
    let [a, b, c, from, to, arrow] = plies.split(' ').collect::<Vec<_>>()[..] else { panic!("{plies}") };
    let plays = format!(
        "play b {a}\nplay b {b}\nplay b {c}\nplay w {from}\nplay b {to}\nplay {arrow}\nundo\nplay w {arrow}\n"
    );
    let answers = answers_to(10, &(plays + "genmove b\nprintsgf\nshowboard\n"));
    assert!(answers.iter().all(|answer| answer.starts_with('=')), "{answers:?}");
    assert_eq!(moves(&answers[9]), [first, reply]);
    assert!(answers[10].contains("black to choose the destination"), "{}", answers[10]);
}

#[test]
fn graphical_program_analyses_and_takes_back() {
    // Three squares are chosen with an analysis, taken back, and then played again.
    let turn =
        "5 kata-genmove_analyze b 100\nkata-genmove_analyze w\nkata-genmove_analyze b\nundo\nundo\nundo\n";
    let answers = answers_to(8, turn);
    assert!(answers[0].starts_with("=5\ninfo move "), "{}", answers[0]);
    let mut vertices = Vec::new();
    for (stage, answer) in answers[..3].iter().enumerate() {
        let (info, vertex) = answer.rsplit_once("\nplay ").unwrap();
        let words: Vec<&str> = info.lines().last().unwrap().split(' ').collect();
        let value = |name: &str| words[words.iter().position(|word| *word == name).unwrap() + 1];
        assert_eq!(value("pv"), value("move"), "stage {stage}: the line begins with the move");
        assert!((0.0..=1.0).contains(&value("winrate").parse::<f64>().unwrap()), "{info}");
        assert!(value("visits").parse::<u64>().unwrap() > 0 && value("order") == "0", "{info}");
        vertices.push(vertex);
    }
    let pairs = format!("{turn}play3 b {}\nlz-genmove_analyze w 50 maxmoves 2\n", vertices.join(" "));
    let answers = answers_to(8, &pairs);
    assert_eq!(answers[3..7], ["="; 4]);
    let info = answers[7].lines().rfind(|line| line.starts_with("info ")).unwrap();
    assert!(info.matches("info move ").count() <= 2, "{info}");
    let winrate = info.split(" winrate ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(winrate.parse::<u32>().unwrap() <= 10_000, "{info}");
}

#[test]
fn arrow_is_found_for_squares_that_were_played() {
    // The controlling program plays a queen and a destination that the search may not have tried.
    for played in start(6).legal_moves().into_iter().step_by(97) {
        let text = vertices(6, played);
        let (from, rest) = text.split_once(' ').unwrap();
        let (to, _) = rest.split_once(' ').unwrap();
        let answers = answers_to(6, &format!("play b {from}\nplay b {to}\ngenmove b\nprintsgf\n"));
        assert_eq!(moves(&answers[3])[0].queen(), played.queen(), "{answers:?}");
    }
}

#[test]
fn analysis_streams_until_the_next_command() {
    let buffer = Arc::<Mutex<Vec<u8>>>::default();
    let mut session = session(8, buffer.clone());
    let printed = || String::from_utf8(buffer.lock().clone()).unwrap();
    for (command, begin) in
        [("7 kata-analyze b 1", "=7\ninfo move "), ("lz-analyze 1 maxmoves 3", "=\ninfo move ")]
    {
        buffer.lock().clear();
        session.handle_line(command.as_bytes()).unwrap();
        // The first lines must come while the analysis is running.
        while printed().matches('\n').count() < 3 {
            std::thread::yield_now();
        }
        assert!(printed().starts_with(begin), "{}", printed());
        session.handle_line(b"name").unwrap();
        let (lines, name) =
            printed().trim_end().rsplit_once("\n\n").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert!(lines.lines().skip(1).all(|line| line.starts_with("info move ")), "{lines}");
        assert_eq!(name, "= Quiver");
    }
}

#[test]
fn comments_blank_lines_and_ids_are_read() {
    let printed = converse(
        6,
        "# comment\r\n\r\n  12 name # Quiver\r\n3\tknown_command\tgenmove3\r\n\u{feff}quit\r\nname\r\n",
    );
    assert_eq!(printed, "=12 Quiver\n\n=3 true\n\n=\n\n");
    for command in COMMANDS.split(' ').filter(|name| !name.contains("analyze") && !name.contains("sgf")) {
        assert!(!converse(6, command).contains("unknown command"), "{command}");
    }
}

#[test]
fn playouts_limit_a_search_with_and_without_clock() {
    let mut session = session(6, output(std::io::sink()));
    for line in ["kata-set-param maxTime 2", "kata-set-param maxVisits 10"] {
        session.handle_line(line.as_bytes()).unwrap();
    }
    let limits = |session: &GtpSession| {
        let Limits { time, playouts, .. } = session.limits();
        (time, playouts)
    };
    let seconds = |seconds| Some(Time::PerMove(Duration::from_secs(seconds)));
    assert_eq!(limits(&session), (seconds(2), Some(10)));
    session.handle_line(b"time_settings 0 5 3").unwrap();
    assert_eq!(limits(&session), (seconds(5), Some(10)));
    session.options.playouts = None;
    assert_eq!(limits(&session).1, None);
    assert_eq!(session.parameter(&["maxVisits"]), Ok((1u64 << 50).to_string()));
}

#[test]
fn games_are_saved_and_loaded_by_stage() {
    let scratch = crate::scratch::Scratch::new("gtp-sgf");
    let path = scratch.path("game.sgf");
    let played = start(6).legal_moves()[100];
    let answers = answers_to(
        6,
        &format!(
            "p b {}\nprintsgf\nprintsgf {path}\nclear_board\nloadsgf {path}\nshowboard\n\
             loadsgf {path} 3\nshowboard\nloadsgf {path}/x\n",
            vertices(6, played)
        ),
    );
    assert!(answers[1].starts_with("= (;"), "{}", answers[1]);
    assert_eq!(moves(&answers[1]), [played]);
    assert!(answers[5].ends_with("white to choose the queen"), "{}", answers[5]);
    assert!(answers[7].ends_with("black to choose the arrow"), "{}", answers[7]);
    assert!(answers[8].starts_with("? cannot load "), "{}", answers[8]);
}
