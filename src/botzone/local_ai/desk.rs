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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver};

    use super::*;
    use crate::botzone::clock::TurnLimits;
    use crate::botzone::conversation::Answer;
    use crate::botzone::request::{Content, Form};
    use crate::botzone::starts::{StartChoice, Starts};
    use crate::game::{Coordinates, Size};
    use crate::players::{EngineOptions, PlayerKind};
    use crate::search::Report;

    const PLAYOUTS: u64 = 60;

    fn starts() -> Starts {
        Starts::new(Size::square(8).unwrap(), false, StartChoice::Formula).unwrap()
    }

    fn conversation() -> Conversation {
        let options = EngineOptions { memory: 32 << 20, seed: 1, ..EngineOptions::default() };
        let player = PlayerKind::Quiver.build(&options, &starts().usual().likely);
        Conversation::new(player, starts(), TurnLimits { first: None, time: None, playouts: Some(PLAYOUTS) })
    }

    fn question(entries: &[Coordinates]) -> Request {
        Request { form: Form::Text, content: Content::History(entries.to_vec()), time_limit: None }
    }

    fn done(events: &Receiver<Event>) -> Done {
        match events.recv().unwrap() {
            Event::Done(done) => *done,
            Event::Reply(_) | Event::Interrupt => panic!("nobody else is here"),
        }
    }

    fn answered(desk: &mut Desk, events: &Receiver<Event>) -> Answer {
        let Done { id, conversation, outcome } = done(events);
        desk.returned(id, conversation);
        let Outcome::Answered(Ok(answer)) = outcome else { panic!("no answer") };
        answer
    }

    #[test]
    fn what_was_found_on_the_opponents_time_is_there_when_he_has_moved() {
        let now = crate::search::Stopwatch::wall;
        let mut conversation = conversation();
        let ours = conversation.answer(&question(&[Coordinates::NONE]), now()).unwrap().full.into();
        let theirs = conversation.ponder(&Limits::playouts(20_000)).unwrap().best.into();
        let entries = [Coordinates::NONE, ours, theirs];
        let Report { reused, playouts, .. } =
            conversation.answer(&question(&entries), now()).unwrap().report.unwrap();
        assert!(reused > PLAYOUTS && playouts == PLAYOUTS, "{reused} reused, {playouts} playouts");
    }

    #[test]
    fn a_stop_of_the_thinking_between_never_cuts_an_answer_short() {
        let (sender, events) = mpsc::channel();
        let mut desk = Desk::new(2, 2, Box::new(conversation), &sender).unwrap();
        let ids: Vec<SiteId> = ["a", "b", "c"].map(|id| id.parse().unwrap()).to_vec();
        for round in 0..30u32 {
            for id in &ids {
                desk.answer(id, question(&[Coordinates::NONE]));
                let report = answered(&mut desk, &events).report.unwrap();
                assert_eq!((report.playouts, report.stop), (PLAYOUTS, StopReason::Playouts));
                // One engine more than there are seats: the one longest unused has gone.
                assert!(desk.idle.len() <= 2 && desk.is_quiet());
            }
            desk.ponder(&|_| true);
            assert!(!desk.has_room());
            std::thread::sleep(Duration::from_micros(u64::from(round % 5) * 200));
            desk.stop_pondering();
            while !desk.is_quiet() {
                let done = done(&events);
                desk.pondered(done);
            }
        }
    }

    #[test]
    fn rounds_share_the_time_of_the_threads() {
        let (sender, _events) = mpsc::channel();
        let desk = Desk::new(1, 2, Box::new(conversation), &sender).unwrap();
        for (requests, rounds) in [(0, 1), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3)] {
            assert_eq!(desk.rounds(requests), rounds);
        }
    }
}
