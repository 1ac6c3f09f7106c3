//! The source under test and the programs that come of it, each made once for all tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Leaves out the road through memory.
pub(crate) const NO_MEMORY: &str = "-DQUIVER_NO_MEMFD";

/// Where everything here is built.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_TARGET_TMPDIR"), "/package"))
}

/// `quiver package` with these arguments, building where tests build.
pub(crate) fn package(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quiver"));
    command.arg("package").args(arguments).env("CARGO_TARGET_DIR", folder()).env_remove("QUIVER_BOARD");
    command
}

/// What a `quiver package` that succeeds writes: the source, and what it says about it.
pub(crate) fn written(arguments: &[&str]) -> (String, String) {
    let Output { status, stdout, stderr } = package(arguments).output().unwrap();
    let talk = String::from_utf8(stderr).unwrap();
    assert!(status.success(), "{arguments:?}: {status}\n{talk}");
    (String::from_utf8(stdout).unwrap(), talk)
}

/// The source that a plain `quiver package --board 8` builds: with cargo, from these sources.
pub(crate) fn source() -> &'static str {
    static SOURCE: OnceLock<String> = OnceLock::new();
    SOURCE.get_or_init(|| written(&["--board", "8"]).0)
}

/// The static program in that source.
pub(crate) fn program() -> PathBuf {
    source();
    let targets = ["x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"];
    let built = targets.map(|target| folder().join(target).join("packaged/quiver-bot"));
    built.into_iter().find(|path| path.exists()).expect("the program that cargo has built")
}

/// A source of the same program with settings that keep a match short.
pub(crate) fn quick_source() -> &'static str {
    static SOURCE: OnceLock<String> = OnceLock::new();
    SOURCE.get_or_init(|| {
        let program = program();
        let program = program.to_str().expect("a path that is text");
        written(&["--program", program, "--board", "8", "--playouts", "30"]).0
    })
}

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

/// The usual source, compiled as the site does.
pub(crate) fn usual() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("usual", source(), &["-mavx"]))
}

/// The quick source without the road through memory.
pub(crate) fn without_memory() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("no-memory", quick_source(), &[NO_MEMORY]))
}

/// The quick source, compiled as it is.
pub(crate) fn quick() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("quick", quick_source(), &[]))
}
