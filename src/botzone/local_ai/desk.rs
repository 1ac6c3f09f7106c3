//! Who thinks about which match, and on the opponent's time.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::mpsc::Sender;
use std::time::Duration;

use super::poll::SiteId;
use super::pool::{Done, Job, Outcome, Pool, Task};
use super::runner::Event;
use crate::botzone::conversation::Conversation;
use crate::botzone::request::Request;
use crate::search::{Limits, StopHandle, StopReason};

/// How long one match is thought about on the opponent's time before it is another one's turn.
const SLICE: Duration = Duration::from_millis(500);

/// How many slices a match gets while one request is waited for: an opponent may be asleep.
const SLICES: u32 = 120;

/// The conversations that are kept, and the threads that think.
///
/// A conversation is an engine with its tree, and there are never more than `seats` of them. A match that finds
/// none of its own takes the one that was used longest ago from another match, which loses its tree and nothing
/// else: every question is a whole history.
pub(super) struct Desk {
    seats: usize,
    threads: usize,
    build: Box<dyn Fn() -> Conversation>,
    pool: Pool,
    /// Conversations that nobody is at, longest unused first.
    idle: Vec<(SiteId, Conversation)>,
    /// Jobs given and not come back.
    busy: usize,
    pondering: Pondering,
}

#[derive(Default)]
struct Pondering {
    /// Whether this is the time for it.
    on: bool,
    queue: VecDeque<SiteId>,
    /// The searches that run, each with what ends it.
    running: BTreeMap<SiteId, StopHandle>,
    /// Slices had since the match's last answer.
    had: BTreeMap<SiteId, u32>,
}

impl Desk {
    /// A desk with this many conversations and threads.
    pub(super) fn new(
        seats: usize,
        threads: usize,
        build: Box<dyn Fn() -> Conversation>,
        events: &Sender<Event>,
    ) -> io::Result<Desk> {
        Ok(Desk {
            seats: seats.max(threads),
            threads,
            build,
            pool: Pool::new(threads, events)?,
            idle: Vec::new(),
            busy: 0,
            pondering: Pondering::default(),
        })
    }

    /// Whether a thread is free.
    pub(super) fn has_room(&self) -> bool {
        self.busy < self.threads
    }

    /// Whether nobody thinks.
    pub(super) fn is_quiet(&self) -> bool {
        self.busy == 0
    }

    /// How many rounds of thinking this many requests take.
    pub(super) fn rounds(&self, requests: usize) -> u32 {
        requests.div_ceil(self.threads).max(1).try_into().unwrap_or(u32::MAX)
    }

    /// Has a request thought about.
    pub(super) fn answer(&mut self, id: &SiteId, request: Request) {
        self.pondering.had.remove(id);
        let conversation = self.seat(id);
        self.give(id, conversation, Task::Answer(request));
    }

    /// Takes back what a thread had.
    pub(super) fn returned(&mut self, id: SiteId, conversation: Option<Conversation>) {
        self.busy -= 1;
        self.idle.extend(conversation.map(|conversation| (id, conversation)));
    }

    /// Lets go of a match that is over.
    pub(super) fn forget(&mut self, id: &SiteId) {
        self.idle.retain(|(other, _)| other != id);
        self.pondering.had.remove(id);
    }

    /// The match's own conversation, or one that may be used for it.
    fn seat(&mut self, id: &SiteId) -> Conversation {
        if let Some(at) = self.idle.iter().position(|(other, _)| other == id) {
            return self.idle.remove(at).1;
        }
        if self.idle.len() + self.busy >= self.seats && !self.idle.is_empty() {
            // Its memory goes first, so that there is never more of it than was asked for.
            drop(self.idle.remove(0));
        }
        (self.build)()
    }

    fn give(&mut self, id: &SiteId, conversation: Conversation, task: Task) {
        self.busy += 1;
        self.pool.give(Job { id: id.clone(), conversation, task });
    }

    /// Thinks about these matches on their opponents' time, those first that were thought about last.
    pub(super) fn ponder(&mut self, waiting: &dyn Fn(&SiteId) -> bool) {
        let ids = self.idle.iter().rev().map(|(id, _)| id);
        self.pondering.on = true;
        self.pondering.queue = ids.filter(|id| waiting(id)).cloned().collect();
        self.ponder_next();
    }

    fn ponder_next(&mut self) {
        while self.has_room()
            && let Some(id) = self.pondering.queue.pop_front()
        {
            let Some(at) = self.idle.iter().position(|(other, _)| *other == id) else { continue };
            let Some(stop) = self.idle[at].1.stop_handle() else { continue };
            let had = self.pondering.had.entry(id.clone()).or_default();
            if *had >= SLICES {
                continue;
            }
            *had += 1;
            let conversation = self.idle.remove(at).1;
            self.pondering.running.insert(id.clone(), stop);
            self.give(&id, conversation, Task::Ponder(Limits::per_move(SLICE)));
        }
    }

    /// Takes back a search on the opponent's time; it goes on later if there was more to find.
    pub(super) fn pondered(&mut self, done: Done) {
        let Done { id, conversation, outcome } = done;
        if let Some(stop) = self.pondering.running.remove(&id) {
            // A stop that came after the search had ended is not for the next one.
            stop.reset();
        }
        let more = matches!(outcome, Outcome::Pondered(Some(StopReason::Time)));
        self.returned(id.clone(), conversation);
        if more && self.pondering.on {
            self.pondering.queue.push_back(id);
        }
        self.ponder_next();
    }

    /// Ends all thinking on the opponents' time; the searches come back at once, as [`Event::Done`].
    pub(super) fn stop_pondering(&mut self) {
        self.pondering.on = false;
        self.pondering.queue.clear();
        for stop in self.pondering.running.values() {
            stop.stop();
        }
    }
}
