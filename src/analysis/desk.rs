//! Where queries wait and are searched: several at once, by priority, until they are terminated.
//!
//! A [`Desk`] has a thread for every search that may run at a time. What they share is behind one lock, which nobody
//! holds while searching or answering. With nothing to do, and if it is asked to, one of them ponders: it goes on with
//! the tree that was searched last, until a query comes or its memory is full.

mod seat;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use super::answer::Analysis;
use super::query::Query;
use crate::game::Position;
use crate::search::{Report, StopHandle, StopReason, Watch};
use seat::{Seat, Seats};

/// Playouts after which a pondering thread looks whether there is something to do, should a stop have gone unheard.
const SLICE: u64 = 1024;

/// Takes the answers to one query, one at a time; says whether anybody still listens. Dropped after the last.
pub type Sink = Box<dyn FnMut(Value) -> bool + Send>;

/// Queries being searched and waiting.
#[derive(Debug)]
pub struct Desk {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

/// Names a query of a desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Told when there is a job, or when there will be none.
    changed: Condvar,
    memory: usize,
    workers: usize,
    ponder: bool,
}

#[derive(Debug, Default)]
struct State {
    /// Higher priority first, then in order of arrival.
    waiting: BTreeMap<(Reverse<i64>, u64), Job>,
    running: Vec<Running>,
    seats: Seats,
    tickets: u64,
    arrivals: u64,
    /// What ends the pondering, while there is some.
    pondering: Option<StopHandle>,
    /// Playouts of all pondering so far.
    pondered: u64,
    /// Nothing more will come.
    closed: bool,
}

/// One position of a query.
#[derive(Debug)]
struct Job {
    ticket: Ticket,
    asked: Arc<Asked>,
    turn: usize,
}

/// A query and who hears the answers.
struct Asked {
    query: Query,
    sink: Mutex<Sink>,
}

/// What a worker is to do.
enum Duty {
    /// With the engine that knows most about it.
    Answer(Job, Option<Seat>),
    Ponder(Seat),
}

/// A job in the hands of a worker.
#[derive(Debug)]
struct Running {
    ticket: Ticket,
    turn: usize,
    /// Set as soon as there is an engine to stop.
    handle: Option<StopHandle>,
    stopped: bool,
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.query.fmt(f)
    }
}

impl Asked {
    fn answer(&self, turn: usize, mut answer: Value) -> bool {
        answer["id"] = self.query.id.as_str().into();
        answer["turn"] = turn.into();
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        (*sink)(answer)
    }
}

impl Desk {
    /// A desk that searches `workers` positions at a time, each in at most `memory` bytes.
    #[must_use]
    pub fn new(workers: usize, memory: usize) -> Desk {
        Desk::build(workers, memory, false)
    }

    /// The same desk, but one that ponders while nobody asks.
    ///
    /// It goes on where a query was searched that may use what others leave behind: a later one about this position or a
    /// later one of the game finds the visits there.
    #[must_use]
    pub fn pondering(workers: usize, memory: usize) -> Desk {
        Desk::build(workers, memory, true)
    }

    fn build(workers: usize, memory: usize, ponder: bool) -> Desk {
        let state = Mutex::new(State::default());
        let workers = workers.max(1);
        let shared = Arc::new(Shared { state, changed: Condvar::new(), memory, workers, ponder });
        let work = |_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.work())
        };
        Desk { workers: (0..workers).map(work).collect(), shared }
    }

    /// A name for a query that is about to be submitted: its answers may come before that has returned.
    #[must_use]
    pub fn ticket(&self) -> Ticket {
        let mut state = self.shared.state();
        state.tickets += 1;
        Ticket(state.tickets)
    }

    /// Puts a query on the desk, by a name of its own. Every turn of it is answered once with `searching` false, or
    /// as terminated.
    pub fn submit(&self, ticket: Ticket, query: Query, sink: Sink) {
        let asked = Arc::new(Asked { query, sink: Mutex::new(sink) });
        let mut state = self.shared.state();
        for &turn in &asked.query.turns {
            state.arrivals += 1;
            let place = (Reverse(asked.query.priority), state.arrivals);
            state.waiting.insert(place, Job { ticket, asked: Arc::clone(&asked), turn });
        }
        state.stop_pondering();
        self.shared.changed.notify_all();
    }

    /// Ends a query, if it has not ended: what is being searched is answered as it stands, what waits as terminated.
    pub fn terminate(&self, ticket: Ticket) {
        self.shared.terminate(|other| other == ticket);
    }

    /// Ends every query.
    pub fn terminate_all(&self) {
        self.shared.terminate(|_| true);
    }

    /// Waits until everything on the desk is answered.
    pub fn finish(mut self) {
        self.close();
    }

    fn close(&mut self) {
        let mut state = self.shared.state();
        state.closed = true;
        state.stop_pondering();
        drop(state);
        self.shared.changed.notify_all();
        for worker in self.workers.drain(..) {
            // One that panicked has said so on standard error.
            let _ = worker.join();
        }
    }
}

/// Ends everything and waits for it.
impl Drop for Desk {
    fn drop(&mut self) {
        if !self.workers.is_empty() {
            self.terminate_all();
            self.close();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn terminate(&self, meant: impl Fn(Ticket) -> bool) {
        let mut state = self.state();
        let gone: Vec<Job> =
            state.waiting.extract_if(.., |_, job| meant(job.ticket)).map(|(_, job)| job).collect();
        for running in state.running.iter_mut().filter(|running| meant(running.ticket)) {
            running.stopped = true;
            if let Some(handle) = &running.handle {
                handle.stop();
            }
        }
        drop(state);
        for job in gone {
            job.asked.answer(job.turn, json!({"terminated": true}));
        }
    }

    /// A worker's life.
    fn work(&self) {
        while let Some(duty) = self.next() {
            let (job, seat) = match duty {
                Duty::Answer(job, seat) => (job, seat),
                Duty::Ponder(seat) => {
                    self.ponder(seat);
                    continue;
                }
            };
            let (seat, last) = self.search(&job, seat);
            // Back before the last answer is given: whoever has it may ask at once for what comes next.
            let mut state = self.state();
            let done = |running: &Running| running.ticket == job.ticket && running.turn == job.turn;
            state.running.retain(|running| !done(running));
            state.seats.put_back(seat);
            drop(state);
            if !job.asked.answer(job.turn, last) {
                self.terminate(|ticket| ticket == job.ticket);
            }
        }
    }

    /// Waits for something to do.
    fn next(&self) -> Option<Duty> {
        let mut state = self.state();
        loop {
            // Whoever ponders is about to come back, with the tree that a query most likely is about.
            if state.pondering.is_none()
                && let Some((_, job)) = state.waiting.pop_first()
            {
                state.running.push(Running {
                    ticket: job.ticket,
                    turn: job.turn,
                    handle: None,
                    stopped: false,
                });
                // Whoever would be one engine too many makes do with one that is idle.
                let full = state.running.len() + state.seats.len() > self.workers;
                let seat = state.seats.take(&job.asked.query, job.turn, full);
                return Some(Duty::Answer(job, seat));
            }
            if state.closed && state.waiting.is_empty() {
                return None;
            }
            if let Some(seat) = self.to_ponder(&mut state) {
                return Some(Duty::Ponder(seat));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The engine to ponder with, if this is the time for it: nobody searches or waits.
    fn to_ponder(&self, state: &mut State) -> Option<Seat> {
        let idle = state.running.is_empty() && state.waiting.is_empty() && state.pondering.is_none();
        if !self.ponder || state.closed || !idle {
            return None;
        }
        let seat = state.seats.take_to_ponder()?;
        let handle = seat.engine.stop_handle();
        handle.reset();
        state.pondering = Some(handle);
        Some(seat)
    }

    /// Ponders until there is something to do or nothing more to find.
    fn ponder(&self, mut seat: Seat) {
        /// Lets queries be searched again, even if this thread panics.
        struct Over<'a>(&'a Shared);

        impl Drop for Over<'_> {
            fn drop(&mut self) {
                self.0.state().pondering = None;
                self.0.changed.notify_all();
            }
        }

        let _over = Over(self);
        loop {
            let report = seat.engine.ponder(SLICE);
            let ended = report.as_ref().is_none_or(|report| report.proven) || !seat.engine.has_room();
            let mut state = self.state();
            state.pondered += report.as_ref().map_or(0, |report| report.playouts);
            let stopped = report.is_some_and(|report| report.stop != StopReason::Playouts);
            if ended || stopped || state.closed || !state.waiting.is_empty() {
                seat.ponders = !ended;
                // Back before it is over: who waits for that finds it.
                state.seats.put_back(Some(seat));
                return;
            }
        }
    }

    /// Searches a position and answers on the way; gives the engine back, and the last answer.
    fn search(&self, job: &Job, seat: Option<Seat>) -> (Option<Seat>, Value) {
        let (query, turn) = (&job.asked.query, job.turn);
        let position = &query.line.positions()[turn];
        if position.winner().is_some() {
            return (seat, answer(query, position, None));
        }
        let mut seat = Seat::ready(seat, query, turn, self.memory);
        let handle = seat.engine.stop_handle();
        self.register(job, &handle);
        let mut tell = |report: &Report| {
            if !job.asked.answer(turn, answer(query, position, Some(report))) {
                self.terminate(|ticket| ticket == job.ticket);
            }
        };
        let mut watch = match query.report_every {
            Some(every) => Watch::new(every, &mut tell),
            None => Watch::none(),
        };
        let report = seat.engine.search_watched(&query.limits.limits(), &mut watch);
        (Some(seat), answer(query, position, report.as_ref()))
    }

    /// Lets the search that is about to begin be stopped; if that has been asked for already, it will not last.
    fn register(&self, job: &Job, handle: &StopHandle) {
        handle.reset();
        let mut state = self.state();
        let mine = |running: &&mut Running| running.ticket == job.ticket && running.turn == job.turn;
        if let Some(running) = state.running.iter_mut().find(mine) {
            if running.stopped {
                handle.stop();
            }
            running.handle = Some(handle.clone());
        }
    }
}

impl State {
    fn stop_pondering(&self) {
        if let Some(handle) = &self.pondering {
            handle.stop();
        }
    }
}

fn answer(query: &Query, position: &Position, report: Option<&Report>) -> Value {
    // Distances do not change while a search runs, but a reader of one answer should not need another.
    Analysis { position, report, territory: query.territory }.json()
}

#[cfg(test)]
mod tests;
