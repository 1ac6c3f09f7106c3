//! `quiver suite` with players of several makes, on shipped positions and on those of a file.

mod common;

use std::fs;

use common::program::{Run, misused, printed, printed_json, quiver, run};
use common::scratch::Scratch;
use serde_json::Value;

const BOT: &str = "python3 tests/data/bots/bot.py --form json";

fn suite(args: &[&str]) -> Run {
    run(quiver(&[&["suite"], args].concat()), b"")
}

fn report(args: &[&str]) -> Value {
    printed_json(&[&["suite"], args].concat())
}

/// The figures of a run's group.
fn group<'a>(run: &'a Value, kind: &str, name: &str) -> &'a Value {
    let groups = run["groups"].as_array().unwrap();
    groups.iter().find(|group| group["kind"] == kind && group["name"] == name).unwrap()
}

#[test]
fn more_playouts_solve_more_proven_positions() {
    let args = ["quiver:endgame=0", "random", "--board", "4", "--playouts", "1,2000", "--concurrency", "2"];
    let report = report(&args);
    let runs = report["runs"].as_array().unwrap();
    let names: Vec<_> = runs.iter().map(|run| run["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["quiver:endgame=0, 1 playouts", "quiver:endgame=0, 2000 playouts", "random"]);
    let solved: Vec<u64> =
        runs.iter().map(|run| group(run, "all", "all")["solved"].as_u64().unwrap()).collect();
    assert!(solved[1] > solved[0] && solved[1] > solved[2], "{solved:?}");
}

#[test]
fn answers_do_not_depend_on_concurrency() {
    let answers = |concurrency: &str| {
        let args =
            ["campya", "--board", "5", "--playouts", "50", "--seed", "4", "--concurrency", concurrency];
        let report = report(&args);
        let answers = report["runs"][0]["answers"].as_array().unwrap().clone();
        answers.iter().map(|answer| format!("{} {}", answer["id"], answer["move"])).collect::<Vec<_>>()
    };
    let one = answers("1");
    assert!(!one.is_empty());
    assert_eq!(one, answers("3"));
}

#[test]
fn a_bot_is_led_to_positions_by_moves_and_faults_are_named() {
    let spec = format!("cmd:{BOT} --board 6");
    let report = report(&[&spec, "--board", "6", "--time", "100"]);
    let run = &report["runs"][0];
    let asked = group(run, "all", "all")["asked"].as_u64().unwrap();
    assert_eq!((run["skipped"].as_u64(), asked), (Some(0), report["positions"].as_u64().unwrap()));
    let spec = format!("cmd:{BOT} --board 6 --fault illegal");
    let Run { code, out, err } = suite(&[&spec, "--board", "6"]);
    assert_eq!(code, Some(1), "{err}");
    assert!(
        out.contains("illegal move: ") && err.contains("no legal move in time: 36 answers"),
        "{out}{err}"
    );
}

#[test]
fn a_uci_engine_is_asked_too() {
    let spec = format!("uci:{} uci", env!("CARGO_BIN_EXE_quiver"));
    let report = report(&[&spec, "--board", "6", "--playouts", "50", "--theme", "zugzwang"]);
    let all = group(&report["runs"][0], "all", "all");
    assert!(all["asked"].as_u64().unwrap() > 0 && all["solved"].as_u64().unwrap() > 0, "{all}");
}

#[test]
fn pictures_and_tables_have_a_row_for_each_group_and_run() {
    let scratch = Scratch::new("pictures");
    let [svg, table, csv] = ["suite.svg", "suite.md", "suite.csv"].map(|name| scratch.path(name));
    let files = ["--svg", &svg, "--table", &table, "--csv", &csv];
    let asked = ["suite", "greedy", "random", "--board", "8", "--task", "win"];
    let text = printed(quiver(&[&asked[..], &files[..]].concat()));
    assert!(text.contains("theme last-region") && text.contains("phase late"), "{text}");
    assert!(!text.contains("which-arrow"), "{text}");
    let (svg, table) = (fs::read_to_string(svg).unwrap(), fs::read_to_string(table).unwrap());
    let groups = table.lines().next().unwrap().matches(" | ").count() - 1;
    assert_eq!(table.lines().count(), 4, "{table}");
    assert_eq!(svg.matches("class=\"interval\"").count(), 2 * groups, "{svg}");
    let csv = fs::read_to_string(csv).unwrap();
    let heads = "player,spec,time,playouts,kind,group,asked,solved,share,low,high,seconds";
    assert_eq!((csv.lines().next(), csv.lines().count()), (Some(heads), 1 + 2 * groups), "{csv}");
    assert!(csv.lines().nth(1).unwrap().starts_with("greedy,greedy,,,all,all,"), "{csv}");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
}

#[test]
fn positions_of_a_file_are_asked() {
    let scratch = Scratch::new("two");
    let path = scratch.path("two.jsonl");
    let shipped = fs::read_to_string("src/contest/positions/6.jsonl").unwrap();
    fs::write(&path, shipped.lines().take(2).collect::<Vec<_>>().join("\n")).unwrap();
    assert_eq!(report(&["greedy", "--board", "6", "--positions", &path])["positions"], 2);
}

#[test]
fn shipped_counts_of_lines_hold() {
    let text = printed(quiver(&["suite", "--perft", "1000000"]));
    assert!(text.lines().count() > 15 && text.lines().all(|line| line.ends_with(", ok")), "{text}");
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let scratch = Scratch::new("bad-suite");
    let [bad, twice] = &["bad.jsonl", "twice.jsonl"].map(|name| scratch.path(name));
    fs::write(bad, "{\"id\":1}\n").unwrap();
    let proven = fs::read_to_string("src/contest/positions/6.jsonl").unwrap();
    let line = proven.lines().next().unwrap();
    fs::write(twice, format!("{line}\n{line}\n")).unwrap();
    for (args, expected) in [
        (&[][..], "SPEC"),
        (&["quivr"], "no player is called 'quivr'"),
        (&["quiver"], "'quiver' would search without end, expected a limit, as --time or --playouts"),
        (&["greedy", "--board", "7"], "--board 7: expected 4, 5, 6, 8 or 10"),
        (&["greedy", "--phase", "early"], "`early`, expected one of `opening`, `middle`, `late`, `endgame`"),
        (&["greedy", "--task", "best", "--theme", "filling"], "none has this task, phase and theme"),
        (&["greedy", "--playouts", "0"], "0 is not in 1.."),
        (&["greedy", "--positions", bad], "line 1: "),
        (&["greedy", "--board", "6", "--positions", twice], "line 2: the id "),
        (&["greedy", "--board", "6", "--svg", "/no/such/folder/a.svg"], "--svg /no/such/folder/a.svg: "),
        (&["greedy", "--option", "Hash=1"], "expected a uci: player"),
        (&["--perft", "--json"], "cannot be used with"),
        (
            &["greedy", "--board", "8", "--positions", "src/contest/positions/6.jsonl"],
            "is on 6x6, expected 8x8",
        ),
        (&["cmd:false", "--board", "5"], "no position has them"),
    ] {
        misused(&[&["suite"], args].concat(), expected);
    }
}
