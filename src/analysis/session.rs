//! The analysis engine: reads queries, one a line, and writes answers, one a line, in any order.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use amazons::Size;
use parking_lot::Mutex;
use quiver_engine::policy::{Network, Networks};
use serde::Serialize;
use serde_json::{Value, json};

use super::answer::{Answer, Refusal};
use super::fields::FieldError;
use super::pool::{QueryPool, Ticket};
use super::query::{Defaults, Query};
use super::request::{Action, AnalysisRequest};

/// A function that gets an answer as a line of JSON. Returns true if its reader is still there.
pub type Output = Box<dyn Fn(String) -> bool + Send + Sync>;

/// A stream of queries with their answers, for any transport.
pub struct AnalysisSession {
    defaults: Defaults,
    /// The commit that the program is built from.
    commit: &'static str,
    /// The turns of queries without a last answer, by id.
    asked: Mutex<HashMap<String, Vec<(usize, Ticket)>>>,
    output: Output,
}

impl AnalysisSession {
    /// A session whose answers go to `output`, also from the threads of a pool.
    pub fn new(defaults: Defaults, commit: &'static str, output: Output) -> Arc<AnalysisSession> {
        Arc::new(AnalysisSession { defaults, commit, asked: Mutex::default(), output })
    }

    /// Rejects a line that was not read completely.
    pub fn refuse(&self, message: String) {
        self.send(&Refusal::new(None, &FieldError::new("", message)));
    }

    /// Answers a line at once, or lets the pool search its positions.
    pub fn handle_line(self: &Arc<Self>, line: &[u8], pool: &QueryPool) {
        let AnalysisRequest { id, action, warnings, object: mut answer } =
            AnalysisRequest::read(line, &self.defaults);
        for FieldError { field, message } in warnings {
            self.send(&json!({"id": id, "warning": message, "field": field}));
        }
        let mut ended = Vec::new();
        match action {
            Err(error) => {
                self.send(&Refusal::new(id.as_deref(), &error));
                return;
            }
            Ok(Action::Query(query)) => return self.submit(*query, pool),
            Ok(Action::QueryVersion) => {
                answer.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
                answer.insert("git_hash".to_owned(), self.commit.into());
            }
            Ok(Action::QueryModels) => {
                answer.insert("models".to_owned(), models(&self.defaults.engine.networks));
            }
            Ok(Action::ClearCache) => pool.clear(),
            Ok(Action::Terminate { target, turns }) => {
                let asked = self.asked.lock().get(&target).cloned();
                answer.insert("found".to_owned(), asked.is_some().into());
                ended.extend(asked.into_iter().flatten().filter(|(turn, _)| is_named(&turns, *turn)));
            }
            Ok(Action::TerminateAll { turns }) => {
                let asked = self.asked.lock();
                ended.extend(asked.values().flatten().filter(|(turn, _)| is_named(&turns, *turn)));
            }
        }
        self.send(&answer);
        ended.into_iter().for_each(|(_, ticket)| pool.terminate(ticket));
    }

    fn submit(self: &Arc<Self>, query: Query, pool: &QueryPool) {
        let id = query.id.clone();
        // Locked until the tickets are stored, because the last answer removes them.
        let mut asked = self.asked.lock();
        if asked.contains_key(&id) {
            drop(asked);
            let error = FieldError::new("id", "a query of this id is not yet answered: expected another");
            self.send(&Refusal::new(Some(&id), &error));
            return;
        }
        let (session, asked_id, mut left) = (Arc::clone(self), id.clone(), query.turns.len());
        let on_answer = move |answer: Answer| {
            left -= usize::from(!answer.is_during_search);
            if left == 0 {
                // Removed before the last answer is written: its reader may use the id again at
                // once.
                session.asked.lock().remove(&asked_id);
            }
            session.send(&answer)
        };
        asked.insert(id, pool.search(query, Box::new(on_answer)));
    }

    /// Gives an answer to the output. Returns true if its reader is still there.
    fn send(&self, answer: &impl Serialize) -> bool {
        // Keys of answers are strings, and their numbers are finite, so they always serialise.
        serde_json::to_string(answer).is_ok_and(|answer| (self.output)(answer))
    }
}

impl fmt::Debug for AnalysisSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnalysisSession").field("defaults", &self.defaults).finish_non_exhaustive()
    }
}

/// True if a request to terminate covers this turn: it names the turn, or none.
fn is_named(turns: &[usize], turn: usize) -> bool {
    turns.is_empty() || turns.contains(&turn)
}

/// The networks, in the order of their boards.
fn models(networks: &Networks) -> Value {
    let boards = [8, 10].into_iter().filter_map(|side| Size::square(side).ok());
    let model = |network: &Network| {
        let board = network.board();
        json!({
            "name": format!("{board}x{board}"),
            "internalName": format!("{board}x{board}-{:08x}", network.checksum()),
            "maxBatchSize": 1,
            "usesHumanSLProfile": false,
            "version": Network::FORMAT,
            "usingFP16": "false",
        })
    };
    boards.map(|size| model(networks.on(size))).collect()
}
