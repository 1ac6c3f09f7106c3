//! The files of a session: the log, and every game both as SGF and as the contest's record.

use std::path::{Path, PathBuf};

use amazons::sgf;

use crate::files;
use crate::formats::contest_record;
use crate::games::{Game, MatchGame};
use crate::messages::printable;
use crate::protocols::{Output, write_line};

/// The log of a session. A failure to write the log is ignored, because it must not end a game.
#[derive(Clone)]
pub(super) struct Log(pub(super) Output);

impl Log {
    pub(super) fn write(&self, mark: &str, text: &str) {
        let _ = write_line(&self.0, &format!("{mark} {}", printable(text.trim_end())));
    }

    pub(super) fn note(&self, text: &str) {
        self.write("#", text);
    }
}

/// The path of the file for game `number`: `path` for the first game, and for each later game
/// `path` with the number before the extension.
pub fn numbered(path: &Path, number: usize) -> PathBuf {
    if number <= 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|it| format!(".{}", it.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

pub(super) fn save(game: &Game, file: &Path, log: &Log) {
    let record = file.with_extension("txt");
    for (path, text) in [(file, sgf::write([&game.to_notation()])), (&record, contest_record::write(game))] {
        if let Err(error) = files::replace(path, text) {
            log.note(&format!("{} could not be written: {error}", path.display()));
        }
    }
}
