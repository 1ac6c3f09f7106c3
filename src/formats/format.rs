//! The formats, and how they are told apart.

use std::fmt;
use std::path::Path;

/// A format of files of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The Smart Game Format, `GM[18]`.
    Sgf,
    /// The Generic Game Format of the server GGS.
    Ggf,
    /// Match logs of Botzone.
    Botzone,
    /// What `quiver match --record` writes.
    Record,
    /// What `quiver selfplay` writes.
    SelfPlay,
    /// Moves or FENs, a game a line.
    Moves,
    /// The input of a Botzone bot, which is only read.
    Request,
}

impl Format {
    /// The formats that are written.
    pub const WRITTEN: [Format; 6] =
        [Format::Sgf, Format::Ggf, Format::Botzone, Format::Record, Format::SelfPlay, Format::Moves];

    /// What files of games are, for messages.
    pub const LIST: &str = "SGF, GGF, a Botzone log, a match record, a self-play file, moves or a FEN";

    /// The format that these bytes look like; `None` if there is nothing but white space.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Format> {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes).trim_ascii_start();
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
        Some(match bytes.first()? {
            b'(' if is_ggf(&head) => Format::Ggf,
            b'(' => Format::Sgf,
            b'{' if head.starts_with("{\"selfplay\":") => Format::SelfPlay,
            b'{' if head.starts_with("{\"contest\":") => Format::Record,
            b'{' if head.contains("\"requests\"") => Format::Request,
            b'{' | b'[' | b'"' | b'<' => Format::Botzone,
            // A collection of SGF may have text before it.
            _ if head.contains("(;") => Format::Sgf,
            _ => Format::Moves,
        })
    }

    /// The format whose files have a name like this.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Format::WRITTEN.into_iter().find(|format| format.extension() == extension)
    }

    /// The format of this name: its extension.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        Format::WRITTEN.into_iter().find(|format| format.extension() == name)
    }

    /// What the names of its files end with.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Format::Sgf => "sgf",
            Format::Ggf => "ggf",
            Format::Botzone => "json",
            Format::Record => "jsonl",
            Format::SelfPlay => "bin",
            Format::Moves | Format::Request => "txt",
        }
    }
}

fn is_ggf(head: &str) -> bool {
    let compact: String = head.chars().filter(|character| !character.is_whitespace()).collect();
    compact.contains("BO[") || (compact.contains("GM[Amazons]") && compact.contains(";)"))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Sgf => "SGF",
            Format::Ggf => "GGF",
            Format::Botzone => "Botzone log",
            Format::Record => "match record",
            Format::SelfPlay => "self-play file",
            Format::Moves => "list of moves",
            Format::Request => "input of a bot",
        })
    }
}
