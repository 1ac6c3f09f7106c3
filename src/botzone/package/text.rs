//! Bytes and JSON as C++ literals: pure ASCII, the bytes in lines of four thousand characters: every
//! line break costs three.

use std::fmt::Write as _;

/// The 85 digits of the text. None means anything inside a string literal, in a trigraph or in
/// HTML, and none is white space: editors, forms and compilers all leave them alone.
pub(super) const DIGITS: &str =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#%()*+,-./:;=@[]^_{|}~";

const LINE: usize = 4_000;

/// Bytes in base 85, each whole group of four as five digits, as the lines of one literal.
pub(super) fn bytes(bytes: &[u8]) -> String {
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
pub(super) fn json(json: &str) -> String {
    let mut ascii = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            // The end of the literal begins with this one.
            ')' => ascii.push_str("\\u0029"),
            ' '..='~' => ascii.push(character),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    // Writing to a string does not fail.
                    let _ = write!(ascii, "\\u{unit:04x}");
                }
            }
        }
    }
    format!("R\"({ascii})\"")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let literal = json(&serde_json::to_string(value).unwrap());
        let inside = literal.strip_prefix("R\"(").unwrap().strip_suffix(")\"").unwrap();
        assert!(inside.is_ascii() && !inside.contains([')', '\u{7f}']), "{inside}");
        assert_eq!(serde_json::from_str::<String>(inside).unwrap(), value);
    }
}
