//! Searches for the page: queries, and the moves of weak levels.
//!
//! Queries are the analysis engine's own, with its answers a line each in the body of the response.
//! When a page closes or cancels a query, it drops the connection, and the search ends.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::{Refusal, Searches, ServerParts, ServerState};
use crate::analysis::fields::{FieldError, Whole, read_strictly};
use crate::analysis::query::GameFields;
use crate::analysis::query_pool::Ticket;
use crate::analysis::{Action, AnalysisRequest, Answer, Query};
use crate::players::{LEVELS, PlayerKind};
use crate::search::{EngineOptions, Limits, Time};
use amazons::Move;

/// The least time between two answers on the way.
const LEAST_BETWEEN: Duration = Duration::from_millis(50);

/// Answers that wait for a slow client. More than a game has positions, so that no result is lost.
const WAITING: usize = 256;

/// Bytes of a level's tree, which is small: levels search few playouts.
const LEVEL_MEMORY: usize = 32 << 20;

/// The answers to one query, for as long as its client reads them.
struct Answers {
    shared: ServerState,
    tickets: Vec<(usize, Ticket)>,
    receiver: Receiver<Bytes>,
    _place: OwnedSemaphorePermit,
    _search: Option<Arc<()>>,
}

pub(super) async fn analyze(
    State(shared): State<ServerState>,
    Extension(searches): Extension<Searches>,
    body: Bytes,
) -> Result<Response, Refusal> {
    let AnalysisRequest { action, warnings, .. } = AnalysisRequest::read(&body, &shared.options.defaults);
    // The page is of this version: it has no field that is unknown here.
    if let Some(unknown) = warnings.into_iter().next() {
        return Err(unknown.into());
    }
    let Action::Query(query) = action? else {
        return Err(FieldError::new("action", "expected a query: closing the connection ends one").into());
    };
    let query = within(*query, shared.options.max_time);
    let place = shared.place()?;
    let (sender, receiver) = channel(WAITING);
    let tickets = shared.queries.search(query, Box::new(move |answer| passed_on(&sender, &answer)));
    let answers = Answers { shared, tickets, receiver, _place: place, _search: searches.upgrade() };
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(answers)).into_response())
}

/// The query, kept within what a search may take.
fn within(mut query: Query, most: Duration) -> Query {
    query.limits.time = Some(match query.limits.time.unwrap_or(Time::PerMove(most)) {
        Time::PerMove(time) => Time::PerMove(time.min(most)),
        Time::Game { remaining, increment } => {
            Time::Game { remaining: remaining.min(most), increment: increment.min(most) }
        }
    });
    query.report_every = query.report_every.map(|every| every.max(LEAST_BETWEEN));
    query
}

/// Sends an answer. Returns whether the client still reads. Intermediate answers may be dropped.
fn passed_on(sender: &Sender<Bytes>, answer: &Answer) -> bool {
    if answer.is_during_search && sender.capacity() < WAITING / 2 {
        return !sender.is_closed();
    }
    let line = serde_json::to_string(answer);
    line.is_ok_and(|line| sender.try_send(Bytes::from(line + "\n")).is_ok())
}

impl Stream for Answers {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.receiver.poll_recv(context).map(|line| line.map(Ok))
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.tickets.iter().for_each(|&(_, ticket)| self.shared.queries.terminate(ticket));
    }
}

/// A question for the move of a level.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelQuestion {
    game: GameFields,
    /// The level, from 1.
    level: Whole<1, { LEVELS.len() as i64 }>,
    seed: Option<Whole<0, { i64::MAX }>>,
}

/// The move of a level; none where there is no move.
#[derive(Serialize)]
struct LevelMove {
    r#move: Option<Move>,
}

/// Answers with the move of a level.
pub(super) fn choose_move(body: &[u8], shared: &ServerParts) -> Result<Value, Refusal> {
    let LevelQuestion { game, level, seed } = read_strictly(body)?;
    let defaults = &shared.options.defaults;
    let game = game.game(defaults.board).map_err(|error| error.within("game"))?;
    let seed = seed.map_or(defaults.engine.seed, |seed| seed.0.unsigned_abs());
    let memory = defaults.engine.memory.min(LEVEL_MEMORY);
    let options = EngineOptions { seed, memory, threads: 1, ..defaults.engine.clone() };
    let _place = shared.place()?;
    let limits = Limits::per_move(shared.options.max_time);
    let player = PlayerKind::Level(LEVELS[level.index() - 1]);
    let choice = player.build(&options, game.position()).choose(&limits);
    Ok(json!(LevelMove { r#move: choice.map(|choice| choice.full) }))
}
