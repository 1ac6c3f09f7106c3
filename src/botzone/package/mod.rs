//! Writes the upload for Botzone, which does not compile Rust: one C++ source that contains the
//! engine.
//!
//! The source contains the compiled engine, compressed and written as text, and a launcher
//! (`launcher.cpp`), which unpacks the engine and runs it in the same process. The engine is the
//! program `quiver-bot`, which takes its settings as one JSON argument; [`build()`] compiles it.
//! The same sources, toolchain and settings give the same bytes.
//!
//! The program is encoded in three steps, which the launcher reverses:
//!
//! 1. The program is filtered and compressed by LZMA (`pack.rs`). The launcher checks the size and
//!    the Adler-32 checksum of the unpacked program.
//! 2. The compressed bytes are written in base 85: each four bytes, as a big-endian number, become
//!    five digits.
//! 3. The digits are one string literal, in lines of four thousand digits.
//!
//! The program is unpacked during the first turn of a match. LZMA unpacks more slowly than deflate,
//! but makes the text a fifth shorter. Base 64 would need 6 % more characters than base 85.

mod build;
mod pack;

use anyhow::{Context, ensure};

use super::BotSettings;
pub(crate) use build::{build, check_program};

/// The largest number of characters of a source that Botzone accepts.
pub(crate) const MAX_SOURCE_CHARS: usize = 1_000_000;

const LAUNCHER: &str = include_str!("launcher.cpp");

const LICENCE: &str = include_str!("../../../LICENSE");

/// The 85 digits that encode the program. Editors, web forms and compilers do not change them: no
/// digit is white space or has a meaning in a string literal, a trigraph or HTML.
const DIGITS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#%()*+,-./:;=@[]^_{|}~";

const DIGITS_PER_LINE: usize = 4_000;

/// Returns the C++ source of a bot, in ASCII. The source's first comment contains `about`, and the
/// program gets `settings` as its argument.
pub(crate) fn source(program: &[u8], about: &str, settings: &BotSettings) -> anyhow::Result<String> {
    let packed = pack::pack(program).context("the program cannot be packed")?;
    let settings = serde_json::to_string(settings).context("the bot's settings cannot be written as JSON")?;
    let source = fill_launcher(&[
        ("@VERSION@", env!("CARGO_PKG_VERSION")),
        ("@ABOUT@", &safe_comment_text(about)),
        ("@LICENCE@", &licence_comment()),
        ("@PROGRAM_SIZE@", &program.len().to_string()),
        ("@PACKED_SIZE@", &packed.len().to_string()),
        ("@CHECKSUM@", &format!("0x{:08X}", adler2::adler32_slice(program))),
        ("@DIGITS@", DIGITS),
        ("@SETTINGS@", &raw_literal(&settings)),
        ("@TEXT@", &base85_literal(&packed)),
    ]);
    let (got, bytes) = (source.len(), program.len());
    ensure!(
        got <= MAX_SOURCE_CHARS,
        "the source would have {got} characters, from a program of {bytes} bytes: expected at most {MAX_SOURCE_CHARS}"
    );
    Ok(source)
}

/// Returns the launcher with a value in place of each placeholder, such as `@TEXT@`. `values` must
/// have the order of the placeholders in the launcher. The last placeholder is replaced first, so
/// that no placeholder is found inside a value.
fn fill_launcher(values: &[(&str, &str)]) -> String {
    let replace = |source: String, (name, value): &(&str, &str)| source.replacen(name, value, 1);
    values.iter().rfold(minified_launcher(), replace)
}

/// Returns the launcher's C++ source. Leaves out indentation, blank lines and comments, to save
/// characters. Keeps only the comment before the first blank line.
fn minified_launcher() -> String {
    let (head, code) = LAUNCHER.split_once("\n\n").unwrap_or(("", LAUNCHER));
    let lines = code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.fold(head.to_owned() + "\n", |text, line| text + line + "\n")
}

/// Replaces with spaces the characters that are unsafe in a line comment of C++: backslashes,
/// question marks (because of trigraphs), and all characters except printable ASCII.
fn safe_comment_text(text: &str) -> String {
    let safe = |c: char| c.is_ascii_graphic() && !matches!(c, '\\' | '?');
    text.chars().map(|c| if safe(c) { c } else { ' ' }).collect()
}

/// Returns the licence as C++ comment lines, so that each copy of the source contains it.
fn licence_comment() -> String {
    let lines = LICENCE.trim_end().lines().map(|line| format!("// {line}").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

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
    text.as_bytes().chunks(DIGITS_PER_LINE).map(line).collect::<Vec<_>>().join("\n")
}

/// Returns JSON as a C++ raw string literal. Characters outside ASCII become JSON escapes.
fn raw_literal(json: &str) -> String {
    let mut ascii = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            // A closing parenthesis could end the raw literal.
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
        assert_eq!(safe_comment_text("a\nb\\ \u{e9}??/"), "a b     /");
        assert!(
            licence_comment().lines().all(|line| line.starts_with("//")) && licence_comment().contains("MIT")
        );
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
