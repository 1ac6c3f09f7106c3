//! The server of `quiver serve`, which serves the page and answers the requests of its script.
//!
//! The server runs on one thread. Answers that take time are computed on other threads, and
//! searches run in a `QueryPool`.

pub(super) mod guard;
mod searches;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::header::{CONNECTION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state, map_response};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, spawn_blocking};
use tokio::time::{sleep, timeout};

use super::page::FILES;
use crate::analysis::{self, Defaults, FieldError, GameOrList, LevelMove, QueryPool};
use crate::formats;

/// The largest size of a request's body, in bytes. It is enough for a whole match log.
pub const MAX_BODY_BYTES: usize = 4 << 20;

/// The largest number of searches, of all pages together, that run or wait at the same time.
const MAX_SEARCHES: usize = 16;

/// The largest number of open connections. One page opens up to six connections.
const MAX_CONNECTIONS: usize = 64;

/// The longest time for which the server waits for the head of the next request on a connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest time from the head of a request to the beginning of its answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// The time until the next attempt after the system has failed to accept a connection.
const ACCEPT_WAIT: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct ServerOptions {
    pub address: SocketAddr,
    /// The host names that requests may use, besides IP addresses and `localhost`.
    pub names: Vec<String>,
    pub workers: usize,
    pub max_time: Duration,
    pub ponder: bool,
    pub defaults: Defaults,
}

/// The HTML of the page. It has only relative URLs, so a proxy can serve it in a subdirectory.
const PAGE: &str = include_str!("../assets/app/page.html");

pub struct Server {
    runtime: runtime::Runtime,
    listener: TcpListener,
    address: SocketAddr,
    router: Router,
}

type SharedState = Arc<ServerState>;

struct ServerState {
    queries: QueryPool,
    options: ServerOptions,
    searches: Arc<Semaphore>,
}

impl ServerState {
    fn search_permit(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        Arc::clone(&self.searches).try_acquire_owned().map_err(|_| {
            let message = format!("{MAX_SEARCHES} searches are running: expected fewer; close other pages");
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
        })
    }
}

impl Server {
    pub(super) fn new(address: SocketAddr, router: Router) -> io::Result<Server> {
        let mut builder = runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().max_blocking_threads(MAX_SEARCHES).build()?;
        let listener = runtime.block_on(TcpListener::bind(address))?;
        let address = listener.local_addr()?;
        Ok(Server { runtime, listener, address, router })
    }

    /// Creates the server of `quiver serve`. It listens at once, and answers in [`Server::run`].
    pub fn bind(options: ServerOptions) -> io::Result<Server> {
        // With `ponder`, idle engines search on until their trees are nearly full.
        let slices = if options.ponder { u32::MAX } else { 0 };
        let shared = Arc::new(ServerState {
            queries: QueryPool::new(options.workers, slices)?,
            searches: Arc::new(Semaphore::new(MAX_SEARCHES)),
            options,
        });
        Server::new(shared.options.address, router(&shared))
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn run(self) {
        self.runtime.block_on(serve(self.listener, self.router));
    }

    /// Serves one client until its connection ends. Only for tests.
    #[cfg(unix)]
    pub fn converse(&self, stream: std::os::unix::net::UnixStream) -> io::Result<()> {
        stream.set_nonblocking(true)?;
        self.runtime.block_on(async {
            let stream = tokio::net::UnixStream::from_std(stream)?;
            converse(stream, self.router.clone(), Weak::new()).await;
            Ok(())
        })
    }
}

fn router(shared: &SharedState) -> Router {
    let names: Arc<[String]> = shared.options.names.as_slice().into();
    Router::new()
        .route("/", get(Html(PAGE)))
        .route("/app/{name}", get(asset))
        .route(
            "/api/catalogue",
            blocking_handler(|_, shared| Ok(analysis::catalogue(shared.options.defaults.board)?)),
        )
        .route("/api/game", blocking_handler(game))
        .route(
            "/api/save",
            blocking_handler(|body, shared| Ok(analysis::save(body, shared.options.defaults.board)?)),
        )
        .route("/api/review", blocking_handler(|body, _| Ok(analysis::review_points(body)?)))
        .route("/api/move", blocking_handler(choose_move))
        .route("/api/analyze", post(searches::analyze))
        .with_state(Arc::clone(shared))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(from_fn(limit_answer_time))
        .layer(from_fn_with_state(names, guard::refuse_foreign_requests))
        .layer(map_response(safe_headers))
}

fn game(body: &[u8], shared: &ServerState) -> Result<GameOrList, Refusal> {
    Ok(analysis::game(body, shared.options.defaults.board, formats::read)?)
}

fn choose_move(body: &[u8], shared: &ServerState) -> Result<LevelMove, Refusal> {
    let _permit = shared.search_permit()?;
    Ok(analysis::choose_move(body, &shared.options.defaults)?)
}

async fn asset(Path(name): Path<String>) -> Result<Response, Refusal> {
    let file = FILES.iter().find(|(known, _)| *known == name);
    let (_, content) = file.ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "no such file"))?;
    let kind = if name.ends_with(".css") { "text/css" } else { "text/javascript" };
    Ok(([(CONTENT_TYPE, format!("{kind}; charset=utf-8"))], *content).into_response())
}

/// Adds headers that isolate the page: only its own scripts run, and no other page can frame it.
async fn safe_headers(mut response: Response) -> Response {
    const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                          connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    for (name, value) in [
        ("content-security-policy", POLICY),
        // The browser must ask whether its cached files are current: a new Quiver may change them.
        ("cache-control", "no-cache"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("referrer-policy", "no-referrer"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A handler that answers a request on another thread, so that other clients need not wait.
fn blocking_handler<A: Serialize + Send + 'static>(
    answer: fn(&[u8], &ServerState) -> Result<A, Refusal>,
) -> MethodRouter<SharedState> {
    post(move |State(shared): State<SharedState>, body: Result<Bytes, BytesRejection>| async move {
        let body = body_or_refusal(body)?;
        let answer = spawn_blocking(move || answer(&body, &shared)).await;
        let failed = |_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "computing the answer failed");
        Ok::<_, Refusal>(answer_json(StatusCode::OK, &answer.map_err(failed)??))
    })
}

fn body_or_refusal(body: Result<Bytes, BytesRejection>) -> Result<Bytes, Refusal> {
    let refused = format!("a body that cannot be read: expected at most {MAX_BODY_BYTES} bytes");
    body.map_err(|error| Refusal::new(error.status(), refused))
}

fn answer_json(status: StatusCode, answer: &impl Serialize) -> Response {
    let text = serde_json::to_string(answer).unwrap_or_default();
    (status, [(CONTENT_TYPE, "application/json")], Body::from(text)).into_response()
}

struct Refusal(StatusCode, FieldError);

impl Refusal {
    fn new(status: StatusCode, message: impl std::fmt::Display) -> Refusal {
        Refusal(status, FieldError::new("", message))
    }

    fn and_close(self) -> Response {
        ([(CONNECTION, "close")], self).into_response()
    }
}

impl From<FieldError> for Refusal {
    fn from(error: FieldError) -> Refusal {
        Refusal(StatusCode::BAD_REQUEST, error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        answer_json(self.0, &analysis::Refusal::new(None, &self.1))
    }
}

/// A weak reference to a connection's token. Each search on the connection holds a strong reference
/// to the token, so that the server can count the searches.
type SearchToken = Weak<()>;

/// Serves all clients. If a client connects while [`MAX_CONNECTIONS`] connections are open, the
/// oldest connection without a search is closed. At least one connection has no search, because
/// [`MAX_SEARCHES`] is smaller than [`MAX_CONNECTIONS`].
async fn serve(listener: TcpListener, router: Router) {
    let mut slots: Vec<(AbortHandle, Arc<()>)> = Vec::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(ACCEPT_WAIT).await;
            continue;
        };
        // Turns off Nagle's algorithm, which would delay the short answers.
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

async fn converse<S>(stream: S, router: Router, searches: SearchToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = TowerToHyperService::new(router.layer(Extension(searches)));
    let mut builder = http1::Builder::new();
    let connection = builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    // An error means that the client has closed the connection.
    let _ = connection.await;
}

async fn limit_answer_time(request: Request, next: Next) -> Response {
    let answer = timeout(ANSWER_TIMEOUT, next.run(request)).await;
    answer.unwrap_or_else(|_| {
        let message =
            format!("no answer within {} s: expected a complete or shorter body", ANSWER_TIMEOUT.as_secs());
        Refusal::new(StatusCode::REQUEST_TIMEOUT, message).and_close()
    })
}
