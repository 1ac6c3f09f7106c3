//! Searches for the page: queries of the analysis engine, with its answers a line each in the body of
//! the response.
//!
//! When a page closes or cancels a query, it drops the connection, and the search ends.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::{Refusal, Searches, ServerState, whole};
use crate::analysis::{Answer, Ticket, read_query};

/// Answers that wait for a slow client. More than a game has positions, so that no result is lost.
const WAITING: usize = 256;

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
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let query = read_query(&whole(body)?, &shared.options.defaults, shared.options.max_time)?;
    let place = shared.place()?;
    let (sender, receiver) = channel(WAITING);
    let tickets = shared.queries.search(query, Box::new(move |answer| passed_on(&sender, &answer)));
    let answers = Answers { shared, tickets, receiver, _place: place, _search: searches.upgrade() };
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(answers)).into_response())
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
