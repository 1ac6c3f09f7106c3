//! Tests `quiver suite` with several kinds of players, on shipped positions and on a user's file.

use crate::common::program::{Run, assert_fields, printed, printed_json, quiver, run};
use crate::common::scratch::Scratch;
use serde_json::{Value, json};

const BOT: &str = "cmd:python3 'tests/data/bots/bot.py' --form \"json\" --board 6";

const POSITIONS: &str = include_str!("../src/training/positions/6.jsonl");

fn report(args: &[&str]) -> Value {
    printed_json(&[&["suite"], args].concat())
}

/// Returns a figure of a player's report for all positions together.
fn all(run: &Value, figure: &str) -> u64 {
    let all = &run["groups"][0];
    assert_fields(all, json!({"kind": "all", "name": "all"}));
    all[figure].as_u64().unwrap()
}

#[test]
fn more_playouts_solve_more_positions() {
    let uci = format!("uci:{} uci", env!("CARGO_BIN_EXE_quiver"));
    let players = ["quiver:endgame=0", "random", &uci, "--board", "6"];
    let report = report(&[&players[..], &["--playouts", "1,2000", "--concurrency", "2"]].concat());
    let runs = report["runs"].as_array().unwrap();
    let names: Vec<_> = runs.iter().map(|run| run["name"].as_str().unwrap()).collect();
    assert_eq!(names[..3], ["quiver:endgame=0, 1 playouts", "quiver:endgame=0, 2000 playouts", "random"]);
    let solved: Vec<u64> = runs.iter().map(|run| all(run, "solved")).collect();
    assert!([0, 2, 3].iter().all(|&less| solved[1].min(solved[4]) > solved[less]), "{solved:?}");
}

#[test]
fn answers_do_not_depend_on_concurrency() {
    let answers = |concurrency: &str| {
        let args = ["campya", "--board", "5", "--playouts", "50", "--seed", "4", "--concurrency"];
        let report = report(&[&args[..], &[concurrency]].concat());
        let answers = report["runs"][0]["answers"].as_array().unwrap().iter();
        answers.map(|answer| format!("{} {}", answer["id"], answer["move"])).collect::<Vec<_>>()
    };
    let one = answers("1");
    assert!(!one.is_empty());
    assert_eq!(one, answers("3"));
}

#[test]
fn asks_bots_by_moves_from_start() {
    let scratch = Scratch::new("quoted");
    let report = report(&[BOT, "--board", "6", "--time", "100", "--csv", &scratch.path("csv")]);
    let quoted = "\n\"cmd:python3 'tests/data/bots/bot.py' --form \"\"json\"\" --board 6, 100 s\",";
    assert!(scratch.read("csv").contains(quoted), "{}", scratch.read("csv"));
    let one = &report["runs"][0];
    assert_eq!((&one["skipped"], all(one, "asked").into()), (&json!(0), report["positions"].clone()));
    // Without `moves` from the start, position 2 is not sent to the bot. Its theme gets no score.
    let lines: Vec<&str> = POSITIONS.lines().take(2).collect();
    let mut second: Value = serde_json::from_str(lines[1]).unwrap();
    second["moves"].take();
    let two = scratch.file("two.jsonl", format!("{}\n{second}", lines[0]));
    printed(quiver(&["suite", BOT, "--positions", &two, "--csv", &scratch.path("csv")]));
    assert!(scratch.read("csv").contains(",theme,zugzwang,0,0,,,,0\n"), "{}", scratch.read("csv"));
    let spec = format!("{BOT} --fault illegal");
    let Run { code, out, err } = run(quiver(&["suite", &spec, "--board", "6"]), b"");
    assert_eq!(code, Some(1), "{err}");
    assert!(out.contains("illegal move: "), "{out}");
    assert!(err.contains("no legal move in time: 36 answers"), "{err}");
}

#[test]
fn csv_has_row_for_each_group() {
    let scratch = Scratch::new("rows");
    assert_eq!(report(&["greedy", "--board", "6", "--theme", "zugzwang"])["positions"], 4);
    let line = ["suite", "greedy", "random", "--board", "8", "--task", "win", "--csv", &scratch.path("csv")];
    let text = printed(quiver(&line));
    assert!(text.contains("theme last-region") && text.contains("phase late"), "{text}");
    assert!(!text.contains("which-arrow"), "{text}");
    let csv = scratch.read("csv");
    // The text of each player has a name, column heads, one line for each group, and a blank line.
    let groups = text.lines().count() / 2 - 3;
    let heads = "player,spec,time,playouts,kind,group,asked,solved,share,low,high,seconds";
    assert_eq!((csv.lines().next(), csv.lines().count()), (Some(heads), 1 + 2 * groups), "{csv}");
    assert!(csv.lines().nth(1).unwrap().starts_with("greedy,greedy,,,all,all,"), "{csv}");
}

#[test]
fn solutions_of_file_decide_score() {
    let scratch = Scratch::new("two");
    let two: Vec<&str> = POSITIONS.lines().take(2).collect();
    let path = scratch.file("two.jsonl", two.join("\n"));
    let report =
        report(&["quiver", "greedy", "random", "--playouts", "50", "--board", "6", "--positions", &path]);
    for run in report["runs"].as_array().unwrap() {
        let answers = run["answers"].as_array().unwrap();
        assert_eq!(answers.len(), 2, "{run}");
        for (answer, line) in answers.iter().zip(&two) {
            let position: Value = serde_json::from_str(line).unwrap();
            let solutions = position["solutions"].as_array().unwrap();
            assert_eq!(answer["solved"], solutions.contains(&answer["move"]), "{line}: {answer}");
        }
    }
}
