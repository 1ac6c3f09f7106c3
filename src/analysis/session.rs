//! The analysis engine: queries in, a line each, answers out, a line each, in any order.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::answer::refusal;
use super::fields::FieldError;
use super::query::{Action, AnalysisRequest, Defaults, Query};
use super::query_pool::{QueryPool, Ticket};
use crate::files::read_line;

const MAX_LINE: usize = 1 << 20;

struct AnalysisSession {
    defaults: Defaults,
    /// The turns of queries that are not answered to their end, by id.
    asked: Mutex<HashMap<String, Vec<(usize, Ticket)>>>,
    /// Hears why nothing can be written any more.
    ended: Sender<io::Result<()>>,
}

/// Answers every line of standard input until its end, and then what is left in the pool.
///
/// Once the output fails, every search ends and this returns, though the input may go on: a thread
/// of its own reads that.
pub(crate) fn serve(pool: QueryPool, defaults: Defaults) -> io::Result<()> {
    let (ended, end) = mpsc::channel();
    let session = Arc::new(AnalysisSession { defaults, asked: Mutex::default(), ended: ended.clone() });
    thread::Builder::new().name("queries".into()).spawn(move || {
        let read = session.read(&pool);
        if read.is_ok() {
            pool.finish();
        }
        // Only the first end is heard.
        let _ = ended.send(read);
    })?;
    end.recv().unwrap_or(Ok(()))
}

impl AnalysisSession {
    fn read(self: &Arc<Self>, pool: &QueryPool) -> io::Result<()> {
        let (mut input, mut line) = (io::stdin().lock(), Vec::new());
        loop {
            if !read_line(&mut input, MAX_LINE, &mut line)? {
                input.skip_until(b'\n')?;
                let message = format!("a line of more than {MAX_LINE} bytes: expected less");
                self.say(&refusal(None, &FieldError::new("", message)));
            } else if line.is_empty() {
                return Ok(());
            } else if !line.trim_ascii().is_empty() {
                self.take(&line, pool);
            }
        }
    }

    fn take(self: &Arc<Self>, line: &[u8], pool: &QueryPool) {
        let AnalysisRequest { id, action, warnings } = AnalysisRequest::read(line, &self.defaults);
        for FieldError { field, message } in warnings {
            self.say(&json!({"id": id, "warning": message, "field": field}));
        }
        match action {
            Err(error) => {
                self.say(&refusal(id.as_deref(), &error));
            }
            Ok(Action::Version) => {
                // A build of a release names its commit.
                let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("QUIVER_COMMIT"));
                self.say(&json!({"id": id, "action": "version", "version": version, "git_hash": commit}));
            }
            Ok(Action::Query(query)) => self.submit(*query, pool),
            Ok(Action::Terminate { target, turns }) => {
                let asked = self.asked.lock().get(&target).cloned();
                let found = asked.is_some();
                self.say(&json!({"id": id, "action": "terminate", "terminate": target, "found": found}));
                for (turn, ticket) in asked.into_iter().flatten() {
                    if turns.is_empty() || turns.contains(&turn) {
                        pool.terminate(ticket);
                    }
                }
            }
            Ok(Action::TerminateAll) => {
                self.say(&json!({"id": id, "action": "terminate_all"}));
                pool.terminate_all();
            }
        }
    }

    fn submit(self: &Arc<Self>, query: Query, pool: &QueryPool) {
        let id = query.id.clone();
        // Held until the tickets are in it: the last answer takes them out.
        let mut asked = self.asked.lock();
        if asked.contains_key(&id) {
            drop(asked);
            let error = FieldError::new("id", "a query of this id is not yet answered: expected another");
            self.say(&refusal(Some(&id), &error));
            return;
        }
        let (session, asked_id, mut left) = (Arc::clone(self), id.clone(), query.turns.len());
        let hear = move |answer: Value| {
            left -= usize::from(answer["searching"] != true);
            if left == 0 {
                // Before the last answer is written: its reader may use the id again at once.
                session.asked.lock().remove(&asked_id);
            }
            session.say(&answer)
        };
        asked.insert(id, pool.search(query, Box::new(hear)));
    }

    /// Writes a line. Returns whether its reader is still there.
    fn say(&self, answer: &Value) -> bool {
        let mut output = io::stdout().lock();
        let written = writeln!(output, "{answer}").and_then(|()| output.flush());
        written.map_err(|error| self.ended.send(Err(error))).is_ok()
    }
}
