//! The analysis engine as a stream of lines. Each line of input holds one action, such as a query.
//! Each line of output holds one answer. The answers come in any order.

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

/// A function that writes an answer as a line of JSON. Returns false if the output is closed.
pub type Output = Box<dyn Fn(String) -> bool + Send + Sync>;

/// Answers lines of input with lines of output. The caller reads the input and writes the output.
pub struct AnalysisSession {
    defaults: Defaults,
    commit: &'static str,
    /// Maps each unfinished query's id to the query's turns, each with the ticket of its search.
    open: Mutex<HashMap<String, Vec<(usize, Ticket)>>>,
    output: Output,
}

impl AnalysisSession {
    /// A session that calls `output` for each answer, also from the threads of a query pool.
    pub fn new(defaults: Defaults, commit: &'static str, output: Output) -> Arc<AnalysisSession> {
        Arc::new(AnalysisSession { defaults, commit, open: Mutex::default(), output })
    }

    /// Sends the error `message` as the answer to a line that could not be read completely.
    pub fn refuse(&self, message: String) {
        self.send(&Refusal::new(None, &FieldError::new("", message)));
    }

    /// Answers a line of input at once, or submits its query to the pool.
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
            Ok(Action::ClearCache) => pool.drop_idle_engines(),
            Ok(Action::Terminate { target, turns }) => {
                let open = self.open.lock().get(&target).cloned();
                answer.insert("found".to_owned(), open.is_some().into());
                ended.extend(open.into_iter().flatten().filter(|(turn, _)| covers(&turns, *turn)));
            }
            Ok(Action::TerminateAll { turns }) => {
                let open = self.open.lock();
                ended.extend(open.values().flatten().filter(|(turn, _)| covers(&turns, *turn)));
            }
        }
        self.send(&answer);
        ended.into_iter().for_each(|(_, ticket)| pool.terminate(ticket));
    }

    fn submit(self: &Arc<Self>, query: Query, pool: &QueryPool) {
        let id = query.id.clone();
        // The query's last answer removes the query's tickets from `open`. This answer may come at
        // once, so `open` stays locked until the tickets are inserted.
        let mut open = self.open.lock();
        if open.contains_key(&id) {
            drop(open);
            let error = FieldError::new("id", "a query with this id is still open: expected another id");
            self.send(&Refusal::new(Some(&id), &error));
            return;
        }
        let (session, open_id, mut left) = (Arc::clone(self), id.clone(), query.turns.len());
        let on_answer = move |answer: Answer| {
            left -= usize::from(!answer.is_during_search);
            if left == 0 {
                // Frees the id before the last answer, so that the next query may use the id.
                session.open.lock().remove(&open_id);
            }
            session.send(&answer)
        };
        open.insert(id, pool.search(query, Box::new(on_answer)));
    }

    fn send(&self, answer: &impl Serialize) -> bool {
        // Answers have string keys and finite numbers, so they always serialise.
        serde_json::to_string(answer).is_ok_and(|answer| (self.output)(answer))
    }
}

impl fmt::Debug for AnalysisSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnalysisSession").field("defaults", &self.defaults).finish_non_exhaustive()
    }
}

/// True if a request to terminate `turns` includes `turn`. An empty list means all turns.
fn covers(turns: &[usize], turn: usize) -> bool {
    turns.is_empty() || turns.contains(&turn)
}

/// Lists the policy networks with the fields of KataGo's `query_models`, smallest board first.
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
