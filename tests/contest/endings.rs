//! Matches that are interrupted or killed, and then resumed.

use std::io::{BufRead, BufReader, Read as _};
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{Scratch, command, games, play, tournament};
use crate::common::program::run_successfully;
use crate::convert::moves;

fn spawn(line: &str, last: &str) -> Child {
    let (mut command, pipe) = (command(line), Stdio::piped);
    command.arg(last).env("QUIVER_BOARD", "6").stdout(pipe()).stderr(pipe()).spawn().unwrap()
}

fn wait_until(holds: impl Fn() -> bool) {
    while !holds() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn killed_match_keeps_finished_games() {
    const GAMES: usize = 40;
    /// An upper bound of the time that a match of `GAMES` games takes on an idle machine.
    const LONGEST: Duration = Duration::from_millis(1_500);
    let kills = std::env::var("QUIVER_KILLS").map_or(3, |number| number.parse().unwrap());
    let scratch = Scratch::new("kills");
    let line = "--a quiver --b greedy --playouts 60 --games 40 --concurrency 2 --resume --record";
    let run = |record: &str| spawn(line, record);
    let whole = scratch.path("whole.jsonl");
    let uninterrupted = run(&whole).wait_with_output().unwrap();
    assert!(uninterrupted.status.success());
    let whole = games(&whole);
    let record = scratch.path("record.jsonl");
    let (mut before, mut torn, mut ended) = (0, 0, 0);
    for kill in 0..kills {
        let mut child = run(&record);
        // The match is killed at times that the golden ratio spreads evenly over its duration.
        std::thread::sleep(LONGEST.mul_f64((f64::from(kill) * 0.618_034).fract()));
        child.kill().unwrap();
        let printed = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        let told = printed.lines().filter(|line| line.starts_with("Game ")).count();
        // An incomplete last line does not count as a game.
        let text = std::fs::read_to_string(&record).unwrap_or_default();
        let end = text.rfind('\n').map_or(0, |end| end + 1);
        torn += usize::from(end < text.len());
        let kept = games(scratch.file("copy.jsonl", &text[..end]));
        assert!(kept.len() >= before + told, "{before} games, then {told} more: {} are there", kept.len());
        assert!(kept.iter().all(|game| whole.contains(game)), "kill {kill}: a game that was never played");
        before = kept.len();
        if before == GAMES {
            std::fs::remove_file(&record).unwrap();
            (before, ended) = (0, ended + 1);
        }
    }
    assert!(run(&record).wait_with_output().unwrap().status.success());
    assert_eq!(games(&record), whole);
    // The record is cut within a line. The resumed match must still get all games and their score.
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, &text[..text.len() / 2]).unwrap();
    let resumed = run(&record).wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&resumed.stderr).contains("its last line is incomplete"));
    assert_eq!(games(&record), whole);
    let score = |output: &Output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().rfind(|line| line.starts_with("Score of ")).map(str::to_owned)
    };
    assert!(score(&resumed).is_some() && score(&resumed) == score(&uninterrupted), "{resumed:?}");
    println!("{kills} kills: {torn} lines torn, {} records of {GAMES} games", ended + 1);
}

#[test]
fn resumes_record_with_crlf_and_bom() {
    let scratch = Scratch::new("crlf");
    let line = "--a random --b greedy --board 6 --seed 3 --resume --games";
    let record = scratch.path("record.jsonl");
    let run = |games: &str, record: &str| run_successfully(command(line).args([games, "--record", record]));
    run("4", &record);
    let edited = std::fs::read_to_string(&record).unwrap().replace('\n', " \r\n");
    std::fs::write(&record, format!("\u{feff}{edited}\r\n")).unwrap();
    assert_eq!(moves(&record).lines().count(), 4);
    // The match is resumed twice, so that the second run reads lines that the first one appended.
    for games in ["5", "6"] {
        run(games, &record);
    }
    let whole = scratch.path("whole.jsonl");
    run("6", &whole);
    assert_eq!(moves(&record), moves(&whole));
    let text = std::fs::read_to_string(&record).unwrap();
    assert!(text.starts_with(&format!("\u{feff}{edited}\r\n{{\"game\":")), "{text}");
}

#[test]
fn an_interrupted_match_says_how_to_go_on() {
    let (_scratch, [record]) = Scratch::with_paths("interrupted", ["record.jsonl"]);
    let line = format!("--b random --games 8 --concurrency 2 --record {record} --a");
    let bot = "cmd:python3 tests/data/bots/bot.py --keep";
    let mut child = spawn(&line, bot);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while text.lines().filter(|line| line.starts_with("Game ")).count() < 2 {
        assert_ne!(out.read_line(&mut text).unwrap(), 0, "{text}");
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let rest: Vec<String> = out.lines().map_while(Result::ok).collect();
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    // The match prints its score, and a command to resume it. QUIVER_BOARD has set the board, so
    // the command has `--board`.
    assert!(rest.iter().any(|line| line.starts_with("Score of ")), "{rest:?}");
    let command = err.lines().last().unwrap();
    assert!(command.contains(&format!("'{bot}'")), "{err}");
    assert!(command.ends_with(" --board 6 --resume"), "{err}");
    assert!(games(&record).len() < 8);
    let (code, out, err) = play(&line, &[bot, "--board=6", "--resume"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(games(&record).len(), 8);
}

#[test]
fn an_interrupt_ends_a_search_that_would_last() {
    let (_scratch, [record]) = Scratch::with_paths("search", ["record.jsonl"]);
    let mut child = spawn("--a quiver --b random --games 2 --time 600 --record", &record);
    // The program handles signals once the record exists, and the search begins soon after.
    wait_until(|| std::path::Path::new(&record).exists());
    std::thread::sleep(Duration::from_millis(500));
    let begun = Instant::now();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1), "{status}");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert!(games(&record).is_empty());
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert!(out.starts_with("Score of quiver vs random: 0 - 0 [-] 0\n") && !out.contains("NaN"), "{out}");
    assert!(out.ends_with("Games ended by: no move left 0\n"), "{out}");
}

#[test]
fn missing_program_ends_match_without_loss() {
    let scratch = Scratch::new("vanishes");
    let (bot, record) = (scratch.path("bot.sh"), scratch.path("record.jsonl"));
    // On its first turn this program deletes its own file, so it cannot start for a second turn.
    let script = "#!/bin/sh\nread -r line && rm \"$0\" && echo \"$line\" | python3 tests/data/bots/bot.py --form json\n";
    std::fs::write(&bot, script).unwrap();
    std::fs::set_permissions(&bot, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let line = format!("--a cmd:{bot} --b random --games 4 --board 6 --record {record}");
    let (code, out, err) = play(&line, &[]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("does not start") && err.contains("--resume"), "{err}");
    assert!(out.starts_with("Score of ") && out.contains(" vs random: 0 - 0 "), "{out}");
    assert!(games(&record).is_empty());
}

#[test]
fn closed_stdout_keeps_files_and_messages() {
    let scratch = Scratch::new("closed");
    for (name, more, status) in [("whole", " --json", 0), ("cut", "", 1)] {
        let [page, record] = ["page", "record"].map(|file| scratch.path(&format!("{name}-{file}")));
        let line = format!("--a random --b greedy --games 40 --record {record}{more} --html");
        let closed = std::io::pipe().unwrap().1;
        let output = command(&line).arg(&page).env("QUIVER_BOARD", "6").stdout(closed).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{err}");
        let told = err.contains("ended after 1 game: Broken pipe") && err.contains(" --resume");
        assert_eq!(told, status == 1, "{err}");
        assert!(std::fs::read_to_string(&page).unwrap().contains("greedy"), "{name}");
    }
}

#[test]
fn second_interrupt_kills_programs_at_once() {
    let scratch = Scratch::new("twice");
    // This bot has no time limit and never answers. At its first request it writes its process id.
    let note = scratch.path("bot.pid");
    let bot = format!("text:sh -c 'read line; echo $$ > {note}; exec sleep 3600'");
    let mut child = spawn("--b random --games 2 --random-plies 0 --a", &bot);
    wait_until(|| std::fs::read_to_string(&note).is_ok_and(|text| text.ends_with('\n')));
    let bot = scratch.read("bot.pid").trim().to_owned();
    let running = || {
        let stat = std::fs::read_to_string(format!("/proc/{bot}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    assert!(running());
    let mut err = BufReader::new(child.stderr.take().unwrap());
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let status = child.wait().unwrap();
    // The exit status depends on whether the match had ended when the second signal arrived.
    assert!(matches!(status.code(), Some(1 | 130 | 143)), "{status}");
    let mut text = String::new();
    err.read_line(&mut text).unwrap();
    assert!(text.contains("once more to end at once"), "{text}");
    wait_until(|| !running());
}

#[test]
fn resumed_tournament_accepts_new_player() {
    let (scratch, [record, fresh]) = Scratch::with_paths("joins", ["record", "fresh"]);
    let player = |name: &str, spec: &str| format!("[[player]]\nname = \"{name}\"\nspec = \"{spec}\"\n");
    let run = |file: &str, record: &str, more: &[&str]| {
        play(&format!("{} --record {record}", tournament(&scratch, file)), more)
    };
    let (one, two, three) = (player("one", "random"), player("two", "greedy"), player("three", "level2"));
    assert_eq!(run(&format!("games = 2\n{one}{two}"), &record, &[]).0, 0);
    let before = games(&record);
    // A player is added at the end of the list, and each pairing gets more games. The record then
    // equals the record of a match that had this player and these games from the beginning.
    let whole = format!("games = 4\n{one}{two}{three}");
    let (code, out, err) = run(&whole, &record, &["--resume"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("Resumed after 2 of 12 games."), "{out}");
    assert_eq!(run(&whole, &fresh, &[]).0, 0);
    assert_eq!(games(&record), games(&fresh));
    assert!(before.iter().all(|game| games(&record).contains(game)));
    // Recorded players are recognised by their names, even if their order in the list changes.
    let (four, kept) = (player("four", "level9"), games(&record));
    let gauntlet = format!("format = \"gauntlet\"\ngames = 2\n{four}{two}{three}{one}");
    let (code, out, err) = run(&gauntlet, &record, &["--resume"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("12 games of the record do not belong to this match"), "{err}");
    assert_eq!(out.lines().filter(|line| line.starts_with("Game ")).count(), 6, "{out}");
    assert_eq!(games(&record).len(), kept.len() + 6);
    assert!(kept.iter().all(|game| games(&record).contains(game)));
    // The record's header has all settings that decide the moves of `level2` and `level9`.
    let text = std::fs::read_to_string(&record).unwrap();
    let header = text.lines().rfind(|line| line.starts_with("{\"contest\":")).unwrap();
    let header: Value = serde_json::from_str(header).unwrap();
    for (number, level) in
        [(2, json!({"moves": 8, "noise": 0.22})), (3, json!({"playouts": 20, "noise": 0.12}))]
    {
        let player = &header["contest"]["players"][number];
        assert_eq!(player["level"], level);
        for name in ["parameters", "memory", "threads", "weights", "net"] {
            assert!(!player[name].is_null(), "{name}: {player}");
        }
    }
    let all = std::fs::read(&record).unwrap();
    for (players, expected) in [
        (
            format!("{one}{two}playouts = 9\n{three}{four}"),
            "contest.players.1.playouts is null there and 9 here",
        ),
        (format!("{one}{two}{four}"), "has games of 'three': expected a tournament with this player"),
    ] {
        let (code, _, err) = run(&format!("games = 2\n{players}"), &record, &["--resume"]);
        assert!(code == 2 && err.contains(expected), "{err}");
        assert_eq!(std::fs::read(&record).unwrap(), all);
    }
}
