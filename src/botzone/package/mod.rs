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
//! 2. The stream is written in base 85: four bytes, the highest first, are five digits.
//! 3. The digits are the lines of one string literal, of four thousand characters: every line break
//!    costs three.
//!
//! LZMA takes longer to unpack than deflate, on the first turn of a match, and its text is a fifth
//! shorter. Base 64 would cost six per cent more characters.

mod build;
mod pack;

use anyhow::{Context, ensure};

use super::BotSettings;
pub(crate) use build::{build, check_program};

/// Characters of a source that can be pasted into the site's form.
pub(crate) const MOST_CHARACTERS: usize = 1_000_000;

const LAUNCHER: &str = include_str!("launcher.cpp");

const LICENCE: &str = include_str!("../../../LICENSE");

/// The 85 digits of the text. None means anything inside a string literal, in a trigraph or in
/// HTML, and none is white space: editors, forms and compilers all leave them alone.
const DIGITS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#%()*+,-./:;=@[]^_{|}~";

const LINE: usize = 4_000;

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
        ("@DIGITS@", DIGITS),
        ("@SETTINGS@", &raw_literal(&settings)),
        ("@TEXT@", &base85_literal(&packed)),
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
    values.iter().rfold(launcher(), replace)
}

/// The launcher without what the site does not need: indentation, blank lines, and the comments after
/// its head.
fn launcher() -> String {
    let (head, code) = LAUNCHER.split_once("\n\n").unwrap_or(("", LAUNCHER));
    let lines = code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.fold(head.to_owned() + "\n", |text, line| text + line + "\n")
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

/// Bytes in base 85, each whole group of four as five digits, as the lines of one literal.
fn base85_literal(bytes: &[u8]) -> String {
    let digits = DIGITS.as_bytes();
    let mut text = String::with_capacity(bytes.len() / 4 * 5 + 5);
    for &group in bytes.as_chunks().0 {
        let value = u32::from_be_bytes(group);
        for power in [85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1] {
            text.push(char::from(digits[(value / power % 85) as usize]));
        }
    }
    let line = |line: &[u8]| format!("\"{}\"", String::from_utf8_lossy(line));
    text.as_bytes().chunks(LINE).map(line).collect::<Vec<_>>().join("\n")
}

/// JSON as a raw literal. Outside its strings JSON has none of the characters that are escaped.
fn raw_literal(json: &str) -> String {
    let mut ascii = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            // The end of the literal begins with this one.
            ')' => ascii.push_str("\\u0029"),
            ' '..='~' => ascii.push(character),
            other => {
                ascii.extend(other.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
            }
        }
    }
    format!("R\"({ascii})\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_stay_in_their_line() {
        assert_eq!(comment("a\nb\\ \u{e9}??/"), "a b     /");
        assert!(licence().lines().all(|line| line.starts_with("//")) && licence().contains("MIT"));
    }

    #[test]
    fn there_are_85_harmless_digits() {
        let mut digits: Vec<char> = DIGITS.chars().collect();
        digits.sort_unstable();
        digits.dedup();
        assert_eq!(digits.len(), 85);
        assert!(digits.iter().all(|digit| digit.is_ascii_graphic() && !"\"\\?<>&'`$".contains(*digit)));
    }

    #[test]
    fn json_is_the_same_in_a_raw_literal() {
        let value = "x\"\\\n\u{7f})\"\u{e9}\u{1f3af}";
        let literal = raw_literal(&serde_json::to_string(value).unwrap());
        let inside = literal.strip_prefix("R\"(").unwrap().strip_suffix(")\"").unwrap();
        assert!(inside.is_ascii() && !inside.contains([')', '\u{7f}']), "{inside}");
        assert_eq!(serde_json::from_str::<String>(inside).unwrap(), value);
    }
}
