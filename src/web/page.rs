//! The text of pages: templates, data for scripts, and self-contained pages with their policies.
//!
//! A self-contained page needs no network, and reads no name or message of a player as markup. Its
//! content security policy allows the one script and the one style sheet in it, by a nonce that
//! this process draws when it writes the page, and nothing else. The script imports
//! modules of the page of `quiver serve`, which an import map holds.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Value, json};

use crate::words::Language;

/// Names and texts of modules.
type Modules = [(&'static str, &'static str)];

/// The scripts and style sheets of the page of `quiver serve`.
pub(super) const FILES: &Modules = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The modules that self-contained pages share with the page of `quiver serve`.
const SHARED: [&str; 11] = [
    "chances.js",
    "chinese.js",
    "elements.js",
    "ends.js",
    "english.js",
    "kept.js",
    "picture.js",
    "rules.js",
    "sight.js",
    "stepper.js",
    "words.js",
];

/// The style sheets of every self-contained page.
const STYLES: [&str; 3] = [
    include_str!("assets/app/board.css"),
    include_str!("assets/app/base.css"),
    include_str!("assets/report.css"),
];

/// The nonce of the pages of this process: 128 bits of the system's random source.
static NONCE: LazyLock<String> = LazyLock::new(|| {
    let [high, low] = [0, 1].map(|half: u64| RandomState::new().hash_one(half));
    format!("{high:016x}{low:016x}")
});

/// A page that holds all it needs, its script and style sheet too.
pub(super) struct SelfContainedPage {
    pub(super) template: &'static str,
    /// The page's own module, which imports the shared ones from `./app/`.
    pub(super) script: &'static str,
    /// The page's own style sheets; those of every page come first.
    pub(super) styles: &'static [&'static str],
}

impl SelfContainedPage {
    /// The page with these values, and a policy that allows its own script and style sheet, and
    /// `more`.
    pub(super) fn html(&self, more: &str, values: &[(&str, &str)]) -> String {
        let style = [&STYLES, self.styles].concat().concat();
        let (policy, script) = (SelfContainedPage::policy(more), by_name(self.script));
        let own = [
            ("policy", &*policy),
            ("imports", &imports()),
            ("script", &script),
            ("style", &style),
            ("nonce", &NONCE),
        ];
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

/// The import map of the shared modules, each at a `data:` address.
fn imports() -> String {
    let shared = FILES.iter().filter(|(name, _)| SHARED.contains(name));
    let address = |text: &str| {
        // An address drops line breaks, and ends at the sign that begins a fragment.
        let text = by_name(text).replace('%', "%25").replace('#', "%23").replace('\n', "%0A");
        format!("data:text/javascript,{text}")
    };
    let imports: BTreeMap<_, _> = shared.map(|(name, text)| (format!("app/{name}"), address(text))).collect();
    script_json(&json!({"imports": imports}))
}

/// A module that imports others by their names in the import map. No address is relative to a `data:`
/// address.
fn by_name(module: &str) -> String {
    module.replace("from \"./app/", "from \"app/").replace("from \"./", "from \"app/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::{contest_page, match_page};

    #[test]
    fn every_module_that_is_imported_is_there() {
        let shared = SHARED.map(|name| FILES.iter().find(|file| file.0 == name).unwrap().1);
        for text in shared.into_iter().chain([contest_page::PAGE.script, match_page::PAGE.script]) {
            for import in by_name(text).split("from \"").skip(1) {
                let name = import.strip_prefix("app/").and_then(|rest| rest.split_once('"')).unwrap().0;
                assert!(SHARED.contains(&name), "{name}");
            }
        }
    }

    #[test]
    fn no_asset_can_end_its_element() {
        for page in [contest_page::PAGE, match_page::PAGE] {
            // A script may draw SVG, whose closing tags end no script element.
            assert!(!page.script.contains("</script") && !page.script.contains("<!--"));
            assert!(!page.styles.concat().contains("</"));
        }
    }
}
