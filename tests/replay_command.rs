//! Tests `quiver replay` with every form of a log, and the page of `--html`.

use std::fs;
use std::path::Path;

use crate::common::gzip;
use crate::common::program::{
    Run, assert_contains, assert_documented, assert_fields, printed, quiver, refusal, refuses, run,
};
use serde_json::{Value, json};

fn judge_log(name: &str) -> String {
    format!("tests/data/judge_logs/{name}")
}

fn entries(name: &str) -> Value {
    let file: Value = serde_json::from_slice(&fs::read(judge_log(name)).unwrap()).unwrap();
    file["log"].clone()
}

fn file(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

fn replay(arguments: &[&str], input: &[u8]) -> Run {
    run(quiver(&["replay"]).args(arguments), input)
}

fn json_of(arguments: &[&str]) -> (Option<i32>, Value) {
    let Run { code, out, err } = replay(&[arguments, &["--json"]].concat(), b"");
    let report = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out} {err}"));
    assert_documented("replay", &report);
    (code, report)
}

fn json_of_one(path: &str) -> (Option<i32>, Value) {
    let (code, report) = json_of(&[path]);
    assert_eq!(report["matches"].as_array().map(Vec::len), Some(1), "{path}");
    (code, report["matches"][0].clone())
}

#[test]
fn logs_of_judge_agree_with_rules() {
    let mut told = printed(quiver(&["replay", "tests/data/journals/record-1.jsonl"]));
    let names = "random-1 random-2 random-3 illegal-move timeout real-opening-5bd137c30681335cc1f4d093";
    for name in names.split(' ') {
        let path = judge_log(&format!("{name}.json"));
        let (code, mut one) = json_of_one(&path);
        let moves = one["moves"].take();
        assert_eq!(code, Some(0), "{name}");
        assert_eq!(one["plies"], moves.as_array().unwrap().len());
        told += &format!("\n{}{one}\n", printed(quiver(&["replay", &path])));
    }
    insta::assert_snapshot!("logs", told);
}

#[test]
fn every_form_of_log_is_same_match() {
    let log = entries("random-3.json");
    let bare = log.to_string();
    let once = json!(bare).to_string();
    let page =
        format!("<!doctype html>\n<title>x</title><script>\nvar _rawLogJSON = {once};\nvar y;</script>");
    let forms: [(&str, Vec<u8>); 14] = [
        ("bare", bare.clone().into()),
        ("log", json!({"log": log}).to_string().into()),
        ("logs", json!({"_id": {"$oid": "5bd1"}, "logs": log}).to_string().into()),
        ("loglist", json!({"loglist": log}).to_string().into()),
        ("string", once.clone().into()),
        ("twice", json!(once).to_string().into()),
        ("string-under", json!({"log": bare}).to_string().into()),
        ("twice-under", json!({"loglist": once}).to_string().into()),
        ("object-string", json!(json!({"log": bare}).to_string()).to_string().into()),
        ("page", page.clone().into()),
        ("pretty", serde_json::to_vec_pretty(&json!({"log": log})).unwrap()),
        ("bare-gzip", gzip(bare.as_bytes())),
        ("page-gzip", gzip(page.as_bytes())),
        ("bom", [b"\xef\xbb\xbf", bare.as_bytes(), b"\r\n"].concat()),
    ];
    let (_, expected) = json_of_one(&judge_log("random-3.json"));
    for (name, bytes) in forms {
        let (code, one) = json_of_one(&file(&format!("form-{name}"), bytes));
        assert_eq!(code, Some(0), "{name}");
        for key in ["plies", "moves", "times", "result", "board", "start", "agreed_counts", "held"] {
            assert_eq!(one[key], expected[key], "{name}: {key}");
        }
        assert_eq!(one["id"], if name == "logs" { json!("5bd1") } else { Value::Null }, "{name}");
    }
}

#[test]
fn picks_match_from_many() {
    let line = |id: &str, name: &str| json!({"_id": {"$oid": id}, "logs": entries(name)}).to_string();
    let pack =
        [line("aa", "random-1.json"), line("bb", "timeout.json"), line("cc", "random-2.json")].join("\n");
    let path = file("pack.jsonl.gz", gzip(pack.as_bytes()));
    let text = printed(quiver(&["replay", &path]));
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.contains("pack.jsonl.gz, line 2, match bb (8x8): Second player won"), "{text}");
    assert!(text.contains("3 matches: the first player won 1, the second 2"), "{text}");
    for only in ["bb", "2"] {
        let (_, report) = json_of(&[&path, "--match", only]);
        assert_eq!((&report["matches"][0]["id"], &report["matches"][1]), (&json!("bb"), &Value::Null));
    }
    refuses(&["replay", &path, "--match", "dd"], "--match dd: no match");
    let text = replay(&["-"], pack.as_bytes()).out;
    assert!(text.contains("standard input, line 3, match cc"), "{text}");
}

#[test]
fn reports_wrong_counts_of_log() {
    let mut log = entries("random-1.json");
    log[10]["output"]["display"]["whiteCount"] = json!(7);
    let path = file("wrong-count.json", log.to_string());
    let counted = &json_of_one(&judge_log("random-1.json")).1["moves"][4]["counts"];
    let (code, one) = json_of_one(&path);
    let disagreement = &one["disagreements"][0];
    let logged = [&counted[0], &json!(7)];
    assert_fields(disagreement, json!({"kind": "counts", "ply": 5, "logged": logged, "counted": counted}));
    assert_eq!((code, &one["plies"]), (Some(1), &json!(48)), "a wrong count is no reason to stop");
    let message = disagreement["message"].as_str().unwrap();
    assert!(message.starts_with("after ply 5: the log counts "), "{message}");
    let run = replay(&[&path], b"");
    assert_eq!((run.code, run.err.as_str()), (Some(1), "quiver: the log disagrees with the rules\n"));
    assert!(run.out.contains(message), "{}", run.out);
    let both = replay(&[&path, &judge_log("random-1.json")], b"");
    assert_eq!((both.code, both.err.as_str()), (Some(1), "quiver: 1 of 2 logs disagree with the rules\n"));
}

#[test]
fn game_may_end_with_moves_left() {
    let file = file("awarded.sgf", "(;FF[4]GM[18]SZ[6]RE[B+];B[a2-a4/c2])");
    let (code, one) = json_of_one(&file);
    assert_eq!(code, Some(0), "{one}");
    assert_fields(&one, json!({"held": true, "ending": "awarded", "winner": "first", "failure": null}));
    let text = printed(quiver(&["replay", &file]));
    let sentence = "First player won after 1 ply: the game ended there, and second player had moves left.";
    assert!(text.contains(sentence), "{text}");
}

#[test]
fn rejects_unreadable_logs_in_one_line() {
    let bare = entries("random-1.json").to_string();
    let packed = gzip(bare.as_bytes());
    let page = "<script>var _rawLogJSON = \"[{\\\"output\\\":";
    let cases: [(&str, &[u8], &str); 4] = [
        ("cut.json", &bare.as_bytes()[..bare.len() / 2], "no JSON at line 1, column"),
        ("cut.gz", &packed[..packed.len() / 2], "gzip that cannot be unpacked"),
        ("cut.html", page.as_bytes(), "no JSON at line 1"),
        ("archive.zip", b"PK\x03\x04....", "a zip archive"),
    ];
    for (name, bytes, expected) in cases {
        let path = file(name, bytes);
        for (argument, source, input) in [(&*path, &*path, &b""[..]), ("-", "standard input", bytes)] {
            let message = refusal(quiver(&["replay", argument]), input);
            assert!(message.starts_with(&format!("quiver: {source}: ")), "{message}");
            assert!(message.contains(expected), "{message}");
        }
    }
    refuses(&["replay", "/no/such/log"], "/no/such/log: ");
    refuses(&["replay", "x", "--playouts", "5"], "expected --analyze as well");
    let (log, page) = (judge_log("timeout.json"), file("many.html", ""));
    let many = [&["replay", "--html", &page], &[log.as_str(); 101][..]].concat();
    refuses(&many, "--html with 101 matches: expected at most 100");
}

#[test]
fn limits_unpacked_size() {
    let long = format!("[\"{}", "x".repeat(9 << 20));
    for (text, expected) in [
        (&*vec![b'['; (64 << 20) + 1], "gzip that cannot be unpacked: more than 67108864 bytes: expected"),
        // These files unpack to less than 64 MiB, but their match is too deeply nested or too long.
        (&vec![b'['; 9 << 20], "recursion limit exceeded"),
        (long.as_bytes(), "the match is too long: expected at most 8388608 bytes"),
    ] {
        let message = refusal(quiver(&["replay", "-"]), &gzip(text));
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn names_at_most_ten_broken_lines() {
    let good = json!({"_id": "good", "log": entries("timeout.json")}).to_string();
    let broken = format!("{{\"{}\": 1}}\n", "x".repeat(5_000)).repeat(10);
    let path = file("broken-pack.jsonl", format!("{good}\n{{\"log\": [\nnonsense\n\"\"\n{broken}{good}\n"));
    let run = replay(&[&path], b"");
    assert_eq!((run.code, run.out.matches("match good").count()), (Some(2), 2), "{}{}", run.out, run.err);
    let lines: Vec<&str> = run.err.lines().collect();
    assert_eq!(lines.len(), 12, "{}", run.err);
    assert!(lines[..10].iter().all(|line| line.contains("broken-pack.jsonl, line ") && line.len() < 600));
    assert!(lines[0].contains("line 2: as a Botzone log: no JSON at line 3, column 2"), "{}", lines[0]);
    assert_eq!(lines[0].matches("no JSON").count(), 1, "{}", lines[0]);
    assert_eq!(lines[10..], ["quiver: and 2 more", "quiver: 12 logs could not be read"]);
    let (_, report) = json_of(&[&path]);
    assert_eq!((&report["held"], report["unreadable"].as_array().unwrap().len()), (&json!(false), 12));
}

#[test]
fn analysis_is_deterministic() {
    let log = judge_log("random-2.json");
    let arguments = [&log, "--analyze", "--playouts", "40"];
    let (code, report) = json_of(&arguments);
    assert_eq!((code, &report), (Some(0), &json_of(&arguments).1));
    let analysis = &report["matches"][0]["analysis"];
    let positions = analysis["positions"].as_array().unwrap();
    assert_eq!(positions.len(), 50);
    assert_eq!((&positions[49]["first"], &positions[49]["proven"]), (&json!(1.0), &json!(true)));
    assert!(positions.iter().all(|point| (0.0..=1.0).contains(&point["first"].as_f64().unwrap())));
    let losses = analysis["losses"].as_array().unwrap();
    let lost: Vec<_> = losses.iter().map(|loss| loss["lost"].as_f64().unwrap()).collect();
    assert!(lost.is_sorted_by(|a, b| a >= b) && lost.iter().all(|&lost| lost > 0.0 && lost <= 1.0));
    let turn = analysis["turning_point"].as_u64().unwrap() as usize;
    assert!(positions[turn..].iter().all(|point| point["first"].as_f64().unwrap() > 0.5));
    let text = replay(&arguments, b"").out;
    // In the table, the values of the first 50 plies are aligned in one column.
    let mut table = text.lines().skip_while(|line| !line.starts_with("  ply  side")).skip(1).take(50);
    assert!(table.all(|line| line.find(" %") == Some(34)), "{text}");
    assert_contains(&text, &[format!("lost at ply {turn}: after it second player never had 50 % again")]);
}

/// A log whose texts are all markup, scripts or control sequences of a terminal.
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
fn escapes_text_of_hostile_log() {
    let path = file("hostile.json", hostile());
    let (html, text) = page("hostile.html", &[&path]);
    assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{text:?}");
    assert!(!html.contains("<script>alert") && !html.contains("<img") && !html.contains("<b>"));
    assert_eq!(html.matches("<script").count(), 3, "the data, the page's own script and its import map");
    assert_eq!(html.matches("showMatch(opened").count(), 1, "a name is not filled in as a placeholder");
    let title = data(&html)[0]["title"].to_string();
    assert!(title.starts_with("\"hostile.json, </script>"), "the file and the match: {title}");
}

/// The page that `quiver replay` writes, and the text that it prints.
fn page(name: &str, arguments: &[&str]) -> (String, String) {
    let path = file(name, "");
    let text = printed(quiver(&["replay", "--html", &path]).args(arguments));
    (fs::read_to_string(path).unwrap(), text)
}

fn data(html: &str) -> Value {
    serde_json::from_str(between(html, "id=\"data\">", "</script>")).unwrap()
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let start = text.find(before).unwrap_or_else(|| panic!("{before} is missing")) + before.len();
    &text[start..start + text[start..].find(after).unwrap_or_else(|| panic!("{after} is missing"))]
}

#[test]
fn page_is_self_contained() {
    let logs = ["random-1.json", "timeout.json"].map(judge_log);
    let (html, _) = page("page.html", &[&logs[0], &logs[1], "--analyze", "--playouts", "2"]);
    let policy = between(&html, "Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
    let nonce = between(&html, "<style nonce=\"", "\"");
    assert_eq!(nonce.len(), 32, "{nonce}");
    assert_contains(&html, &[format!("<script type=\"module\" nonce=\"{nonce}\">")]);
    assert_contains(policy, &["style-src", "script-src"].map(|it| format!("{it} 'nonce-{nonce}';")));
    // The page loads nothing: its only address is the namespace of SVG. No attribute has a script.
    assert_eq!(html.matches("://").count(), html.matches("http://www.w3.org/2000/svg").count());
    assert!(!html.contains("style=\"") && !html.contains(" onclick"));
    let data = data(&html);
    let (_, report) = json_of(&[&logs[0], &logs[1], "--analyze", "--playouts", "2"]);
    for (shown, mut told) in
        data.as_array().unwrap().iter().zip(report["matches"].as_array().unwrap().clone())
    {
        let fields = told.as_object_mut().unwrap();
        fields.retain(|name, _| !["number", "place"].contains(&name.as_str()));
        assert_fields(shown, told);
    }
    let action = json!({"en": "ran out of time (TLE)", "zh": "超时（TLE）"});
    let failure = json!({"side": "first", "action": action});
    assert_fields(&data[1]["words"], json!({"failure": failure}));
}
