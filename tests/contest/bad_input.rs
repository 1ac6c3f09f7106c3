//! Invalid input must give an error message and exit status 2, and must not change any file.
//!
//! The expected messages are in `snapshots/`. `INSTA_UPDATE=always cargo test` writes new
//! messages, which must be read before they are committed.

use super::bots::player;
use super::{Scratch, play, players, recorded_games, refuses_match};
use crate::common::program::{inputs, refusals, refuses};
use quiver::files::sealed_line;
use serde_json::Value;

/// For each pair (content, arguments), writes the content to the file `name`, and checks that
/// `quiver` with these arguments fails and does not change the file. Returns all messages.
fn refusals_of_files(scratch: &Scratch, name: &str, contents: &[(&str, &str)]) -> String {
    let refusal = |&(content, line): &(&str, &str)| {
        let path = scratch.file(name, content);
        let refusal = refusals(&scratch.path(""), [line]);
        assert_eq!(std::fs::read_to_string(path).unwrap(), content);
        format!("{}\n{refusal}", content.escape_debug())
    };
    contents.iter().map(refusal).collect()
}

const OPTIONS: &str = include_str!("snapshots/quiver__contest__bad_input__options_that_make_no_match.snap");

#[test]
fn options_that_make_no_match() {
    insta::assert_snapshot!(refusals(&Scratch::new("bad-options").path(""), inputs(OPTIONS)));
    // This error message depends on the machine's number of threads, so it is not in a snapshot.
    refuses_match(
        "--a random --b greedy --games 2",
        &["--threads=0"],
        "expected a number of threads from 1 to ",
    );
}

#[test]
fn openings_that_cannot_be_played() {
    let scratch = Scratch::new("bad-openings");
    let line = |more: &str| format!("match --games 2 --b greedy --openings SCRATCH/openings.txt --a {more}");
    let [random, eight, bot] = ["random", "random --board 8", "cmd:cat"].map(line);
    let small = "q5/6/3q2/2Q3/6/5Q b - - 0 1\n";
    let contents: [(&str, &str); 6] = [
        ("c1-c6/f6\nc1-c6/f6 c1-c2/c3\n", &eight),
        ("q2/4/2Q w", &random),
        (&format!("c1-c6/f6\n{small}"), &eight),
        ("# nothing\n", &random),
        (small, &bot),
        (small, &line("random --openings-start 9")),
    ];
    let missing = refusals(&scratch.path(""), [&random]);
    insta::assert_snapshot!(missing + &refusals_of_files(&scratch, "openings.txt", &contents));
}

#[test]
fn records_of_other_matches() {
    let (scratch, [record]) = Scratch::with_paths("bad-records", ["record.jsonl"]);
    let line = format!("--a random --games 4 --record {record} --b");
    // The match may write its record to an existing file if the file is empty.
    std::fs::write(&record, "").unwrap();
    assert_eq!(play(&line, &["greedy"]).0, 0);
    let before = std::fs::read(&record).unwrap();
    let resume = "match --resume --a random --games 4 --record SCRATCH/record.jsonl --b";
    let lines = [
        "match --a random --games 4 --record SCRATCH/record.jsonl --b greedy",
        "match --a random --b greedy --games 2 --record SCRATCH/missing/record.jsonl",
        &format!("{resume} random"),
        &format!("{resume} greedy --log SCRATCH/no/such/log"),
        &format!("{resume} greedy --seed 9"),
        &format!("{resume} greedy --first-time 2"),
        &format!("{resume} greedy --playouts 10"),
        &format!("{resume} greedy --tc 9+1"),
    ];
    let others = refusals(&scratch.path(""), lines);
    refuses_match(&format!("{line} greedy --resume --board 8"), &[], "contest.openings.start is ");
    assert_eq!(std::fs::read(&record).unwrap(), before);
    let head = sealed_line("{\"contest\":{}}");
    let resumed = &*format!("{resume} greedy");
    let contents = [
        "my notes",
        "my notes\n",
        "\n",
        "{\"contest\"\n",
        "\u{e9}\n",
        "{\"contest\":{}}\n",
        &format!("{head}{{}}\n"),
        &format!("{head}{{\"game\":0,\"crc\":\"00000000\"}}\n"),
    ];
    let damaged = refusals_of_files(&scratch, "record.jsonl", &contents.map(|content| (content, resumed)));
    insta::assert_snapshot!(others + &damaged);
    // The resumed match may have new players, but a recorded player may not have new options.
    std::fs::write(&record, "").unwrap();
    let line = format!("--playouts 1 --board 6 --games 2 --record {record} --player random --player");
    let engine = |settings: &str| player(&format!("uci:'{}' uci", env!("CARGO_BIN_EXE_quiver")), settings);
    assert_eq!(play(&line, &[&engine("")]).0, 0);
    let expected = "contest.players.1.options has 0 entries there and 1 here";
    refuses_match(&line, &[&engine("option.Hash=16"), "--resume"], expected);
    let expected = "contest.players.1.ponder is null there and true here";
    refuses_match(&line, &[&engine("ponder=true"), "--resume"], expected);
}

#[test]
fn contest_games_that_cannot_go_on() {
    let scratch = Scratch::new("bad-contest");
    let played = recorded_games("--a random --b greedy --games 1 --board 10 --random-plies 0", &[]);
    let whole: Vec<&str> = played[0]["moves"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let over = "the game is over: expected an unfinished game";
    for (name, content, expected) in [
        ("whole.sgf", &*whole.join(" "), over),
        ("resigned.sgf", "(;GM[18]SZ[10]RE[B+R];B[djddgd])", over),
        ("small.sgf", "(;GM[18]SZ[8])", "expected the start position of 10x10"),
        ("placed.sgf", "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q1Q4 w", "expected the start position of 10x10"),
        ("game.txt", "d1-d7/g7", "expected three different files"),
    ] {
        refuses(&["contest", "--resume", &scratch.file(name, content)], expected);
        assert_eq!(scratch.read(name), content);
    }
}

#[test]
fn rejects_invalid_tournaments() {
    let scratch = Scratch::new("bad-tournament");
    let (two, one) = (players(&["random", "greedy"]), players(&["random"]));
    let line = "match --board 6 --tournament SCRATCH/tournament.toml --games 2";
    let contents = [
        "games = ",
        "",
        &format!("name = \"x\"\n{two}"),
        "speed = 3\n",
        &players(&["random", "rndom"]),
        &format!("time = -1\n{two}"),
        &format!("tc = \"5+1\"\ntime = 1\n{two}"),
        "format = \"swiss\"\n",
        &format!("format = \"neighbours\"\nreach = 0\n{two}"),
        &format!("format = \"neighbours\"\n{one}reach = 0\n{}", players(&["greedy"])),
        &format!("{two}games = 0\n"),
        &format!("{two}name = \"random (2)\"\n{one}"),
    ];
    let missing = refusals(&scratch.path(""), [line]);
    let invalid = refusals_of_files(&scratch, "tournament.toml", &contents.map(|content| (content, line)));
    insta::assert_snapshot!(missing + &invalid);
}
