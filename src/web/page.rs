//! Writes HTML pages from templates, with data for the scripts of these pages.
//!
//! A self-contained page needs no network, and shows names and messages of players only as plain
//! text, never as markup. Its content security policy allows only its own script and style sheet,
//! which have a random nonce. The script shares modules with the page of `quiver serve`. The text
//! of the shared modules is in the import map of the self-contained page.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::json;

type Files = [(&'static str, &'static str)];

/// The scripts and style sheets of the page of `quiver serve`.
pub(super) const FILES: &Files = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The modules that self-contained pages share with the page of `quiver serve`.
const SHARED_MODULES: [&str; 11] = [
    "chances.js",
    "chinese.js",
    "elements.js",
    "outcome.js",
    "english.js",
    "local-storage.js",
    "picture.js",
    "rules.js",
    "lists.js",
    "stepper.js",
    "words.js",
];

const SHARED_STYLES: [&str; 3] = [
    include_str!("assets/app/board.css"),
    include_str!("assets/app/base.css"),
    include_str!("assets/report.css"),
];

/// The nonce of all pages of this process: 128 random bits as hexadecimal digits.
static NONCE: LazyLock<String> = LazyLock::new(|| {
    let [high, low] = [0, 1].map(|half: u64| RandomState::new().hash_one(half));
    format!("{high:016x}{low:016x}")
});

pub(super) struct SelfContainedPage {
    pub(super) template: &'static str,
    /// The page's own script, which imports the shared modules from `./app/`.
    pub(super) script: &'static str,
    pub(super) style: &'static str,
}

impl SelfContainedPage {
    pub(super) fn html(&self, extra_directives: &str, values: &[(&str, &str)]) -> String {
        let style = SHARED_STYLES.concat() + self.style;
        let (policy, script) =
            (SelfContainedPage::content_security_policy(extra_directives), with_named_imports(self.script));
        let own = [
            ("policy", &*policy),
            ("imports", &import_map()),
            ("script", &script),
            ("style", &style),
            ("nonce", &NONCE),
        ];
        fill(self.template, &[&own, values].concat())
    }

    /// The content security policy of a self-contained page, with `extra_directives` appended.
    pub(super) fn content_security_policy(extra_directives: &str) -> String {
        let nonce = &*NONCE;
        format!(
            "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; \
             base-uri 'none'; form-action 'none'{extra_directives}"
        )
    }
}

/// Replaces each `{{name}}` of a template by its value. A `{{name}}` within a value is kept.
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

/// Writes JSON for a `script` element. The JSON cannot end the element or begin an HTML comment.
pub(super) fn script_json(value: &impl Serialize) -> String {
    // JSON has `<`, `>` and `&` only within strings, so an escape can replace each of them.
    let text = serde_json::to_string(value).unwrap_or_default();
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn import_map() -> String {
    let shared = FILES.iter().filter(|(name, _)| SHARED_MODULES.contains(name));
    let address = |text: &str| {
        // In a URL, line breaks are dropped and `#` begins the fragment, so both are escaped.
        let text = with_named_imports(text).replace('%', "%25").replace('#', "%23").replace('\n', "%0A");
        format!("data:text/javascript,{text}")
    };
    let imports: BTreeMap<_, _> = shared.map(|(name, text)| (format!("app/{name}"), address(text))).collect();
    script_json(&json!({"imports": imports}))
}

/// Changes the relative imports of a module to names of the import map, because a module at a
/// `data:` address cannot have relative imports.
fn with_named_imports(module: &str) -> String {
    module.replace("from \"./app/", "from \"app/").replace("from \"./", "from \"app/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::{contest_page, match_page};

    #[test]
    fn import_map_has_every_import() {
        let shared = SHARED_MODULES.map(|name| FILES.iter().find(|file| file.0 == name).unwrap().1);
        for text in shared.into_iter().chain([contest_page::PAGE.script, match_page::PAGE.script]) {
            for import in with_named_imports(text).split("from \"").skip(1) {
                let name = import.strip_prefix("app/").and_then(|rest| rest.split_once('"')).unwrap().0;
                assert!(SHARED_MODULES.contains(&name), "{name}");
            }
        }
    }

    #[test]
    fn assets_cannot_end_their_elements() {
        for page in [contest_page::PAGE, match_page::PAGE] {
            // Scripts may contain closing tags of SVG, which do not end the `script` element.
            assert!(!page.script.contains("</script") && !page.script.contains("<!--"));
            assert!(!page.style.contains("</"));
        }
    }
}
