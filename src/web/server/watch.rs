//! The server of `quiver match --watch`: serves one page and the updates that it asks for.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::runtime;

use super::connections;
use super::guard::{self, Guard};
use crate::contest::LiveGames;
use crate::web::contest_page::{ContestView, live_page};

/// The contest that the page shows, and whether the page knows of its end.
#[derive(Debug, Default)]
pub struct Watched {
    /// The games that have ended, and the score.
    pub view: ContestView,
    /// The games in progress.
    pub live: Arc<LiveGames>,
    told_end: AtomicBool,
}

impl Watched {
    /// A contest before its first game.
    #[must_use]
    pub fn new(view: ContestView) -> Watched {
        Watched { view, ..Watched::default() }
    }

    /// Whether a page has asked since the contest was closed.
    #[must_use]
    pub fn has_told_end(&self) -> bool {
        // Only a flag: what the page was told has left through its socket.
        self.told_end.load(Ordering::Relaxed)
    }
}

#[derive(Clone, Debug)]
struct WatchState {
    watched: Arc<Watched>,
    page: Arc<(String, String)>,
}

/// Serves the page of a contest from a thread of its own, for as long as the process lives. Returns
/// where it listens.
///
/// # Errors
/// If the address cannot be had, or no thread.
pub fn watch(address: SocketAddr, title: &str, watched: Arc<Watched>) -> io::Result<SocketAddr> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind(address))?;
    let address = listener.local_addr()?;
    let shared = WatchState { watched, page: Arc::new(live_page(title)) };
    let router = Router::new()
        .route("/", get(page))
        .route("/api/contest", get(news))
        .with_state(shared)
        .layer(from_fn_with_state(Arc::new(Guard::default()), guard::check));
    thread::Builder::new()
        .name("watch".into())
        .spawn(move || runtime.block_on(connections::serve(listener, router)))?;
    Ok(address)
}

async fn page(State(shared): State<WatchState>) -> Response {
    let (html, policy) = &*shared.page;
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, policy.as_str()),
        (CACHE_CONTROL, "no-cache"),
    ];
    (headers, html.clone()).into_response()
}

/// What is new for a page that knows the first `since` games.
async fn news(State(shared): State<WatchState>, RawQuery(query): RawQuery) -> Response {
    let since = query.and_then(|query| query.strip_prefix("since=")?.parse().ok()).unwrap_or(0);
    let news = shared.watched.view.news(since, &shared.watched.live);
    if news["over"] == true {
        shared.watched.told_end.store(true, Ordering::Relaxed);
    }
    ([(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")], news.to_string()).into_response()
}
