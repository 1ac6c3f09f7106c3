//! What must never be seen: the secret of an account on the site.

use std::fmt;

/// A text that no message shows: its `Debug` and `Display` are `***`.
///
/// The site puts it into the path of every address, so whatever comes from the network, from the
/// site or from a library goes through [`Secret::scrub`] before the user reads it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

/// What stands where a secret stood.
const HIDDEN: &str = "***";

impl Secret {
    /// Hides `text`.
    pub(crate) fn new(text: &str) -> Secret {
        Secret(text.to_owned())
    }

    /// The text itself, for the one place that has to send it.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// Whether it is too long to stand in other text by chance.
    pub(super) fn is_distinctive(&self) -> bool {
        self.0.len() >= 6
    }

    /// `text` without the secret, wherever and in whichever case it stands in it.
    pub(crate) fn scrub(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        // Byte for byte: the secret is ASCII, so that no match begins or ends within a character.
        let lower = text.to_ascii_lowercase();
        let needle = self.0.to_ascii_lowercase();
        let mut clean = String::with_capacity(text.len());
        let mut from = 0;
        for (at, found) in lower.match_indices(&needle) {
            clean.push_str(&text[from..at]);
            clean.push_str(HIDDEN);
            from = at + found.len();
        }
        clean.push_str(&text[from..]);
        clean
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Secret::new("S3cretWord");
        assert_eq!(format!("{secret} {secret:?} {:#?}", Some(&secret)), "*** *** Some(\n    ***,\n)");
    }

    #[test]
    fn texts_are_scrubbed_of_it_whatever_is_around() {
        let secret = Secret::new("S3cretWord");
        for (text, clean) in [
            ("GET /api/u/S3cretWord/localai", "GET /api/u/***/localai"),
            ("S3cretWordS3CRETWORD", "******"),
            ("本地AI s3cretword é", "本地AI *** é"),
            ("S3cretWor d", "S3cretWor d"),
            ("", ""),
        ] {
            assert_eq!(secret.scrub(text), clean);
        }
        assert_eq!(Secret::new("").scrub("as it is"), "as it is");
    }
}
