//! Who plays, and where: the address of the site, the user and the secret.
//!
//! They come from the environment or from a file that only its owner can read. The command line is
//! no source, because every process on the machine can read it. Messages never repeat the input,
//! because any part of it may be the secret.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

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

/// What the environment says: `QUIVER_BOTZONE_URL`, or `QUIVER_BOTZONE_USER` and
/// `QUIVER_BOTZONE_SECRET`.
#[derive(Clone, Default)]
pub(crate) struct Settings {
    /// The address as the site shows it under 本地AI.
    pub(crate) url: Option<String>,
    /// The user's id.
    pub(crate) user: Option<String>,
    /// The secret.
    pub(crate) secret: Option<String>,
}

/// Why there are no credentials. Callers say where the settings come from.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CredentialsError {
    #[error(
        "no account: expected QUIVER_BOTZONE_URL (the address that the site shows under 本地AI), or \
         QUIVER_BOTZONE_USER and QUIVER_BOTZONE_SECRET in the environment, or --credentials FILE"
    )]
    Missing,
    #[error("{got} without {missing}: expected both")]
    Half { got: &'static str, missing: &'static str },
    #[error("an address and a user or a secret: expected the one or the other, once")]
    Twice,
    #[error("the address is not one of 本地AI: expected https://SITE/api/USER/SECRET/localai")]
    Url,
    #[error(transparent)]
    Base(#[from] BaseUrlError),
    #[error("the {name} is empty or has other characters than letters, digits, - and _")]
    Characters { name: &'static str },
    #[error("line {line}: expected an address, user=..., secret=... or a comment that begins with #")]
    Line { line: usize },
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    #[error("open to others (mode {mode:03o}), and a secret must not be: chmod 600")]
    Open { mode: u32 },
}

/// Why the secret may not be sent to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BaseUrlError {
    #[error(
        "the address is not https: expected https, since it carries the secret (http to this machine alone)"
    )]
    NotHttps,
    #[error("the address is not that of a site: expected https://HOST, maybe with a port and a path")]
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
    /// The credentials that these settings give; `base` goes over the site in an address.
    pub(crate) fn new(settings: &Settings, base: Option<&BaseUrl>) -> Result<Credentials, CredentialsError> {
        let Settings { url, user, secret } = settings;
        let half = |got, missing| Err(CredentialsError::Half { got, missing });
        let (found, user, secret) = match (url, user, secret) {
            (None, None, None) => return Err(CredentialsError::Missing),
            (Some(url), None, None) => split_url(url).ok_or(CredentialsError::Url)?,
            (Some(_), _, _) => return Err(CredentialsError::Twice),
            (None, Some(user), Some(secret)) => (BASE, user.trim(), secret.trim()),
            (None, Some(_), None) => return half("a user", "a secret"),
            (None, None, Some(_)) => return half("a secret", "a user"),
        };
        for (name, text) in [("user", user), ("secret", secret)] {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            if text.is_empty() || !text.bytes().all(plain) {
                return Err(CredentialsError::Characters { name });
            }
        }
        let base = base.map_or_else(|| BaseUrl::parse(found), |base| Ok(base.clone()))?;
        Ok(Credentials { base, user: user.to_owned(), secret: Secret::new(secret) })
    }

    /// The credentials in a file: the address as the site shows it on a line, or `user=` and
    /// `secret=`.
    pub(crate) fn from_file(path: &Path, base: Option<&BaseUrl>) -> Result<Credentials, CredentialsError> {
        let file = files::open(path)?;
        // Of the open file, which no other process can replace in between.
        let mode = file.metadata()?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(CredentialsError::Open { mode });
        }
        let text = String::from_utf8(files::read_all(file, MAX_FILE)?);
        // The error of the library holds the bytes.
        let no_text = |_| io::Error::new(io::ErrorKind::InvalidData, "expected text");
        Credentials::new(&parse_file(&text.map_err(no_text)?)?, base)
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

/// The site, user and secret of an address as the site shows it, with or without a call's name at
/// its end.
fn split_url(url: &str) -> Option<(&str, &str, &str)> {
    let (base, account) = url.trim().trim_end_matches('/').rsplit_once("/api/")?;
    match account.split('/').collect::<Vec<_>>().as_slice() {
        [user, secret] | [user, secret, "localai" | "runmatch" | "abortmatch"] => Some((base, user, secret)),
        _ => None,
    }
}

fn parse_file(text: &str) -> Result<Settings, CredentialsError> {
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
            _ => return Err(CredentialsError::Line { line: index + 1 }),
        };
        if slot.replace(value.to_owned()).is_some() {
            return Err(CredentialsError::Twice);
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
            let credentials = Credentials::new(&settings, None).unwrap();
            assert_eq!(credentials.url("localai"), expected);
            let shown = format!("{credentials:?}");
            assert!(!shown.contains("s3cretive"), "{shown}");
        }
        let base = BaseUrl::parse("http://127.0.0.1:8080/").unwrap();
        let over = Credentials::new(&settings(Some(expected), None, None), Some(&base)).unwrap();
        assert_eq!(over.url("runmatch"), "http://127.0.0.1:8080/api/5f00/s3cretive/runmatch");
    }

    #[test]
    fn what_is_no_account_is_refused_without_repeating_it() {
        let cases = [
            (settings(None, None, None), "no account: expected QUIVER_BOTZONE_URL"),
            (settings(None, Some("u"), None), "a user without a secret"),
            (settings(None, None, Some("s3cretive")), "a secret without a user"),
            (settings(Some("https://x/api/u/s3cretive"), None, Some("s3cretive")), "the one or the other"),
            (settings(Some("https://x/s3cretive"), None, None), "expected https://SITE/api/USER/SECRET"),
            (settings(Some("https://x/api/u/s3cretive/log"), None, None), "is not one of 本地AI"),
            (settings(Some("http://x/api/u/s3cretive"), None, None), "the address is not https"),
            (settings(Some("https://s3cretive@x/api/u/s3cretive"), None, None), "is not that of a site"),
            (settings(None, Some("u"), Some("s3cretive?")), "the secret is empty or has other"),
            (settings(None, Some(""), Some("s3cretive")), "the user is empty"),
            (settings(None, Some("u"), Some("s3cretive\r\nX-Evil: 1")), "the secret is empty or has"),
        ];
        for (settings, expected) in cases {
            let error = Credentials::new(&settings, None).unwrap_err();
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
