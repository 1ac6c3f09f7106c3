//! Queries of the page: the analysis engine's own, with its answers a line each in the body of the
//! response.
//!
//! When a page closes or cancels a query, it drops the connection, and the search ends.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::connections::Slot;
use super::{Refusal, ServerState};
use crate::analysis::answer::refusal;
use crate::analysis::fields::FieldError;
use crate::analysis::query_pool::Ticket;
use crate::analysis::{Action, AnalysisRequest, Query};
use crate::search::Time;

/// The least time between two answers on the way.
const LEAST_BETWEEN: Duration = Duration::from_millis(50);

/// Answers that wait for a slow client. More than a game has positions, so that no result is lost.
const WAITING: usize = 256;

/// The answers to one query, for as long as its client reads them.
struct Answers {
    shared: ServerState,
    ticket: Ticket,
    receiver: Receiver<Bytes>,
    _place: OwnedSemaphorePermit,
    _slot: Arc<()>,
}

pub(super) async fn analyze(
    State(shared): State<ServerState>,
    Extension(slot): Extension<Slot>,
    body: Bytes,
) -> Result<Response, Refusal> {
    let AnalysisRequest { id, action, warnings } = AnalysisRequest::read(&body, &shared.defaults);
    // The page is of this version: it has no field that is unknown here.
    if let Some(unknown) = warnings.into_iter().next() {
        return Err(unknown.into());
    }
    let query = match action {
        Ok(Action::Query(query)) => within(*query, shared.max_time),
        Ok(_) => {
            return Err(FieldError::new("action", "expected a query: closing the connection ends one").into());
        }
        Err(error) => return Ok(super::json(StatusCode::BAD_REQUEST, &refusal(id.as_deref(), &error))),
    };
    let place = shared.place()?;
    let (sender, receiver) = channel(WAITING);
    let ticket = shared.queries.ticket();
    shared.queries.search(ticket, query, Box::new(move |answer| passed_on(&sender, &answer)));
    let answers = Answers { shared, ticket, receiver, _place: place, _slot: slot.hold() };
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(answers)).into_response())
}

/// The query, kept within what a search may take.
fn within(mut query: Query, most: Duration) -> Query {
    query.limits.time = Some(match query.limits.time {
        None => Time::PerMove(most),
        Some(Time::PerMove(time)) => Time::PerMove(time.min(most)),
        Some(Time::Game { remaining, increment }) => {
            Time::Game { remaining: remaining.min(most), increment: increment.min(most) }
        }
    });
    query.report_every = query.report_every.map(|every| every.max(LEAST_BETWEEN));
    query
}

/// Sends an answer. Returns whether the client still reads. Intermediate answers may be dropped.
fn passed_on(sender: &Sender<Bytes>, answer: &Value) -> bool {
    if answer["searching"] == true && sender.capacity() < WAITING / 2 {
        return !sender.is_closed();
    }
    sender.try_send(Bytes::from(format!("{answer}\n"))).is_ok()
}

impl Stream for Answers {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.receiver.poll_recv(context).map(|line| line.map(Ok))
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.shared.queries.terminate(self.ticket);
    }
}
