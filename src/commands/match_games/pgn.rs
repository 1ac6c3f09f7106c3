//! The option `--pgn`: writes each game of a match as PGN when it ends.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, ensure};

use crate::contest::{Contest, ContestError, ContestResults, Entrant, GameRecord, GameSink};
use crate::files;
use crate::formats::pgn;
use crate::messages::warn;

pub(super) struct PgnFile {
    file: File,
    path: PathBuf,
    event: String,
    controls: Vec<String>,
}

impl PgnFile {
    pub(super) fn open(
        path: &Path,
        is_resumed: bool,
        contest: &Contest,
        event: String,
    ) -> anyhow::Result<PgnFile> {
        let place = || format!("--pgn {}", path.display());
        let file = files::open_to_append(path).with_context(place)?;
        let is_new = file.metadata().with_context(place)?.len() == 0;
        ensure!(is_new || is_resumed, "{} exists: expected another name, or --resume", place());
        let controls = contest.entrants.iter().map(pgn_time_control).collect();
        Ok(PgnFile { file, path: path.to_owned(), event, controls })
    }

    fn text(&self, game: &GameRecord) -> String {
        let end = game.end();
        let [white, black] = game.players.each_ref().map(|player| &*self.controls[player.entrant]);
        let (site, date) = (concat!("Quiver ", env!("CARGO_PKG_VERSION")), pgn_date(SystemTime::now()));
        let (round, termination) = (game.place.to_string(), end.kind.to_string());
        let before = [("Event", &*self.event), ("Site", site), ("Date", &date), ("Round", &round)];
        let start = game.game.start().to_string();
        let mut after = vec![("Termination", &*termination), ("Variant", "amazons"), ("FEN", &*start)];
        match white == black {
            true => after.push(("TimeControl", white)),
            false => after.extend([("WhiteTimeControl", white), ("BlackTimeControl", black)]),
        }
        pgn::write(&game.game, &before, &after, true)
    }

    /// Appends a game. If the write fails, cuts off the written bytes.
    fn write(&self, game: &str) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        (&self.file).write_all(game.as_bytes()).inspect_err(|_| drop(self.file.set_len(length)))
    }

    /// Appends those games of the record that the file lacks.
    fn complete(&self, games: &[GameRecord]) -> io::Result<()> {
        // The tags before the players change, such as the date and the number of the game.
        let lasting = |text: &str| text.split_once("\n[White ").map(|(_, rest)| rest.to_owned());
        let mut written = BTreeMap::<_, usize>::new();
        for text in files::read_text(&self.path)?.split("[Event ") {
            *written.entry(lasting(text)).or_default() += 1;
        }
        for game in games {
            let text = self.text(game);
            match written.get_mut(&lasting(&text)) {
                Some(copies @ 1..) => *copies -= 1,
                _ => self.write(&text)?,
            }
        }
        Ok(())
    }
}

/// The time control in PGN notation: a time for each move as `1/SECONDS`, a game clock as
/// `BASE+INC`, and `-` without a time limit.
fn pgn_time_control(entrant: &Entrant) -> String {
    let move_time = || Some(format!("1/{}", entrant.time?.as_secs_f64()));
    entrant.tc.map(|control| control.to_string()).or_else(move_time).unwrap_or_else(|| "-".to_owned())
}

impl GameSink for PgnFile {
    fn begin(&mut self, games: &[GameRecord], _results: &mut ContestResults) {
        if let Err(error) = self.complete(games) {
            warn(format_args!("--pgn {}: {error}", self.path.display()));
        }
    }

    fn take(&mut self, game: &GameRecord, _results: &mut ContestResults) -> Result<(), ContestError> {
        let place = self.path.display();
        let named = |cause: io::Error| io::Error::new(cause.kind(), format!("--pgn {place}: {cause}"));
        Ok(self.write(&self.text(game)).map_err(named)?)
    }
}

/// Formats the UTC date as `2026.01.31`.
fn pgn_date(time: SystemTime) -> String {
    // The format of `date` is `Sat, 31 Jan 2026 12:34:56 GMT`.
    let date = httpdate::fmt_http_date(time);
    let month = "JanFebMarAprMayJunJulAugSepOctNovDec".find(&date[8..11]).unwrap_or_default() / 3 + 1;
    format!("{}.{month:02}.{}", &date[12..16], &date[5..7])
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn days_have_their_dates() {
        for (days, date) in [(0, "1970.01.01"), (19_782, "2024.02.29"), (20_785, "2026.11.28")] {
            assert_eq!(pgn_date(UNIX_EPOCH + Duration::from_secs(86_400 * days)), date);
        }
    }
}
