//! The upload package: one C++ source that carries the engine, for a site that compiles no Rust.
//!
//! The engine goes in as a finished program, compressed and written as text, under a launcher
//! that unpacks it into memory and becomes it (`launcher.cpp`). The program is `quiver-bot`, which
//! takes its settings as one JSON argument; [`build()`] makes it from the sources. The same
//! sources, toolchain and settings give the same bytes.
//!
//! The source holds the program in three layers, each undone by the launcher:
//!
//! 1. The program is filtered and compressed by LZMA: see `pack.rs`. The launcher checks the size
//!    and the Adler-32 checksum of what it unpacks.
//! 2. The stream is written in base 85: four bytes, the highest first, are five digits. See
//!    `text.rs` for the digits.
//! 3. The digits are the lines of one string literal.
//!
//! LZMA takes longer to unpack than deflate, on the first turn of a match, and its text is a fifth
//! shorter. Base 64 would cost six per cent more characters.

mod build;
mod pack;
mod program;
mod text;

use anyhow::{Context, ensure};

use super::BotSettings;
pub(crate) use build::build;
pub(crate) use program::check_program;

/// Characters of a source that can be pasted into the site's form.
pub(crate) const MOST_CHARACTERS: usize = 1_000_000;

const LAUNCHER: &str = include_str!("launcher.cpp");

const LICENCE: &str = include_str!("../../../LICENSE");

/// The C++ source of a bot: ASCII, with lines of a bounded length. `about` says in one line what
/// the program is built for and with; `settings` are what the program is told when it starts.
pub(crate) fn source(program: &[u8], about: &str, settings: &BotSettings) -> anyhow::Result<String> {
    let packed = pack::pack(program).context("the program cannot be packed")?;
    let settings = serde_json::to_string(settings).context("the settings cannot be written down")?;
    let source = fill(&[
        ("@VERSION@", env!("CARGO_PKG_VERSION")),
        ("@ABOUT@", &comment(about)),
        ("@LICENCE@", &licence()),
        ("@PROGRAM_SIZE@", &program.len().to_string()),
        ("@PACKED_SIZE@", &packed.len().to_string()),
        ("@CHECKSUM@", &format!("0x{:08X}", adler2::adler32_slice(program))),
        ("@DIGITS@", text::DIGITS),
        ("@SETTINGS@", &text::json(&settings)),
        ("@TEXT@", &text::bytes(&packed)),
    ]);
    let (got, bytes) = (source.len(), program.len());
    ensure!(
        got <= MOST_CHARACTERS,
        "the source would have {got} characters, from a program of {bytes} bytes: expected at most {MOST_CHARACTERS}"
    );
    Ok(source)
}

/// The launcher with these names replaced, each where it stands first. They stand in this order, and
/// are replaced from the last, so that no value is taken for a name.
fn fill(values: &[(&str, &str)]) -> String {
    let replace = |source: String, (name, value): &(&str, &str)| source.replacen(name, value, 1);
    values.iter().rfold(LAUNCHER.to_owned(), replace)
}

/// Text of one line that is safe in a line comment: no line break and no trigraph or backslash to
/// make one.
fn comment(text: &str) -> String {
    let safe = |c: char| c.is_ascii_graphic() && !matches!(c, '\\' | '?');
    text.chars().map(|c| if safe(c) { c } else { ' ' }).collect()
}

/// The licence as a comment, so that each copy of the source carries it.
fn licence() -> String {
    let lines = LICENCE.trim_end().lines().map(|line| format!("// {line}").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stay_in_their_line() {
        assert_eq!(comment("a\nb\\ \u{e9}??/"), "a b     /");
        assert!(licence().lines().all(|line| line.starts_with("//")) && licence().contains("MIT"));
    }
}
