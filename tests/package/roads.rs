//! The roads from the source to the engine, each forced by what the sandbox refuses or the source
//! leaves out.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use super::FIRST_TURN;
use super::built::{NO_MEMORY, compiled, quick, quick_source, without_memory};
use super::common::judge::Bot;
use super::sandbox::{Sandbox, has_other_root};

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
    assert_eq!(sandbox.leftovers(), Vec::<std::path::PathBuf>::new());
    program
}

#[test]
fn through_memory() {
    let program = answered(&Sandbox::new("memory-road", quick()));
    assert!(program.starts_with("/memfd:quiver"), "{program}");
}

#[test]
fn through_a_file_that_has_lost_its_name() {
    let bot = without_memory();
    let here = Sandbox::new("nameless-here", bot);
    let program = answered(here.allow(""));
    assert!(program.contains("/.quiver-") && program.ends_with(" (deleted)"), "{program}");
    if refusals_hold() {
        let data = Sandbox::new("nameless-data", bot);
        let program = answered(data.allow("data"));
        assert!(program.contains("/data/.quiver-") && program.ends_with(" (deleted)"), "{program}");
    }
}

#[test]
fn through_a_file_with_a_name() {
    let bot = compiled("named", quick_source(), &[NO_MEMORY, NO_NAMELESS]);
    let here = Sandbox::new("named-here", &bot);
    let program = answered(here.allow(""));
    assert!(program.contains("/.quiver-"), "{program}");
    if refusals_hold() {
        let data = Sandbox::new("named-data", &bot);
        let program = answered(data.allow("data"));
        assert!(program.contains("/data/.quiver-"), "{program}");
    }
}

#[test]
fn a_host_that_refuses_every_road_is_named_with_its_reasons() {
    if !refusals_hold() {
        return super::sandbox::skipped("root cannot be refused a file: hosts that refuse every road");
    }
    let sandbox = Sandbox::new("refused", without_memory());
    let output = sandbox.command().stdin(Stdio::null()).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let talk = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<_> = talk.lines().collect();
    assert_eq!(lines[0], "quiver: this host refuses every way to start the engine:");
    assert!(lines[1].starts_with("  ./.quiver-") && lines[1].ends_with(": Permission denied"), "{talk}");
    assert!(lines[2].starts_with("  data/.quiver-") && lines[2].ends_with(": Permission denied"), "{talk}");
    assert_eq!(lines.len(), 3, "{talk}");
}

#[test]
fn a_limit_on_file_sizes_is_a_refusal_and_no_end() {
    let sandbox = Sandbox::new("file-size", quick());
    sandbox.allow("").allow("data");
    let inner = sandbox.command();
    let mut command = std::process::Command::new("prlimit");
    command.args(["--fsize=1000000"]).arg(inner.get_program()).args(inner.get_args());
    let output = command.current_dir(inner.get_current_dir().unwrap()).stdin(Stdio::null()).output().unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{talk}");
    assert!(talk.contains("\n  the engine from memory: File too large\n"), "{talk}");
    assert_eq!(sandbox.leftovers(), Vec::<std::path::PathBuf>::new());
}
