//! Tests `quiver convert`, and commands that read games of any format.

use std::fs;
use std::path::Path;

use crate::common::gzip;
use crate::common::program::{inputs, printed, printed_json, quiver, refusals, refuses, run};
use crate::common::scratch::Scratch;

/// Writes a record of six games on 6x6 between players that do not search. Returns its path.
fn record(folder: &Scratch) -> String {
    let path = folder.path("match.jsonl");
    let line = "match --a random --b greedy --board 6 --games 6 --seed 3 --record";
    printed(quiver(&[]).args(line.split(' ')).arg(&path));
    path
}

/// The moves of the games in a file, one game a line.
pub(crate) fn moves(path: &str) -> String {
    printed(quiver(&["convert", path, "-", "--to", "txt", "--board", "6"]))
}

/// Returns the winners of the games in a file. Fails if a game contradicts the rules.
fn winners(path: &str) -> Vec<String> {
    let report = printed_json(&["replay", path]);
    assert_eq!(report["held"], true, "{report}");
    let games = report["matches"].as_array().unwrap();
    games.iter().map(|game| game["winner"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn converts_record_to_every_format() {
    let folder = Scratch::new("convert-formats");
    let record = record(&folder);
    let played = moves(&record);
    assert_eq!(played.lines().count(), 6);
    for name in ["a.sgf", "a.json", "a.txt", "a.jsonl", "a.stages.sgf"] {
        let path = folder.path(name);
        let told = printed(quiver(&["convert", &record, &path]));
        assert!(told.starts_with("6 games, match record to "), "{told}");
        assert_eq!(moves(&path), played, "{name}");
        let packed = folder.file(&format!("{name}.gz"), gzip(&fs::read(&path).unwrap()));
        assert_eq!(moves(&packed), played, "{name}, packed");
        let back = folder.path(&format!("{name}.jsonl"));
        printed(quiver(&["convert", &path, &back, "--board", "6"]));
        assert_eq!(moves(&back), played, "{name}");
        assert_eq!(winners(&path), winners(&record), "{name}");
    }
    refuses(&["convert", &record, &folder.path("a.amazons.json")], "6 games: expected one");
    // In PGN, single quotes replace double quotes, because Ordo does not understand escaped quotes.
    let odd = folder.file("odd.sgf", "(;GM[18]PB[cmd:\"a b\"];B[djddgd])(;GM[18]RE[W+T];B[djddgd])");
    let pgn = |path: &str| printed(quiver(&["convert", path, "-", "--to", "pgn"]));
    insta::assert_snapshot!("pgn", pgn("tests/data/journals/record-1.jsonl") + &pgn(&odd));
    let sgf = folder.read("a.sgf");
    assert!(sgf.contains("PB[random]") && sgf.contains("QT["), "{sgf}");
}

#[test]
fn commands_take_games_of_any_format() {
    let folder = Scratch::new("convert-commands");
    let record = record(&folder);
    let [sgf, page, second] = ["games.sgf", "page.html", "second.jsonl"].map(|name| folder.path(name));
    printed(quiver(&["convert", &record, &sgf]));
    let text = printed(quiver(&["replay", &record]));
    assert!(text.contains("(6x6)") && text.contains("6 matches:"), "{text}");
    printed(quiver(&["replay", &sgf, "--html", &page]));
    assert!(folder.read("page.html").contains("random"));
    let analyzed =
        printed_json(&["analyze", "--game", &sgf, "--number", "2", "--ply", "2", "--playouts", "20"]);
    assert_eq!(analyzed["playouts"], 20, "{analyzed}");
    refuses(&["analyze", "--game", &sgf, "--number", "7"], "--number 7: expected 1 to 6");
    refuses(&["analyze", "--game", &sgf, "--ply", "99"], "--ply 99: expected at most");
    refuses(&["analyze", "--game", &sgf, "--board", "8"], "a board of 6x6, expected 8x8 as --board says");
    // The first game of the match begins with the opening in the SGF file.
    let opening = folder.file("opening.sgf", "(;GM[18]SZ[6]AB[ae][bf][ef][fe]AW[ab][ba][ea][fb]PL[B])");
    let players = ["match", "--a", "random", "--b", "random", "--games", "2", "--openings"];
    printed(quiver(&[&players[..], &[&opening, "--board", "6", "--record", &second]].concat()));
    let played = folder.read("second.jsonl");
    assert!(played.lines().nth(1).unwrap().contains("\"start\":\"1q2q1/q4q/6/6/Q4Q/1Q2Q1 w"), "{played}");
    let over = folder.file("over.sgf", "(;GM[18]SZ[2]AB[aa]AA[ab][ba][bb])");
    refuses(&[&players[..], &[&over]].concat(), "line 1: the side to move has no legal move");
}

#[test]
fn reads_names_in_any_charset() {
    let folder = Scratch::new("convert-charsets");
    // A record of the Chinese contest in GBK. The teams are 甲 and 乙, and 先手胜 means that the first
    // player won.
    let contest = b"#[AM][\xbc\xd7][\xd2\xd2][\xcf\xc8\xca\xd6\xca\xa4][2026][2026];\n1 d1d7(g7) d10e9(e5)\n";
    let contest = folder.file("contest.txt", contest);
    let ggf = folder.file("game.ggf", b"(;GM[Amazons]PB[M\xfcller]BO[3 *-- --- --O *]B[A1-A2-A1];)");
    let log = b"[{\"output\":{\"command\":\"request\",\"content\":{\"0\":{\"x0\":-1,\"y0\":-1,\"x1\":-1,\"y1\":-1,\"x2\":-1,\"y2\":-1}}}},{\"0\":{\"response\":\
        {\"x0\":3,\"y0\":0,\"x1\":3,\"y1\":6,\"x2\":6,\"y2\":6},\"debug\":\"\xb0\xd7\xd7\xd3\xc4\xdc\xb6\xaf\"}}]";
    let log = folder.file("log.json", log);
    let moves = folder.file("moves.txt", b"# M\xfcller\r\nd1-d7/g7 \r\n");
    let file = |name: &str| format!("tests/data/faults/{name}.sgf");
    let mut told = String::new();
    for path in [&file("gb18030"), &file("latin1"), &file("utf16"), &contest, &ggf, &log, &moves] {
        let run = run(quiver(&["convert", path, "-", "--to", "sgf", "--board", "10"]), b"");
        assert_eq!(run.code, Some(0), "{path}: {}", run.err);
        let name = Path::new(path).file_name().unwrap().to_string_lossy();
        let note = run.err.split(": ").skip(2).collect::<Vec<_>>().join(": ");
        told += &format!("{name}: {note}\n{}\n", run.out);
        // The converted file is in UTF-8 and names this charset, so it can be converted again.
        let again = folder.file("again.sgf", &run.out);
        assert_eq!(printed(quiver(&["convert", &again, "-", "--to", "sgf"])), run.out, "{path}");
    }
    insta::assert_snapshot!("names-in-any-charset", told);
}

#[test]
fn prints_notes_of_reader() {
    let path = "tests/data/faults/white-begins.sgf";
    let notes = [
        "the colours are swapped: the first move is legal only for the other colour",
        "move 3, 'jgjj', is an unfinished turn and was left out",
    ];
    let text = printed(quiver(&["replay", path]));
    assert!(notes.iter().all(|note| text.contains(&format!("  note: {note}\n"))), "{text}");
    assert_eq!(printed_json(&["replay", path])["matches"][0]["notes"], serde_json::json!(notes));
    for line in [
        &["convert", path, "-", "--to", "txt"][..],
        &["analyze", "--game", path, "--playouts", "1"],
        &["match", "--a", "random", "--b", "random", "--games", "2", "--openings", path],
    ] {
        let run = run(quiver(line), b"");
        assert!(run.code == Some(0) && notes.iter().all(|note| run.err.contains(note)), "{}", run.err);
    }
}

#[test]
fn features_read_converted_games() {
    let (folder, [own, sgf, other]) =
        Scratch::with_paths("convert-selfplay", ["own", "own.sgf", "other.jsonl"]);
    printed(quiver(&["selfplay", "--games", "2", "--playouts", "10", "--board", "6", "--out", &own]));
    printed(quiver(&["convert", &own, &sgf]));
    assert!(folder.read("own.sgf").contains("QV["));
    assert_eq!(moves(&own), moves(&sgf));
    printed(quiver(&["convert", &sgf, &other]));
    let told = printed(quiver(&["features", "--games", &other, "--out", &folder.path("rows")]));
    assert!(told.contains("from 2 games"), "{told}");
}

const REFUSED: &str = include_str!("snapshots/quiver__convert__what-cannot-be-converted.snap");

#[test]
fn rejects_what_cannot_be_converted() {
    let folder = Scratch::new("convert-refusals");
    let staged =
        |turns: &str| format!(r#"{{"format":"amazons","version":1,"board_size":10,"turns":[{turns}]}}"#);
    for (name, text) in [
        ("odd.txt", "q2/3/2Q w"),
        ("wide.txt", "q2/2Q w"),
        ("broken.sgf", "(;GM[18]\n;B[djddgd](;W"),
        ("illegal.sgf", "\n(;GM[18];B[aaaaaa])"),
        ("open.sgf", "(;GM[18];B[djddgd])"),
        ("early.sgf", "(;GM[18]RE[B+3];B[djddgd])"),
        ("mover.sgf", "(;GM[18]RE[W+R];B[djddgd])"),
        ("lost.sgf", "(;GM[18]SZ[1]RE[B+]AB[aa])"),
        // The error names the format that the text resembles.
        ("empty", ""),
        ("words", "hello world"),
        ("fen", "3/2/3 w"),
        ("list", "[1]"),
        ("request", "{\"requests\":5}"),
        ("go", "(;GM[1])"),
        ("club", "(C) a club"),
        ("pgn", "[Event \"Ordo\"]\n[Result \"1-0\"]\n\n1-0\n"),
        ("moves", "d1-d7/g7 d1-d2/d3"),
        ("from", "Q1q w c1-b1/c1"),
        ("head", "#[AM][a][b]"),
        ("cut", "#[AM][a][b];1 d1d7"),
        ("square", "#[AM][a][b];1 d1d7(z7)"),
        ("second", "#[AM][a][b];1 d1d7(g7) d1d6(d3)"),
        ("node", "(;GM[1]SZ[10]AB[da][ga][ad][jd]AW[ag][jg][dj][gj];B[da];B[dg];B[dg])"),
        ("size", "(;GM[1]SZ[19]AB[da][ga][ad][jd]AW[ag][jg][dj][gj];B[da];B[dg];B[gg])"),
        ("two", &staged("[[0,3],[6,3]]")),
        ("far", &staged("[[0,3],[6,3],[6,60]]")),
        ("turn", &staged("[[0,3],[6,3],[6,6]],[[6,0],[6,2],[6,3]]")),
        ("seven", r#"{"format":"amazons","version":1,"board_size":7,"turns":[]}"#),
    ] {
        folder.file(name, text);
    }
    insta::assert_snapshot!("what-cannot-be-converted", refusals(&folder.path(""), inputs(REFUSED)));
    for out in ["out.jsonl", "out.json", "out.ggf", "out.am", "out.bin"] {
        assert!(!folder.join(out).exists(), "{out}");
    }
}
