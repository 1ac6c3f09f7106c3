//! The analysis engine: queries in, a line each, answers out, a line each, in any order.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::answer::refusal;
use super::fields::FieldError;
use super::query::{Defaults, Query};
use super::query_pool::{QueryPool, Ticket};
use super::request::AnalysisRequest;
use crate::files::read_line;

/// The longest line that is read, in bytes.
const MAX_LINE: usize = 1 << 20;

/// Lines that are read ahead of the one that is being taken.
const LINES_AHEAD: usize = 16;

/// What wakes the loop that takes queries.
enum Event {
    /// A line, or `None` if it was too long.
    Line(Option<Vec<u8>>),
    /// The input has ended, or cannot be read.
    End(io::Result<()>),
    /// The output has failed.
    Broken,
}

/// Where answers go.
pub type Output = Box<dyn Write + Send>;

/// What the reader and the searches share.
struct AnalysisSession {
    output: Mutex<Output>,
    /// The turns of queries that are not answered to their end, by id.
    asked: Mutex<HashMap<String, Vec<(usize, Ticket)>>>,
    /// Why nothing can be written any more.
    broken: Mutex<Option<io::Error>>,
    /// Wakes the loop when the output fails.
    events: SyncSender<Event>,
}

/// Answers every line until the end of the input, and then what is left in the pool.
///
/// Once the output fails, every search ends and this returns, though the input may go on: a thread
/// of its own reads that.
///
/// # Errors
/// If the input cannot be read or the output cannot be written.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: Output,
    pool: QueryPool,
    defaults: &Defaults,
) -> io::Result<()> {
    let (events, heard) = mpsc::sync_channel(LINES_AHEAD);
    let (output, asked) = (Mutex::new(output), Mutex::new(HashMap::new()));
    let session =
        Arc::new(AnalysisSession { output, asked, broken: Mutex::new(None), events: events.clone() });
    thread::Builder::new().name("queries".into()).spawn(move || read_lines(input, &events))?;
    while session.broken.lock().is_none() {
        // The session holds a sender, so that there is always an event to come.
        match heard.recv().unwrap_or(Event::Broken) {
            Event::Broken => break,
            Event::End(ended) => {
                ended?;
                pool.finish();
                break;
            }
            Event::Line(None) => {
                let message = format!("a line of more than {MAX_LINE} bytes: expected less");
                session.say(&refusal(None, &FieldError::new("", message)));
            }
            Event::Line(Some(line)) if line.trim_ascii().is_empty() => {}
            Event::Line(Some(line)) => AnalysisSession::take(&session, &line, &pool, defaults),
        }
    }
    match session.broken.lock().take() {
        None => Ok(()),
        Some(error) => Err(error),
    }
}

/// Reads lines until the input ends, fails, or is no longer wanted.
fn read_lines(mut input: impl BufRead, events: &SyncSender<Event>) {
    loop {
        let mut line = Vec::new();
        let event = match read_line(&mut input, MAX_LINE, &mut line) {
            Ok(true) if line.is_empty() => Event::End(Ok(())),
            Ok(true) => Event::Line(Some(line)),
            Ok(false) => {
                input.skip_until(b'\n').map_or_else(|error| Event::End(Err(error)), |_| Event::Line(None))
            }
            Err(error) => Event::End(Err(error)),
        };
        let last = matches!(event, Event::End(_));
        if events.send(event).is_err() || last {
            return;
        }
    }
}

impl AnalysisSession {
    fn take(session: &Arc<AnalysisSession>, line: &[u8], pool: &QueryPool, defaults: &Defaults) {
        let request = match AnalysisRequest::read(line, defaults) {
            Err(error) => {
                session.say(&refusal(error.id.as_deref(), &error.error));
                return;
            }
            Ok((request, warnings)) => {
                for warning in &warnings {
                    session.say(
                        &json!({"id": request.id(), "warning": warning.message, "field": warning.field}),
                    );
                }
                request
            }
        };
        match request {
            AnalysisRequest::Version { id } => {
                // A build of a release names its commit.
                let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("QUIVER_COMMIT"));
                session.say(&json!({"id": id, "action": "version", "version": version, "git_hash": commit}))
            }
            AnalysisRequest::Query(query) => AnalysisSession::submit(session, *query, pool),
            AnalysisRequest::Terminate { id, target, turns } => {
                let tickets = session.asked.lock().get(&target).cloned();
                let answered = session.say(
                    &json!({"id": id, "action": "terminate", "terminate": target, "found": tickets.is_some()}),
                );
                let ended = |turn: &usize| turns.is_empty() || turns.contains(turn);
                for (_, ticket) in tickets.unwrap_or_default().into_iter().filter(|(turn, _)| ended(turn)) {
                    pool.terminate(ticket);
                }
                answered
            }
            AnalysisRequest::TerminateAll { id } => {
                let answered = session.say(&json!({"id": id, "action": "terminate_all"}));
                pool.terminate_all();
                answered
            }
        };
    }

    fn submit(session: &Arc<AnalysisSession>, query: Query, pool: &QueryPool) -> bool {
        let id = query.id.clone();
        // A ticket a turn, so that each can be ended by itself.
        let tickets: Vec<(usize, Ticket)> = query.turns.iter().map(|&turn| (turn, pool.ticket())).collect();
        let left = Arc::new(Mutex::new(tickets.len()));
        let known = session.asked.lock().contains_key(&id);
        if known {
            let error = FieldError::new("id", "a query of this id is not yet answered: expected another");
            return session.say(&refusal(Some(&id), &error));
        }
        session.asked.lock().insert(id.clone(), tickets.clone());
        for (turn, ticket) in tickets {
            let (session, id, left) = (Arc::clone(session), id.clone(), Arc::clone(&left));
            let hear = move |answer: Value| {
                let mut left = left.lock();
                *left -= usize::from(answer["searching"] != true);
                if *left == 0 {
                    // Before the last answer is written: its reader may use the id again at once.
                    session.asked.lock().remove(&id);
                }
                session.say(&answer)
            };
            pool.submit(ticket, Query { turns: vec![turn], ..query.clone() }, Box::new(hear));
        }
        true
    }

    /// Writes a line. Returns whether its reader is still there.
    fn say(&self, answer: &Value) -> bool {
        let mut output = self.output.lock();
        match writeln!(output, "{answer}").and_then(|()| output.flush()) {
            Ok(()) => true,
            Err(error) => {
                self.broken.lock().get_or_insert(error);
                // Where the queue is full, the loop has events to wake it, and looks at `broken`
                // between them.
                let _ = self.events.try_send(Event::Broken);
                false
            }
        }
    }
}
