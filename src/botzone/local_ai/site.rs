//! The calls that the site knows, over HTTP.

use std::fmt::Display;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Sender};
use std::time::Duration;
use std::{io, thread};

use amazons::Side;

use super::credentials::Credentials;
use super::engines::Event;
use super::reply::{CallError, SiteId};

/// The longest body that is read: the requests of hundreds of matches with their whole histories.
const MAX_BODY: u64 = 8 << 20;

/// Time for a connection, and for a call that has nothing to wait for.
const PATIENCE: Duration = Duration::from_secs(30);

const POLL: &str = "localai";

#[derive(Clone)]
pub(super) struct Call {
    path: &'static str,
    pub(super) headers: Vec<(String, String)>,
}

#[derive(Clone)]
pub(crate) struct MatchOrder {
    /// The opponent: the id of a version of a bot.
    pub(crate) bot: SiteId,
    pub(crate) side: Side,
    pub(crate) initdata: Option<String>,
    /// Whether requests come as text (简化交互) rather than JSON.
    pub(crate) simple_io: Option<bool>,
    pub(crate) time_limit: Option<Duration>,
}

impl Call {
    pub(super) fn poll(answers: &[(SiteId, String)]) -> Call {
        let headers = answers.iter().map(|(id, answer)| header(&format!("X-Match-{id}"), answer));
        Call { path: POLL, headers: headers.collect() }
    }

    pub(super) fn run(MatchOrder { bot, side, initdata, simple_io, time_limit }: &MatchOrder) -> Call {
        let mut headers = vec![
            header("X-Game", "Amazons"),
            header(&format!("X-Player-{}", side.index()), "me"),
            header(&format!("X-Player-{}", (!*side).index()), bot),
        ];
        headers.extend(initdata.as_ref().map(|data| header("X-Initdata", data)));
        headers.extend(simple_io.map(|simple| header("X-UseSimpleIO", simple)));
        headers.extend(time_limit.map(|limit| header("X-Timelimit", limit.as_secs_f64())));
        Call { path: "runmatch", headers }
    }

    pub(super) fn abort(id: &SiteId) -> Call {
        Call { path: "abortmatch", headers: vec![header("X-Matchid", id)] }
    }
}

fn header(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

/// The site: calls by GET, a connection each.
///
/// A connection kept from one long poll to the next is closed by one of the machines in between
/// sooner or later, and would take the answers sent over it along. Redirections are never followed:
/// the path holds the secret.
pub(crate) struct Site {
    agent: ureq::Agent,
    credentials: Credentials,
    poll_timeout: Duration,
}

impl Site {
    /// The site that the credentials are for; a poll without news is given up after `poll_timeout`.
    pub(crate) fn new(credentials: Credentials, poll_timeout: Duration) -> Site {
        let loopback = credentials.base.loopback;
        let config = ureq::Agent::config_builder()
            .https_only(!loopback)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_idle_connections(0)
            .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
            .timeout_resolve(Some(PATIENCE))
            .timeout_connect(Some(PATIENCE))
            .timeout_send_request(Some(PATIENCE))
            .timeout_recv_body(Some(PATIENCE));
        // A proxy sees no more of an HTTPS address than the host; of a plain one it would see all.
        let config = if loopback { config.proxy(None) } else { config };
        Site { agent: config.build().into(), credentials, poll_timeout }
    }

    /// Makes calls, one after the other, and sends their replies.
    ///
    /// A poll can last minutes, and nothing ends it from outside, so the thread that waits for it
    /// is left alone at the end.
    pub(super) fn start(self, events: Sender<Event>) -> io::Result<Sender<Call>> {
        let (calls, queue) = mpsc::channel();
        thread::Builder::new().name("site".into()).spawn(move || {
            queue.iter().all(|call| {
                // A fault in a library must not leave the caller waiting for a thread that is no
                // more.
                let reply = panic::catch_unwind(AssertUnwindSafe(|| self.call(&call)));
                let broken = |_| Err(CallError::Lost(String::from("the call broke down in this program")));
                events.send(Event::Reply(reply.unwrap_or_else(broken))).is_ok()
            })
        })?;
        Ok(calls)
    }

    /// Makes a call and waits for what the site says. The secret is taken out of that here, before
    /// any text is shortened.
    fn call(&self, Call { path, headers }: &Call) -> Result<String, CallError> {
        let patience = if *path == POLL { self.poll_timeout } else { PATIENCE };
        let mut request = self.agent.get(self.credentials.url(path));
        for (name, value) in headers {
            // As documented to the letter: a match's id is part of a name, and must not change its
            // case.
            request = request.header_raw(name, value.as_bytes());
        }
        let request = request.config().timeout_recv_response(Some(patience)).build();
        let clean = |text: &dyn Display| self.credentials.scrub(&text.to_string());
        let response = request.call().map_err(|error| match error {
            ureq::Error::Timeout(ureq::Timeout::RecvResponse) => CallError::Silence,
            error => CallError::Lost(format!("no reply: {}", clean(&error.into_io()))),
        })?;
        let status = response.status().as_u16();
        let body = response.into_body().into_with_config().limit(MAX_BODY).read_to_vec();
        let body = body.map(|body| String::from_utf8_lossy(&body).into_owned());
        // A short secret may stand in a request by chance, and a request must stay as it is.
        let clean_body =
            |body| if status == 200 && self.credentials.is_short() { body } else { clean(&body) };
        CallError::sort(status, body.map(clean_body).map_err(|error| clean(&error.into_io())))
    }
}
