//! The page of a contest (a match or tournament), with its score and all its games.
//!
//! `quiver match --html` writes a self-contained page after the contest. `quiver match --watch`
//! serves the page during the contest, and the page's script asks for updates.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::middleware::from_fn_with_state;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::page::{SelfContainedPage, script_json};
use super::server::Server;
use super::server::guard;
use crate::contest::{ContestError, ContestResults, GameRecord, GameSink, LiveGames, summary};
use crate::messages::escape_html;
use crate::words::{self, Bilingual};

pub(super) const PAGE: SelfContainedPage = SelfContainedPage {
    template: include_str!("assets/contest.html"),
    script: include_str!("assets/contest.js"),
    style: include_str!("assets/contest.css"),
};

#[derive(Debug, Default)]
pub(crate) struct ContestView {
    title: String,
    pub(crate) live: Arc<LiveGames>,
    pub(crate) state: Mutex<ContestState>,
}

#[derive(Debug, Default)]
pub(crate) struct ContestState {
    /// An identifier of this contest. If it changes, another contest is served at the same URL, and
    /// the page reloads itself.
    id: String,
    total: usize,
    report: Value,
    text: String,
    games: Vec<GameRecord>,
    pub(crate) over: bool,
    pub(crate) end_was_sent: bool,
}

impl ContestView {
    pub(crate) fn new(title: String, total: usize) -> ContestView {
        let begun = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let id = begun.as_nanos().to_string();
        let state = Mutex::new(ContestState { id, total, ..ContestState::default() });
        ContestView { title, state, ..ContestView::default() }
    }

    /// The JSON update for a page that already has the first `since` finished games.
    pub(crate) fn update_json(&self, since: usize) -> Value {
        let playing: Vec<GameRecord> = self.live.lock().values().cloned().collect();
        let mut state = self.state.lock();
        state.end_was_sent |= state.over;
        state.json(since, &playing)
    }

    pub(crate) fn html(&self) -> String {
        let data = script_json(&self.state.lock().json(0, &[]));
        PAGE.html("", &[("title", &*escape_html(&self.title)), ("data", &data)])
    }
}

impl GameSink for &ContestView {
    fn begin(&mut self, games: &[GameRecord], results: &mut ContestResults) {
        // The report always serialises, because its keys are strings.
        let report = serde_json::to_value(results.update_ratings()).unwrap_or_default();
        let text = summary::report(results);
        let mut state = self.state.lock();
        state.games.extend_from_slice(games);
        (state.report, state.text) = (report, text);
    }

    fn take(&mut self, game: &GameRecord, results: &mut ContestResults) -> Result<(), ContestError> {
        self.begin(std::slice::from_ref(game), results);
        Ok(())
    }
}

impl ContestState {
    fn json(&self, since: usize, playing: &[GameRecord]) -> Value {
        let since = since.min(self.games.len());
        let each = |games: &[GameRecord]| games.iter().map(game_json).collect::<Vec<_>>();
        json!({
            "contest": self.id,
            "total": self.total,
            "report": self.report,
            "text": self.text,
            "games": each(&self.games[since..]),
            "playing": each(playing),
            "over": self.over,
        })
    }
}

/// Serves the page of a contest on a new thread until the process ends.
pub(crate) fn serve_contest_page(address: SocketAddr, view: Arc<ContestView>) -> io::Result<SocketAddr> {
    let (html, policy) = live_page_and_policy(&view.title);
    let headers = [(CONTENT_SECURITY_POLICY, policy), (CACHE_CONTROL, String::from("no-cache"))];
    let router = Router::new()
        .route("/", get((headers, Html(html))))
        .route("/api/contest", get(update))
        .with_state(view)
        .layer(from_fn_with_state(Arc::from([]), guard::refuse_foreign_requests));
    let server = Server::new(address, router)?;
    let address = server.address();
    thread::Builder::new().name("watch".into()).spawn(move || server.run())?;
    Ok(address)
}

async fn update(State(view): State<Arc<ContestView>>, RawQuery(query): RawQuery) -> Response {
    let since = query.and_then(|query| query.strip_prefix("since=")?.parse().ok()).unwrap_or(0);
    let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
    (headers, view.update_json(since).to_string()).into_response()
}

/// The page that asks the server for updates, and the content security policy of its HTTP header.
fn live_page_and_policy(title: &str) -> (String, String) {
    const CONNECT: &str = "; connect-src 'self'";
    // Browsers accept `frame-ancestors` only in the HTTP header, not in the page itself.
    let header = [CONNECT, "; frame-ancestors 'none'"].concat();
    (
        PAGE.html(CONNECT, &[("title", &*escape_html(title)), ("data", "null")]),
        SelfContainedPage::content_security_policy(&header),
    )
}

fn game_json(record: &GameRecord) -> Value {
    let game = &record.game;
    let end = game.end.as_ref();
    let facts = || record.plies_after_opening().iter().map(|ply| &ply.facts);
    let reason = end.map(|end| {
        Bilingual::of(|language| {
            let noun = words::noun(end.kind, language);
            end.detail.as_ref().map_or(noun.to_owned(), |detail| format!("{noun}: {detail}"))
        })
    });
    json!({
        "number": record.place,
        "players": record.players.each_ref().map(|player| &player.name),
        "board": game.start().size().to_string(),
        "start": game.start(),
        "moves": game.moves(),
        "opening": record.opening,
        "values": facts().map(|facts| facts.value).collect::<Vec<_>>(),
        "times": facts().map(|facts| facts.seconds).collect::<Vec<_>>(),
        "winner": end.map(|end| end.winner.index()),
        "fault": end.is_some_and(|end| end.kind.is_fault()),
        "reason": reason,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_may_have_no_games() {
        let view = ContestView::new("<i>".to_owned(), 4);
        let html = view.html();
        assert!(html.contains("&lt;i&gt;") && !html.contains("{{"), "{html}");
        let update = view.update_json(9);
        let fields = ["games", "total", "over"].map(|name| &update[name]);
        assert_eq!(fields, [&json!([]), &json!(4), &json!(false)]);
        view.state.lock().over = true;
        assert!(!view.state.lock().end_was_sent);
        assert_eq!(view.update_json(0)["over"], true);
        assert!(view.state.lock().end_was_sent);
    }

    #[test]
    fn live_page_connects_only_to_its_server() {
        let (page, policy) = live_page_and_policy("A vs B");
        assert!(policy.contains("connect-src 'self'") && policy.contains("frame-ancestors 'none'"));
        assert!(page.contains("connect-src 'self'") && !page.contains("frame-ancestors"));
        assert!(!ContestView::new("A".to_owned(), 1).html().contains("connect-src"));
    }
}
