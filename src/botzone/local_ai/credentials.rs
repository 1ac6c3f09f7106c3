//! Who plays, and where: the address of the site, the user and the secret.
//!
//! They come from the environment or from a file that only its owner can read. The command line is no source,
//! because every process on the machine can read it. Messages name the place of an error and never repeat the
//! input, because any part of it may be the secret.

use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use ureq::http::Uri;
use ureq::http::uri::Scheme;

use super::secret::Secret;
use crate::files;

/// The site.
pub(crate) const BASE: &str = "https://www.botzone.org.cn";

/// The longest credentials file that is read, in bytes.
const MAX_FILE: u64 = 16 * 1024;

/// An account on a site.
#[derive(Clone, Debug)]
pub(crate) struct Credentials {
    base: BaseUrl,
    user: String,
    secret: Secret,
}

/// The address of a site, without what stands behind `/api`.
///
/// The secret travels in the path, so it must be HTTPS, or stay on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseUrl {
    text: String,
    loopback: bool,
}

/// What the environment says: `QUIVER_BOTZONE_URL`, or `QUIVER_BOTZONE_USER` and `QUIVER_BOTZONE_SECRET`.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    /// The address as the site shows it under 本地AI.
    pub(crate) url: Option<String>,
    /// The user's id.
    pub(crate) user: Option<String>,
    /// The secret.
    pub(crate) secret: Option<String>,
}

/// Why there are no credentials.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CredentialsError {
    #[error(
        "no account: expected QUIVER_BOTZONE_URL (the address that the site shows under 本地AI), or \
         QUIVER_BOTZONE_USER and QUIVER_BOTZONE_SECRET in the environment, or --credentials FILE"
    )]
    Missing,
    #[error("{place}: {got} without {missing}: expected both")]
    Half { place: String, got: &'static str, missing: &'static str },
    #[error("{place}: an address and a user or a secret: expected the one or the other")]
    Twice { place: String },
    #[error("{place}: the address is not one of 本地AI: expected https://SITE/api/USER/SECRET/localai")]
    Url { place: String },
    #[error("{place}: {fault}")]
    Base { place: String, fault: BaseUrlError },
    #[error("{place}: the {name} is empty or has other characters than letters, digits, - and _")]
    Characters { place: String, name: &'static str },
    #[error(
        "{place}, line {line}: expected an address, user=..., secret=... or a comment that begins with #"
    )]
    Line { place: String, line: usize },
    #[error("{path}: {source}", path = path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{path}: expected a file of at most {MAX_FILE} bytes of text", path = path.display())]
    NoFile { path: PathBuf },
    #[error(
        "{path} is open to others (mode {mode:03o}), and a secret must not be: chmod 600 {path}",
        path = path.display()
    )]
    Open { path: PathBuf, mode: u32 },
}

/// Why an address is none that a secret may be sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BaseUrlError {
    #[error(
        "the address is not https: expected https, since it carries the secret (http to this machine alone)"
    )]
    NotHttps,
    #[error("the address is none of a site: expected https://HOST, maybe with a port and a path")]
    Form,
}

impl BaseUrl {
    /// Reads an address.
    pub(crate) fn parse(text: &str) -> Result<BaseUrl, BaseUrlError> {
        let text = text.trim().trim_end_matches('/');
        let uri: Uri = text.parse().map_err(|_| BaseUrlError::Form)?;
        let (scheme, authority) = uri.scheme().zip(uri.authority()).ok_or(BaseUrlError::Form)?;
        // No user before the host, no query, no fragment, nothing that needs an escape.
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._~-:[]".contains(c));
        let port_is_number = authority.port().is_some() || authority.as_str() == authority.host();
        if !plain || !port_is_number {
            return Err(BaseUrlError::Form);
        }
        let host = authority.host().trim_matches(['[', ']']);
        let loopback = host.eq_ignore_ascii_case("localhost")
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        if *scheme == Scheme::HTTPS || (*scheme == Scheme::HTTP && loopback) {
            Ok(BaseUrl { text: text.to_owned(), loopback })
        } else {
            Err(BaseUrlError::NotHttps)
        }
    }

    /// Whether the site is on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        self.loopback
    }
}

impl Credentials {
    /// The credentials that these settings give; `base` goes over the site in an address. `place` is what
    /// messages call the settings.
    pub(crate) fn new(
        settings: &Settings,
        base: Option<&BaseUrl>,
        place: &str,
    ) -> Result<Credentials, CredentialsError> {
        let place = || place.to_owned();
        let Settings { url, user, secret } = settings;
        let (found, user, secret) = match (url, user, secret) {
            (None, None, None) => return Err(CredentialsError::Missing),
            (Some(url), None, None) => split_url(url, &place)?,
            (Some(_), _, _) => return Err(CredentialsError::Twice { place: place() }),
            (None, Some(user), Some(secret)) => (None, user.trim(), secret.trim()),
            (None, Some(_), None) => {
                return Err(CredentialsError::Half { place: place(), got: "a user", missing: "a secret" });
            }
            (None, None, Some(_)) => {
                return Err(CredentialsError::Half { place: place(), got: "a secret", missing: "a user" });
            }
        };
        for (name, text) in [("user", user), ("secret", secret)] {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            if text.is_empty() || !text.bytes().all(plain) {
                return Err(CredentialsError::Characters { place: place(), name });
            }
        }
        let base = match base {
            Some(base) => base.clone(),
            None => BaseUrl::parse(found.unwrap_or(BASE))
                .map_err(|fault| CredentialsError::Base { place: place(), fault })?,
        };
        Ok(Credentials { base, user: user.to_owned(), secret: Secret::new(secret) })
    }

    /// The credentials in a file: the address as the site shows it on a line, or `user=` and `secret=`.
    pub(crate) fn from_file(path: &Path, base: Option<&BaseUrl>) -> Result<Credentials, CredentialsError> {
        let unreadable = |source| CredentialsError::Unreadable { path: path.to_owned(), source };
        let no_file = || CredentialsError::NoFile { path: path.to_owned() };
        let file = files::open(path).map_err(unreadable)?;
        // Of the open file, which no other process can replace in between.
        let metadata = file.metadata().map_err(unreadable)?;
        if !metadata.is_file() || metadata.len() > MAX_FILE {
            return Err(no_file());
        }
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(CredentialsError::Open { path: path.to_owned(), mode });
        }
        let mut text = String::new();
        file.take(MAX_FILE).read_to_string(&mut text).map_err(|source| match source.kind() {
            io::ErrorKind::InvalidData => no_file(),
            _ => unreadable(source),
        })?;
        let place = path.display().to_string();
        Credentials::new(&parse_file(&text, &place)?, base, &place)
    }

    /// The address of the site.
    pub(crate) fn base(&self) -> &BaseUrl {
        &self.base
    }

    /// The secret, which no message shows.
    pub(crate) fn secret(&self) -> &Secret {
        &self.secret
    }

    /// The address of one of the site's calls. It holds the secret.
    pub(super) fn url(&self, call: &str) -> String {
        format!("{}/api/{}/{}/{call}", self.base.text, self.user, self.secret.expose())
    }
}

/// The site, user and secret of an address as the site shows it, with or without the name of a call at its end.
fn split_url<'a>(
    url: &'a str,
    place: &dyn Fn() -> String,
) -> Result<(Option<&'a str>, &'a str, &'a str), CredentialsError> {
    let no_url = || CredentialsError::Url { place: place() };
    let url = url.trim().trim_end_matches('/');
    let (base, account) = url.rsplit_once("/api/").ok_or_else(no_url)?;
    match account.split('/').collect::<Vec<_>>().as_slice() {
        [user, secret] | [user, secret, "localai" | "runmatch" | "abortmatch"] => {
            Ok((Some(base), user, secret))
        }
        _ => Err(no_url()),
    }
}

fn parse_file(text: &str, place: &str) -> Result<Settings, CredentialsError> {
    let mut settings = Settings::default();
    for (index, line) in text.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (slot, value) = match line.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
            Some(("user" | "QUIVER_BOTZONE_USER", value)) => (&mut settings.user, value),
            Some(("secret" | "QUIVER_BOTZONE_SECRET", value)) => (&mut settings.secret, value),
            Some(("url" | "QUIVER_BOTZONE_URL", value)) => (&mut settings.url, value),
            None if line.contains("://") => (&mut settings.url, line),
            _ => return Err(CredentialsError::Line { place: place.to_owned(), line: index + 1 }),
        };
        if slot.replace(value.to_owned()).is_some() {
            return Err(CredentialsError::Twice { place: place.to_owned() });
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn settings(url: Option<&str>, user: Option<&str>, secret: Option<&str>) -> Settings {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Settings { url: owned(url), user: owned(user), secret: owned(secret) }
    }

    #[test]
    fn both_ways_to_name_an_account_give_the_same_address() {
        let expected = "https://www.botzone.org.cn/api/5f00/s3cretive/localai";
        for settings in [
            settings(None, Some("5f00"), Some("s3cretive")),
            settings(Some("https://www.botzone.org.cn/api/5f00/s3cretive/localai"), None, None),
            settings(Some(" https://www.botzone.org.cn/api/5f00/s3cretive/ "), None, None),
        ] {
            let credentials = Credentials::new(&settings, None, "the environment").unwrap();
            assert_eq!(credentials.url("localai"), expected);
            let shown = format!("{credentials:?}");
            assert!(!shown.contains("s3cretive"), "{shown}");
        }
        let base = BaseUrl::parse("http://127.0.0.1:8080/").unwrap();
        let over = Credentials::new(&settings(Some(expected), None, None), Some(&base), "here").unwrap();
        assert_eq!(over.url("runmatch"), "http://127.0.0.1:8080/api/5f00/s3cretive/runmatch");
    }

    #[test]
    fn what_is_no_account_is_refused_without_repeating_it() {
        let cases = [
            (settings(None, None, None), "no account: expected QUIVER_BOTZONE_URL"),
            (settings(None, Some("u"), None), "here: a user without a secret"),
            (settings(None, None, Some("s3cretive")), "here: a secret without a user"),
            (settings(Some("https://x/api/u/s3cretive"), None, Some("s3cretive")), "the one or the other"),
            (settings(Some("https://x/s3cretive"), None, None), "expected https://SITE/api/USER/SECRET"),
            (settings(Some("https://x/api/u/s3cretive/log"), None, None), "is not one of 本地AI"),
            (settings(Some("http://x/api/u/s3cretive"), None, None), "here: the address is not https"),
            (settings(Some("https://s3cretive@x/api/u/s3cretive"), None, None), "is none of a site"),
            (settings(None, Some("u"), Some("s3cretive?")), "here: the secret is empty or has other"),
            (settings(None, Some(""), Some("s3cretive")), "here: the user is empty"),
            (settings(None, Some("u"), Some("s3cretive\r\nX-Evil: 1")), "here: the secret is empty or has"),
        ];
        for (settings, expected) in cases {
            let error = Credentials::new(&settings, None, "here").unwrap_err();
            let messages = format!("{error} {error:?}");
            assert!(error.to_string().contains(expected), "{error}");
            assert!(!messages.contains("s3cretive"), "{messages}");
        }
    }

    #[test]
    fn a_secret_goes_over_https_or_stays_on_the_machine() {
        for good in [
            "https://www.botzone.org.cn",
            "HTTPS://host:8443/under/",
            "http://localhost:1",
            "http://127.9.9.9",
            "http://[::1]:80",
        ] {
            assert!(BaseUrl::parse(good).is_ok(), "{good}");
        }
        for (bad, fault) in [
            ("http://www.botzone.org.cn", BaseUrlError::NotHttps),
            ("http://localhost.example.org", BaseUrlError::NotHttps),
            ("http://127.0.0.1.example.org", BaseUrlError::NotHttps),
            ("ftp://localhost", BaseUrlError::NotHttps),
            ("http://127.0.0.1@example.org", BaseUrlError::Form),
            ("https://host?x", BaseUrlError::Form),
            ("https://host/#x", BaseUrlError::Form),
            ("https://host:port", BaseUrlError::Form),
            ("https://host:99999", BaseUrlError::Form),
            ("https://[::1", BaseUrlError::Form),
            ("https://", BaseUrlError::Form),
            ("www.botzone.org.cn", BaseUrlError::Form),
            ("https://ho st", BaseUrlError::Form),
            ("", BaseUrlError::Form),
        ] {
            assert_eq!(BaseUrl::parse(bad), Err(fault), "{bad}");
        }
    }

    #[test]
    fn a_file_must_be_its_owners_alone() {
        let path = std::env::temp_dir().join(format!("quiver-credentials-{}", std::process::id()));
        let read = |text: &str, mode: u32| {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            Credentials::from_file(&path, None).map(|found| found.url("x")).map_err(|error| error.to_string())
        };
        let expected = Ok(format!("{BASE}/api/u1/s3cretive/x"));
        assert_eq!(read("# mine\nuser = u1\r\nsecret = s3cretive\n", 0o600), expected);
        assert_eq!(read(&format!("\n{BASE}/api/u1/s3cretive/localai\n"), 0o400), expected);
        assert_eq!(read("QUIVER_BOTZONE_USER=u1\nQUIVER_BOTZONE_SECRET=s3cretive", 0o600), expected);
        for mode in [0o640, 0o604, 0o620, 0o666, 0o601] {
            let error = read("user=u1\nsecret=s3cretive", mode).unwrap_err();
            assert!(error.contains(&format!("(mode {mode:03o})")) && error.contains("chmod 600"), "{error}");
        }
        for text in ["s3cretive", "password=s3cretive", "user=u1\nuser=u1\nsecret=s3cretive"] {
            let error = read(text, 0o600).unwrap_err();
            assert!(!error.contains("s3cretive"), "{error}");
        }
        fs::remove_file(&path).unwrap();
        let error = Credentials::from_file(&std::env::temp_dir(), None).unwrap_err();
        assert!(error.to_string().ends_with("a directory: expected a regular file"), "{error}");
        assert!(Credentials::from_file(&path, None).unwrap_err().to_string().contains("No such file"));
    }
}
