//! Tests of `quiver package`: g++ compiles the source that it writes, and the bot plays whole
//! matches under a judge that keeps it running, in a sandbox like that of Botzone.

mod sandbox;

use std::fs;
use std::io::pipe;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use crate::common::judge::{Bot, FIRST_TURN, RequestForm, play};
use crate::common::program::{self, Run, assert_contains, quiver, refuses, run, run_successfully};
use crate::common::start;
use quiver::amazons::Side;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rustix::process::Signal;
use sandbox::{HAS_OTHER_ROOT, Sandbox};

/// Compiler flag: the launcher does not try to run the engine from a file in memory (memfd).
const NO_MEMORY: &str = "-DQUIVER_NO_MEMFD";

/// Compiler flag: the launcher does not try to run the engine from an unlinked file (execveat).
const NO_NAMELESS: &str = "-DQUIVER_NO_EXECVEAT";

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_TARGET_TMPDIR"), "/package"))
}

fn package(arguments: &[&str]) -> Command {
    let mut command = quiver(&[&["package"], arguments].concat());
    command.env("CARGO_TARGET_DIR", folder());
    command
}

/// The source that `quiver package --board 8` writes, with a program built from this checkout.
static SOURCE: LazyLock<String> = LazyLock::new(|| run_successfully(package(&["--board", "8"])).0);

static PROGRAM: LazyLock<String> = LazyLock::new(|| {
    LazyLock::force(&SOURCE);
    let built = folder().join("x86_64-unknown-linux-gnu/packaged/quiver-bot");
    built.into_os_string().into_string().expect("a path that is text")
});

/// The source for 8x8 with these settings, which contains the program in the file `program`.
fn packed(program: &str, settings: &[&str]) -> String {
    run_successfully(package(&[&["--board", "8", "--program", program], settings].concat())).0
}

static QUICK_SOURCE: LazyLock<String> = LazyLock::new(|| packed(&PROGRAM, &["--playouts", "30"]));

static QUICK: LazyLock<PathBuf> = LazyLock::new(|| compiled("quick", &QUICK_SOURCE, &[]));

static WITHOUT_MEMORY: LazyLock<PathBuf> =
    LazyLock::new(|| compiled("no-memory", &QUICK_SOURCE, &[NO_MEMORY]));

/// Compiles a source as Botzone does, but with every warning as an error and statically linked, so
/// that it runs in a chroot.
fn compiled(name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let folder = folder().join("compiled");
    fs::create_dir_all(&folder).unwrap();
    let (file, program) = (folder.join(format!("{name}.cpp")), folder.join(name));
    fs::write(&file, source).unwrap();
    let mut command = Command::new("g++");
    command.args(["-O2", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-static"]).args(flags);
    let output = command.arg(&file).arg("-o").arg(&program).output();
    let output =
        output.unwrap_or_else(|error| panic!("these tests need g++, which cannot be started: {error}"));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && messages.is_empty(), "{name}: {}\n{messages}", output.status);
    program
}

#[test]
fn the_source_is_ascii_of_a_size_that_the_site_takes() {
    assert!(SOURCE.is_ascii() && SOURCE.len() < 950_000, "{} characters", SOURCE.len());
    assert!(SOURCE.lines().all(|line| line.len() <= 4_010));
    assert!(SOURCE.contains("Permission is hereby granted"));
    let program = fs::read(&*PROGRAM).unwrap();
    let carries = |part: &[u8]| program.windows(part.len()).any(|window| window == part);
    for path in [env!("CARGO_MANIFEST_DIR"), env!("CARGO_TARGET_TMPDIR")] {
        assert!(!SOURCE.contains(path) && !carries(path.as_bytes()), "{path}");
    }
    for (board, expected) in [(8, true), (10, false)] {
        for file in [format!("policy/nets/{board}.net"), format!("territory/weights/{board}.json")] {
            assert_eq!(carries(&fs::read(format!("src/engine/{file}")).unwrap()), expected, "{file}");
        }
    }
    // Sources of the same program and settings differ only in the line that names the compiler.
    let again = packed(&PROGRAM, &[]);
    let rest = |source: &str| source.split_once("// The source unpacks").unwrap().1.to_owned();
    assert!(rest(&again) == rest(&SOURCE));
}

#[test]
fn the_source_compiles_without_a_warning_in_every_dialect() {
    compiled("pedantic", &SOURCE, &["-Wpedantic", "-Wshadow", "-Wconversion"]);
    compiled("later", &SOURCE, &["-std=c++20", "-O0"]);
}

#[test]
fn whole_matches_are_played_in_the_sandbox() {
    for (name, board, side, form) in [
        ("first-json", 8, Side::First, RequestForm::Json),
        ("second-text", 8, Side::Second, RequestForm::Text),
        // The program is built for 8x8, but the history is of a 10x10 match.
        ("second-json", 10, Side::Second, RequestForm::Json),
    ] {
        let sandbox = Sandbox::new(name, &QUICK);
        let mut bot = Bot::start(sandbox.command());
        let plies = play(&mut bot, start(board), side, form, |bot| {
            // The launcher has replaced its process by the engine, which runs with one thread.
            assert!(bot.program_path().starts_with("/memfd:quiver"), "{}", bot.program_path());
        });
        assert!(plies.len() > 11, "{plies:?}");
        assert_eq!(bot.end().code(), Some(0), "{name}");
        assert!(sandbox.leftovers().is_empty(), "{name}");
    }
}

#[test]
fn the_usual_settings_start_in_the_memory_of_the_site() {
    let sandbox = Sandbox::new("usual", &compiled("usual", &SOURCE, &["-mavx"]));
    let mut bot = Bot::start(sandbox.command());
    // After h3-h4/h3 the opening book has no move.
    let answer = bot.ask("1\n7 2 7 3 7 2\n");
    assert!(answer[1].contains("playouts"), "{answer:?}");
}

#[test]
fn a_match_stays_within_the_memory_asked_for() {
    // Each turn fills half of the tree's memory, so later turns first copy the nodes they keep.
    const PLAYOUTS: &str = "20000";
    const TREE_MEGABYTES: u64 = 20;
    // The megabytes of the program and of the endgame solver's table, which are outside the tree.
    const OTHER_MEGABYTES: u64 = 4 + 4;
    let source = packed(&PROGRAM, &["--playouts", PLAYOUTS, "--memory", &format!("{TREE_MEGABYTES}M")]);
    let sandbox = Sandbox::new("memory", &compiled("memory", &source, &[]));
    let mut bot = Bot::start(sandbox.command_within((TREE_MEGABYTES + OTHER_MEGABYTES) << 20));
    let plies = play(&mut bot, start(8), Side::First, RequestForm::Text, |_| ());
    assert!(plies.len() > 11, "{plies:?}");
    assert_eq!(bot.end().code(), Some(0));
}

#[test]
fn launcher_passes_pipes_signals_and_status() {
    let Run { code, out, err } = run(Command::new(&*QUICK), FIRST_TURN.as_bytes());
    assert_eq!((code, out.lines().count(), err.as_str()), (Some(0), 3, ""), "{out}");
    let Run { code, out, err } = run(Command::new(&*QUICK), b"1\n9 9 9 9 9 9\n");
    assert_eq!((code, out.as_str(), err.lines().count()), (Some(2), "", 1), "{err}");
    assert!(err.starts_with("quiver: "), "{err}");

    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let mut child = Command::new(&*QUICK).stdin(Stdio::piped()).stdout(writer).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), FIRST_TURN.as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "an answer that reaches no reader");

    let mut bot = Bot::start(Command::new(&*QUICK));
    bot.ask(FIRST_TURN);
    bot.signal(Signal::TERM);
    assert_eq!(bot.wait().signal(), Some(Signal::TERM.as_raw()));
}

#[test]
fn launcher_refuses_damaged_text_and_stays_in_bounds() {
    let text = QUICK_SOURCE.rfind("const char TEXT").unwrap();
    let length = QUICK_SOURCE.len() - text;
    // Each run damages the packed program: one character near the start, one near the end, or many.
    for places in [vec![300], vec![length * 99 / 100], (length / 2..length - 900).step_by(4_003).collect()] {
        let mut damaged = QUICK_SOURCE.clone();
        for place in places {
            let at = text + place;
            let at = at + damaged[at..].find(|c: char| c.is_ascii_alphanumeric()).unwrap();
            let other = if damaged[at..].starts_with('0') { "1" } else { "0" };
            damaged.replace_range(at..=at, other);
        }
        let checked = ["-fsanitize=undefined,bounds-strict", "-fno-sanitize-recover=all"];
        let program = compiled("damaged", &damaged, &checked);
        let Run { code, out, err } = run(Command::new(program), b"");
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        assert!(err.starts_with("quiver: the engine's text in this source is damaged"), "{err}");
    }
}

/// The packed program ends with random bytes that look like calls, jumps and memory accesses. Their
/// operands lie at the limits between ranges of values that the packer treats differently. The
/// launcher must restore the program exactly.
#[test]
fn launcher_restores_bytes_that_resemble_instructions() {
    let mut program = fs::read(&*PROGRAM).unwrap();
    let size = program.len() as i32 + 10_000;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut below = |bound: usize| rng.next_u32() as usize % bound;
    while program.len() < size as usize - 7 {
        program.extend([&[0xE8][..], &[0x0F, 0x84], &[0x48, 0x8D, 0x05]][below(3)]);
        let at = program.len() as i32;
        let edge = [-at - 1, -at, -1, size - at - 1, size - at, size - 1, size][below(7)];
        let operand = [edge.to_le_bytes(), edge.to_be_bytes()][below(2)];
        program.extend(&operand[..below(5)]);
    }
    program.resize(size as usize, 0xE8);
    let path = folder().join("edges");
    fs::write(&path, program).unwrap();
    let source = packed(path.to_str().unwrap(), &["--playouts", "30"]);
    let Run { code, out, err } = run(Command::new(compiled("edges", &source, &[])), FIRST_TURN.as_bytes());
    assert_eq!((code, out.lines().count(), err.as_str()), (Some(0), 3, ""), "{out}");
}

#[test]
fn a_release_is_packed_and_tried() {
    let dist = folder().join("dist");
    let _ = fs::remove_dir_all(&dist);
    let pack = |program: &str| {
        let mut command = Command::new("tests/release/pack");
        command.args([program, "x86_64-unknown-linux-gnu"]).arg(&dist).env("QUIVER_BOT", &*PROGRAM);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("QUIVER_BOARD");
        run(command, b"")
    };
    let Run { code, out, err } = pack(env!("CARGO_BIN_EXE_quiver"));
    assert!(code == Some(0) && out.starts_with("quiver "), "{err}");
    let mut files: Vec<_> = fs::read_dir(&dist).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["quiver-10x10.cpp", "quiver-8x8.cpp", "quiver-x86_64-unknown-linux-gnu.tar.gz"]);
    let Run { code, err, .. } = pack("/bin/true");
    assert!(code != Some(0) && err.contains("quiver on 10x10 answered ''"), "{err}");
}

#[test]
fn prints_instructions_in_both_languages() {
    let (source, messages) =
        run_successfully(package(&["--program", &PROGRAM, "--board=10", "--time=0.5", "--playouts=9"]));
    assert_contains(&messages, &["10x10", "long-running mode", "长时运行", "简化交互"]);
    // By default, the first turn has twice the time limit of later turns.
    let limits = r#"{"first":{"secs":1,"nanos":0},"time":{"secs":0,"nanos":500000000},"playouts":9}"#;
    assert!(source.contains(limits), "the settings are not in the source");
}

#[test]
fn programs_of_other_kinds_are_refused() {
    let path = folder().join("changed");
    let program = fs::read(&*PROGRAM).unwrap();
    let with = |place: usize, byte: u8| {
        let mut program = program.clone();
        program[place] = byte;
        program
    };
    let no_elf = "not an executable (ELF) file of 64 bits";
    for (program, expected) in [
        (with(18, 183), "ELF machine number 183: expected 62, which is x86-64"),
        // An object file, a file whose headers begin beyond its end, and files with cut headers.
        (with(16, 1), no_elf),
        (with(39, 255), no_elf),
        (program[..100].to_vec(), no_elf),
        (program[..10].to_vec(), no_elf),
    ] {
        fs::write(&path, program).unwrap();
        refuses(&["package", "--board=8", "--program", path.to_str().unwrap()], expected);
    }
    let expected = "an executable that loads shared libraries: expected a static one";
    refuses(&["package", "--board=8", "--program", env!("CARGO_BIN_EXE_quiver")], expected);
}

/// True if file permissions restrict the sandboxed program. They do unless it runs as root.
fn permissions_are_enforced() -> bool {
    *HAS_OTHER_ROOT || !rustix::process::geteuid().is_root()
}

/// Starts the engine in a sandbox, checks its answer, and returns the file that the process runs.
fn answered(sandbox: &Sandbox) -> String {
    let mut bot = Bot::start(sandbox.command());
    assert_eq!(bot.ask(FIRST_TURN).len(), 2);
    let program = bot.program_path();
    // If the engine was started from a named file, another process removes the file after a moment.
    while !sandbox.leftovers().is_empty() {
        sleep(Duration::from_millis(1));
    }
    assert_eq!(bot.end().code(), Some(0));
    assert_eq!(sandbox.leftovers(), Vec::<PathBuf>::new());
    program
}

/// Checks that a bot whose engine cannot start from memory writes the engine to a file and runs the
/// file. The file is in the current folder, or in `data` if the bot may write only there.
fn check_file_start(name: &str, bot: &Path, end: &str) {
    for (folder, expected) in [("", "/.quiver-"), ("data", "/data/.quiver-")] {
        if folder.is_empty() || permissions_are_enforced() {
            let program = answered(Sandbox::new(&format!("{name}-{folder}"), bot).allow(folder));
            assert!(program.contains(expected) && program.ends_with(end), "{program}");
        }
    }
}

#[test]
fn starts_from_named_and_nameless_file() {
    check_file_start("nameless", &WITHOUT_MEMORY, " (deleted)");
    check_file_start("named", &compiled("named", &QUICK_SOURCE, &[NO_MEMORY, NO_NAMELESS]), "");
}

#[test]
fn reports_each_refused_way_to_start() {
    if !permissions_are_enforced() {
        return sandbox::skipped(
            "root may write every file: hosts that refuse every way to start the engine",
        );
    }
    let sandbox = Sandbox::new("refused", &WITHOUT_MEMORY);
    let Run { code, out, err } = run(sandbox.command(), b"");
    assert_eq!((code, out.as_str()), (Some(1), ""));
    let lines: Vec<_> = err.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, "quiver: this host refuses every way to start the engine:"));
    for (line, begin) in lines[1..].iter().zip(["  ./.quiver-", "  data/.quiver-"]) {
        assert!(line.starts_with(begin) && line.ends_with(": Permission denied"), "{err}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn launcher_names_poll_that_is_refused() {
    let quick = QUICK.to_str().unwrap();
    let Run { code, out, err } = run(program::without_system_call("poll", quick), FIRST_TURN.as_bytes());
    let expected = "quiver: this host refuses poll, which the engine needs: Operation not permitted\n";
    assert_eq!((code, &*out, &*err), (Some(1), "", expected));
    let Run { code, out, err } =
        run(program::without_system_call("clock_gettime", quick), FIRST_TURN.as_bytes());
    assert!(code == Some(0) && !out.is_empty() && err.contains("refuses the clock of CPU time"), "{err}");
}

#[test]
fn file_size_limit_is_reported() {
    let sandbox = Sandbox::new("file-size", &QUICK);
    sandbox.allow("").allow("data");
    let inner = sandbox.command();
    let mut command = Command::new("prlimit");
    command.args(["--fsize=1000000"]).arg(inner.get_program()).args(inner.get_args());
    command.current_dir(inner.get_current_dir().unwrap());
    let Run { code, err, .. } = run(command, b"");
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("\n  the engine from memory: File too large\n"), "{err}");
    assert_eq!(sandbox.leftovers(), Vec::<PathBuf>::new());
}
