//! The threads that think.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::{io, thread};

use super::poll::SiteId;
use super::runner::Event;
use crate::botzone::conversation::{Answer, Conversation, MatchError};
use crate::botzone::request::Request;
use crate::search::{Limits, StopReason, Stopwatch};

/// Something to think about. Whoever has the conversation is the only one to think about its match.
pub(super) struct Job {
    pub(super) id: SiteId,
    pub(super) conversation: Conversation,
    pub(super) task: Task,
}

/// What to think about.
pub(super) enum Task {
    /// The answer to a request.
    Answer(Request),
    /// The opponent's time.
    Ponder(Limits),
}

/// A job that is done, and the conversation back, unless it broke.
pub(super) struct Done {
    pub(super) id: SiteId,
    pub(super) conversation: Option<Conversation>,
    pub(super) outcome: Outcome,
}

/// What came of a job.
pub(super) enum Outcome {
    Answered(Result<Answer, MatchError>),
    Pondered(Option<StopReason>),
    /// A fault of this program, which costs this match its move and the others nothing.
    Panicked(String),
}

/// Threads that take jobs as they come. They end when the pool is dropped, each after the job it is at.
pub(super) struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    pub(super) fn new(threads: usize, events: &Sender<Event>) -> io::Result<Pool> {
        let (jobs, queue) = mpsc::channel();
        let queue = Arc::new(Mutex::new(queue));
        for index in 0..threads {
            let (queue, events) = (Arc::clone(&queue), events.clone());
            thread::Builder::new().name(format!("think-{index}")).spawn(move || work(&queue, &events))?;
        }
        Ok(Pool { jobs })
    }

    /// Hands a job to the first thread that is free.
    pub(super) fn give(&self, job: Job) {
        // The threads catch every panic and end with the pool only, so there is somebody to take it.
        let _ = self.jobs.send(job);
    }
}

fn work(queue: &Mutex<Receiver<Job>>, events: &Sender<Event>) {
    loop {
        // Nothing panics while it holds the lock, and a channel has no state to spoil.
        let job = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        if events.send(Event::Done(Box::new(run(job)))).is_err() {
            return;
        }
    }
}

fn run(job: Job) -> Done {
    let Job { id, mut conversation, task } = job;
    // A conversation that panicked is dropped, whatever state it is in.
    let result = panic::catch_unwind(AssertUnwindSafe(move || {
        let outcome = match task {
            Task::Answer(request) => Outcome::Answered(conversation.answer(&request, Stopwatch::wall())),
            Task::Ponder(limits) => {
                let report = conversation.ponder(&limits);
                Outcome::Pondered(report.map(|report| report.stop))
            }
        };
        (conversation, outcome)
    }));
    match result {
        Ok((conversation, outcome)) => Done { id, conversation: Some(conversation), outcome },
        Err(panic) => Done { id, conversation: None, outcome: Outcome::Panicked(reason(panic.as_ref())) },
    }
}

fn reason(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("for no stated reason").to_owned()
}
