//! The matches without a clock or a thread: what has been asked and answered in each, and the state
//! file that remembers them, so that a restarted process goes on with them.
//!
//! Botzone may send the opponent's last move alone, so a process without the history cannot
//! continue a match. The file is a journal with a line for each state that a match has been in; the
//! last one counts. A match stays until the site says that it is over. The file holds no secret.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use amazons::{Coordinates, FullMove, InputError};
use anyhow::anyhow;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::reply::SiteId;
use crate::botzone::request::{Form, Request, RequestBody, TimeLimit};
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
    patience: Duration::ZERO,
};

/// A match as far as it is known: all plies, whatever shape the requests had. The state file holds
/// it in this form.
///
/// Every search is asked for by a full history, so that trees may come and go, and processes too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchState {
    form: Form,
    /// Request, response, request and so on; the first is [`Coordinates::NONE`] for the first
    /// player. A request waits for our answer while their number is odd. Without plies the match
    /// is lost: the position is unknown until a request tells the whole history.
    plies: Vec<Coordinates>,
    /// Whether the site has our last answer. If not, it is sent with every poll.
    pub(super) confirmed: bool,
    #[serde(skip)]
    time_limit: Option<TimeLimit>,
}

impl MatchState {
    fn lost() -> MatchState {
        MatchState { form: Form::Json, plies: Vec::new(), confirmed: false, time_limit: None }
    }

    /// The match after a request; `before` is what is known of the match, if anything.
    pub fn receive(
        before: Option<&MatchState>,
        line: &str,
        start: &History,
    ) -> Result<MatchState, InputError> {
        let (plies, asked) = before.map_or((&[][..], &[][..]), |play| (&play.plies, play.asked()));
        let Request { form, content, time_limit } = line.parse()?;
        let plies = match content {
            RequestBody::History(plies) => plies,
            // No ply is legal twice: it burns a square. So this is the same request, not another
            // like it.
            RequestBody::Turn(ply) if asked.last() == Some(&ply) => asked.to_vec(),
            RequestBody::Turn(ply) if !plies.is_empty() && plies.len().is_multiple_of(2) => {
                [plies, &[ply]].concat()
            }
            // The first player's first request is a whole history, whatever came before it.
            RequestBody::Turn(ply)
                if before.is_none_or(|before| before.is_lost() && ply == Coordinates::NONE)
                    && start.read(&[ply]).is_ok() =>
            {
                vec![ply]
            }
            RequestBody::Turn(got) => {
                let fault = start.read(&[got]).err().map_or_else(String::new, |fault| format!(" ({fault})"));
                return Err(InputError(format!(
                    "a match that is not known here: the request is one ply ({got}) that neither begins it{fault} \
                     nor follows what is known of it; expected a whole history; was it begun by a process that \
                     kept no --state?"
                )));
            }
        };
        match before {
            // The site may have missed the answer.
            Some(before) if plies == asked => Ok(MatchState { confirmed: false, ..before.clone() }),
            _ => {
                start.read(&plies)?;
                Ok(MatchState { form, plies, confirmed: false, time_limit })
            }
        }
    }

    pub(super) fn is_lost(&self) -> bool {
        self.plies.is_empty()
    }

    fn asked(&self) -> &[Coordinates] {
        match self.plies.split_last() {
            Some((_, asked)) if asked.len() % 2 == 1 => asked,
            _ => &self.plies,
        }
    }

    /// The question to a player, in the shape of a full history; `None` if nothing is asked.
    fn question(&self) -> Option<Request> {
        let content = || RequestBody::History(self.plies.clone());
        let request = || Request { form: self.form, content: content(), time_limit: self.time_limit };
        (self.plies.len() % 2 == 1).then(request)
    }

    pub(super) fn answer(&mut self, full: FullMove) {
        self.plies.push(full.into());
        self.confirmed = false;
    }

    /// The answer that the site may not have yet, as it wants it: the move alone, on one line.
    fn unconfirmed(&self) -> Option<String> {
        let last = *self.plies.last().filter(|_| self.plies.len().is_multiple_of(2) && !self.confirmed)?;
        match self.form {
            Form::Text => Some(last.to_string()),
            Form::Json => serde_json::to_string(&last).ok(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateLine {
    time: u64,
    #[serde(rename = "match")]
    id: String,
    /// `None` for a match that is over.
    play: Option<MatchState>,
}

#[derive(Debug)]
pub struct MatchStore {
    /// A match before its first ply.
    start: History,
    pub(crate) plays: BTreeMap<SiteId, MatchState>,
    file: Option<Journal>,
    saved: BTreeMap<SiteId, MatchState>,
    /// Whether the user was told that the file cannot be written.
    unsaved: bool,
}

impl MatchStore {
    /// No match, and no file: what is known ends with the process.
    pub fn new(start: History) -> MatchStore {
        MatchStore { start, plays: BTreeMap::new(), file: None, saved: BTreeMap::new(), unsaved: false }
    }

    /// The matches that a state file says are not over. The file is created if there is none, and is
    /// unchanged if it is no state file or holds a match that cannot be restored.
    pub fn open(start: History, path: &Path) -> anyhow::Result<MatchStore> {
        let header = json!({"local-ai": {"format": 2}});
        let mut plays: BTreeMap<SiteId, MatchState> = BTreeMap::new();
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
        Ok(MatchStore { saved: plays.clone(), plays, file: Some(file), ..MatchStore::new(start) })
    }

    /// Takes a request, and tells the user what is unusual about it. A match whose request is no use is
    /// lost.
    pub(super) fn receive(&mut self, id: &SiteId, line: &str, log: &mut Log) {
        let before = self.plays.get(id);
        let play = match MatchState::receive(before, line, &self.start) {
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
        if self.plays.insert(id.clone(), MatchState::lost()).is_none_or(|before| !before.is_lost()) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::botzone::StartChoice;

    fn next(before: Option<&MatchState>, line: &str) -> Result<MatchState, String> {
        let start = History::new(8, false, StartChoice::Formula).unwrap();
        MatchState::receive(before, line, &start).map_err(|error| error.to_string())
    }

    const NONE: &str = "-1 -1 -1 -1 -1 -1";
    const OURS: &str = "5 0 3 2 6 5";
    const THEIRS: &str = "0 5 4 5 3 4";

    /// The request of the second turn, with its whole history.
    fn history(ours: &str) -> String {
        let object = |numbers: &str| serde_json::to_string(&numbers.parse::<Coordinates>().unwrap()).unwrap();
        let [none, ours, theirs] = [NONE, ours, THEIRS].map(object);
        format!(r#"{{"requests":[{none},{theirs}],"responses":[{ours}]}}"#)
    }

    #[test]
    fn a_lost_match_needs_the_first_request_or_the_whole_history() {
        // The opponent's first move opens a match that is not known, and nothing of a lost one.
        assert!(next(None, OURS).is_ok());
        let lost = Some(&MatchState::lost());
        let error = next(lost, OURS).unwrap_err();
        assert!(error.contains("not known here") && error.contains(OURS), "{error}");
        assert_eq!(next(lost, &history(OURS)).unwrap().plies.len(), 3);
        assert_eq!(next(lost, NONE).unwrap().plies.len(), 1);
    }

    #[test]
    fn what_is_not_legal_is_refused_and_the_sites_history_counts() {
        let mut play = next(None, NONE).unwrap();
        for before in [None, Some(&play)] {
            let error = next(before, THEIRS).unwrap_err();
            assert!(error.contains("not known here") && error.contains("(ply 1: illegal move"), "{error}");
        }
        play.answer("2 0 2 1 2 0".parse().unwrap());
        // Another past than ours.
        let mut play = next(Some(&play), &history(OURS)).unwrap();
        play.answer("0 2 0 3 3 0".parse().unwrap());
        assert_eq!(
            next(Some(&play), "0 0 1 1 0 0").unwrap_err(),
            "ply 4: illegal move 0 0 1 1 0 0: a1 holds nothing, expected an amazon of the second player"
        );
    }
}
