//! Makes the program that a package carries, by asking cargo to build it from the sources.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::program::{Program, ProgramError};
use crate::game::Size;

/// The default target: the only one that packages were tried with. Its C library is the host's own.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The program and its cargo profile.
const NAME: &str = "quiver-bot";
const PROFILE: &str = "packaged";

/// Settings of the environment that change what cargo builds, by their beginnings.
const UNWANTED: [&str; 5] =
    ["CARGO_PROFILE_", "CARGO_BUILD_", "CARGO_TARGET_X86_64", "CARGO_INCREMENTAL", "RUSTFLAGS"];

/// Builds the program from a checkout of the sources.
#[derive(Clone, Debug)]
pub(crate) struct Builder {
    sources: PathBuf,
    target: String,
    board: Size,
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    #[error("{} is no checkout of quiver: expected its Cargo.toml there", .0.display())]
    NoSources(PathBuf),
    #[error(
        "no static program can be linked here: expected Rust's target {TARGET} and the C library's libc.a (package \
         libc6-dev or glibc-static)"
    )]
    NoTarget,
    #[error("{} cannot be started", .tool.display())]
    NoTool { tool: OsString, source: io::Error },
    #[error("cargo did not build {NAME} for {0}")]
    Failed(String),
    #[error("cargo built no program called {NAME}: expected one from {}", .0.display())]
    NothingBuilt(PathBuf),
    #[error("{}", .path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Program(#[from] ProgramError),
}

/// A line of cargo's JSON.
#[derive(Deserialize)]
struct Message {
    target: Option<MessageTarget>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct MessageTarget {
    name: String,
}

impl Builder {
    /// A builder for `target`, or for the first known target that can be linked here. The program
    /// carries the network and the weights of one kind of board: boards up to 8x8 or larger boards,
    /// as `board` is. It plays on both kinds.
    pub(crate) fn new(sources: &Path, target: Option<&str>, board: Size) -> Result<Builder, BuildError> {
        let none = |_| BuildError::NoSources(sources.to_owned());
        let sources = sources.canonicalize().map_err(none)?;
        if !sources.join("Cargo.toml").is_file() {
            return Err(BuildError::NoSources(sources));
        }
        let target = match target {
            Some(target) => target.to_owned(),
            None if can_link(&sources) => TARGET.to_owned(),
            None => return Err(BuildError::NoTarget),
        };
        Ok(Builder { sources, target, board })
    }

    /// What the program is built for and with, in one line.
    pub(crate) fn about(&self) -> Result<String, BuildError> {
        let tool = tool("RUSTC", "rustc");
        let output = Command::new(&tool).arg("--version").current_dir(&self.sources).output();
        let output = output.map_err(|source| BuildError::NoTool { tool, source })?;
        Ok(format!("{}, {}", self.target, String::from_utf8_lossy(&output.stdout).trim()))
    }

    /// Builds the program; cargo's talk goes to standard error.
    pub(crate) fn build(&self) -> Result<Program, BuildError> {
        let tool = tool("CARGO", "cargo");
        let mut command = Command::new(&tool);
        command.current_dir(&self.sources).args([
            "build",
            "--locked",
            "--no-default-features",
            "--bin",
            NAME,
        ]);
        command.args(["--profile", PROFILE, "--features", self.feature(), "--target", &self.target]);
        command.arg("--message-format=json-render-diagnostics");
        for (name, _) in env::vars_os() {
            if UNWANTED.iter().any(|unwanted| name.as_encoded_bytes().starts_with(unwanted.as_bytes())) {
                command.env_remove(name);
            }
        }
        command.env("CARGO_ENCODED_RUSTFLAGS", self.flags()).stdin(Stdio::null()).stderr(Stdio::inherit());
        let output = command.output().map_err(|source| BuildError::NoTool { tool, source })?;
        if !output.status.success() {
            return Err(BuildError::Failed(self.target.clone()));
        }
        let path =
            executable(&output.stdout).ok_or_else(|| BuildError::NothingBuilt(self.sources.clone()))?;
        let bytes = std::fs::read(&path).map_err(|source| BuildError::Unreadable { path, source })?;
        Ok(Program::new(bytes)?)
    }

    /// The cargo feature that chooses the program's files.
    fn feature(&self) -> &'static str {
        if self.board.is_large() { "bot-10" } else { "bot-8" }
    }

    /// The compiler's flags, in cargo's encoding: they stand in for all that the configuration
    /// says.
    ///
    /// A program at a fixed address needs no relocation before it runs. The paths of this machine
    /// are renamed, so that the same sources give the same bytes wherever they lie.
    fn flags(&self) -> OsString {
        let mut flags: OsString = [
            "-Ctarget-cpu=x86-64-v2",
            "-Ctarget-feature=+crt-static",
            "-Crelocation-model=static",
            "-Clink-arg=-Wl,--build-id=none",
        ]
        .join("\u{1f}")
        .into();
        let home = env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
        let renamed = [(Some(self.sources.clone()), "/quiver"), (home, "/cargo")];
        for (path, name) in renamed.iter().filter_map(|(path, name)| Some((path.as_ref()?, name))) {
            flags.push("\u{1f}--remap-path-prefix=");
            flags.push(path);
            flags.push("=");
            flags.push(name);
        }
        flags
    }
}

/// The tool that the environment names, as cargo does for the programs it runs, or the one in the
/// path.
fn tool(variable: &str, name: &str) -> OsString {
    env::var_os(variable).filter(|tool| !tool.is_empty()).unwrap_or_else(|| name.into())
}

/// Whether Rust's library for [`TARGET`] is installed, and the C library for static programs as
/// well.
fn can_link(sources: &Path) -> bool {
    let rust = ask(&tool("RUSTC", "rustc"), &["--print", "target-libdir", "--target", TARGET], sources);
    let c = ask(OsStr::new("cc"), &["-print-file-name=libc.a"], sources);
    // Only the path of a file that is there has a slash.
    rust.is_some_and(|folder| Path::new(&folder).is_dir()) && c.is_some_and(|path| path.contains('/'))
}

/// What a tool prints, if it can be run and succeeds.
fn ask(tool: &OsStr, arguments: &[&str], folder: &Path) -> Option<String> {
    let output =
        Command::new(tool).args(arguments).current_dir(folder).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The path of the program in what cargo says of its work.
fn executable(messages: &[u8]) -> Option<PathBuf> {
    let messages = messages.split(|&byte| byte == b'\n');
    let mut messages = messages.filter_map(|line| serde_json::from_slice::<Message>(line).ok());
    messages.find(|message| message.target.as_ref().is_some_and(|target| target.name == NAME))?.executable
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(side: usize) -> Size {
        Size::square(side).unwrap()
    }

    #[test]
    fn the_program_is_found_in_what_cargo_says() {
        let messages = br#"{"reason":"compiler-artifact","target":{"name":"quiver"},"executable":null}
            not json
            {"reason":"compiler-artifact","target":{"name":"quiver-bot"},"executable":"/t/quiver-bot"}
            {"reason":"build-finished","success":true}"#;
        assert_eq!(executable(messages), Some(PathBuf::from("/t/quiver-bot")));
        assert_eq!(executable(b""), None);
    }

    #[test]
    fn a_folder_without_sources_is_refused() {
        for folder in ["/nonexistent/folder", "/"] {
            let refused = Builder::new(Path::new(folder), None, board(8)).unwrap_err();
            assert!(refused.to_string().starts_with(&format!("{folder} is no checkout")), "{refused}");
        }
    }

    #[test]
    fn the_paths_of_this_machine_are_renamed() {
        let builder = Builder { sources: "/some/where".into(), target: TARGET.into(), board: board(8) };
        let flags = builder.flags().into_string().unwrap();
        assert!(flags.contains("\u{1f}--remap-path-prefix=/some/where=/quiver"), "{flags}");
    }

    #[test]
    fn program_carries_the_files_of_its_board() {
        let feature =
            |side| Builder { sources: "/".into(), target: TARGET.into(), board: board(side) }.feature();
        assert_eq!([6, 8, 10].map(feature), ["bot-8", "bot-8", "bot-10"]);
    }
}
