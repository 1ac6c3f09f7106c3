//! All matches at once.

use std::collections::{BTreeMap, BTreeSet};

use super::play::{Phase, Play, Received};
use super::poll::SiteId;
use super::state::StateFile;
use super::teller::Teller;
use crate::botzone::request::Request;
use crate::botzone::starts::Starts;

/// The matches that are going on, and the file that remembers them.
#[derive(Debug)]
pub(crate) struct Matches {
    starts: Starts,
    plays: BTreeMap<SiteId, Play>,
    state: StateFile,
    /// The matches with changes that could not be written yet.
    unsaved: BTreeSet<SiteId>,
}

impl Matches {
    /// The matches that `state` knows of, which are `plays`.
    pub(crate) fn new(starts: Starts, state: StateFile, plays: BTreeMap<SiteId, Play>) -> Matches {
        Matches { starts, plays, state, unsaved: BTreeSet::new() }
    }

    /// Takes a request, and says what there is to say about it. Returns whether it is news.
    pub(super) fn receive(&mut self, id: &SiteId, line: &str, teller: &mut Teller) -> bool {
        let before = self.plays.get(id).cloned();
        let was_lost = before.as_ref().is_some_and(|play| play.phase() == Phase::Lost);
        let play = self.plays.entry(id.clone()).or_insert_with(Play::unknown);
        let received = play.receive(line, &self.starts);
        let changed = before.as_ref() != Some(play);
        match &received {
            Ok(Received::New | Received::StillLost) => {}
            Ok(Received::Rewritten) => teller.tell(&format!(
                "match {id}: the site tells another history than this process knew, and it counts"
            )),
            Ok(Received::Repeated) => {
                teller.tell(&format!("match {id}: the same request again, its answer stays"));
            }
            // Told once: the site may go on asking.
            Err(_) if was_lost => {}
            Err(error) => teller.tell(&format!("match {id}: left unanswered: {error}")),
        }
        let news = matches!(received, Ok(Received::New | Received::Rewritten));
        if let Some(limit) = play.guessed_limit().filter(|_| news) {
            teller.note(&format!("match {id}: {limit}"));
        }
        if changed {
            self.record(id, teller);
        }
        news
    }

    /// The matches in a phase.
    pub(super) fn in_phase(&self, phase: Phase) -> Vec<SiteId> {
        self.plays.iter().filter(|(_, play)| play.phase() == phase).map(|(id, _)| id.clone()).collect()
    }

    /// The requests that wait for an answer, as full histories.
    pub(super) fn questions(&self) -> Vec<(SiteId, Request)> {
        self.plays.iter().filter_map(|(id, play)| Some((id.clone(), play.question()?))).collect()
    }

    /// The answers that the site may not have yet.
    pub(super) fn answers(&self) -> Vec<(SiteId, String)> {
        self.plays.iter().filter_map(|(id, play)| Some((id.clone(), play.unconfirmed()?))).collect()
    }

    /// Whether nothing is going on that could go on.
    pub(super) fn is_idle(&self) -> bool {
        self.plays.values().all(|play| play.phase() == Phase::Lost)
    }

    /// Changes a match that is going on.
    pub(super) fn change(&mut self, id: &SiteId, change: impl FnOnce(&mut Play), teller: &mut Teller) {
        if let Some(play) = self.plays.get_mut(id) {
            change(play);
            self.record(id, teller);
        }
    }

    /// Forgets a match that is over.
    pub(super) fn finish(&mut self, id: &SiteId, teller: &mut Teller) {
        if self.plays.remove(id).is_some() {
            self.record(id, teller);
        }
    }

    /// Writes what has changed about a match, and about those whose changes could not be written
    /// before.
    fn record(&mut self, id: &SiteId, teller: &mut Teller) {
        let reported = !self.unsaved.is_empty();
        self.unsaved.insert(id.clone());
        while let Some(id) = self.unsaved.first() {
            if let Err(error) = self.state.record(id, self.plays.get(id)) {
                if !reported {
                    teller.tell(&format!(
                        "the state file cannot be written: {error}; the matches go on, and it is tried again"
                    ));
                }
                return;
            }
            self.unsaved.pop_first();
        }
        if reported {
            teller.tell("the state file is up to date again");
        }
    }
}
