//! Searches the positions in a query of the page. Each line of the response is an answer in JSON,
//! as `quiver analyze --jsonl` prints it.
//!
//! When a page is closed or cancels a query, the query's connection and search end.

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

use super::{Refusal, SearchToken, SharedState, body_or_refusal};
use crate::analysis::{Answer, Ticket, read_query};

/// The largest number of answers that wait for a slow client. It exceeds the number of positions of
/// a game, so that the final answer about every position can wait.
const MAX_WAITING_ANSWERS: usize = 256;

/// The answers to one query. Dropping this value ends the query's search.
struct Answers {
    shared: SharedState,
    tickets: Vec<(usize, Ticket)>,
    receiver: Receiver<Bytes>,
    _permit: OwnedSemaphorePermit,
    _token: Option<Arc<()>>,
}

pub(super) async fn analyze(
    State(shared): State<SharedState>,
    Extension(token): Extension<SearchToken>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let query = read_query(&body_or_refusal(body)?, &shared.options.defaults, shared.options.max_time)?;
    let permit = shared.search_permit()?;
    let (sender, receiver) = channel(MAX_WAITING_ANSWERS);
    let tickets = shared.queries.search(query, Box::new(move |answer| send(&sender, &answer)));
    let answers = Answers { shared, tickets, receiver, _permit: permit, _token: token.upgrade() };
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(answers)).into_response())
}

/// Sends an answer to the client. Returns false if the client has gone. An interim answer of a
/// search is dropped if many answers are waiting.
fn send(sender: &Sender<Bytes>, answer: &Answer) -> bool {
    if answer.is_during_search && sender.capacity() < MAX_WAITING_ANSWERS / 2 {
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
