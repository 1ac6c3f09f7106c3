//! The page of `quiver replay --html`: self-contained, and safe with hostile logs.

use std::fs;

use quiver::game::Fen;
use serde_json::{Value, json};

use super::{entries, file, judge_log, refusal, replay};

/// A log in which every text of a player or of the site is markup, a script or a terminal's command.
fn hostile() -> String {
    let evil =
        "</script><script>alert(1)</script><img src=x onerror=alert(2)> {{script}} \u{1b}]0;title\u{7}";
    let mut log = entries("timeout.json");
    log[1]["0"]["debug"] = json!(evil);
    log[9]["0"]["debug"] = json!(evil);
    log[9]["0"]["verdict"] = json!("<b>\u{1b}[2J");
    log[10]["output"]["display"]["err"] = json!("INVALID_INPUT_VERDICT_<b>\u{1b}[2J");
    json!({"_id": evil, "players": [evil, {"name": evil}], "log": log}).to_string()
}

#[test]
fn foreign_text_is_neither_markup_nor_a_terminals_command() {
    let path = file("hostile.json", hostile());
    let page = file("hostile.html", "");
    let run = replay(&[&path, "--html", &page], b"");
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    assert!(!run.out.contains('\u{1b}') && !run.out.contains('\u{7}'), "{:?}", run.out);
    let html = fs::read_to_string(&page).unwrap();
    assert!(!html.contains("<script>alert") && !html.contains("<img") && !html.contains("<b>"));
    assert_eq!(html.matches("<script").count(), 2, "the data and the page's own");
    assert_eq!(html.matches("\"use strict\"").count(), 1, "a name is no placeholder");
}

/// The text between two marks.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let start = text.find(before).unwrap_or_else(|| panic!("{before} is missing")) + before.len();
    &text[start..start + text[start..].find(after).unwrap_or_else(|| panic!("{after} is missing"))]
}

#[test]
fn a_page_is_self_contained_and_holds_every_position() {
    use base64::Engine as _;
    use sha2::Digest as _;

    let page = file("page.html", "");
    let logs = ["random-1.json", "timeout.json"].map(judge_log);
    let run = replay(&[&logs[0], &logs[1], "--html", &page, "--analyze", "--playouts", "2"], b"");
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let html = fs::read_to_string(&page).unwrap();
    let policy = between(&html, "Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
    for (start, end, directive) in
        [("<style>", "</style>", "style-src"), ("\n<script>", "</script>", "script-src")]
    {
        let hash = sha2::Sha256::digest(between(&html, start, end));
        let hash = base64::engine::general_purpose::STANDARD.encode(hash);
        assert!(policy.contains(&format!("{directive} 'sha256-{hash}';")), "{directive}: {policy}");
    }
    // No address but the name of SVG's own language, which no browser visits; no style the policy
    // would refuse.
    assert_eq!(html.matches("://").count(), html.matches("http://www.w3.org/2000/svg").count());
    assert!(!html.contains("style=\"") && !html.contains(" onclick"));
    let data: Value = serde_json::from_str(between(&html, "id=\"data\">", "</script>")).unwrap();
    let points = |index: usize| data[index]["points"].as_array().unwrap();
    assert_eq!((points(0).len(), points(1).len()), (49, 5));
    for (ply, point) in points(0).iter().enumerate() {
        let drawn = |symbol: &str| point["pieces"].as_str().unwrap().matches(symbol).count();
        assert_eq!((drawn("#board-q0"), drawn("#board-q1"), drawn("#board-x")), (4, 4, ply), "ply {ply}");
        let fen: Fen = point["fen"].as_str().unwrap().parse().unwrap();
        assert_eq!(fen.0.burnt().into_iter().count(), ply);
    }
    assert!(data[0]["graph"].as_str().unwrap().contains("class=\"cursor\""));
    let failure = &data[1]["result"]["failure"];
    assert_eq!((&failure["kind"], &failure["side"]), (&json!("time"), &json!("first")));
    assert_eq!(failure["action"], json!({"en": "ran out of time (TLE)", "zh": "超时（TLE）"}));
}

#[test]
fn a_page_without_analysis_has_no_graph_and_too_many_matches_are_refused() {
    let page = file("plain-page.html", "");
    let log = judge_log("timeout.json");
    assert_eq!(replay(&[&log, "--html", &page], b"").code, Some(0));
    let html = fs::read_to_string(&page).unwrap();
    let data: Value = serde_json::from_str(between(&html, "id=\"data\">", "</script>")).unwrap();
    assert_eq!(data[0]["graph"], Value::Null);
    let many = vec![log.as_str(); 101];
    let message = refusal(&[&many[..], &["--html", &page]].concat(), b"");
    assert!(message.contains("--html with 101 matches: expected at most 100"), "{message}");
    let message = replay(&[&log, "--html", "/no/such/folder/page.html"], b"").err;
    assert!(message.contains("--html /no/such/folder/page.html"), "{message}");
}
