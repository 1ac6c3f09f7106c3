//! `quiver package` as its users meet it: the source is compiled with g++ and plays whole matches
//! under a judge that keeps it running, in a sandbox like the site's.

mod built;
#[path = "../common/mod.rs"]
mod common;
mod roads;
mod sandbox;

use std::process::{Command, Output, Stdio};

use built::{compiled, package, program, quick, quick_source, source, usual, written};
use common::judge::{Bot, Form, play};
use quiver::game::{Side, Size};
use rustix::process::Signal;
use sandbox::Sandbox;

const FIRST_TURN: &str = "1\n-1 -1 -1 -1 -1 -1\n";

#[test]
fn the_source_is_ascii_of_a_size_that_the_site_takes() {
    let source = source();
    assert!(source.is_ascii() && source.len() <= 1_000_000, "{} characters", source.len());
    assert!(source.lines().all(|line| line.len() <= 4_010));
    assert!(source.contains("Permission is hereby granted"));
    for path in [env!("CARGO_MANIFEST_DIR"), env!("CARGO_TARGET_TMPDIR")] {
        assert!(!source.contains(path), "{path}");
        let program = std::fs::read(program()).unwrap();
        assert!(
            !program.windows(path.len()).any(|window| window == path.as_bytes()),
            "{path} in the program"
        );
    }
}

#[test]
fn the_same_program_and_settings_give_the_same_bytes() {
    let program = program();
    let arguments = ["--program", program.to_str().unwrap(), "--board", "8"];
    let (again, _) = written(&arguments);
    // A program that is given has no compiler to name.
    let rest = |source: &str| source.split_once("// compressed,").unwrap().1.to_owned();
    assert!(rest(&again) == rest(source()));
}

#[test]
fn the_source_compiles_without_a_warning_in_every_dialect() {
    usual();
    compiled("pedantic", source(), &["-Wpedantic", "-Wshadow", "-Wconversion"]);
    compiled("later", source(), &["-std=c++20", "-O0"]);
}

#[test]
fn whole_matches_are_played_in_the_sandbox() {
    for (name, board, side, form) in [
        ("first-json", 8, Side::First, Form::Json),
        ("second-text", 8, Side::Second, Form::Text),
        // Packed for 8x8, but the history is one of 10x10.
        ("second-json", 10, Side::Second, Form::Json),
    ] {
        let sandbox = Sandbox::new(name, quick());
        let mut bot = Bot::start(sandbox.command());
        let plies = play(&mut bot, Size::square(board).unwrap(), side, form, |bot| {
            // The launcher is gone: one thread of the engine's own program.
            assert!(bot.program().starts_with("/memfd:quiver"), "{}", bot.program());
        });
        assert!(plies > 10, "{plies} plies");
        assert_eq!(bot.end().code(), Some(0), "{name}");
    }
}

#[test]
fn the_usual_settings_start_in_the_memory_of_the_site() {
    let sandbox = Sandbox::new("usual", usual());
    let mut bot = Bot::start(sandbox.command());
    let answer = bot.ask(FIRST_TURN);
    assert!(answer[1].contains("playouts"), "{answer:?}");
}

#[test]
fn a_match_stays_within_the_memory_asked_for() {
    // Each turn fills more than half of a region, so that each but the first begins with a copy of
    // the tree.
    const PLAYOUTS: &str = "20000";
    const MEGABYTES: u64 = 20;
    // The program itself, and the table of the solver of endings, which is not the tree's.
    const BESIDES: u64 = 4 + 4;
    let program = program();
    let memory = format!("{MEGABYTES}M");
    let settings = ["--board", "8", "--playouts", PLAYOUTS, "--memory", &memory, "--program"];
    let (source, _) = written(&[&settings[..], &[program.to_str().unwrap()]].concat());
    let sandbox = Sandbox::new("memory", &compiled("memory", &source, &[]));
    let mut bot = Bot::start(sandbox.command_within((MEGABYTES + BESIDES) << 20));
    let plies = play(&mut bot, Size::square(8).unwrap(), Side::First, Form::Text, |_| ());
    assert!(plies > 10, "{plies} plies");
    assert_eq!(bot.end().code(), Some(0));
}

#[test]
fn pipes_signals_and_exit_status_are_the_engines() {
    let ended_by = |input: &str| {
        let mut command = Command::new(quick());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
    };
    let (status, answer, talk) = ended_by(FIRST_TURN);
    assert_eq!((status, answer.lines().count(), talk.as_str()), (Some(0), 3, ""), "{answer}");
    let (status, answer, talk) = ended_by("1\n9 9 9 9 9 9\n");
    assert_eq!((status, answer.as_str(), talk.lines().count()), (Some(2), "", 1), "{talk}");
    assert!(talk.starts_with("quiver: "), "{talk}");

    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = Command::new(quick()).stdin(Stdio::piped()).stdout(writer).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), FIRST_TURN.as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "an answer that reaches no reader");

    use std::os::unix::process::ExitStatusExt;
    let mut bot = Bot::start(Command::new(quick()));
    bot.ask(FIRST_TURN);
    bot.signal(Signal::TERM);
    assert_eq!(bot.wait().signal(), Some(Signal::TERM.as_raw()));
}

#[test]
fn launcher_refuses_damaged_text_and_stays_in_bounds() {
    let text = quick_source().rfind("const char TEXT").unwrap();
    let length = quick_source().len() - text;
    // One digit near the beginning and near the end, then a digit of every line from the middle on.
    for places in [vec![300], vec![length * 99 / 100], (length / 2..length - 900).step_by(4_003).collect()] {
        let mut damaged = quick_source().to_owned();
        for place in places {
            // The next digit of the line becomes another.
            let at = text + place;
            let at = at + damaged[at..].find(|c: char| c.is_ascii_alphanumeric()).unwrap();
            let other = if damaged[at..].starts_with('0') { "1" } else { "0" };
            damaged.replace_range(at..=at, other);
        }
        let checked = ["-fsanitize=undefined,bounds-strict", "-fno-sanitize-recover=all"];
        let program = compiled("damaged", &damaged, &checked);
        let output = Command::new(program).stdin(Stdio::null()).output().unwrap();
        let talk = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{talk}");
        assert!(talk.starts_with("quiver: the engine's text in this source is damaged"), "{talk}");
    }
}

#[test]
fn program_carries_the_files_of_its_board_only() {
    let program = std::fs::read(program()).unwrap();
    let carries = |file: &[u8]| program.windows(file.len()).any(|window| window == file);
    assert!(carries(include_bytes!("../../src/engine/policy/nets/8.net")));
    assert!(!carries(include_bytes!("../../src/engine/policy/nets/10.net")));
    assert!(carries(include_bytes!("../../src/engine/territory/weights/8.json")));
    assert!(!carries(include_bytes!("../../src/engine/territory/weights/10.json")));
}

#[test]
fn a_release_is_packed_and_tried() {
    let dist = built::folder().join("dist");
    let _ = std::fs::remove_dir_all(&dist);
    let pack = |program: &str, bot: &std::path::Path| {
        let mut command = Command::new("tests/release/pack");
        command.args([program, "x86_64-unknown-linux-gnu"]).arg(&dist).env("QUIVER_BOT", bot);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("QUIVER_BOARD").output().unwrap()
    };
    let Output { status, stdout, stderr } = pack(env!("CARGO_BIN_EXE_quiver"), &program());
    let talk = String::from_utf8(stderr).unwrap();
    assert!(status.success() && stdout.starts_with(b"quiver "), "{status}: {talk}");
    let mut files: Vec<_> = std::fs::read_dir(&dist)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["quiver-10x10.cpp", "quiver-8x8.cpp", "quiver-x86_64-unknown-linux-gnu.tar.gz"]);
    // A program that does not play is no release.
    let Output { status, stderr, .. } = pack("/bin/true", &program());
    let talk = String::from_utf8(stderr).unwrap();
    assert!(!status.success() && talk.contains("quiver on 10x10 answered ''"), "{talk}");
}

#[test]
fn what_to_do_with_the_source_is_said_in_both_languages() {
    let program = program();
    let arguments = ["--program", program.to_str().unwrap(), "--board", "10", "--time", "0.5"];
    let (source, talk) = written(&arguments);
    for expected in ["10x10", "long-running mode", "长时运行", "简化交互", "本地AI", "256 MB"] {
        assert!(talk.contains(expected), "{expected}: {talk}");
    }
    assert!(source.contains(r#""time":{"secs":0,"nanos":500000000}"#), "the settings are not in the source");
}

#[test]
fn what_cannot_be_packed_is_refused_in_a_sentence() {
    let own = env!("CARGO_BIN_EXE_quiver");
    let cases: [(&[&str], i32, &str); 9] = [
        (&["--program", own], 2, "an executable that loads shared libraries: expected a static one"),
        (&["--program", "/dev/null"], 2, "a device: expected a regular file"),
        (&["--program", "LICENSE"], 2, "not an executable (ELF) file of 64 bits"),
        (&["--program", "/no/such/file"], 2, "--program /no/such/file: "),
        (&["--source", "/"], 1, "/ is no checkout of quiver: expected its Cargo.toml there"),
        (&["--source", "/no/such"], 1, "/no/such is no checkout of quiver"),
        (&["--board", "7"], 2, "--board: no start position for a board of 7x7"),
        (&["--set", "speed=1"], 2, "--set: no parameter is called 'speed'"),
        (&["--program", own, "--target", "x"], 2, "cannot be used with"),
    ];
    for (arguments, code, expected) in cases {
        let Output { status, stdout, stderr } = package(arguments).env("QUIVER_BOARD", "8").output().unwrap();
        let talk = String::from_utf8(stderr).unwrap();
        assert_eq!((status.code(), stdout.len()), (Some(code), 0), "{arguments:?}: {talk}");
        assert!(talk.contains(expected), "{arguments:?}: {talk}");
    }
    let Output { status, stdout, stderr } = package(&["--program", own]).output().unwrap();
    let talk = String::from_utf8(stderr).unwrap();
    assert_eq!((status.code(), stdout.len()), (Some(2), 0), "{talk}");
    let boards = "--board 8, which Botzone's live site plays, or --board 10, which its page describes";
    assert!(talk.contains(boards), "{talk}");
}
