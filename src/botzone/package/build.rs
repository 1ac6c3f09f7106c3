//! The program that a package carries: built from the sources by cargo, and checked to need nothing
//! of the host it runs on.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use amazons::Size;
use anyhow::{Context, ensure};
use serde_json::Value;

/// The default target: the only one that packages were tried with. Its C library is the host's own.
const TARGET: &str = "x86_64-unknown-linux-gnu";

const NAME: &str = "quiver-bot";

/// Settings of the environment that change what cargo builds, by their beginnings.
const UNWANTED: [&str; 5] =
    ["CARGO_PROFILE_", "CARGO_BUILD_", "CARGO_TARGET_X86_64", "CARGO_INCREMENTAL", "RUSTFLAGS"];

/// Fields of the file header, from the System V ABI, by their offsets.
const KIND: usize = 16;
const PROCESSOR: usize = 18;
const HEADERS: usize = 32;
const HEADER_SIZE: usize = 54;
const HEADER_COUNT: usize = 56;

/// Values of these fields and of a program header's kind.
const X86_64: u16 = 62;
const LOADER: u32 = 3;

/// Builds the program from a checkout of the sources, for `target` or the default one. Returns it
/// with what it is built for and with, in one line. cargo's talk goes to standard error.
///
/// The program carries the network and the weights of one kind of board: boards up to 8x8 or larger
/// boards, as `board` is. It plays on both kinds.
pub(crate) fn build(sources: &Path, target: Option<&str>, board: Size) -> anyhow::Result<(Vec<u8>, String)> {
    let sources = sources.canonicalize()?;
    let target = target.unwrap_or(TARGET);
    let version = output(tool("RUSTC", "rustc").arg("--version"), &sources)?;
    let about = format!("{target}, {}", String::from_utf8_lossy(&version.stdout).trim());
    let mut cargo = tool("CARGO", "cargo");
    cargo.args(["build", "--locked", "--package", NAME, "--bin", NAME, "--profile", "packaged"]);
    cargo.args(["--no-default-features", "--features", feature(board), "--target", target]);
    cargo.arg("--message-format=json-render-diagnostics");
    for (name, _) in env::vars_os() {
        if UNWANTED.iter().any(|unwanted| name.as_encoded_bytes().starts_with(unwanted.as_bytes())) {
            cargo.env_remove(name);
        }
    }
    let built = output(cargo.env("CARGO_ENCODED_RUSTFLAGS", flags(&sources)), &sources)?;
    ensure!(
        built.status.success(),
        "cargo did not build {NAME} for {target}: expected Rust's target {target} and the C library's libc.a \
         (package libc6-dev or glibc-static)"
    );
    let nothing = || format!("cargo built no program called {NAME}: expected one from {}", sources.display());
    let path = executable(&built.stdout).with_context(nothing)?;
    // A program that aborts on a panic never unwinds its stack, so the tables for that would only cost
    // space: 40,000 characters. Symbols, which some linkers leave in spite of the profile, cost 65,000.
    let mut objcopy = tool("OBJCOPY", "objcopy");
    let objcopy = output(objcopy.args(["--strip-all", "--remove-section=.eh_frame"]).arg(&path), &sources)?;
    ensure!(objcopy.status.success(), "objcopy failed on {}: expected binutils' objcopy", path.display());
    let program = std::fs::read(&path).with_context(|| path.display().to_string())?;
    check_program(&program)?;
    Ok((program, about))
}

/// The cargo feature that chooses the program's files.
fn feature(board: Size) -> &'static str {
    if board.is_large() { "bot-10" } else { "bot-8" }
}

/// The compiler's flags, in cargo's encoding: they stand in for all that the configuration says.
///
/// A program at a fixed address needs no relocation before it runs. The paths of this machine are
/// renamed, so that the same sources give the same bytes wherever they lie.
fn flags(sources: &Path) -> OsString {
    let mut flags: OsString = [
        "-Ctarget-cpu=x86-64-v2",
        "-Ctarget-feature=+crt-static",
        "-Crelocation-model=static",
        "-Clink-arg=-Wl,--build-id=none",
        "-Clink-arg=-Wl,--no-eh-frame-hdr",
    ]
    .join("\u{1f}")
    .into();
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    let renamed = [(Some(sources.to_owned()), "/quiver"), (home, "/cargo")];
    for (path, name) in renamed.iter().filter_map(|(path, name)| Some((path.as_ref()?, name))) {
        flags.push("\u{1f}--remap-path-prefix=");
        flags.push(path);
        flags.push("=");
        flags.push(name);
    }
    flags
}

/// The tool that the environment names, as cargo does for the programs it runs, or the one in the
/// path.
fn tool(variable: &str, name: &str) -> Command {
    Command::new(env::var_os(variable).filter(|tool| !tool.is_empty()).unwrap_or_else(|| name.into()))
}

/// Runs a tool in the checkout and waits for its end.
fn output(tool: &mut Command, sources: &Path) -> anyhow::Result<Output> {
    let started = tool.current_dir(sources).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    started.with_context(|| format!("{} cannot be started", tool.get_program().display()))
}

fn executable(messages: &[u8]) -> Option<PathBuf> {
    let lines = messages.split(|&byte| byte == b'\n');
    let mut messages = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let built = messages.find(|message| message["target"]["name"] == NAME)?;
    built["executable"].as_str().map(PathBuf::from)
}

/// Checks, as far as can be seen from outside, that a program is a static executable for x86-64
/// Linux.
pub(crate) fn check_program(bytes: &[u8]) -> anyhow::Result<()> {
    let headers = program_headers(bytes)
        .context("not an executable (ELF) file of 64 bits: expected a static program for x86-64 Linux")?;
    let processor = field(bytes, PROCESSOR).map_or(0, u16::from_le_bytes);
    ensure!(
        processor == X86_64,
        "an executable for processor {processor} of the ELF list: expected {X86_64}, which is x86-64"
    );
    ensure!(!headers.contains(&LOADER), "an executable that loads shared libraries: expected a static one");
    Ok(())
}

/// The kinds of an executable's program headers; `None` if it is no executable.
fn program_headers(bytes: &[u8]) -> Option<Vec<u32>> {
    // Class 2 is 64 bits, data 1 the lowest byte first; kind 2 is at a fixed address, 3 anywhere.
    let executable = bytes.starts_with(b"\x7fELF\x02\x01");
    let short = |at| field(bytes, at).map(u16::from_le_bytes);
    short(KIND).filter(|kind| executable && matches!(kind, 2 | 3))?;
    let first = field(bytes, HEADERS).map(u64::from_le_bytes)?.try_into().ok()?;
    let (size, count): (usize, usize) = (short(HEADER_SIZE)?.into(), short(HEADER_COUNT)?.into());
    let kind = |index| field(bytes, usize::checked_add(first, index * size)?).map(u32::from_le_bytes);
    (0..count).map(kind).collect()
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_carries_the_files_of_its_board() {
        assert_eq!([6, 8, 10].map(|side| feature(Size::square(side).unwrap())), ["bot-8", "bot-8", "bot-10"]);
    }
}
