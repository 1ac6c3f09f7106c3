//! Messages on standard error. Text from outside, such as input, file names and the output of other
//! programs, may contain control characters or markup. [`printable`] and [`excerpt`] make it safe
//! for a terminal, and [`escape_html`] for a page.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes a message to standard error. Ignores a failed write, which cannot be reported.
pub fn warn(message: impl Display) {
    let _ = writeln!(io::stderr(), "quiver: {}", printable(&message.to_string()));
}

/// Escapes the unprintable characters of a text, as in `\u{1b}`, except line breaks.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '"' | '\'' | '\\' => shown.push(character),
            other => shown.extend(other.escape_debug()),
        }
    }
    shown
}

/// The first `length` characters of a text on one line, escaped as by [`printable`]. A longer text
/// ends in `…`.
pub fn excerpt(text: &str, length: usize) -> String {
    let mut characters = text.chars();
    let mut excerpt = printable(&characters.by_ref().take(length).collect::<String>()).replace('\n', "\\n");
    if characters.next().is_some() {
        excerpt.push('…');
    }
    excerpt
}

/// Escapes a text for an HTML or SVG element or a quoted attribute.
pub fn escape_html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(character),
        }
    }
    safe
}

/// A number with its noun in the singular or plural: `1 playout`, `2 playouts`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    format!("{count} {}", if count == N::from(1) { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_markup() {
        assert_eq!(escape_html("<b title=\"a&b\">it's"), "&lt;b title=&quot;a&amp;b&quot;&gt;it&#39;s");
        assert_eq!(escape_html("中文 Ä"), "中文 Ä");
    }

    #[test]
    fn escapes_control_characters() {
        assert_eq!(
            printable("a\u{1b}[2J\r\u{9b}\u{202e}\n'\"\\ 棋 é"),
            "a\\u{1b}[2J\\r\\u{9b}\\u{202e}\n'\"\\ 棋 é"
        );
        assert_eq!((excerpt("ab\ncd", 5), excerpt("ab\ncd", 4)), ("ab\\ncd".into(), "ab\\nc…".into()));
    }
}
