//! All matches at once.

use std::collections::{BTreeMap, BTreeSet};

use super::notice::Notice;
use super::play::{Phase, Play, PlayError, Received, parse_request};
use super::poll::SiteId;
use super::state::StateFile;
use crate::botzone::request::Request;
use crate::botzone::starts::Starts;
use crate::game::FullMove;

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
    pub(crate) fn receive(&mut self, id: &SiteId, line: &str, notify: &mut dyn FnMut(Notice)) -> bool {
        let before = self.plays.get(id).cloned();
        let was_lost = before.as_ref().is_some_and(|play| play.phase() == Phase::Lost);
        let play = self.plays.entry(id.clone()).or_insert_with(Play::unknown);
        let request = parse_request(line, play.turn());
        let received = match request {
            Ok(request) => {
                if let Some(limit) = request.time_limit.filter(|limit| limit.in_seconds) {
                    notify(Notice::TimeLimit(id.clone(), limit));
                }
                play.receive(request, &self.starts)
            }
            Err(error) => {
                play.lose();
                Err(PlayError::from(error))
            }
        };
        let news = match received {
            Ok(Received::New) => true,
            Ok(Received::Rewritten) => {
                notify(Notice::Rewritten(id.clone()));
                true
            }
            Ok(Received::Repeated) => {
                notify(Notice::Repeated(id.clone()));
                false
            }
            Ok(Received::StillLost) => false,
            Err(error) => {
                // Told once: the site may go on asking.
                if !was_lost {
                    notify(Notice::Unanswerable(id.clone(), error));
                }
                false
            }
        };
        if before.as_ref() != self.plays.get(id) {
            self.record(id, notify);
        }
        news
    }

    /// The matches with a request that waits for an answer.
    pub(crate) fn asked(&self) -> Vec<SiteId> {
        self.with_phase(Phase::Asked)
    }

    /// The matches that cannot go on.
    pub(crate) fn lost(&self) -> Vec<SiteId> {
        self.with_phase(Phase::Lost)
    }

    fn with_phase(&self, phase: Phase) -> Vec<SiteId> {
        self.plays.iter().filter(|(_, play)| play.phase() == phase).map(|(id, _)| id.clone()).collect()
    }

    /// What to ask a player about a match.
    pub(crate) fn question(&self, id: &SiteId) -> Option<Request> {
        self.plays.get(id)?.question()
    }

    /// Takes our move in a match.
    pub(crate) fn answer(&mut self, id: &SiteId, full: FullMove, notify: &mut dyn FnMut(Notice)) {
        self.change(id, Play::answer, full, notify);
    }

    /// There is no move of ours in a match.
    pub(crate) fn lose(&mut self, id: &SiteId, notify: &mut dyn FnMut(Notice)) {
        self.change(id, |play, ()| play.lose(), (), notify);
    }

    /// The answers that the site may not have yet.
    pub(crate) fn answers(&self) -> Vec<(SiteId, String)> {
        self.plays.iter().filter_map(|(id, play)| Some((id.clone(), play.unconfirmed()?))).collect()
    }

    /// The site has the answer of a match.
    pub(crate) fn confirm(&mut self, id: &SiteId, notify: &mut dyn FnMut(Notice)) {
        self.change(id, |play, ()| play.confirm(), (), notify);
    }

    /// A match is over.
    pub(crate) fn finish(&mut self, id: &SiteId, notify: &mut dyn FnMut(Notice)) {
        if self.plays.remove(id).is_some() {
            self.record(id, notify);
        }
    }

    /// Whether nothing is going on that could go on.
    pub(crate) fn is_idle(&self) -> bool {
        self.plays.values().all(|play| play.phase() == Phase::Lost)
    }

    fn change<T>(
        &mut self,
        id: &SiteId,
        change: impl Fn(&mut Play, T),
        with: T,
        notify: &mut dyn FnMut(Notice),
    ) {
        if let Some(play) = self.plays.get_mut(id) {
            change(play, with);
            self.record(id, notify);
        }
    }

    /// Writes what has changed about a match, and about those whose changes could not be written before.
    fn record(&mut self, id: &SiteId, notify: &mut dyn FnMut(Notice)) {
        let reported = !self.unsaved.is_empty();
        self.unsaved.insert(id.clone());
        while let Some(id) = self.unsaved.first() {
            if let Err(error) = self.state.record(id, self.plays.get(id)) {
                if !reported {
                    notify(Notice::StateUnsaved(error));
                }
                return;
            }
            self.unsaved.pop_first();
        }
        if reported {
            notify(Notice::StateSaved);
        }
    }
}
