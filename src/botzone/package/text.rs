//! Bytes and strings as C++ literals: pure ASCII, in lines of four thousand characters: every line
//! break costs three.

use std::fmt::Write as _;

/// The 85 digits of the text. None means anything inside a string literal, in a trigraph or in
/// HTML, and none is white space: editors, forms and compilers all leave them alone.
pub(super) const DIGITS: &str =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#%()*+,-./:;=@[]^_{|}~";

/// Characters of a literal in a line.
const LINE: usize = 4_000;

/// Bytes in base 85, four to five digits, as the lines of one literal. The last group is filled up
/// with zeros.
pub(super) fn bytes(bytes: &[u8]) -> String {
    let digits = DIGITS.as_bytes();
    let mut text = String::with_capacity(bytes.len() / 4 * 5 + 5);
    for group in bytes.chunks(4) {
        let mut filled = [0; 4];
        filled[..group.len()].copy_from_slice(group);
        let value = u32::from_be_bytes(filled);
        for power in [85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1] {
            text.push(char::from(digits[(value / power % 85) as usize]));
        }
    }
    let mut lines = String::with_capacity(text.len() + text.len() / LINE * 4);
    for line in text.as_bytes().chunks(LINE) {
        push_line(&mut lines, &String::from_utf8_lossy(line));
    }
    lines
}

/// A string, escaped, as the lines of one literal.
pub(super) fn string(text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => line.extend(['\\', char::from(byte)]),
            b' '..=b'~' => line.push(char::from(byte)),
            // Three octal digits are never taken for more than one character. Writing to a string
            // does not fail.
            other => _ = write!(line, "\\{other:03o}"),
        }
        if line.len() >= LINE {
            push_line(&mut lines, &line);
            line.clear();
        }
    }
    if !line.is_empty() || lines.is_empty() {
        push_line(&mut lines, &line);
    }
    lines
}

fn push_line(lines: &mut String, line: &str) {
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines.extend(["\"", line, "\""]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The characters between the quotes.
    fn content(literal: &str) -> String {
        literal.lines().map(|line| line.strip_prefix('"').unwrap().strip_suffix('"').unwrap()).collect()
    }

    fn decoded(text: &str) -> Vec<u8> {
        let value = |digit| DIGITS.bytes().position(|other| other == digit).unwrap() as u32;
        let group = |group: &[u8]| group.iter().fold(0, |sum, &digit| sum * 85 + value(digit)).to_be_bytes();
        text.as_bytes().chunks(5).flat_map(group).collect()
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
    fn bytes_can_be_read_back() {
        for length in [0, 1, 4, 87, 88, 89, 1000] {
            let original: Vec<u8> = (0..length).map(|n: u32| (n * 167 + n / 256) as u8).collect();
            let literal = bytes(&original);
            let back = decoded(&content(&literal));
            assert_eq!(back[..original.len()], original);
            assert!(back.len() < original.len() + 4 && back[original.len()..].iter().all(|&byte| byte == 0));
            assert!(literal.lines().all(|line| line.len() <= LINE + 2));
        }
        assert_eq!(content(&bytes(&[255; 4])), "|NsC0");
    }

    #[test]
    fn strings_are_escaped_and_broken_into_lines() {
        assert_eq!(string(""), "\"\"");
        assert_eq!(string(r#"{"a":"?\"}"#), r#""{\"a\":\"\?\\\"}""#);
        assert_eq!(string("\n1\u{e9}"), r#""\0121\303\251""#);
        let lines = string(&"x".repeat(2 * LINE + 1));
        assert_eq!(lines.lines().map(str::len).collect::<Vec<_>>(), [LINE + 2, LINE + 2, 3]);
    }
}
