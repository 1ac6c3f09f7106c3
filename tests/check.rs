//! `quiver check` on bots with one defect each, and on one with none.

mod common;

use std::path::Path;

use common::program::{Run, quiver, run};
use serde_json::Value;

/// Checks a scripted bot (tests/data/bots/bot.py) on 6x6: exit status, the report, and standard
/// error.
fn check(protocol: &str, options: &str, more: &[&str]) -> (Option<i32>, Value, String) {
    let form = if protocol == "cmd" { "json" } else { "text" };
    let bot = format!("python3 -S -E tests/data/bots/bot.py --form {form} --board 6 {options}");
    check_spec(&format!("{protocol}:{bot}"), &[more, &["--board", "6", "--games", "0"]].concat())
}

/// Checks a bot: exit status, the report, and standard error.
fn check_spec(spec: &str, more: &[&str]) -> (Option<i32>, Value, String) {
    let Run { code, out, err } = run(quiver(&[&["check", spec, "--json"], more].concat()), b"");
    (code, serde_json::from_str(&out).unwrap_or_default(), err)
}

/// This program as a bot: an interpreter would take most of the time of the games to start.
fn own(board: usize) -> String {
    let program = env!("CARGO_BIN_EXE_quiver");
    format!("cmd:'{program}' bot --board {board} --player greedy --no-keep-running")
}

/// More time than any turn takes, however busy the machine is.
const PATIENT: [&str; 2] = ["--time", "100"];

fn kinds(report: &Value) -> Vec<String> {
    let defects = report["defects"].as_array().cloned().unwrap_or_default();
    defects.iter().map(|defect| defect["kind"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Checks that exactly this defect is found, and returns it.
fn found(kind: &str, protocol: &str, options: &str, more: &[&str]) -> Value {
    let (code, report, talk) = check(protocol, options, more);
    assert_eq!((code, kinds(&report)), (Some(1), vec![kind.to_owned()]), "{options}: {report} {talk}");
    report["defects"][0].clone()
}

#[test]
fn a_bot_without_a_defect_is_told_so_and_its_games_are_shown() {
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check.html");
    let more = [&PATIENT[..], &["--html", page.to_str().unwrap()]].concat();
    let (code, report, talk) = check("cmd", "--keep", &more);
    assert_eq!((code, kinds(&report)), (Some(0), vec![]), "{report} {talk}");
    let trials: Vec<String> =
        report["trials"].as_array().unwrap().iter().map(|trial| trial["scenario"].to_string()).collect();
    for expected in ["JSON, one process a turn, first player, 6x6", "JSON, kept running, second player, 6x6"]
    {
        assert!(trials.iter().any(|trial| trial.contains(expected)), "{expected}: {trials:?}");
    }
    // It neither speaks text nor plays 8x8, and need not.
    assert_eq!(report["notes"].as_array().unwrap().len(), 2, "{report}");
    assert!(std::fs::read_to_string(page).unwrap().contains("JSON, kept running"));
}

#[test]
fn what_breaks_off_a_match_is_found_with_its_request() {
    let illegal = found("illegal-move", "cmd", "--fault illegal --at 2", &PATIENT);
    let request: Value = serde_json::from_str(illegal["input"].as_str().unwrap()).unwrap();
    assert_eq!((&illegal["turn"], request["requests"].as_array().unwrap().len()), (&Value::from(2), 2));
    assert!(illegal["message"].as_str().unwrap().contains("holds an amazon"), "{illegal}");
    let nowhere = found("illegal-move", "text", "--fault nowhere --at 3", &PATIENT);
    assert!(nowhere["input"].as_str().unwrap().starts_with("3\n-1 -1 -1 -1 -1 -1\n"), "{nowhere}");
    found("malformed", "cmd", "--fault garbage --at 2", &PATIENT);
    let crash = found("crash", "text", "--fault crash --at 2 --stderr oh", &PATIENT);
    assert!(crash["standard_error"].as_str().unwrap().contains("oh 2"), "{crash}");
    found("output", "cmd", "--fault flood --at 2", &PATIENT);
    assert!(crash["cause"].as_str().unwrap().contains("ends with `oh 2`"), "{crash}");
    let silent = found("stall", "cmd", "--fault to-the-end", &["--time", "2"]);
    assert!(silent["cause"].as_str().unwrap().contains("the end of its input"), "{silent}");
}

#[test]
fn each_defect_has_its_answer_and_its_likely_cause() {
    for (kind, fault, expected) in [
        ("illegal-move", "exchange --at 1", "with x and y exchanged this move is legal: "),
        ("illegal-move", "forget", "this move was legal at its turn 1: the bot may ignore the requests"),
        (
            "malformed",
            "print --at 1",
            "your bot printed `moves: 1232` beside its answer; print one line only",
        ),
        ("crash", "segfault --at 1", "segmentation fault"),
        ("crash", "raise --at 1", "its standard error ends with `KeyError: 'x9'`"),
    ] {
        let defect = found(kind, "cmd", &format!("--fault {fault}"), &PATIENT);
        assert!(defect["cause"].as_str().unwrap().starts_with(expected), "{fault}: {defect}");
        let answered = defect["answer"].as_str().unwrap().contains("response");
        assert_eq!(answered, kind != "crash", "{fault}: {defect}");
        assert!(defect["position"].as_str().unwrap().ends_with(" 1"), "{fault}: {defect}");
    }
    // A buffer that Python flushes only where the environment asks for it.
    let bot = "cmd:python3 -S tests/data/bots/bot.py --form json --board 6 --fault no-flush";
    let mut command = quiver(&["check", bot, "--board", "6", "--games", "0", "--time", "2"]);
    command.env("PYTHONUNBUFFERED", "1");
    let Run { code, out, err } = run(command, b"");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("\nNO ANSWER: it may wait for the end of its input, "), "{out}");
    assert!(err.contains("1 defect loses matches") && err.contains("quiver: playing: JSON"), "{err}");
}

#[test]
fn a_report_shows_the_board_and_speaks_chinese() {
    let bot = "cmd:python3 -S -E tests/data/bots/bot.py --form json --board 8 --fault exchange";
    let text = |more: &[&str]| {
        let line = ["check", bot, "--board", "8", "--games", "0", "--time", "100"];
        let mut command = quiver(&[&line, more].concat());
        command.env("LC_ALL", "zh_CN.UTF-8");
        let Run { code, out, .. } = run(command, b"");
        assert_eq!(code, Some(1));
        out
    };
    let english = text(&["--language", "en"]);
    for expected in [
        "\nILLEGAL MOVE: with x and y exchanged",
        "  its move: x0=",
        "  its answer: {\"response\"",
        "   8 . ",
    ] {
        assert!(english.contains(expected), "{expected}: {english}");
    }
    let chinese = text(&[]);
    for expected in
        ["\n走法违规：x 与 y 互换后这步棋合法：", "  它的输出：{", "JSON，每回合一个进程，先手，8x8"]
    {
        assert!(chinese.contains(expected), "{expected}: {chinese}");
    }
}

#[test]
fn the_board_of_a_bot_is_found_out() {
    let (code, report, err) = check_spec(&own(10), &["--games", "0", "--time", "100"]);
    assert_eq!(code, Some(0), "{report} {err}");
    assert_eq!(report["boards"], serde_json::json!([10]), "{report}");
}

#[test]
fn what_goes_beyond_the_limits_is_found() {
    let late = found("late", "cmd", "--fault busy --at 1", &["--time", "1"]);
    assert!(late["message"].as_str().unwrap().contains("limit of 2.000 s"), "{late}");
    let talk = found("output", "cmd", "--fault talk", &PATIENT);
    assert!(talk["message"].as_str().unwrap().contains("7000 bytes of debug"), "{talk}");
    let hoard = found("memory", "cmd", "--fault hoard --at 1", &["--time", "100", "--memory-limit", "64M"]);
    assert!(hoard["message"].as_str().unwrap().contains("expected at most 64"), "{hoard}");
}

#[test]
fn what_outlives_a_turn_is_found() {
    let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join("leak.json");
    let leak = found("leak", "cmd", &format!("--fault leak --state {}", state.display()), &PATIENT);
    assert!(leak["message"].as_str().unwrap().contains("two matches at a time, and not with one"), "{leak}");
    let leak = found("leak", "cmd", &format!("--fault waver-ever --state {}", state.display()), &PATIENT);
    assert!(leak["message"].as_str().unwrap().contains("while a second match runs"), "{leak}");
    let (code, report, talk) = check("cmd", "--fault child --at 3", &PATIENT);
    // A child that is left behind loses no match.
    assert_eq!((code, kinds(&report)), (Some(0), vec!["left-behind".to_owned()]), "{report} {talk}");
}

#[test]
fn moves_that_differ_once_or_for_lack_of_time_are_no_leak() {
    let wavers = |fault: &str, more: &[&str]| {
        let state = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{fault}.txt"));
        let _ = std::fs::remove_file(state.with_extension("txt.done"));
        let (code, report, talk) =
            check("cmd", &format!("--fault {fault} --state {}", state.display()), more);
        eprintln!("{report} {talk}");
        (code, kinds(&report), state.with_extension("txt.done").exists())
    };
    let sound = (Some(0), vec![], true);
    assert_eq!(wavers("waver-anew", &PATIENT), sound, "it plays another move each time");
    assert_eq!(wavers("waver-thrice", &PATIENT), sound, "it plays the same other move three times");
    // The judge's alarm is a second after the limit: a machine that is busier than that makes the bot late,
    // and shows nothing.
    let mut tries = (0..6).map(|_| wavers("waver-slowly", &["--time", "100", "--first-time", "1"]));
    let in_time = tries.find(|(_, kinds, _)| !kinds.contains(&"late".to_owned()));
    assert_eq!(in_time, Some((Some(0), vec!["slow".to_owned()], true)));
}

#[test]
fn a_bot_is_rated_on_a_ladder() {
    let (code, report, err) = check_spec(&own(8), &["--board", "8", "--time", "100", "--games", "6"]);
    assert_eq!(code, Some(0), "{report} {err}");
    let rating = &report["rating"];
    let number = |name: &str| rating[name].as_f64().unwrap();
    assert_eq!((&rating["name"], &rating["games"]), (&Value::from("the bot"), &Value::from(6)));
    // greedy itself stands at 1763 on this ladder.
    assert!((number("elo") - 1763.0).abs() < 1.5 * number("error"), "{rating}");
    assert!(rating["interval"][0].as_f64().unwrap() < number("elo") && number("error") > 0.0, "{rating}");
}

#[test]
fn only_bots_for_botzone_are_checked() {
    let (code, _, err) = check_spec("greedy", &[]);
    assert_eq!(code, Some(2));
    assert!(err.contains("'greedy': expected a bot for Botzone"));
}
