//! Connections of `quiver serve`: limits their number and the time that a request may take.
//!
//! A client that connects when all slots are taken gets the slot of the oldest connection without a
//! search. There always is one, because [`MAX_SEARCHES`](super::MAX_SEARCHES) is less than
//! [`MAX_CONNECTIONS`].

use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::Refusal;

/// Connections at a time; a page has up to six.
pub const MAX_CONNECTIONS: usize = 64;

/// The longest wait for the head of a request, and so for the next request of an open connection.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// The longest wait from the head of a request to its answer, which its body holds up.
const BODY_TIME: Duration = Duration::from_secs(20);

/// The wait before the next try when the system has no connection to give.
const ACCEPT_WAIT: Duration = Duration::from_secs(1);

/// A token that all searches of a connection share. While one of them holds it, the connection keeps
/// its slot.
pub(super) type Searches = Weak<()>;

pub(super) async fn serve(listener: TcpListener, router: Router) {
    let mut slots: Vec<(AbortHandle, Arc<()>)> = Vec::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(ACCEPT_WAIT).await;
            continue;
        };
        // Answers are short lines that a reader waits for.
        let _ = stream.set_nodelay(true);
        slots.retain(|(connection, _)| !connection.is_finished());
        if slots.len() >= MAX_CONNECTIONS
            && let Some(oldest) = slots.iter().position(|(_, searches)| Arc::strong_count(searches) == 1)
        {
            slots.remove(oldest).0.abort();
        }
        let searches = Arc::default();
        let connection = tokio::spawn(converse(stream, router.clone(), Arc::downgrade(&searches)));
        slots.push((connection.abort_handle(), searches));
    }
}

/// Serves one client to the end of its connection.
pub(super) async fn converse<S>(stream: S, router: Router, searches: Searches)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = TowerToHyperService::new(router.layer(Extension(searches)));
    let mut builder = http1::Builder::new();
    let connection = builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service);
    // An error here means that the client has closed the connection.
    let _ = connection.await;
}

/// Answers a request, unless its body does not arrive.
pub(super) async fn in_time(request: Request, next: Next) -> Response {
    let answer = timeout(BODY_TIME, next.run(request)).await;
    answer.unwrap_or_else(|_| {
        let message = format!("no whole request within {} s: expected its body", BODY_TIME.as_secs());
        Refusal::new(StatusCode::REQUEST_TIMEOUT, message).and_close()
    })
}
