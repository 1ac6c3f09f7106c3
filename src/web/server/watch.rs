//! The server of `quiver match --watch`: serves one page and the updates that it asks for.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
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
use crate::web::contest_page::{ContestView, live_page};

/// Serves the page of a contest from a thread of its own, for as long as the process lives. Returns
/// where it listens.
pub fn watch(address: SocketAddr, title: &str, view: Arc<ContestView>) -> io::Result<SocketAddr> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind(address))?;
    let address = listener.local_addr()?;
    let (html, policy) = live_page(title);
    let headers = [
        (CONTENT_TYPE, String::from("text/html; charset=utf-8")),
        (CONTENT_SECURITY_POLICY, policy),
        (CACHE_CONTROL, String::from("no-cache")),
    ];
    let router = Router::new()
        .route("/", get((headers, html)))
        .route("/api/contest", get(news))
        .with_state(view)
        .layer(from_fn_with_state(Arc::new(Guard::default()), guard::check));
    thread::Builder::new()
        .name("watch".into())
        .spawn(move || runtime.block_on(connections::serve(listener, router)))?;
    Ok(address)
}

/// The news for a page that knows the first `since` games.
async fn news(State(view): State<Arc<ContestView>>, RawQuery(query): RawQuery) -> Response {
    let since = query.and_then(|query| query.strip_prefix("since=")?.parse().ok()).unwrap_or(0);
    let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
    (headers, view.news(since).to_string()).into_response()
}
