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
        let mut file = Journal::resume(&KIND, path, &header, take)?;
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
        if self.plays == self.saved {
            return;
        }
        let known: BTreeSet<&SiteId> = self.plays.keys().chain(self.saved.keys()).collect();
        let changed = |id: &&SiteId| self.plays.get(*id) != self.saved.get(*id);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let append = |id: &SiteId| {
            let line = StateLine { time, id: id.to_string(), play: self.plays.get(id).cloned() };
            // Numbers and plain text can always be written.
            file.append(&serde_json::to_string(&line).unwrap_or_default())
        };
        // A file whose matches are all over begins anew.
        let written = match self.plays.is_empty() {
            true => file.clear(),
            false => known.into_iter().filter(changed).try_for_each(append),
        };
        match written {
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
