//! The site over HTTP.

use std::io;
use std::time::Duration;

use super::credentials::Credentials;
use super::site::{Call, NoReply, Reply, Site};

/// The longest body that is read: the requests of hundreds of matches with their whole histories.
const MAX_BODY: u64 = 8 << 20;

/// Time for a connection, and for a call that has nothing to wait for.
const PATIENCE: Duration = Duration::from_secs(30);

/// Calls by GET, a connection each.
///
/// A connection kept from one long poll to the next is closed by one of the machines in between sooner or later,
/// and would take the answers sent over it along. Redirections are never followed: the path holds the secret.
#[derive(Debug)]
pub(crate) struct HttpSite {
    agent: ureq::Agent,
    credentials: Credentials,
    poll_timeout: Duration,
}

impl HttpSite {
    /// The site that the credentials are for; a poll without news is given up after `poll_timeout`.
    pub(crate) fn new(credentials: Credentials, poll_timeout: Duration) -> HttpSite {
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
        HttpSite { agent: config.build().into(), credentials, poll_timeout }
    }

    /// A library's message without what it may say of the address.
    fn clean(&self, error: &dyn std::fmt::Display) -> String {
        self.credentials.secret().scrub(&error.to_string())
    }

    fn lost(&self, error: &ureq::Error) -> NoReply {
        NoReply::Lost(match error {
            ureq::Error::Timeout(_) => String::from("no connection in time"),
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                String::from("the connection was closed before a reply")
            }
            ureq::Error::Io(error) => self.clean(error),
            other => self.clean(other),
        })
    }
}

impl Site for HttpSite {
    fn call(&self, call: &Call) -> Result<Reply, NoReply> {
        let patience = if matches!(call, Call::Poll(_)) { self.poll_timeout } else { PATIENCE };
        let mut request = self.agent.get(self.credentials.url(call.name()));
        for (name, value) in call.headers() {
            // As documented to the letter: a match's id is part of a name, and must not change its case.
            request = request.header_raw(&name, value.as_bytes());
        }
        let request = request.config().timeout_recv_response(Some(patience)).build();
        let response = match request.call() {
            Ok(response) => response,
            Err(ureq::Error::Timeout(ureq::Timeout::RecvResponse)) => return Err(NoReply::Timeout),
            Err(error) => return Err(self.lost(&error)),
        };
        let status = response.status().as_u16();
        let body = response.into_body().into_with_config().limit(MAX_BODY).read_to_vec();
        let body = body.map_err(|error| match error {
            ureq::Error::Timeout(_) => String::from("the body did not come in time"),
            other => self.clean(&other),
        });
        // What the site says is read by people and logs, and must not tell the secret either. A body that is no
        // message is left alone where the secret is so short that it may be part of anything.
        let scrub = status != 200 || self.credentials.secret().is_distinctive();
        let body = body
            .map(|body| if scrub { self.clean(&String::from_utf8_lossy(&body)).into_bytes() } else { body });
        Ok(Reply { status, body })
    }
}
