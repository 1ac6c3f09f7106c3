//! All matches at once, and the state file that remembers them, so that a restarted process goes on
//! with them.
//!
//! Botzone may send the opponent's last move alone, so a process without the history cannot
//! continue a match. The file is a journal with a line for each state that a match has been in; the
//! last one counts. A match stays until the site says that it is over. The file holds no secret.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::anyhow;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::play::Play;
use super::reply::SiteId;
use crate::botzone::request::Request;
use crate::botzone::{History, Log};
use crate::files::{Journal, JournalKind};

/// The journal of local AI. Earlier versions wrote no header.
static KIND: JournalKind = JournalKind {
    key: "local-ai",
    record_key: "time",
    headless: true,
    writer: "local-ai",
    records: "matches",
    record: "a line of a state file",
    remedy: "a file of its own for each process",
    patience: Duration::ZERO,
};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateLine {
    time: u64,
    #[serde(rename = "match")]
    id: String,
    /// `None` for a match that is over.
    play: Option<Play>,
}

#[derive(Debug)]
pub struct Matches {
    /// A match before its first ply.
    start: History,
    pub(crate) plays: BTreeMap<SiteId, Play>,
    file: Option<Journal>,
    saved: BTreeMap<SiteId, Play>,
    /// Whether the user was told that the file cannot be written.
    unsaved: bool,
}

impl Matches {
    /// No match, and no file: what is known ends with the process.
    pub fn new(start: History) -> Matches {
        Matches { start, plays: BTreeMap::new(), file: None, saved: BTreeMap::new(), unsaved: false }
    }

    /// The matches that a state file says are not over. The file is created if there is none, and is
    /// unchanged if it is no state file or holds a match that cannot be restored.
    pub fn open(start: History, path: &Path) -> anyhow::Result<Matches> {
        let header = json!({"local-ai": {"format": 2}});
        let mut plays: BTreeMap<SiteId, Play> = BTreeMap::new();
        let take = |line: &str| {
            let line: StateLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
            let id: SiteId = line.id.parse()?;
            match line.play {
                Some(play) => plays.insert(id, play),
                None => plays.remove(&id),
            };
            Ok(())
        };
        let (mut file, _) = Journal::resume(&KIND, path, &header, |_| header.clone(), take)?;
        for (id, play) in &plays {
            start.read(&play.plies).map_err(|fault| {
                anyhow!(
                    "match {id} is not over and cannot be restored: {fault}; expected the --board that the match \
                     was begun with, or another file; nothing was changed"
                )
            })?;
        }
        // A file whose matches are all over begins anew.
        if plays.is_empty() {
            file.clear()?
        } else {
            file.begin()?
        }
        Ok(Matches { saved: plays.clone(), plays, file: Some(file), ..Matches::new(start) })
    }

    /// Takes a request, and tells the user what is unusual about it. A match whose request is no use is
    /// lost.
    pub(super) fn receive(&mut self, id: &SiteId, line: &str, log: &mut Log) {
        let before = self.plays.get(id);
        let play = match Play::receive(before, line, &self.start) {
            Ok(play) => play,
            Err(error) => return self.lose(id, error, log),
        };
        let unusual = match before {
            Some(before) if play.asked() == before.asked() => "the same request again, its answer stays",
            Some(before) if !play.plies.starts_with(&before.plies) => {
                "the site tells another history than this process knew, and it counts"
            }
            _ => "",
        };
        if !unusual.is_empty() {
            log.tell(&format!("match {id}: {unusual}"));
        }
        if let Some(limit) = play.time_limit.filter(|limit| limit.in_seconds) {
            log.note(&format!("match {id}: {limit}"));
        }
        self.plays.insert(id.clone(), play);
    }

    /// Gives a match up until a request tells its whole history.
    pub(super) fn lose(&mut self, id: &SiteId, why: impl Display, log: &mut Log) {
        // Told once: the site may go on asking.
        if self.plays.insert(id.clone(), Play::lost()).is_none_or(|before| !before.is_lost()) {
            log.tell(&format!("match {id}: left unanswered: {why}"));
        }
    }

    /// The requests that wait for an answer, as full histories.
    pub(super) fn questions(&self) -> Vec<(SiteId, Request)> {
        self.plays.iter().filter_map(|(id, play)| Some((id.clone(), play.question()?))).collect()
    }

    pub(super) fn answers(&self) -> Vec<(SiteId, String)> {
        self.plays.iter().filter_map(|(id, play)| Some((id.clone(), play.unconfirmed()?))).collect()
    }

    /// Writes what has changed since the last time that this succeeded.
    pub(super) fn save(&mut self, log: &mut Log) {
        let Some(file) = &mut self.file else { return };
        let known: BTreeSet<&SiteId> = self.plays.keys().chain(self.saved.keys()).collect();
        let changed = known.into_iter().filter(|id| self.plays.get(*id) != self.saved.get(*id));
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let line = |id: &SiteId| {
            let line = StateLine { time, id: id.to_string(), play: self.plays.get(id).cloned() };
            // Numbers and plain text can always be written.
            serde_json::to_string(&line).unwrap_or_default()
        };
        let lines: Vec<String> = changed.map(line).collect();
        if lines.is_empty() {
            return;
        }
        // A file whose matches are all over begins anew.
        match if self.plays.is_empty() { file.clear() } else { file.append_all(&lines) } {
            Ok(()) => {
                self.saved.clone_from(&self.plays);
                if std::mem::take(&mut self.unsaved) {
                    log.tell("the state file is up to date again");
                }
            }
            Err(error) if !std::mem::replace(&mut self.unsaved, true) => log.tell(&format!(
                "the state file cannot be written: {error}; the matches go on, and it is tried again"
            )),
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::botzone::StartChoice;
    use crate::scratch::Scratch;

    struct StateFile(PathBuf, #[expect(dead_code, reason = "removed at its end")] Scratch);

    impl StateFile {
        fn new(name: &str) -> StateFile {
            let folder = Scratch::new(&format!("state-{name}"));
            let scratch = StateFile(folder.join("state"), folder);
            scratch.change(|matches, log| matches.receive(&id(), "-1 -1 -1 -1 -1 -1", log));
            scratch
        }

        fn open(&self) -> anyhow::Result<Matches> {
            Matches::open(start(8, false), &self.0)
        }

        /// Changes the matches of the file as a process does, and reads them back as the next one.
        fn change(&self, change: impl Fn(&mut Matches, &mut Log)) -> Option<Play> {
            let mut log = Log::default();
            let mut matches = self.open().unwrap();
            change(&mut matches, &mut log);
            matches.save(&mut log);
            let plays = matches.plays.clone();
            drop(matches);
            assert_eq!(self.open().unwrap().plays, plays);
            plays.get(&id()).cloned()
        }

        fn text(&self) -> String {
            fs::read_to_string(&self.0).unwrap()
        }
    }

    fn start(board: usize, fixed: bool) -> History {
        History::new(board, fixed, StartChoice::Formula).unwrap()
    }

    fn id() -> SiteId {
        "5f0a".parse().unwrap()
    }

    #[test]
    fn matches_come_back_as_they_were_at_every_step() {
        let scratch = StateFile::new("steps");
        let answer = |matches: &mut Matches| {
            matches.plays.get_mut(&id()).unwrap().answer("5 0 3 2 6 5".parse().unwrap())
        };
        let answered = scratch.change(|matches, _| answer(matches)).unwrap();
        assert_eq!(answered.unconfirmed().as_deref(), Some("5 0 3 2 6 5"));
        scratch.change(|matches, _| matches.plays.get_mut(&id()).unwrap().confirmed = true);
        let asked = scratch.change(|matches, log| matches.receive(&id(), "0 5 4 5 3 4", log));
        assert!(asked.unwrap().question().is_some());
        // A header, and a line for each state.
        assert_eq!(scratch.text().lines().count(), 5);
        assert!(scratch.change(|matches, log| matches.lose(&id(), "a test", log)).unwrap().is_lost());
        // Over.
        scratch.change(|matches, _| drop(matches.plays.insert("5f0b".parse().unwrap(), Play::lost())));
        assert_eq!(scratch.change(|matches, _| drop(matches.plays.remove(&id()))), None);
        assert!(scratch.text().contains(",\"match\":\"5f0a\",\"play\":null,\"crc\""), "{}", scratch.text());
        // All are over: the file begins anew.
        scratch.change(|matches, _| matches.plays.clear());
        assert_eq!(scratch.text(), "");
    }

    #[test]
    fn what_is_no_state_file_is_left_alone() {
        let scratch = StateFile::new("foreign");
        let whole = scratch.text();
        for text in ["my diary\n", "my diary", "{}\n", &whole.replace("confirmed", "sent"), "\u{fc}\n"] {
            fs::write(&scratch.0, text).unwrap();
            let error = scratch.open().unwrap_err().to_string();
            assert!(
                error.contains(", line ") && error.ends_with("expected a line of a state file"),
                "{error}"
            );
            assert_eq!(scratch.text(), text);
        }
    }

    #[test]
    fn a_live_match_is_kept_whatever_the_clock_says() {
        let scratch = StateFile::new("clock");
        // Lines of an earlier version have no header and no checksum; this one was written in 1970.
        let early = scratch.text().lines().last().unwrap().split_once(",\"crc\"").unwrap().0.to_owned();
        let early = format!("{{\"time\":1{}}}\n", &early[early.find(',').unwrap()..]);
        fs::write(&scratch.0, &early).unwrap();
        assert_eq!(scratch.open().unwrap().plays.len(), 1);
        assert!(scratch.text().starts_with(&early) && scratch.text().lines().count() == 2);
        assert_eq!(scratch.open().unwrap().plays.len(), 1);
    }

    #[test]
    fn refuses_and_keeps_live_matches_of_another_board() {
        let scratch = StateFile::new("board");
        scratch.change(|matches, log| {
            matches.plays.clear();
            matches.receive(&id(), "5 0 3 2 6 5", log);
        });
        // The torn line stays too: a refused file is not touched.
        let text = scratch.text() + "{\"time\":";
        fs::write(&scratch.0, &text).unwrap();
        let error = Matches::open(start(10, true), &scratch.0).unwrap_err().to_string();
        assert!(error.contains("match 5f0a is not over and cannot be restored"), "{error}");
        assert!(error.contains("a board of 8x8, expected 10x10 as --board says"), "{error}");
        assert_eq!(scratch.text(), text);
        assert_eq!(scratch.open().unwrap().plays.len(), 1);
    }
}
