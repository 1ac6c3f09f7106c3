//! Refuses requests that pages of other sites send through the user's browser. The browser names
//! such a site in the header `Origin`, or in `Host` if the site's name resolves to this machine.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HOST, HeaderName, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use super::Refusal;
use crate::analysis::FieldError;

fn admit(names: &[String], request: &Request) -> Result<(), FieldError> {
    let headers = request.headers();
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(HOST).unwrap_or_default();
    // A request may name hosts in its first line and in `Host` headers. Every host must be allowed.
    let hosts = headers.get_all(HOST).iter().map(|value| value.to_str().unwrap_or_default());
    let hosts = hosts.chain(request.uri().authority().map(|authority| authority.as_str())).chain([host]);
    if let Some(foreign) = hosts.into_iter().find(|host| !is_ours(names, host)) {
        let message = format!("'{foreign}': expected an IP address or localhost; see --allow-host");
        return Err(FieldError::new("host", message));
    }
    let origin = headers.get(ORIGIN).map(|value| value.to_str().unwrap_or_default());
    if let Some(origin) = origin
        && !origin.split_once("://").is_some_and(|(scheme, from)| {
            ["http", "https"].contains(&scheme) && from.eq_ignore_ascii_case(host)
        })
    {
        return Err(FieldError::new("origin", format!("'{origin}': expected this server's own page")));
    }
    // A browser lets pages of other sites send forms and text to this server, but not JSON.
    let sent = text(CONTENT_TYPE).unwrap_or_default();
    if request.method() == Method::POST && sent.split(';').next().map(str::trim) != Some("application/json") {
        return Err(FieldError::new("content-type", format!("'{sent}': expected application/json")));
    }
    Ok(())
}

/// True if a host is an IP address, `localhost` or one of `names`. Returns false for any other host
/// name, even if it resolves to this machine.
fn is_ours(names: &[String], host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host();
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    let is_port = authority.port_u16().is_some() || authority.as_str() == authority.host();
    let is_name = |known: &str| known.eq_ignore_ascii_case(name);
    let is_named = is_name("localhost") || names.iter().any(|known| is_name(known));
    is_port && (is_named || address.parse::<IpAddr>().is_ok())
}

pub(in crate::web) async fn refuse_foreign_requests(
    State(names): State<Arc<[String]>>,
    request: Request,
    next: Next,
) -> Response {
    match admit(&names, &request) {
        Ok(()) => next.run(request).await,
        Err(error) => Refusal(StatusCode::FORBIDDEN, error).and_close(),
    }
}
