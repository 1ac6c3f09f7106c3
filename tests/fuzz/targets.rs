//! The fuzz targets: every reader of input from outside. Input may be refused, but
//! nothing may panic, and a file that is refused keeps its bytes. Each target says whether the
//! input was accepted.
//!
//! Used by the program in `fuzz_targets/`, which `tests/fuzz/run` starts, and by
//! `tests/mutations.rs`.
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
use quiver::protocols::gtp::{self, GtpOptions};
use quiver::protocols::uci;
use quiver::search::{EngineOptions, Limits};
use quiver::simd::Kernel;
use quiver::territory::{Evaluator, View, Weights, WeightsError};
use quiver::training::Library;
use quiver::web::server::{Server, ServerOptions};
use quiver::words::{self, Language};
use serde_json::Value;

/// A target: takes an input, and says whether it was accepted.
pub(crate) type Target = fn(&[u8]) -> bool;

/// Every target by the name of its corpus.
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

/// The accepted value, if the target accepts; else checks that the error is one short line.
fn accepted<T, E: Display>(result: Result<T, E>) -> Option<T> {
    let message = match result {
        Ok(accepted) => return Some(accepted),
        Err(error) => error.to_string(),
    };
    assert!(message.len() < 1_000 && !message.contains(char::is_control), "{message:?}");
    None
}

/// A whole session of a bot.
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

/// Games in any format: match logs, SGF, GGF, lists of moves and the rest. Every game can be
/// written.
pub(crate) fn notation(input: &[u8]) -> bool {
    let read = formats::read(input, &Start::positions_from(10));
    let Some((_, found)) = accepted(read) else { return false };
    let games: Vec<Game> = found.into_iter().filter_map(|found| Some(found.game.ok()?.game)).collect();
    for game in &games {
        sgf::write(&[game.to_notation()]);
        assert!(!words::result(game, Language::Chinese).is_empty());
    }
    !games.is_empty()
}

/// A query of the analysis engine, and a request of the page about a game.
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

/// A conversation of GTP, but for the commands that reach files and those that may search for long.
pub(crate) fn gtp(input: &[u8]) -> bool {
    let left_out = |line: &&[u8]| {
        let text = String::from_utf8_lossy(line).to_lowercase();
        ["sgf", "time", "visits"].iter().any(|word| text.contains(word))
    };
    let lines = input.split_inclusive(|byte| *byte == b'\n').filter(|line| !left_out(line));
    let start = Position::start(Size::square(6).expect("a board of 6x6")).expect("it has a start");
    let options = GtpOptions { engine: engine(), start, playouts: 20, time: None };
    gtp::converse(&lines.collect::<Vec<_>>().concat()[..], options, std::io::sink()).is_ok()
}

/// A UCI session.
pub(crate) fn uci(input: &[u8]) -> bool {
    // Searches without a limit of their own end with the session.
    uci::converse(&[input, b"\nquit\n"].concat()[..], engine(), Box::new(std::io::sink())).is_ok()
}

/// The bytes of one connection to `quiver serve`.
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

/// Weights, with the checksum that their numbers have, and what they say of a position.
pub(crate) fn weights(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let weights = text.parse::<Weights>().or_else(|error| match error {
        WeightsError::Checksum { got, expected } => {
            text.replace(&format!("{expected:016x}"), &format!("{got:016x}")).parse()
        }
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

/// A policy network, with the checksum that its bytes have. All kernels must get the same bits from
/// it as the plain reference, on a board small enough for the reference.
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

/// The file of a tournament, up to the list of its games. No program of it is started.
pub(crate) fn tournament(input: &[u8]) -> bool {
    let path = scratch("tournament").join("tournament.toml");
    fs::write(&path, input).unwrap();
    let games = commands::tournament_games(&path);
    if let Err(error) = &games {
        assert!(commands::message(error).contains("tournament.toml"), "{error:#}");
    }
    games.is_ok_and(|games| games > 0)
}

/// A file of this content, opened by `open`: one that is refused stays as it is, and of one that is
/// accepted the whole records at its beginning stay.
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

/// A folder of this process for files of one target.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("quiver-fuzz-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The first line as the header that a file is expected to have.
fn header(input: &[u8]) -> Value {
    let line = input.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut header: Value = serde_json::from_slice(line).unwrap_or_default();
    header.as_object_mut().map(|fields| fields.remove("crc"));
    header
}

/// A record of games, to go on with and to read as training does.
pub(crate) fn record(input: &[u8]) -> bool {
    let header = header(input);
    let accepted = file("record", input, |path| record::resume(&record::MATCH, path, &header));
    if accepted && let Ok(library) = Library::open(&[scratch("record").join("file")]) {
        library.samples().for_each(drop);
    }
    accepted
}
