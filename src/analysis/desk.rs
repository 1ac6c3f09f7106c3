//! Where queries wait and are searched: several at once, by priority, until they are terminated.
//!
//! A [`Desk`] has a thread for every search that may run at a time. What they share is behind one lock, which nobody
//! holds while searching or answering.

mod seat;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use super::answer::Analysis;
use super::query::Query;
use crate::game::Position;
use crate::search::{Report, StopHandle, Watch};
use seat::{Seat, Seats};

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
}

#[derive(Debug, Default)]
struct State {
    /// Higher priority first, then in order of arrival.
    waiting: BTreeMap<(Reverse<i64>, u64), Job>,
    running: Vec<Running>,
    seats: Seats,
    tickets: u64,
    arrivals: u64,
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
        let state = Mutex::new(State::default());
        let workers = workers.max(1);
        let shared = Arc::new(Shared { state, changed: Condvar::new(), memory, workers });
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
        self.shared.state().closed = true;
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
        while let Some((job, seat)) = self.next() {
            let seat = self.search(&job, seat);
            let mut state = self.state();
            let done = |running: &Running| running.ticket == job.ticket && running.turn == job.turn;
            state.running.retain(|running| !done(running));
            state.seats.put_back(seat);
        }
    }

    /// Waits for a job, and takes the engine that knows most about it.
    fn next(&self) -> Option<(Job, Option<Seat>)> {
        let mut state = self.state();
        loop {
            if let Some((_, job)) = state.waiting.pop_first() {
                state.running.push(Running {
                    ticket: job.ticket,
                    turn: job.turn,
                    handle: None,
                    stopped: false,
                });
                // Whoever would be one engine too many makes do with one that is idle.
                let full = state.running.len() + state.seats.len() > self.workers;
                let seat = state.seats.take(&job.asked.query, job.turn, full);
                return Some((job, seat));
            }
            if state.closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Searches a position and answers; gives the engine back.
    fn search(&self, job: &Job, seat: Option<Seat>) -> Option<Seat> {
        let (query, turn) = (&job.asked.query, job.turn);
        let position = &query.line.positions()[turn];
        if position.winner().is_some() {
            job.asked.answer(turn, answer(query, position, None));
            return seat;
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
            None => Watch::nobody(),
        };
        let report = seat.engine.search_watched(&query.limits.limits(), &mut watch);
        if !job.asked.answer(turn, answer(query, position, report.as_ref())) {
            self.terminate(|ticket| ticket == job.ticket);
        }
        Some(seat)
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

fn answer(query: &Query, position: &Position, report: Option<&Report>) -> Value {
    // Distances do not change while a search runs, but a reader of one answer should not need another.
    Analysis { position, report, territory: query.territory }.json()
}

#[cfg(test)]
mod tests;
