//! The account and its site: the address of the site, the user and the secret.
//!
//! They come from the environment or from a file that only its owner can read. The command line is
//! no source, because every process on the machine can read it. Error messages never repeat the
//! input, because any part of it may be the secret.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use ureq::http::Uri;
use ureq::http::uri::Scheme;

use super::reply::is_name;
use crate::files;

const BASE: &str = "https://www.botzone.org.cn";

const MAX_FILE: u64 = 16 * 1024;

/// An account on a site. It has no `Debug`, so that no message can show the secret.
pub(crate) struct Credentials {
    pub(super) base: BaseUrl,
    user: String,
    secret: String,
}

/// The address of a site, without what stands behind `/api`.
///
/// The secret travels in the path, so it must be HTTPS, or stay on this machine.
#[derive(Clone, Debug)]
pub(crate) struct BaseUrl {
    text: String,
    pub(super) loopback: bool,
}

impl BaseUrl {
    pub(crate) fn parse(text: &str) -> anyhow::Result<BaseUrl> {
        let text = text.trim().trim_end_matches('/');
        // No user before the host, no query, no fragment, nothing that needs an escape.
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._~-:[]".contains(c));
        let uri = text.parse::<Uri>().ok().filter(|_| plain).map(Uri::into_parts);
        let (scheme, authority) = uri
            .and_then(|uri| uri.scheme.zip(uri.authority))
            .filter(|(_, authority)| authority.port().is_some() || authority.as_str() == authority.host())
            .context(
                "the address is not that of a site: expected https://HOST, maybe with a port and a path",
            )?;
        let host = authority.host().trim_matches(['[', ']']);
        let loopback = host.eq_ignore_ascii_case("localhost")
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        ensure!(
            scheme == Scheme::HTTPS || (scheme == Scheme::HTTP && loopback),
            "the address is not https: expected https, since it carries the secret (http to this machine alone)"
        );
        Ok(BaseUrl { text: text.to_owned(), loopback })
    }
}

impl Credentials {
    /// Reads lines `url=`, `user=` and `secret=`. Names may begin with `QUIVER_BOTZONE_`; a line
    /// without a name is the address as the site shows it. `base` replaces the site in the address.
    pub(crate) fn parse(text: &str, base: Option<&BaseUrl>) -> anyhow::Result<Credentials> {
        const NAMES: [&str; 3] = ["url", "user", "secret"];
        let mut values = BTreeMap::new();
        let lines = (1..).zip(text.lines().map(str::trim));
        for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let (name, value) = line.split_once('=').unwrap_or(("url", line));
            let name = name.trim().trim_start_matches("QUIVER_BOTZONE_").to_ascii_lowercase();
            ensure!(
                NAMES.contains(&&*name) && values.insert(name, value.trim()).is_none(),
                "line {number}: expected an address, user= or secret=, each once, or a comment that begins with #"
            );
        }
        let (found, user, secret) = match NAMES.map(|name| values.get(name).copied()) {
            [Some(url), None, None] => split_url(url)
                .context("the address is not one of 本地AI: expected https://SITE/api/USER/SECRET/localai")?,
            [None, Some(user), Some(secret)] => (BASE, user, secret),
            [url, user, secret] => bail!(
                "{} account: expected QUIVER_BOTZONE_URL (the address that the site shows under 本地AI), or \
                 QUIVER_BOTZONE_USER and QUIVER_BOTZONE_SECRET, in the environment or in --credentials FILE",
                if url.is_some() { "more than one" } else { user.or(secret).map_or("no", |_| "half an") }
            ),
        };
        for (name, text) in [("user", user), ("secret", secret)] {
            ensure!(
                is_name(text),
                "the {name} is empty or has other characters than letters, digits, - and _"
            );
        }
        let base = base.map_or_else(|| BaseUrl::parse(found), |base| Ok(base.clone()))?;
        Ok(Credentials { base, user: user.to_owned(), secret: secret.to_owned() })
    }

    pub(crate) fn from_file(path: &Path, base: Option<&BaseUrl>) -> anyhow::Result<Credentials> {
        let file = files::open(path)?;
        // Of the open file, which no other process can replace in between.
        let mode = file.metadata()?.permissions().mode() & 0o777;
        ensure!(mode & 0o077 == 0, "open to others (mode {mode:03o}), and a secret must not be: chmod 600");
        // Bytes that are not UTF-8 fail the checks that follow.
        Credentials::parse(&String::from_utf8_lossy(&files::read_all(file, MAX_FILE)?), base)
    }

    /// The address of one of the site's calls. It holds the secret.
    pub(super) fn url(&self, call: &str) -> String {
        format!("{}/api/{}/{}/{call}", self.base.text, self.user, self.secret)
    }

    /// Whether the secret is so short that it may stand in other text by chance.
    pub(super) fn is_short(&self) -> bool {
        self.secret.len() < 6
    }

    /// `text` without the secret, wherever and in whichever case it stands in it. The site puts the
    /// secret into the path of every address, so whatever comes from the network, from the site or
    /// from a library goes through here before the user reads it.
    pub(super) fn scrub(&self, text: &str) -> String {
        // Byte for byte: the secret is ASCII, so that no match begins or ends within a character.
        let (mut clean, lower) = (text.to_owned(), text.to_ascii_lowercase());
        // The last first, so that the places of the others stay.
        for (at, secret) in lower.rmatch_indices(&self.secret.to_ascii_lowercase()) {
            clean.replace_range(at..at + secret.len(), "***");
        }
        clean
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

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str = "https://www.botzone.org.cn/api/5f00/s3cretive/localai";

    fn address(credentials: anyhow::Result<Credentials>) -> Result<String, String> {
        credentials.map(|credentials| credentials.url("localai")).map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn all_ways_to_name_an_account_give_the_same_address() {
        for text in [
            "QUIVER_BOTZONE_USER=5f00\nQUIVER_BOTZONE_SECRET=s3cretive",
            "# mine\nuser = 5f00\r\nsecret = s3cretive\n",
            &format!("\n{ADDRESS}\n"),
            "QUIVER_BOTZONE_URL= https://www.botzone.org.cn/api/5f00/s3cretive/ ",
        ] {
            assert_eq!(address(Credentials::parse(text, None)).unwrap(), ADDRESS);
        }
        let base = BaseUrl::parse("http://127.0.0.1:8080/").unwrap();
        let over = Credentials::parse(ADDRESS, Some(&base)).unwrap();
        assert_eq!(over.url("runmatch"), "http://127.0.0.1:8080/api/5f00/s3cretive/runmatch");
    }

    #[test]
    fn what_is_no_account_is_refused_without_repeating_it() {
        let cases = [
            ("", "no account: expected QUIVER_BOTZONE_URL"),
            ("user=u", "half an account"),
            ("secret=s3cretive", "half an account"),
            ("https://x/api/u/s3cretive\nsecret=s3cretive", "more than one account"),
            ("https://x/s3cretive", "expected https://SITE/api/USER/SECRET"),
            ("https://x/api/u/s3cretive/log", "is not one of 本地AI"),
            ("s3cretive", "is not one of 本地AI"),
            ("http://x/api/u/s3cretive", "the address is not https"),
            ("https://s3cretive@x/api/u/s3cretive", "is not that of a site"),
            ("user=u\nsecret=s3cretive?", "the secret is empty or has other"),
            ("user=\nsecret=s3cretive", "the user is empty"),
            ("user=u\nsecret=s3cretive\r\nX-Evil: 1=s3cretive", "line 3: expected"),
            ("user=u\n\npassword=s3cretive", "line 3: expected"),
            ("user=u\nuser=u\nsecret=s3cretive", "line 2: expected"),
        ];
        for (text, expected) in cases {
            let message = address(Credentials::parse(text, None)).unwrap_err();
            assert!(message.contains(expected) && !message.contains("s3cretive"), "{message}");
        }
    }

    #[test]
    fn a_secret_goes_over_https_or_stays_on_the_machine() {
        let good = "https://www.botzone.org.cn HTTPS://host:8443/under/ http://localhost:1 http://127.9.9.9 \
                    http://[::1]:80";
        for good in good.split(' ') {
            assert!(BaseUrl::parse(good).is_ok(), "{good}");
        }
        let refusal = |text: &str| BaseUrl::parse(text).unwrap_err().to_string();
        let open = "http://www.botzone.org.cn http://localhost.example.org http://127.0.0.1.example.org \
                    ftp://localhost";
        for bad in open.split(' ') {
            assert!(refusal(bad).starts_with("the address is not https"), "{bad}");
        }
        let foreign = "http://127.0.0.1@example.org https://host?x https://host/#x https://host:port \
                       https://host:99999 https://[::1 https:// www.botzone.org.cn";
        for bad in foreign.split(' ').chain(["https://ho st", ""]) {
            assert!(refusal(bad).starts_with("the address is not that of a site"), "{bad}");
        }
    }

    #[test]
    fn texts_are_scrubbed_of_the_secret_whatever_is_around() {
        let credentials = Credentials::parse("user=u\nsecret=S3cretWord", None).unwrap();
        for (text, clean) in [
            ("GET /api/u/S3cretWord/localai", "GET /api/u/***/localai"),
            ("S3cretWordS3CRETWORD", "******"),
            ("本地AI s3cretword é", "本地AI *** é"),
            ("S3cretWor d", "S3cretWor d"),
            ("", ""),
        ] {
            assert_eq!(credentials.scrub(text), clean);
        }
    }
}
