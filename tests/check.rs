//! `quiver check` on bots with one defect each, and on one with none.

use crate::common::program::{Run, assert_fields, bot, quiver, run};
use crate::common::scratch::Scratch;
use serde_json::{Value, json};

/// Checks a scripted bot on 6x6: exit status, the report, and standard error.
fn check(protocol: &str, options: &str, more: &[&str]) -> (Option<i32>, Value, String) {
    check_spec(&bot(protocol, options), &[more, &["--board", "6", "--games", "0"]].concat())
}

/// Checks a bot: exit status, the report, and standard error.
fn check_spec(spec: &str, more: &[&str]) -> (Option<i32>, Value, String) {
    let Run { code, out, err } = run(quiver(&["check", spec, "--json"]).args(more).env("SPOILT", "yes"), b"");
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

/// Checks that exactly this defect of a bot with a fault is found, with this text in one of its
/// fields, and returns it.
fn found(kind: &str, protocol: &str, fault: &str, more: &[&str], (field, text): (&str, &str)) -> Value {
    let (code, report, talk) = check(protocol, &format!("--fault {fault}"), more);
    assert_eq!((code, kinds(&report)), (Some(1), vec![kind.to_owned()]), "{fault}: {report} {talk}");
    let moved = report["trials"][0]["plies"] != 0;
    assert_eq!(report["notes"].to_string().contains("it does not ask to be kept"), moved, "{report}");
    let defect = report["defects"][0].clone();
    assert!(defect[field].as_str().is_some_and(|said| said.contains(text)), "{fault}: {text}: {defect}");
    defect
}

#[test]
fn a_bot_without_a_defect_is_told_so_and_its_games_are_shown() {
    let scratch = Scratch::new("check");
    let page = scratch.path("page.html");
    let more = [&PATIENT[..], &["--html", &page]].concat();
    let (code, report, talk) = check("cmd", "--keep --fault limits", &more);
    assert_eq!((code, kinds(&report)), (Some(0), vec![]), "{report} {talk}");
    let trials = report["trials"].to_string();
    for expected in ["JSON, one process a turn, first player, 6x6", "JSON, kept running, second player, 6x6"]
    {
        assert!(trials.contains(expected), "{expected}: {trials}");
    }
    // It neither speaks text nor plays 8x8, and need not.
    assert_eq!(report["notes"].as_array().unwrap().len(), 2, "{report}");
    assert!(scratch.read("page.html").contains("JSON, kept running"));
    let (code, report, talk) = check("cmd", "--fault interrupt --at 2", &more);
    assert_eq!((code, &report["notes"]), (Some(1), &json!(["interrupted before its end"])), "{talk}");
}

#[test]
fn what_breaks_off_a_match_is_found_with_its_request() {
    let illegal = found("illegal-move", "cmd", "illegal --at 2", &PATIENT, ("message", "holds an amazon"));
    let request: Value = serde_json::from_str(illegal["input"].as_str().unwrap()).unwrap();
    assert_eq!((&illegal["turn"], request["requests"].as_array().unwrap().len()), (&json!(2), 2));
    let first_request = ("input", "3\n-1 -1 -1 -1 -1 -1\n");
    for (kind, protocol, fault, expected) in [
        ("illegal-move", "text", "nowhere --at 3", first_request),
        ("malformed", "cmd", "garbage --at 2", ("kind", "malformed")),
        ("crash", "text", "crash --at 2 --stderr oh", ("standard_error", "oh 2")),
        ("output", "cmd", "flood --at 2", ("kind", "output")),
    ] {
        let defect = found(kind, protocol, fault, &PATIENT, expected);
        assert_eq!(defect["cause"].is_null(), kind != "crash", "{defect}");
    }
    found("stall", "cmd", "to-the-end", &["--time", "2"], ("cause", "the end of its input"));
}

#[test]
fn each_defect_has_its_answer_and_its_likely_cause() {
    for (kind, fault, expected) in [
        ("illegal-move", "exchange --at 1", "with x and y exchanged this move is legal: "),
        ("illegal-move", "forget", "this move was legal at its turn 1: the bot may ignore the requests"),
        ("illegal-move", "theirs --at 1", "the move begins on an amazon of its opponent"),
        ("malformed", "print --at 1", "`moves: 1232` beside its answer; print one line only"),
        ("crash", "segfault --at 1", "segmentation fault"),
        ("crash", "raise --at 1", "its standard error ends with `KeyError: 'x9'`"),
    ] {
        let defect = found(kind, "cmd", fault, &PATIENT, ("cause", expected));
        let answered = defect["answer"].as_str().unwrap().contains("response");
        assert_eq!(answered, kind != "crash", "{fault}: {defect}");
        assert!(defect["position"].as_str().unwrap().ends_with(" 1"), "{fault}: {defect}");
    }
    let (_, report, _) = check("cmd", "--fault late-exchange", &["--time", "100", "--first-time", "0.5"]);
    // The cause of an illegal move is none of a slow answer.
    let other = |defect: &&Value| defect["kind"] != "illegal-move";
    let mut others = report["defects"].as_array().unwrap().iter().filter(other);
    assert!(
        others.next().unwrap()["cause"].is_null() && others.all(|defect| defect["cause"].is_null()),
        "{report}"
    );
    // A buffer that Python flushes only where the environment asks for it.
    let bot = "cmd:python3 -S tests/data/bots/bot.py --form json --board 6 --fault no-flush";
    let line = ["check", bot, "--board", "6", "--games", "0", "--time", "2"];
    let Run { code, out, err } = run(quiver(&line).env("PYTHONUNBUFFERED", "1"), b"");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("\nNO ANSWER: it may wait for the end of its input, "), "{out}");
    assert!(err.contains("1 defect loses matches") && err.contains("quiver: playing: JSON"), "{err}");
}

#[test]
fn a_report_shows_the_board_and_speaks_chinese() {
    let text = |fault: &str, more: &[&str]| {
        let bot = bot("cmd", &format!("--board 8 --fault {fault}"));
        let line = ["check", &bot, "--board", "8", "--games", "0", "--time", "100"];
        let Run { code, out, .. } = run(quiver(&line).args(more).env("LC_ALL", "zh_CN.UTF-8"), b"");
        assert_eq!(code, Some(1));
        out
    };
    let (english, chinese) = (text("exchange", &["--language", "en"]), text("exchange", &[]));
    let long = text("talk-crash --at 2", &["--language", "en"]);
    // The request after 150,000 bytes of data is not shown.
    assert!(long.contains("CRASH") && long.matches("to repeat it").count() == 1, "{long}");
    for (text, expected) in [
        (&english, "\nILLEGAL MOVE: with x and y exchanged"),
        (&english, "  its move: x0="),
        (&english, "  its answer: {\"response\""),
        (&english, "   8 . "),
        (&chinese, "\n走法违规：x 与 y 互换后这步棋合法："),
        (&chinese, "  它的输出：{"),
        (&chinese, "JSON，每回合一个进程，先手，8x8：走法违规，第 1 回合，0 步"),
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn the_board_of_a_bot_is_found_out() {
    let scratch = Scratch::new("check-board");
    let mut command = quiver(&["check", &(own(10) + " --log bot.log"), "--games", "0", "--time", "100"]);
    let closed = || std::io::pipe().unwrap().1;
    let told = command.current_dir(scratch.path("")).stderr(closed()).output().unwrap();
    let text = String::from_utf8(told.stdout).unwrap();
    assert!(told.status.success() && text.contains("\nit plays 10x10\n"), "{text}");
    assert!(text.contains("files in this folder changed during the check (bot.log)"), "{text}");
    // `check` writes the page and keeps its status where the reader of its report is gone.
    let page = scratch.path("page.html");
    let line = ["check", "cmd:false", "--board", "6", "--games", "0", "--html", &page];
    assert_eq!(quiver(&line).stdout(closed()).output().unwrap().status.code(), Some(1));
    assert!(scratch.read("page.html").contains("JSON, one process a turn"));
}

#[test]
fn what_goes_beyond_the_limits_is_found() {
    let memory = ["--time", "100", "--memory-limit", "64M"];
    found("late", "cmd", "busy --at 1", &["--time", "1"], ("message", "limit of 2.000 s"));
    found("output", "cmd", "talk", &PATIENT, ("message", "7000 bytes of debug: expected at most 1024; 1500"));
    let hoarded = found("memory", "cmd", "hoard --at 1", &memory, ("message", "expected at most 64"));
    // Once in each of two games, of whose turns each has a process that takes too much.
    assert_eq!(hoarded["count"], 2);
}

#[test]
fn what_outlives_a_turn_is_found() {
    let scratch = Scratch::new("check-leak");
    for (fault, expected) in
        [("leak", "two matches at a time, and not with one"), ("waver-ever", "while a second match runs")]
    {
        let fault = format!("{fault} --state {}", scratch.path(fault));
        found("leak", "cmd", &fault, &PATIENT, ("message", expected));
    }
    let (code, report, talk) = check("cmd", "--fault child --at 3", &PATIENT);
    // A child that is left behind loses no match.
    assert_eq!((code, kinds(&report)), (Some(0), vec!["left-behind".to_owned()]), "{report} {talk}");
}

#[test]
fn moves_that_differ_once_or_for_lack_of_time_are_no_leak() {
    let wavers = |fault: &str, more: &[&str]| {
        let scratch = Scratch::new(fault);
        let (code, report, talk) =
            check("cmd", &format!("--fault {fault} --state {}", scratch.path("state")), more);
        eprintln!("{report} {talk}");
        (code, kinds(&report), scratch.join("state.done").exists())
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
    let clean = own(8).replacen("cmd:", "cmd:sh -c 'test -z \"$SPOILT\" && exec \"$@\"' - ", 1);
    let (code, report, err) = check_spec(&clean, &["--board", "8", "--time", "100", "--games", "6"]);
    assert_eq!(code, Some(0), "{report} {err}");
    let rating = &report["rating"];
    assert_fields(rating, json!({"name": "the bot", "games": 6}));
    let [elo, error, low] =
        [&rating["elo"], &rating["error"], &rating["interval"][0]].map(|number| number.as_f64().unwrap());
    // greedy itself stands at 1763 on this ladder.
    assert!((elo - 1763.0).abs() < 1.5 * error && low < elo && error > 0.0, "{rating}");
    let fragile = bot("cmd", "--board 8 --fault opening");
    let (code, report, err) = check_spec(&fragile, &["--board", "8", "--time", "100", "--games", "2"]);
    assert_eq!((code, kinds(&report)), (Some(1), vec!["crash".to_owned()]), "{report} {err}");
    let message = "in a game for the rating: ended with status 3";
    assert_fields(&report["defects"][0], json!({"count": 2, "turn": 3, "message": message}));
}
