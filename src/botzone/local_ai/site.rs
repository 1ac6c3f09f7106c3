//! The calls that the site knows, over HTTP, and what comes of them.

use std::io;
use std::time::Duration;

use super::credentials::Credentials;
use super::poll::SiteId;
use crate::messages;

/// The longest body that is read: the requests of hundreds of matches with their whole histories.
const MAX_BODY: u64 = 8 << 20;

/// Time for a connection, and for a call that has nothing to wait for.
const PATIENCE: Duration = Duration::from_secs(30);

/// The path of a poll, the only call that waits for news.
const POLL: &str = "localai";

/// A call: a path and headers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// The last part of the path.
    path: &'static str,
    headers: Vec<(String, String)>,
}

/// A match to be started.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MatchOrder {
    /// The opponent: the id of a version of a bot.
    pub(crate) bot: SiteId,
    /// Our place, 0 (first) or 1.
    pub(crate) slot: usize,
    /// What the matches of a series have in common.
    pub(crate) options: MatchOptions,
}

/// What a match may be started with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MatchOptions {
    /// The game's own initial data.
    pub(crate) initdata: Option<String>,
    /// Whether requests come as text (简化交互) rather than JSON.
    pub(crate) simple_io: Option<bool>,
    /// The site's limit for a turn.
    pub(crate) time_limit: Option<Duration>,
}

impl Call {
    /// Delivers answers and waits for requests.
    pub(crate) fn poll(answers: &[(SiteId, String)]) -> Call {
        let headers = answers.iter().map(|(id, answer)| header(&format!("X-Match-{id}"), answer));
        Call { path: POLL, headers: headers.collect() }
    }

    /// Starts a match.
    pub(crate) fn run(MatchOrder { bot, slot, options }: &MatchOrder) -> Call {
        let MatchOptions { initdata, simple_io, time_limit } = options;
        let mut headers = vec![
            header("X-Game", "Amazons"),
            header(&format!("X-Player-{slot}"), "me"),
            header(&format!("X-Player-{}", 1 - slot), bot),
        ];
        headers.extend(initdata.as_ref().map(|data| header("X-Initdata", data)));
        headers.extend(simple_io.map(|simple| header("X-UseSimpleIO", simple)));
        headers.extend(time_limit.map(|limit| header("X-Timelimit", limit.as_secs_f64())));
        Call { path: "runmatch", headers }
    }

    /// Ends a match.
    pub(crate) fn abort(id: &SiteId) -> Call {
        Call { path: "abortmatch", headers: vec![header("X-Matchid", id)] }
    }

    /// Whether the call tells the site something, rather than only asking for news.
    pub(super) fn carries_something(&self) -> bool {
        !self.headers.is_empty()
    }
}

fn header(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

/// What comes of a call by the site's rules. No text in it contains the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallOutcome {
    /// Done; here is what the site says.
    Done(Vec<u8>),
    /// Done as far as the call goes, but what the site says did not come whole.
    Cut(String),
    /// There was no news within the timeout.
    NoNews,
    /// Not done; the same call, headers included, may be made again.
    Failed(CallFailure, String),
    /// The site will not do this, and says why.
    Refused(String),
    /// The site does not know the account.
    NoAccount(String),
}

/// Why the site cannot be played on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(
        "the site does not know this account (401: {0}): expected the user and the secret (密钥) that it shows \
         under 本地AI, of an account whose level allows it"
    )]
    Account(String),
    #[error("the site refuses this call (400: {0})")]
    Call(String),
    #[error("this is not the address of the site: {0}")]
    Address(String),
}

/// Why a call may be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallFailure {
    /// A lost connection, 502 or 504: again after a short wait.
    Lost,
    /// A technical problem or maintenance: again after a longer wait.
    Trouble,
    /// A redirection or another status that the site does not document. If the site has never
    /// spoken as documented, the address is wrong.
    Strange,
}

impl CallOutcome {
    /// Sorts a reply by its status. `body` is the error if the body did not come whole.
    fn of(status: u16, body: Result<Vec<u8>, String>) -> CallOutcome {
        let said = match &body {
            Ok(body) => said(body),
            Err(reason) => reason.clone(),
        };
        let failed = CallOutcome::Failed;
        match status {
            200 => body.map_or_else(CallOutcome::Cut, CallOutcome::Done),
            400 => CallOutcome::Refused(said),
            401 => CallOutcome::NoAccount(said),
            502 | 504 => failed(CallFailure::Lost, format!("the site answers {status}")),
            // 408 and 429 say themselves that a later try may do.
            408 | 429 | 500..=599 => {
                failed(CallFailure::Trouble, format!("the site answers {status}: {said}"))
            }
            300..=399 => failed(
                CallFailure::Strange,
                format!("a redirection ({status}), which is not followed since the address holds the secret"),
            ),
            _ => failed(CallFailure::Strange, format!("the site answers {status}: {said}")),
        }
    }
}

/// The beginning of a body in a message.
fn said(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { String::from("without a word") } else { messages::excerpt(&text, 200) }
}

/// The site: calls by GET, a connection each.
///
/// A connection kept from one long poll to the next is closed by one of the machines in between
/// sooner or later, and would take the answers sent over it along. Redirections are never followed:
/// the path holds the secret.
#[derive(Debug)]
pub(crate) struct Site {
    agent: ureq::Agent,
    credentials: Credentials,
    poll_timeout: Duration,
}

impl Site {
    /// The site that the credentials are for; a poll without news is given up after `poll_timeout`.
    pub(crate) fn new(credentials: Credentials, poll_timeout: Duration) -> Site {
        let loopback = credentials.base().is_loopback();
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

    /// Makes a call and waits for what comes of it.
    pub(super) fn call(&self, Call { path, headers }: &Call) -> CallOutcome {
        let patience = if *path == POLL { self.poll_timeout } else { PATIENCE };
        let mut request = self.agent.get(self.credentials.url(path));
        for (name, value) in headers {
            // As documented to the letter: a match's id is part of a name, and must not change its
            // case.
            request = request.header_raw(name, value.as_bytes());
        }
        let request = request.config().timeout_recv_response(Some(patience)).build();
        let response = match request.call() {
            Ok(response) => response,
            Err(ureq::Error::Timeout(ureq::Timeout::RecvResponse)) => return CallOutcome::NoNews,
            Err(error) => return CallOutcome::Failed(CallFailure::Lost, self.lost(&error)),
        };
        let status = response.status().as_u16();
        let body = response.into_body().into_with_config().limit(MAX_BODY).read_to_vec();
        let body = body.map_err(|error| match error {
            ureq::Error::Timeout(_) => String::from("the body did not come in time"),
            other => self.clean(&other),
        });
        // What the site says is read by people and logs, and must not tell the secret either. A
        // body that is no message is left alone where the secret is so short that it may be part of
        // anything.
        let scrub = status != 200 || self.credentials.secret().is_distinctive();
        let clean = |body: Vec<u8>| self.clean(&String::from_utf8_lossy(&body)).into_bytes();
        CallOutcome::of(status, if scrub { body.map(clean) } else { body })
    }

    /// A library's message without what it may say of the address.
    fn clean(&self, error: &dyn std::fmt::Display) -> String {
        self.credentials.secret().scrub(&error.to_string())
    }

    fn lost(&self, error: &ureq::Error) -> String {
        match error {
            ureq::Error::Timeout(_) => String::from("no connection in time"),
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                String::from("the connection was closed before a reply")
            }
            ureq::Error::Io(error) => self.clean(error),
            other => self.clean(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_status_has_its_meaning() {
        let outcome = |status: u16, body: &str| CallOutcome::of(status, Ok(body.as_bytes().to_vec()));
        let failed = |status: u16, body: &str| match outcome(status, body) {
            CallOutcome::Failed(failure, why) => (failure, why),
            other => panic!("{status}: {other:?}"),
        };
        assert_eq!(outcome(200, "0 0"), CallOutcome::Done(b"0 0".to_vec()));
        assert_eq!(CallOutcome::of(200, Err("cut".into())), CallOutcome::Cut("cut".into()));
        for status in [502, 504] {
            assert_eq!(failed(status, "<html>").0, CallFailure::Lost, "{status}");
        }
        for status in [500, 503, 429] {
            let (failure, why) = failed(status, "维护");
            assert!(failure == CallFailure::Trouble && why.contains("维护"), "{status}: {why}");
        }
        for status in [301, 302, 307, 404, 204] {
            assert_eq!(failed(status, "").0, CallFailure::Strange, "{status}");
        }
        assert_eq!(outcome(400, " no such\n bot\u{7} "), CallOutcome::Refused("no such bot\\u{7}".into()));
        assert_eq!(outcome(401, ""), CallOutcome::NoAccount("without a word".into()));
        assert!(failed(500, &"x".repeat(9999)).1.len() < 300);
    }
}
