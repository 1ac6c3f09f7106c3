//! Builds the program that `quiver package` embeds, and checks that it is a static executable.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use amazons::Size;
use anyhow::{Context, ensure};
use serde_json::Value;

/// The default and only tested Rust target. The program contains the building machine's libc.
const TARGET: &str = "x86_64-unknown-linux-gnu";

const PROGRAM: &str = "quiver-bot";

/// Prefixes of environment variables that cargo must not get, because they change what it builds.
const REMOVED_VARIABLES: [&str; 5] =
    ["CARGO_PROFILE_", "CARGO_BUILD_", "CARGO_TARGET_X86_64", "CARGO_INCREMENTAL", "RUSTFLAGS"];

/// The offset, in bytes, of the file type in the header of an ELF file (System V ABI).
const ELF_TYPE_OFFSET: usize = 16;
const ELF_MACHINE_OFFSET: usize = 18;
const PROGRAM_HEADERS_OFFSET: usize = 32;
const PROGRAM_HEADER_SIZE_OFFSET: usize = 54;
const PROGRAM_HEADER_COUNT_OFFSET: usize = 56;

/// ELF's machine number of x86-64. `PT_INTERP` marks a program header that names a dynamic loader.
const EM_X86_64: u16 = 62;
const PT_INTERP: u32 = 3;

/// Builds the program from a checkout of the sources, for `target` or the default target. Returns
/// the program, and one line that names its target and compiler.
///
/// The program plays on all boards, but contains only one network and one set of evaluator weights.
/// Both were trained for boards up to 8x8 if `board` is at most 8x8, else for larger boards.
pub(crate) fn build(sources: &Path, target: Option<&str>, board: Size) -> anyhow::Result<(Vec<u8>, String)> {
    let sources = sources.canonicalize()?;
    let target = target.unwrap_or(TARGET);
    let version = output(tool("RUSTC", "rustc").arg("--version"), &sources)?;
    let about = format!("{target}, {}", String::from_utf8_lossy(&version.stdout).trim());
    let mut cargo = tool("CARGO", "cargo");
    cargo.args(["build", "--locked", "--package", PROGRAM, "--bin", PROGRAM, "--profile", "packaged"]);
    cargo.args(["--no-default-features", "--features", cargo_feature(board), "--target", target]);
    cargo.arg("--message-format=json-render-diagnostics");
    for (name, _) in env::vars_os() {
        if REMOVED_VARIABLES.iter().any(|unwanted| name.as_encoded_bytes().starts_with(unwanted.as_bytes())) {
            cargo.env_remove(name);
        }
    }
    let built = output(cargo.env("CARGO_ENCODED_RUSTFLAGS", flags(&sources)), &sources)?;
    ensure!(
        built.status.success(),
        "cargo did not build {PROGRAM} for {target}: expected Rust's target {target} and the C library's libc.a \
         (package libc6-dev or glibc-static)"
    );
    let nothing =
        || format!("cargo built no program called {PROGRAM}: expected one from {}", sources.display());
    let path = executable(&built.stdout).with_context(nothing)?;
    // The program aborts on a panic, so it needs no unwind tables, which would add 40,000
    // characters to the C++ source. Symbols would add 65,000 characters. Some linkers keep the
    // symbols although cargo's profile strips them.
    let mut objcopy = tool("OBJCOPY", "objcopy");
    let objcopy = output(objcopy.args(["--strip-all", "--remove-section=.eh_frame"]).arg(&path), &sources)?;
    ensure!(objcopy.status.success(), "objcopy failed on {}: expected binutils' objcopy", path.display());
    let program = std::fs::read(&path).with_context(|| path.display().to_string())?;
    check_program(&program)?;
    Ok((program, about))
}

fn cargo_feature(board: Size) -> &'static str {
    if board.is_large() { "bot-10" } else { "bot-8" }
}

/// Returns the compiler's flags, which replace the flags in cargo's configuration files. U+001F
/// separates them, as `CARGO_ENCODED_RUSTFLAGS` requires.
///
/// The program gets a fixed address, so that it needs no relocation when it starts. Paths of the
/// building machine are renamed, so that the same sources give the same bytes in any folder.
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

fn tool(variable: &str, name: &str) -> Command {
    Command::new(env::var_os(variable).filter(|tool| !tool.is_empty()).unwrap_or_else(|| name.into()))
}

fn output(tool: &mut Command, sources: &Path) -> anyhow::Result<Output> {
    let started = tool.current_dir(sources).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    started.with_context(|| format!("{} cannot be started", tool.get_program().display()))
}

fn executable(messages: &[u8]) -> Option<PathBuf> {
    let lines = messages.split(|&byte| byte == b'\n');
    let mut messages = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let built = messages.find(|message| message["target"]["name"] == PROGRAM)?;
    built["executable"].as_str().map(PathBuf::from)
}

/// Checks the headers of an ELF file, which must be a static executable for x86-64 Linux.
pub(crate) fn check_program(bytes: &[u8]) -> anyhow::Result<()> {
    let headers = program_headers(bytes)
        .context("not an executable (ELF) file of 64 bits: expected a static program for x86-64 Linux")?;
    let processor = field(bytes, ELF_MACHINE_OFFSET).map_or(0, u16::from_le_bytes);
    ensure!(
        processor == EM_X86_64,
        "an executable with the ELF machine number {processor}: expected {EM_X86_64}, which is x86-64"
    );
    ensure!(
        !headers.contains(&PT_INTERP),
        "an executable that loads shared libraries: expected a static one"
    );
    Ok(())
}

/// Returns the types of an ELF file's program headers, or `None` if the file is no executable.
fn program_headers(bytes: &[u8]) -> Option<Vec<u32>> {
    // \x02 means 64 bits and \x01 little-endian. Files of type 2 or 3 are executable.
    let executable = bytes.starts_with(b"\x7fELF\x02\x01");
    let half_word = |at| field(bytes, at).map(u16::from_le_bytes);
    half_word(ELF_TYPE_OFFSET).filter(|kind| executable && matches!(kind, 2 | 3))?;
    let first = field(bytes, PROGRAM_HEADERS_OFFSET).map(u64::from_le_bytes)?.try_into().ok()?;
    let (size, count): (usize, usize) =
        (half_word(PROGRAM_HEADER_SIZE_OFFSET)?.into(), half_word(PROGRAM_HEADER_COUNT_OFFSET)?.into());
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
        assert_eq!(
            [6, 8, 10].map(|side| cargo_feature(Size::square(side).unwrap())),
            ["bot-8", "bot-8", "bot-10"]
        );
    }
}
