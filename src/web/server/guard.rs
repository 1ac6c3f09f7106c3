//! Refuses requests of other sites. A foreign page in the same browser must not reach this server,
//! neither by its own requests (Origin) nor by a name that resolves to this machine (Host).

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HOST, HeaderName, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{self, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use super::Refusal;
use crate::analysis::fields::FieldError;

#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// In lower case.
    names: Vec<String>,
}

impl Guard {
    /// Admits requests that name this machine by an address, as `localhost`, or by one of these
    /// names.
    pub fn new(names: Vec<String>) -> Guard {
        Guard { names: names.iter().map(|name| name.to_ascii_lowercase()).collect() }
    }

    /// Checks a request; the error names the header that is wrong.
    pub fn admits<B>(&self, request: &http::Request<B>) -> Result<(), FieldError> {
        let headers = request.headers();
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(HOST).unwrap_or_default();
        // A request may name its server twice: in its first line as well, or by two headers.
        let hosts = headers.get_all(HOST).iter().map(|value| value.to_str().unwrap_or_default());
        let hosts = hosts.chain(request.uri().authority().map(|authority| authority.as_str())).chain([host]);
        if let Some(foreign) = hosts.into_iter().find(|host| !self.is_ours(host)) {
            let message = format!("'{foreign}': expected an address or localhost; see --allow-host");
            return Err(FieldError::new("host", message));
        }
        let origin = headers.get(ORIGIN).map(|value| value.to_str().unwrap_or_default());
        if let Some(origin) = origin
            && !origin.split_once("://").is_some_and(|(_, from)| from.eq_ignore_ascii_case(host))
        {
            return Err(FieldError::new("origin", format!("'{origin}': expected this server's own page")));
        }
        // Forms of other pages can send text, but no JSON without asking first.
        let sent = text(CONTENT_TYPE).unwrap_or_default();
        if request.method() == Method::POST
            && sent.split(';').next().map(str::trim) != Some("application/json")
        {
            return Err(FieldError::new("content-type", format!("'{sent}': expected application/json")));
        }
        Ok(())
    }

    /// True if a Host header means this machine. A foreign site can have a name point here, but not
    /// an address.
    fn is_ours(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let name = authority.host().to_ascii_lowercase();
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(&name);
        let is_port = authority.port_u16().is_some() || authority.as_str() == authority.host();
        is_port && (name == "localhost" || address.parse::<IpAddr>().is_ok() || self.names.contains(&name))
    }
}

/// Refuses what [`Guard::admits`] does not.
pub(in crate::web) async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.admits(&request) {
        Ok(()) => next.run(request).await,
        Err(error) => Refusal(StatusCode::FORBIDDEN, error).and_close(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The field for which a request is refused.
    fn refused(request: http::request::Builder) -> Option<String> {
        Guard::new(vec!["Box.lan".into()]).admits(&request.body(()).unwrap()).err().map(|error| error.field)
    }

    #[test]
    fn only_this_machine_is_asked_for() {
        let refused_host = |line: &str, hosts: &[&str]| {
            refused(hosts.iter().fold(http::Request::get(line), |request, host| request.header(HOST, *host)))
        };
        for host in "127.0.0.1:80 localhost LOCALHOST:8410 [::1]:8410 10.0.0.7:1 box.lan:8410".split(' ') {
            assert_eq!(refused_host("/", &[host]), None, "{host}");
        }
        let foreign = " evil.example evil.example:8410 localhost.evil.example 127.0.0.1.evil [x] [::1]evil.com \
                       [::1]:evil.com [::1]:80@evil.com localhost:evil.com evil.com:80:80";
        for host in foreign.split(' ') {
            assert_eq!(refused_host("/", &[host]).as_deref(), Some("host"), "{host}");
        }
        // Every name of the server counts.
        let (ours, evil) = ("localhost", "evil.example");
        assert_eq!(refused_host("http://localhost/", &[ours]), None);
        for (line, hosts) in
            [("/", &[ours, evil][..]), ("/", &[evil, ours]), ("http://evil.example/", &[ours])]
        {
            assert_eq!(refused_host(line, hosts).as_deref(), Some("host"), "{line} {hosts:?}");
        }
    }

    #[test]
    fn only_its_own_page_asks() {
        let post = || http::Request::post("/").header(HOST, "localhost:8410");
        let json = || post().header(CONTENT_TYPE, "application/json; charset=utf-8");
        let from = |origin| refused(json().header(ORIGIN, origin));
        assert_eq!(from("http://localhost:8410"), None);
        for origin in ["http://evil.example", "null", "http://localhost:80", "http://127.0.0.1:8410", ""] {
            assert_eq!(from(origin).as_deref(), Some("origin"), "{origin}");
        }
        assert_eq!(refused(post().header(CONTENT_TYPE, "text/plain")).as_deref(), Some("content-type"));
        // A program may ask without a page.
        assert_eq!(refused(json()), None);
    }
}
