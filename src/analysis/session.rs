//! The analysis engine: queries in, a line each, answers out, a line each, in any order.

use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::answer::refusal;
use super::desk::{Desk, Ticket};
use super::fields::FieldError;
use super::query::{Defaults, Query, Request};

/// The longest line that is read, in bytes.
const MAX_LINE: u64 = 1 << 20;

/// Where answers go.
pub type Output = Box<dyn Write + Send>;

/// What the reader and the searches share.
struct Session {
    output: Mutex<Output>,
    /// Queries that are not answered to their end, by id.
    asked: Mutex<HashMap<String, Ticket>>,
    /// Why nothing can be written any more.
    broken: Mutex<Option<io::Error>>,
}

/// Answers every line until the end of the input, and then what is left on the desk.
///
/// # Errors
/// If the input cannot be read or the output cannot be written.
pub fn serve(mut input: impl BufRead, output: Output, desk: Desk, defaults: &Defaults) -> io::Result<()> {
    let asked = Mutex::new(HashMap::new());
    let session = Arc::new(Session { output: Mutex::new(output), asked, broken: Mutex::new(None) });
    let mut line = Vec::new();
    while locked(&session.broken).is_none() {
        line.clear();
        if input.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.len() as u64 > MAX_LINE {
            input.skip_until(b'\n')?;
            let message = format!("a line of more than {MAX_LINE} bytes: expected less");
            session.say(&refusal(None, &FieldError::new("", message)));
        } else if !line.trim_ascii().is_empty() {
            Session::take(&session, &line, &desk, defaults);
        }
    }
    if locked(&session.broken).is_none() {
        desk.finish();
    }
    match locked(&session.broken).take() {
        None => Ok(()),
        Some(error) => Err(error),
    }
}

impl Session {
    fn take(session: &Arc<Session>, line: &[u8], desk: &Desk, defaults: &Defaults) {
        match Request::read(line, defaults) {
            Err(error) => session.say(&refusal(error.id.as_deref(), &error.error)),
            Ok(Request::Version { id }) => {
                session.say(&json!({"id": id, "action": "version", "version": env!("CARGO_PKG_VERSION")}))
            }
            Ok(Request::Query(query)) => Session::submit(session, *query, desk),
            Ok(Request::Terminate { id, target }) => {
                let ticket = locked(&session.asked).get(&target).copied();
                session.say(
                    &json!({"id": id, "action": "terminate", "terminate": target, "found": ticket.is_some()}),
                ) && ticket.is_none_or(|ticket| {
                    desk.terminate(ticket);
                    true
                })
            }
            Ok(Request::TerminateAll { id }) => {
                let answered = session.say(&json!({"id": id, "action": "terminate_all"}));
                desk.terminate_all();
                answered
            }
        };
    }

    fn submit(session: &Arc<Session>, query: Query, desk: &Desk) -> bool {
        let (id, mut left) = (query.id.clone(), query.turns.len());
        let ticket = desk.ticket();
        let known = locked(&session.asked).contains_key(&id);
        if known {
            let error = FieldError::new("id", "a query of this id is not yet answered: expected another");
            return session.say(&refusal(Some(&id), &error));
        }
        locked(&session.asked).insert(id.clone(), ticket);
        let session = Arc::clone(session);
        let hear = move |answer: Value| {
            left -= usize::from(answer["searching"] != true);
            if left == 0 {
                // Before the last is written: who has read it may use the id again.
                locked(&session.asked).remove(&id);
            }
            session.say(&answer)
        };
        desk.submit(ticket, query, Box::new(hear));
        true
    }

    /// Writes a line; says whether anybody still reads.
    fn say(&self, answer: &Value) -> bool {
        let mut output = locked(&self.output);
        match writeln!(output, "{answer}").and_then(|()| output.flush()) {
            Ok(()) => true,
            Err(error) => {
                locked(&self.broken).get_or_insert(error);
                false
            }
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
