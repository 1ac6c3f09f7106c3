//! Tests of whole games, in which a small referee plays the platform's side.

use std::io::{BufReader, PipeReader, PipeWriter, Write as _, pipe};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use amazons::{Move, Position, Side, Size, sgf};
use parking_lot::Mutex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::commands::{CommandReader, PlatformCommand};
use super::game_files::Log;
use super::{PlatformOptions, PlatformSession, converse};
use crate::contest::PlatformMove;
use crate::files::read_line;
use crate::formats::contest_record;
use crate::games::{Game, MatchGame, from_notation};
use crate::scratch::Scratch;
use crate::search::EngineOptions;

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
        first_game: 1,
        resumed: None,
    }
}

/// Returns the output and the log of a session that reads this input.
fn said(options: PlatformOptions, input: &[u8]) -> (String, String) {
    let pages = [Arc::<Mutex<Vec<u8>>>::default(), Arc::default()];
    let [out, log] = pages.clone();
    crate::protocols::converse(input, &mut PlatformSession::new(options, out, Log(log))).unwrap();
    pages.map(|page| String::from_utf8(page.lock().clone()).unwrap()).into()
}

struct Engine {
    input: PipeWriter,
    output: BufReader<PipeReader>,
    thread: JoinHandle<std::io::Result<()>>,
}

impl Engine {
    fn start(options: PlatformOptions) -> Engine {
        let (input, to_engine) = pipe().unwrap();
        let (from_engine, output) = pipe().unwrap();
        let thread = thread::spawn(move || converse(BufReader::new(input), options, output, std::io::sink()));
        Engine { input: to_engine, output: BufReader::new(from_engine), thread }
    }

    fn send(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).unwrap();
    }

    /// Reads the next line of output, or an empty text at the end of the output.
    fn line(&mut self) -> String {
        let mut line = Vec::new();
        read_line(&mut self.output, 256, &mut line).unwrap();
        String::from_utf8(line).unwrap().trim_end().to_owned()
    }

    fn next_move(&mut self) -> Move {
        let line = self.line();
        match &CommandReader::default().read(line.as_bytes())[..] {
            [PlatformCommand::Move(played)] => *played,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn quit(mut self) {
        self.send("quit\n");
        assert_eq!(self.line(), "", "nothing is said after the end");
        self.thread.join().unwrap().unwrap();
    }
}

/// Plays games with an engine as the platform does. It plays random moves, sends NUL characters,
/// and refuses some of the engine's moves.
fn referee(sides: &[Side], ponder: bool, path: PathBuf) -> Vec<Game> {
    let mut engine = Engine::start(PlatformOptions { ponder, ..options(path) });
    engine.send("name?\n");
    assert_eq!(engine.line(), "name Quiver");
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
            let path = super::numbered(&path, number);
            let kept = sgf::read(&std::fs::read_to_string(&path).unwrap()).unwrap().remove(0).game.unwrap();
            let kept = from_notation(kept);
            assert_eq!((kept.moves(), kept.winner()), (game.moves(), game.position().winner()));
            // After a refused command, earlier moves keep their times, which count in the total.
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
fn wrong_words_are_logged_and_answered_by_nothing() {
    let scratch = Scratch::new("contest-words");
    for (number, (input, expected)) in [
        (&b"move DJDDGD\n"[..], "no game has begun"),
        (b"new white\nmove DJDJGD\n", "# ignored: d1-d1/g7: "),
        (b"new white\nmove ADDDGD\n", "# ignored: a7-d7/g7: "),
        (b"new white\nmove ZZZZZZ\n", "move 'ZZZZZZ': expected three squares"),
        (b"error\n", "ignored: error: no move was sent"),
        (b"\xc4\xe3\xba\xc3 move\n\0DJ\n", "expected three squares"),
        (b"new red\nquit\nnew black\n", "new 'red': expected black or white"),
        (b"end black\n", "< end black"),
    ]
    .into_iter()
    .enumerate()
    {
        let path = PathBuf::from(scratch.path(&format!("{number}.sgf")));
        let (out, log) = said(options(path), input);
        assert!(out.is_empty() && log.contains(expected), "{input:?}: {out} {log}");
    }
}

#[test]
fn moves_out_of_turn_do_not_disturb_the_own_turn() {
    let scratch = Scratch::new("contest-turn");
    let path = PathBuf::from(scratch.path("game.sgf"));
    // A very long search is still running when the wrong moves arrive.
    let slow = PlatformOptions { playouts: None, time: Some(Duration::from_secs(3_600)), ..options(path) };
    let (out, log) = said(slow, b"new black\nmove ADDDGD\nname?\nend white\nquit\n");
    assert_eq!(out, "name Quiver\n");
    assert!(log.contains("# ignored: a7-d7/g7: it is this engine's turn"), "{log}");
}

#[test]
fn interrupted_game_goes_on() {
    let scratch = Scratch::new("contest-resume");
    let path = PathBuf::from(scratch.path("game.sgf"));
    let mut engine = Engine::start(options(path.clone()));
    engine.send("new white\nmove DJDDGD\n");
    let answer = engine.next_move();
    engine.quit();
    let kept = sgf::read(&std::fs::read_to_string(&path).unwrap()).unwrap().remove(0).game.unwrap();
    let kept = from_notation(kept);
    assert_eq!(kept.moves(), ["d1-d7/g7".parse::<Move>().unwrap(), answer]);
    // A resumed engine can play either side.
    let mut engine = Engine::start(PlatformOptions { resumed: Some(kept.clone()), ..options(path) });
    engine.send("new black\n");
    assert!(kept.position().play(engine.next_move()).is_ok());
    engine.quit();
}
