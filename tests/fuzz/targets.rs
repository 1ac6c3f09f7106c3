//! The fuzz targets: functions that give untrusted input to a part of Quiver. A target may refuse
//! an input, but must not panic or change a refused file. It returns true if it accepted the input.
//!
//! `tests/mutations.rs` runs the targets, and so does `tests/fuzz/run`, through `fuzz_targets/`.
#![allow(dead_code, clippy::unwrap_used)]

use std::cell::LazyCell;
use std::fmt::Display;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use quiver::Start;
use quiver::amazons::{Position, Size, sgf};
use quiver::analysis::{self, Action, AnalysisRequest, Defaults, TerritoryMap};
use quiver::botzone::{BoardChoice, BotSettings, Log, StartChoice, TurnLimits, serve};
use quiver::commands;
use quiver::contest::record;
use quiver::formats;
use quiver::games::{Game, MatchGame};
use quiver::players::PlayerKind;
use quiver::policy::{Inference, Network, NetworkError, reference};
use quiver::protocols::gtp::{GtpOptions, GtpSession};
use quiver::protocols::uci::UciSession;
use quiver::protocols::{converse, output};
use quiver::search::{EngineOptions, Limits};
use quiver::simd::Kernel;
use quiver::territory::{Evaluator, View, Weights, WeightsError};
use quiver::training::Library;
use quiver::web::server::{Server, ServerOptions};
use quiver::words::{self, Language};
use serde_json::Value;

/// A fuzz target. The function returns true if it accepted the input.
pub(crate) type Target = fn(&[u8]) -> bool;

/// All fuzz targets, each with the name of its corpus.
pub(crate) const ALL: [(&str, Target); 10] = [
    ("gtp", gtp),
    ("http", http),
    ("network", network),
    ("notation", notation),
    ("query", query),
    ("reader", reader),
    ("record", record),
    ("tournament", tournament),
    ("uci", uci),
    ("weights", weights),
];

fn engine() -> EngineOptions {
    EngineOptions { memory: 1 << 20, ..EngineOptions::default() }
}

/// Returns the accepted value, or checks that the error of a refused input is one short line.
fn accepted<T, E: Display>(result: Result<T, E>) -> Option<T> {
    let message = match result {
        Ok(accepted) => return Some(accepted),
        Err(error) => error.to_string(),
    };
    assert!(message.len() < 1_000 && !message.contains(char::is_control), "{message:?}");
    None
}

/// Runs a bot that gets the input as the requests of a whole match.
pub(crate) fn reader(input: &[u8]) -> bool {
    let bot = BotSettings {
        player: PlayerKind::Random,
        board: 10,
        board_choice: BoardChoice::Preferred,
        start: StartChoice::Auto,
        limits: TurnLimits { first: None, time: None, playouts: Some(1) },
        keep_running: true,
        engine: engine(),
        book: None,
        log: None,
    };
    let mut output = Vec::new();
    let ended = serve(&bot, input, &mut output, None, &mut Log::default());
    assert!(!output.is_empty() || ended.is_err());
    if let Err(error) = &ended {
        let message = error.to_string();
        assert!(message.starts_with("turn ") || message.starts_with("ply "), "{message}");
    }
    accepted(ended).is_some()
}

/// Reads games in any format: match logs, SGF, GGF, lists of moves and others. Checks that every
/// game can be written as SGF.
pub(crate) fn notation(input: &[u8]) -> bool {
    let read = formats::read(input, &Start::positions_preferring(10));
    let Some((_, found)) = accepted(read) else { return false };
    let games: Vec<Game> = found.into_iter().filter_map(|found| Some(found.game.ok()?.game)).collect();
    for game in &games {
        sgf::write(&[game.without_match_facts()]);
        assert!(!words::result(game, Language::Chinese).is_empty());
    }
    !games.is_empty()
}

/// Reads the input as a query of the analysis engine, and as a request about a game from the page.
pub(crate) fn query(input: &[u8]) -> bool {
    let limits = Limits::playouts(1);
    let defaults = Defaults { engine: engine(), board: 8, limits };
    let read = AnalysisRequest::read(input, &defaults).action;
    if let Ok(Action::Query(query)) = &read {
        for position in query.game.positions() {
            let _ = TerritoryMap::of(position);
        }
    }
    let game = analysis::game(input, 8, formats::read);
    read.is_ok() || game.is_ok() || analysis::save(input, 8).is_ok()
}

/// Runs a GTP session, without the commands that read or write files or may search for long.
pub(crate) fn gtp(input: &[u8]) -> bool {
    let left_out = |line: &&[u8]| {
        let text = String::from_utf8_lossy(line).to_lowercase();
        ["sgf", "time", "visits"].iter().any(|word| text.contains(word))
    };
    let lines = input.split_inclusive(|byte| *byte == b'\n').filter(|line| !left_out(line));
    let start = Position::start(Size::square(6).expect("a board of 6x6")).expect("it has a start");
    let options = GtpOptions { engine: engine(), start, playouts: Some(20), time: None };
    let mut session = GtpSession::new(options, output(std::io::sink()));
    converse(&lines.collect::<Vec<_>>().concat()[..], &mut session).is_ok()
}

pub(crate) fn uci(input: &[u8]) -> bool {
    // An infinite search ends when the engine reads "quit".
    let mut session = UciSession::new(engine(), output(std::io::sink()));
    converse(&[input, b"\nquit\n"].concat()[..], &mut session).is_ok()
}

/// Sends the input to `quiver serve` as the bytes of one connection.
pub(crate) fn http(input: &[u8]) -> bool {
    thread_local! {
        static SERVER: LazyCell<Server> = LazyCell::new(|| {
            let max_time = Duration::from_millis(1);
            let limits = Limits::per_move(max_time);
            let defaults = Defaults { engine: engine(), board: 6, limits };
            let (address, names) = (([127, 0, 0, 1], 0).into(), Vec::new());
            Server::bind(ServerOptions { address, names, workers: 1, max_time, ponder: false, defaults }).unwrap()
        });
    }
    let (mut client, server) = UnixStream::pair().unwrap();
    let mut receiver = client.try_clone().unwrap();
    let request = input.to_vec();
    let writer = thread::spawn(move || {
        // The server may end the connection first.
        let _ = client.write_all(&request);
        let _ = client.shutdown(std::net::Shutdown::Write);
    });
    let reader = thread::spawn(move || {
        let mut answer = Vec::new();
        let _ = receiver.read_to_end(&mut answer);
        answer
    });
    SERVER.with(|shared| shared.converse(server)).unwrap();
    writer.join().unwrap();
    let answer = reader.join().unwrap();
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1."), "{}", answer.escape_ascii());
    answer.starts_with(b"HTTP/1.1 200")
}

/// Reads weights, after correcting their checksum, and evaluates a position with them.
pub(crate) fn weights(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let weights = text.parse::<Weights>().or_else(|error| match error {
        WeightsError::Checksum { got, expected } => text.replace(&expected, &format!("{got:016x}")).parse(),
        error => Err(error),
    });
    let Ok(weights) = weights else { return false };
    let board = usize::from(weights.board());
    let evaluator = Evaluator::default().with_weights(weights.into());
    if let Ok(start) = Size::square(board).and_then(|size| Start::Formula.position(size)) {
        assert!(!evaluator.log_odds(&View::from(&start)).is_nan());
    }
    true
}

/// Reads a policy network, after correcting its checksum. On a small board, all kernels must
/// compute the same bits as the plain reference implementation.
pub(crate) fn network(input: &[u8]) -> bool {
    let network = Network::from_bytes(input).or_else(|error| match error {
        NetworkError::Checksum { got, .. } => {
            let (content, _) = input.split_last_chunk::<4>().unwrap();
            Network::from_bytes(&[content, &got.to_le_bytes()].concat())
        }
        error => Err(error),
    });
    let Some(network) = accepted(network) else { return false };
    let position: Position = "q2Q/4/1*2/Q2q w".parse().unwrap();
    let view = View::from(&position);
    let (expected, value) = reference::outputs(&network, &view);
    assert!(value.is_finite());
    for kernel in Kernel::available() {
        let mut inference = Inference::new(kernel);
        assert_eq!(inference.run(&network, &view).to_bits(), value.to_bits(), "{kernel:?}");
        for (square, expected) in &expected {
            let bits = |outputs: &[f32; 32]| outputs.map(f32::to_bits);
            assert_eq!(bits(inference.outputs(*square)), bits(expected), "{kernel:?} at {square}");
        }
    }
    true
}

/// Reads the file of a tournament and lists its games. Starts none of its programs.
pub(crate) fn tournament(input: &[u8]) -> bool {
    let path = scratch("tournament").join("tournament.toml");
    fs::write(&path, input).unwrap();
    let games = commands::count_tournament_games(&path);
    if let Err(error) = &games {
        assert!(commands::message(error).contains("tournament.toml"), "{error:#}");
    }
    games.is_ok_and(|games| games > 0)
}

/// Writes a file with this content and calls `open`. If `open` refuses the file, the content must
/// not change. If `open` accepts the file, it may only cut off an incomplete record at the end.
fn file<T, E>(name: &str, input: &[u8], open: impl Fn(&Path) -> Result<T, E>) -> bool {
    let path = scratch(name).join("file");
    fs::write(&path, input).unwrap();
    let accepted = open(&path).is_ok();
    let left = fs::read(&path).unwrap();
    if !accepted {
        assert_eq!(left, input);
    } else if input.contains(&b'\n') {
        assert!(input.starts_with(&left), "{}", left.escape_ascii());
        assert!(open(&path).is_ok(), "accepted once");
    }
    accepted
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("quiver-fuzz-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The first line of the input as JSON without its checksum, for use as a header.
fn header(input: &[u8]) -> Value {
    let line = input.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut header: Value = serde_json::from_slice(line).unwrap_or_default();
    header.as_object_mut().map(|fields| fields.remove("crc"));
    header
}

/// Opens a record of games to resume its match, and then reads it as training data.
pub(crate) fn record(input: &[u8]) -> bool {
    let header = header(input);
    let accepted = file("record", input, |path| record::resume(&record::MATCH, path, &header));
    if accepted && let Ok(library) = Library::open(&[scratch("record").join("file")]) {
        library.samples().for_each(drop);
    }
    accepted
}
