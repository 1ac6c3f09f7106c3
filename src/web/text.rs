//! Escapes untrusted text, such as the names and messages of players, for HTML and scripts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};

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

/// A page that holds its script and style sheet, and a policy that allows these, and `more`.
pub(super) fn page(template: &str, script: &str, style: &str, more: &str, values: &[(&str, &str)]) -> String {
    let policy = policy(script, style, more);
    let own = [("policy", &*policy), ("script", script), ("style", style)];
    fill(template, &[&own, values].concat())
}

/// JSON for the content of a `script` element: nothing in it can end the element or begin a
/// comment.
pub(super) fn script_json(value: &Value) -> String {
    // Outside of strings JSON has none of these characters, and within them an escape means the
    // same.
    value.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// The content security policy of a page that holds this one script and this one style sheet, and
/// loads nothing but what `more` allows.
pub(super) fn policy(script: &str, style: &str, more: &str) -> String {
    let [script, style] = [script, style].map(hash);
    format!(
        "default-src 'none'; script-src {script}; style-src {style}; img-src data:; base-uri 'none'; \
         form-action 'none'{more}"
    )
}

/// The source expression by which a policy allows this very script or style.
fn hash(content: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_in_a_script_means_what_it_meant() {
        let hostile = "</script><!-- <script> & \u{2028} \"quoted\" \\";
        let json = script_json(&hostile.into());
        assert!(!json.contains(['<', '>', '&']), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), hostile);
    }

    #[test]
    fn hashes_are_those_of_the_policy() {
        // The empty string's digest, as every description of SHA-256 has it.
        assert_eq!(hash(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
    }

    #[test]
    fn values_are_never_searched_for_names() {
        let filled = fill("<{{a}}|{{b}}|{{none}}>", &[("a", "{{b}}"), ("b", "x")]);
        assert_eq!(filled, "<{{b}}|x|>");
    }
}
