//! Games from one format to another and wherever a command takes one, as their users do it.

mod common;

use std::fs;
use std::path::Path;

use common::program::{Run, printed_json, quiver, refusal, refuses, run};
use common::scratch::Scratch;

fn done(arguments: &[&str]) -> String {
    let Run { code, out, err } = run(quiver(arguments), b"");
    assert_eq!(code, Some(0), "{arguments:?}: {err}");
    out
}

/// A record of six games on 6x6 between players that need no search.
fn record(folder: &Scratch) -> String {
    let path = folder.path("match.jsonl");
    let players = ["match", "--a", "random", "--b", "greedy", "--board", "6"];
    done(&[&players[..], &["--games", "6", "--seed", "3", "--record", &path]].concat());
    path
}

fn moves(path: &str) -> String {
    done(&["convert", path, "-", "--to", "txt", "--board", "6"])
}

#[test]
fn a_record_survives_every_format() {
    let folder = Scratch::new("convert-formats");
    let record = record(&folder);
    let played = moves(&record);
    assert_eq!(played.lines().count(), 6);
    for name in ["a.sgf", "a.ggf", "a.json", "a.bin", "a.txt", "a.jsonl"] {
        let path = folder.path(name);
        let said = done(&["convert", &record, &path]);
        assert!(said.starts_with("6 games, match record to "), "{said}");
        assert_eq!(moves(&path), played, "{name}");
        let back = folder.path(&format!("{name}.jsonl"));
        done(&["convert", &path, &back, "--board", "6"]);
        assert_eq!(moves(&back), played, "{name}");
        // What is converted agrees with the rules, and says who won.
        let report = printed_json(&["replay", &path]);
        assert_eq!((report["held"].as_bool(), report["matches"].as_array().unwrap().len()), (Some(true), 6));
        assert!(report["matches"][0]["winner"].is_string(), "{name}");
    }
    // PGN holds the result of every game, for programs that rate.
    let pgn = done(&["convert", &record, "-", "--to", "pgn"]);
    let report = printed_json(&["replay", &record]);
    let results: Vec<_> = pgn.lines().filter(|line| line.starts_with("[Result")).collect();
    let winners = report["matches"].as_array().unwrap().iter().map(|game| match game["winner"].as_str() {
        Some("first") => "[Result \"1-0\"]",
        _ => "[Result \"0-1\"]",
    });
    assert_eq!(results, winners.collect::<Vec<_>>());
    assert_eq!(pgn.matches("[White \"random\"]\n[Black \"greedy\"]").count(), 3, "{pgn}");
    // SGF keeps the names and the times of the record.
    let sgf = fs::read_to_string(folder.join("a.sgf")).unwrap();
    assert!(sgf.contains("PB[random]") && sgf.contains("QT["), "{sgf}");
}

#[test]
fn commands_take_games_of_any_format() {
    let folder = Scratch::new("convert-commands");
    let record = record(&folder);
    let sgf = folder.path("games.sgf");
    done(&["convert", &record, &sgf]);
    let text = done(&["replay", &record]);
    assert!(text.contains("(6x6)") && text.contains("6 matches:"), "{text}");
    let page = folder.path("page.html");
    done(&["replay", &sgf, "--html", &page]);
    assert!(fs::read_to_string(page).unwrap().contains("random"));
    let analyzed =
        printed_json(&["analyze", "--game", &sgf, "--number", "2", "--ply", "2", "--playouts", "20"]);
    assert_eq!(analyzed["playouts"], 20, "{analyzed}");
    refuses(&["analyze", "--game", &sgf, "--number", "7"], "--number 7: expected 1 to 6");
    refuses(&["analyze", "--game", &sgf, "--ply", "99"], "--ply 99: the game has");
    // Openings as SGF: the beginning of the first game.
    let opening = folder.path("opening.sgf");
    fs::write(&opening, "(;GM[18]SZ[6]AB[ae][bf][ef][fe]AW[ab][ba][ea][fb]PL[B])").unwrap();
    let record = folder.path("second.jsonl");
    let players = ["match", "--a", "random", "--b", "random", "--games", "2"];
    done(&[&players[..], &["--board", "6", "--openings", &opening, "--record", &record]].concat());
    let first = fs::read_to_string(&record).unwrap().lines().nth(1).unwrap().to_owned();
    assert!(first.contains("\"start\":\"1q2q1/q4q/6/6/Q4Q/1Q2Q1 w"), "{first}");
    let over = folder.path("over.sgf");
    fs::write(&over, "(;GM[18]SZ[2]AB[aa]AA[ab][ba][bb])").unwrap();
    refuses(&[&players[..], &["--openings", &over]].concat(), "line 1: the side to move has no move");
}

#[test]
fn selfplay_is_read_and_games_become_material() {
    let folder = Scratch::new("convert-selfplay");
    let own = folder.path("own");
    done(&["selfplay", "--games", "2", "--playouts", "10", "--board", "6", "--out", &own]);
    let sgf = folder.path("own.sgf");
    done(&["convert", &own, &sgf]);
    let text = fs::read_to_string(&sgf).unwrap();
    assert!(text.contains("C[a random ply of the opening]") && text.contains("QV["), "{text}");
    let file = format!("{own}/games-00.bin");
    assert_eq!(moves(&file), moves(&sgf));
    let other = folder.path("other");
    fs::create_dir(&other).unwrap();
    done(&["convert", &sgf, &format!("{other}/games-00.bin")]);
    let said = done(&["features", "--games", &other, "--out", &folder.path("rows")]);
    assert!(said.contains("from 2 games"), "{said}");
}

#[test]
fn what_cannot_be_converted_is_refused_and_nothing_is_written() {
    let folder = Scratch::new("convert-refusals");
    let file = |name: &str, text: &str| {
        let path = folder.path(name);
        fs::write(&path, text).unwrap();
        path
    };
    let out = folder.path("out.jsonl");
    let open = file("open.sgf", "(;GM[18];B[djddgd])");
    for (path, out, expected) in [
        (file("broken.sgf", "(;GM[18]\n;B[djddgd](;W"), out.as_str(), "line 2: got the end, expected '['"),
        (file("illegal.sgf", "\n(;GM[18];B[aaaaaa])"), &out, "line 2: as SGF: move 1, a10-a10/a10: "),
        (file("words.txt", "hello"), &out, "line 1: as a list of moves: 'hello' is no full move"),
        (file("empty.txt", " \n"), &out, "it is empty"),
        (open.clone(), &out, "as a match record: game 1 is unfinished"),
        (open.clone(), "out.bin", "as a self-play file: game 1 is unfinished"),
        (file("odd.txt", "q2/3/2Q w"), "out.json", "game 1: the game does not begin at a start position"),
        (file("wide.txt", "q2/2Q w"), "out.ggf", "GGF has square boards only"),
        (open.clone(), "out.pdf", "its name says no format"),
        (open.clone(), &open, "exists: expected another name"),
        ("/no/such/file".to_owned(), &out, "/no/such/file: "),
    ] {
        let message = refusal(quiver(&["convert", &path, out]));
        assert!(message.contains(expected), "{path}: {message}");
        // No cause is told twice.
        let told: Vec<&str> = message.trim().split(": ").filter(|part| part.len() > 20).collect();
        assert!(told.iter().all(|part| told.iter().filter(|other| *other == part).count() == 1), "{message}");
        assert!(out == open || !Path::new(out).exists(), "{path}");
    }
}
