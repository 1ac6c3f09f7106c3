//! The source under test and the programs that come of it, each made once for all tests.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use crate::common::program::{Run, quiver, run};

/// Leaves out the road through memory.
pub(crate) const NO_MEMORY: &str = "-DQUIVER_NO_MEMFD";

/// The folder in which everything here is built.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_TARGET_TMPDIR"), "/package"))
}

/// `quiver package` with these arguments, building where tests build.
pub(crate) fn package(arguments: &[&str]) -> Command {
    let mut command = quiver(&[&["package"], arguments].concat());
    command.env("CARGO_TARGET_DIR", folder());
    command
}

/// The output of a `quiver package` that succeeds: the source, and what it says about it.
pub(crate) fn written(arguments: &[&str]) -> (String, String) {
    let Run { code, out, err } = run(package(arguments), b"");
    assert_eq!(code, Some(0), "{arguments:?}: {err}");
    (out, err)
}

/// The source that a plain `quiver package --board 8` builds: with cargo, from these sources.
pub(crate) static SOURCE: LazyLock<String> = LazyLock::new(|| written(&["--board", "8"]).0);

pub(crate) static PROGRAM: LazyLock<String> = LazyLock::new(|| {
    LazyLock::force(&SOURCE);
    let built = folder().join("x86_64-unknown-linux-gnu/packaged/quiver-bot");
    built.into_os_string().into_string().expect("a path that is text")
});

/// A source of the same program with settings that keep a match short.
pub(crate) static QUICK_SOURCE: LazyLock<String> =
    LazyLock::new(|| written(&["--program", &PROGRAM, "--board", "8", "--playouts", "30"]).0);

/// The usual source, compiled as the site does.
pub(crate) static USUAL: LazyLock<PathBuf> = LazyLock::new(|| compiled("usual", &SOURCE, &["-mavx"]));

pub(crate) static QUICK: LazyLock<PathBuf> = LazyLock::new(|| compiled("quick", &QUICK_SOURCE, &[]));

pub(crate) static WITHOUT_MEMORY: LazyLock<PathBuf> =
    LazyLock::new(|| compiled("no-memory", &QUICK_SOURCE, &[NO_MEMORY]));

/// Compiles a source as the site would, every warning an error. The program is static, to be run
/// under another root.
pub(crate) fn compiled(name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let folder = folder().join("compiled");
    fs::create_dir_all(&folder).unwrap();
    let (file, program) = (folder.join(format!("{name}.cpp")), folder.join(name));
    fs::write(&file, source).unwrap();
    let mut command = Command::new("g++");
    command.args(["-O2", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-static"]).args(flags);
    let output = command.arg(&file).arg("-o").arg(&program).output();
    let output =
        output.unwrap_or_else(|error| panic!("these tests need g++, which cannot be started: {error}"));
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && talk.is_empty(), "{name}: {}\n{talk}", output.status);
    program
}
