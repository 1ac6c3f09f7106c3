//! Tests of whole games, in which a small referee replaces the platform.

use std::io;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use amazons::{Move, Position, Side, Size, sgf};
use parking_lot::Mutex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::current_game::CurrentGame;
use super::{PlatformOptions, PlatformSession};
use crate::contest::PlatformMove;
use crate::formats::contest_record;
use crate::games::{Game, MatchGame, PlayedMove, TurnFacts, from_notation};
use crate::protocols::transcript::{assert_transcript, session_output};
use crate::protocols::{Session as _, output};
use crate::scratch::Scratch;
use crate::search::{EngineOptions, Time};

fn start() -> Game {
    Game::new(Position::start(Size::square(10).unwrap()).unwrap())
}

fn options(game_file: PathBuf) -> PlatformOptions {
    let mut start = start();
    start.event = Some("2026.05.01 14:00 place".to_owned());
    PlatformOptions {
        engine: EngineOptions { memory: 1 << 24, ..EngineOptions::default() },
        name: "Quiver".to_owned(),
        start,
        total: Duration::from_secs(900),
        time: None,
        playouts: Some(20),
        ponder: false,
        game_file,
        resumed: None,
    }
}

/// Options with which a search does not end before it is stopped.
fn slow(scratch: &Scratch) -> PlatformOptions {
    let time = Some(Duration::from_secs(3_600));
    PlatformOptions { playouts: None, time, ..options(scratch.join("game.sgf")) }
}

/// Reads the game that a session has saved in an SGF file.
fn kept(path: &Path) -> Game {
    let text = std::fs::read_to_string(path).unwrap();
    from_notation(sgf::read(&text).unwrap().remove(0).game.unwrap())
}

/// A session, and the buffer to which the session writes its answers.
struct Engine {
    session: PlatformSession,
    buffer: Arc<Mutex<Vec<u8>>>,
}

impl Engine {
    fn start(options: PlatformOptions) -> Engine {
        let buffer = Arc::<Mutex<Vec<u8>>>::default();
        Engine { session: PlatformSession::new(options, buffer.clone(), output(io::sink())), buffer }
    }

    fn send(&mut self, text: &str) -> bool {
        self.session.handle_line(text.as_bytes()).unwrap()
    }

    fn answer(&self) -> String {
        loop {
            let printed = take(&mut *self.buffer.lock());
            if !printed.is_empty() {
                return String::from_utf8(printed).unwrap();
            }
            thread::yield_now();
        }
    }

    fn next_move(&self) -> Move {
        let answer = self.answer();
        let played = answer.strip_prefix("move ").and_then(|squares| squares.trim_end().parse().ok());
        let PlatformMove(played) = played.unwrap_or_else(|| panic!("{answer}"));
        played
    }

    fn quit(mut self) {
        assert!(!self.send("quit\n") && self.buffer.lock().is_empty(), "nothing is printed after the end");
    }
}

/// Plays games with an engine as the platform does: plays random moves, sends NUL characters, and
/// refuses some of the engine's moves. Returns the games.
fn referee(sides: &[Side], ponder: bool, path: PathBuf) -> Vec<Game> {
    let mut engine = Engine::start(PlatformOptions { ponder, ..options(path) });
    engine.send("name?\n");
    assert_eq!(engine.answer(), "name Quiver\n");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut games = Vec::new();
    for &side in sides {
        let mut game = start();
        engine.send(&format!("\0new {}\r\n", ["black", "white"][side.index()]));
        while game.position().winner().is_none() {
            if game.position().to_move() != side {
                let played = game.position().random_move(&mut rng).unwrap();
                game.play(played).unwrap();
                engine.send(&format!("move {}\r\0\n", PlatformMove(played)));
                continue;
            }
            let mut played = engine.next_move();
            if game.plies().len() == 4 + side.index() {
                let mut refused = vec![played];
                for _ in 0..2 {
                    engine.send("error\n");
                    played = engine.next_move();
                    assert!(!refused.contains(&played) && game.position().play(played).is_ok());
                    refused.push(played);
                }
            }
            game.play(played).unwrap();
        }
        engine.send("end\n");
        games.push(game);
    }
    engine.quit();
    games
}

#[test]
fn plays_whole_games_for_either_side() {
    let scratch = Scratch::new("contest-games");
    for ponder in [false, true] {
        let path = PathBuf::from(scratch.path(&format!("game-{ponder}.sgf")));
        let games = referee(&[Side::First, Side::Second], ponder, path.clone());
        for (number, game) in (1..).zip(games) {
            let path = super::game_file_path(&path, number);
            let kept = kept(&path);
            assert_eq!((kept.moves(), kept.winner()), (game.moves(), game.position().winner()));
            // Refusals must not delete the times of earlier plies, which count in the total time.
            let mut own = kept.plies().iter().skip(number - 1).step_by(2);
            assert!(own.all(|ply| ply.facts.seconds.is_some()), "{kept:?}");
            let record = std::fs::read_to_string(path.with_extension("txt")).unwrap();
            assert_eq!(record.lines().count(), 1 + game.plies().len().div_ceil(2));
            assert!(record.contains("[2026.05.01 14:00 place][2026];"), "{record}");
            assert_eq!(contest_record::write(&kept), record);
        }
    }
}

#[test]
fn answers_as_in_the_transcript() {
    let scratch = Scratch::new("contest-transcript");
    let begin = |log| PlatformSession::new(slow(&scratch), output(io::sink()), log);
    // Leaves out the log's copies of received lines. Replaces the mark `# ` of the log's notes by
    // `note: `, because a line that begins with `# ` starts a new session in a transcript.
    let shown = |line: &str| (!line.starts_with("< ")).then(|| line.replace("# ", "note: "));
    let transcript = include_str!("../../../tests/data/contest/transcript.txt");
    assert_transcript(transcript, begin, PlatformSession::handle_line, shown);
}

#[test]
fn words_come_joined_and_split() {
    let scratch = Scratch::new("contest-words");
    let input = b"name?\r\n\0new white\r\n\0move DJDDGD end white\nend\nnew\0\nwhite\0error\nmove\n\
                  DJDDGD\naccept refuse take taked\n\xc4\xe3 move\n\0DJ\nquit\nname?\n";
    let log = session_output(input, |log| PlatformSession::new(slow(&scratch), output(io::sink()), log));
    let answers: Vec<_> = log.lines().filter(|line| !line.starts_with('<')).collect();
    let expected = ["> name Quiver", "error: no move was sent", "expected name?, new", "three squares"];
    assert_eq!(answers.len(), expected.len(), "{log}");
    assert!(answers.iter().zip(expected).all(|(line, expected)| line.contains(expected)), "{log}");
    for name in ["game.sgf", "game-2.sgf"] {
        assert_eq!(kept(&scratch.join(name)).moves(), ["d1-d7/g7".parse::<Move>().unwrap()]);
    }
}

#[test]
fn existing_files_are_kept() {
    let scratch = Scratch::new("contest-existing");
    let existing = ["game.txt", "game-3.sgf"].map(|name| scratch.file(name, "earlier"));
    let input = b"new white\nmove DJDDGD\nend\nnew white\nmove DJDDGD\nend\nquit\n";
    session_output(input, |log| PlatformSession::new(slow(&scratch), output(io::sink()), log));
    for name in ["game-2.sgf", "game-4.sgf"] {
        assert_eq!(kept(&scratch.join(name)).plies().len(), 1);
    }
    assert!(existing.iter().all(|path| std::fs::read_to_string(path).unwrap() == "earlier"));
}

#[test]
fn interrupted_game_goes_on() {
    let scratch = Scratch::new("contest-resume");
    let path = PathBuf::from(scratch.path("game.sgf"));
    let mut engine = Engine::start(options(path.clone()));
    engine.send("new white\nmove DJDDGD\n");
    let answer = engine.next_move();
    engine.quit();
    let kept = kept(&path);
    assert_eq!(kept.moves(), ["d1-d7/g7".parse::<Move>().unwrap(), answer]);
    // The engine played White in this game, and can resume the game as Black.
    let mut engine = Engine::start(PlatformOptions { resumed: Some(kept.clone()), ..options(path) });
    engine.send("new black\n");
    assert!(kept.position().play(engine.next_move()).is_ok());
    engine.quit();
}

#[test]
fn time_of_refused_moves_counts() {
    let (scratch, mut resumed) = (Scratch::new("contest-refused"), start());
    let facts = TurnFacts { seconds: Some(500.0), ..TurnFacts::default() };
    let refused = PlayedMove { played: "d1-d7/g7".parse().unwrap(), facts };
    let options = PlatformOptions { playouts: None, ..options(scratch.join("game.sgf")) };
    let mut current = CurrentGame::new(options.clone(), output(io::sink()), output(io::sink()));
    current.refused.push(refused.clone());
    // A twentieth of the 900 s is reserved.
    let remaining = Duration::from_secs(900 - 45 - 500);
    let time = Some(Time::Game { remaining, increment: Duration::ZERO });
    assert_eq!(current.limits(&resumed, Side::First).time, time);
    resumed.play(refused).unwrap();
    let options = PlatformOptions { playouts: Some(20), resumed: Some(resumed), ..options };
    let mut engine = Engine::start(options);
    engine.send("new black\nerror\n");
    engine.next_move();
    engine.quit();
    let seconds = kept(&scratch.join("game.sgf")).plies()[0].facts.seconds;
    assert!(seconds.is_some_and(|seconds| seconds >= 500.0), "{seconds:?}");
}
