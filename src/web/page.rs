//! The text of pages: templates, data for scripts, and self-contained pages with their policies.
//!
//! A self-contained page needs no network, and reads no name or message of a player as markup. Its
//! content security policy allows the one script and the one style sheet in it, by a nonce that
//! nobody outside this process can know when the page is written, and nothing else. The script is joined
//! of modules of the page of `quiver serve`.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Value, json};

use crate::words::Language;

/// The modules that every page begins with: its language, its words, and what it says of games.
const COMMON: [&str; 5] = [
    include_str!("assets/app/english.js"),
    include_str!("assets/app/chinese.js"),
    include_str!("assets/app/words.js"),
    include_str!("assets/app/rules.js"),
    include_str!("assets/app/describe.js"),
];

/// The nonce of the pages of this process: 128 bits of the system's random source.
static NONCE: LazyLock<String> = LazyLock::new(|| {
    let [high, low] = [0, 1].map(|half: u64| RandomState::new().hash_one(half));
    format!("{high:016x}{low:016x}")
});

/// A page that holds all it needs, its script and style sheet too.
pub(super) struct SelfContainedPage {
    pub(super) template: &'static str,
    /// The page's own modules; those of every page come before them.
    pub(super) scripts: &'static [&'static str],
    pub(super) styles: &'static [&'static str],
}

impl SelfContainedPage {
    /// The page with these values, and a policy that allows its own script and style sheet, and
    /// `more`.
    pub(super) fn html(&self, more: &str, values: &[(&str, &str)]) -> String {
        let (policy, script, style) = (SelfContainedPage::policy(more), self.script(), self.styles.concat());
        let own = [("policy", &*policy), ("script", &*script), ("style", &*style), ("nonce", &NONCE)];
        fill(self.template, &[&own, values].concat())
    }

    /// The content security policy of the pages of this process, which loads nothing but what `more` allows.
    pub(super) fn policy(more: &str) -> String {
        let nonce = &*NONCE;
        format!(
            "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; \
             base-uri 'none'; form-action 'none'{more}"
        )
    }

    fn script(&self) -> String {
        join(&[&COMMON[..], self.scripts].concat())
    }
}

/// Puts values in the place of their `{{names}}`, in one pass: a value is never searched for names.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let (mut out, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        out.push_str(values.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| *value));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// JSON for the content of a `script` element: nothing in it can end the element or begin a
/// comment.
pub(super) fn script_json(value: &impl Serialize) -> String {
    // Outside of strings JSON has none of these characters, and within them an escape means the
    // same.
    let text = serde_json::to_string(value).unwrap_or_default();
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Words in the languages of the page, by the keys that `assets/app/words.js` has for them.
pub(super) fn in_both(words: impl Fn(Language) -> String) -> Value {
    json!({"en": words(Language::English), "zh": words(Language::Chinese)})
}

/// Joins modules, each after those whose names it uses. An import must stand on a line of its own.
fn join(modules: &[&str]) -> String {
    let lines = modules.iter().flat_map(|module| module.lines());
    let lines = lines.filter(|line| !line.starts_with("import "));
    let body: String =
        lines.map(|line| line.strip_prefix("export ").unwrap_or(line).to_owned() + "\n").collect();
    format!("\"use strict\";\n(() => {{\n{body}}})();\n")
}

#[cfg(test)]
mod tests {
    use crate::web::{contest_page, match_page};

    #[test]
    fn no_asset_can_end_its_element() {
        for page in [contest_page::PAGE, match_page::PAGE] {
            // A script may draw SVG, whose closing tags end no script element.
            for text in ["</script", "<!--", "import ", "export "] {
                assert!(!page.script().contains(text), "{text}");
            }
            assert!(!page.styles.concat().contains("</"));
        }
    }
}
