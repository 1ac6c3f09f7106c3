//! The roads from the source to the engine, each forced by what the sandbox refuses or the source
//! leaves out.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use super::FIRST_TURN;
use super::built::{NO_MEMORY, QUICK, QUICK_SOURCE, WITHOUT_MEMORY, compiled};
use super::sandbox::{Sandbox, has_other_root};
use crate::common::judge::Bot;
use crate::common::program::{Run, run};

const NO_NAMELESS: &str = "-DQUIVER_NO_EXECVEAT";

/// Whether refusals of the file system mean anything: not for root under its own root.
fn refusals_hold() -> bool {
    has_other_root() || !rustix::process::geteuid().is_root()
}

/// Starts the engine in a sandbox, has it answer, and gives the file that it runs.
fn answered(sandbox: &Sandbox) -> String {
    let mut bot = Bot::start(sandbox.command());
    assert_eq!(bot.ask(FIRST_TURN).len(), 2);
    let program = bot.program();
    // A file that was started by its name is removed by another process, which may still be at it.
    while !sandbox.leftovers().is_empty() {
        sleep(Duration::from_millis(1));
    }
    assert_eq!(bot.end().code(), Some(0));
    assert_eq!(sandbox.leftovers(), Vec::<PathBuf>::new());
    program
}

/// Checks that a bot starts from a file here, and in the data folder where it may write only there.
fn through_a_file(name: &str, bot: &Path, end: &str) {
    for (folder, expected) in [("", "/.quiver-"), ("data", "/data/.quiver-")] {
        if folder.is_empty() || refusals_hold() {
            let program = answered(Sandbox::new(&format!("{name}-{folder}"), bot).allow(folder));
            assert!(program.contains(expected) && program.ends_with(end), "{program}");
        }
    }
}

#[test]
fn through_a_file_with_a_name_or_without() {
    through_a_file("nameless", &WITHOUT_MEMORY, " (deleted)");
    through_a_file("named", &compiled("named", &QUICK_SOURCE, &[NO_MEMORY, NO_NAMELESS]), "");
}

#[test]
fn a_host_that_refuses_every_road_is_named_with_its_reasons() {
    if !refusals_hold() {
        return super::sandbox::skipped("root cannot be refused a file: hosts that refuse every road");
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

#[test]
fn a_limit_on_file_sizes_is_a_refusal_and_no_end() {
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
