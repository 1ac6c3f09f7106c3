//! The formats, and how they are told apart.

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The Smart Game Format, `GM[18]`.
    Sgf,
    /// The Generic Game Format of the server GGS.
    Ggf,
    Botzone,
    /// Records of `quiver match --record` and `quiver selfplay`.
    Record,
    /// Moves or FENs, a game a line.
    Moves,
    /// The input of a Botzone bot, which is only read.
    Request,
    /// Results alone as PGN, which are only written.
    Pgn,
}

/// The formats that are written: the ends of their files' names, and what messages call them.
const WRITTEN: [(Format, &str, &str); 6] = [
    (Format::Sgf, "sgf", "SGF"),
    (Format::Ggf, "ggf", "GGF"),
    (Format::Botzone, "json", "Botzone log"),
    (Format::Record, "jsonl", "match record"),
    (Format::Moves, "txt", "list of moves"),
    (Format::Pgn, "pgn", "PGN results"),
];

impl Format {
    pub(super) const LIST: &str = "SGF, GGF, a Botzone log, a match record, moves or a FEN";

    /// The format that these bytes look like; `None` if there is nothing but white space.
    pub fn of(bytes: &[u8]) -> Option<Format> {
        let bytes = content(bytes);
        match bytes.first()? {
            b'{' if is_record(bytes) => return Some(Format::Record),
            b'{' if is_request(bytes) => return Some(Format::Request),
            b'{' | b'[' | b'"' | b'<' => return Some(Format::Botzone),
            _ => {}
        }
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
        let compact: String = head.chars().filter(|character| !character.is_whitespace()).collect();
        // A collection of games may have text before it.
        Some(if !compact.starts_with('(') && !compact.contains("(;") {
            Format::Moves
        } else if compact.contains("BO[") || (compact.contains("GM[Amazons]") && compact.contains(";)")) {
            Format::Ggf
        } else {
            Format::Sgf
        })
    }

    pub(crate) fn of_path(path: &Path) -> Option<Format> {
        Format::named(&path.extension()?.to_str()?.to_ascii_lowercase())
    }

    /// The format of this name: its extension.
    pub(crate) fn named(name: &str) -> Option<Format> {
        let named = WRITTEN.into_iter().find(|(_, extension, _)| *extension == name);
        named.map(|(format, ..)| format)
    }
}

/// The bytes without a byte order mark and without white space at their beginning.
fn content(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes).trim_ascii_start()
}

/// True if these bytes begin like a match record, or like the binary self-play files of earlier
/// versions, which are refused.
pub(super) fn is_record(bytes: &[u8]) -> bool {
    let begins = |key: &str| content(bytes).starts_with(key.as_bytes());
    begins("{\"contest\":") || begins("{\"selfplay\":")
}

/// True if JSON begins with an object that has the history of a request. A broken object is one if
/// it begins with it.
fn is_request(json: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Keys {
        requests: Option<IgnoredAny>,
    }
    let first = serde_json::Deserializer::from_slice(json).into_iter::<Keys>().next();
    json.starts_with(b"{\"requests\"") || matches!(first, Some(Ok(Keys { requests: Some(_) })))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = WRITTEN.iter().find(|(format, ..)| format == self);
        f.write_str(written.map_or("input of a bot", |(_, _, name)| name))
    }
}
