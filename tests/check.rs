//! Tests of `quiver check` with bots that have one defect each, and with a correct bot.

use std::process::Command;

use crate::common::program::{
    Run, assert_contains, assert_documented, assert_fields, bot, printed, quiver, refuses, run,
};
use crate::common::scratch::Scratch;
use crate::common::start;
use quiver::Coordinates;
use quiver::amazons::Move;
use serde_json::{Value, json};

/// Runs `quiver check` on a scripted bot on 6x6. Returns exit status, report and standard error.
fn check(protocol: &str, options: &str, more: &[&str]) -> (Option<i32>, Value, String) {
    check_spec(&bot(protocol, options), &[more, &["--board", "6", "--games", "0"]].concat())
}

fn check_spec(spec: &str, more: &[&str]) -> (Option<i32>, Value, String) {
    let Run { code, out, err } = run(quiver(&["check", spec, "--json"]).args(more).env("SPOILT", "yes"), b"");
    let report = serde_json::from_str(&out).unwrap_or_default();
    assert_documented("check", &report);
    (code, report, err)
}

/// The SPEC that runs this program as a bot without search, which starts faster than a Python bot.
fn own(board: usize) -> String {
    let program = env!("CARGO_BIN_EXE_quiver");
    format!("cmd:'{program}' bot --board {board} --player greedy --no-keep-running")
}

/// The option for a time limit that no turn exceeds, even on a busy machine.
const LONG_TIME_LIMIT: [&str; 2] = ["--time", "100"];

fn kinds(report: &Value) -> Vec<String> {
    let defects = report["defects"].as_array().cloned().unwrap_or_default();
    defects.iter().map(|defect| defect["kind"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Checks that `quiver check` finds one defect of this kind, and no other, in a bot with a scripted
/// `fault`. The `field` of the defect must contain `text`. Returns the defect.
fn found(kind: &str, protocol: &str, fault: &str, more: &[&str], (field, text): (&str, &str)) -> Value {
    let (code, report, messages) = check(protocol, &format!("--fault {fault}"), more);
    assert_eq!((code, kinds(&report)), (Some(1), vec![kind.to_owned()]), "{fault}: {report} {messages}");
    let moved = report["trials"][0]["plies"] != 0;
    assert_eq!(report["notes"].to_string().contains("the bot does not ask to be kept"), moved, "{report}");
    let defect = report["defects"][0].clone();
    assert!(defect[field].as_str().is_some_and(|said| said.contains(text)), "{fault}: {text}: {defect}");
    defect
}

#[test]
fn faultless_bot_has_no_defects() {
    let (scratch, [page]) = Scratch::with_paths("check", ["page.html"]);
    let more = [&LONG_TIME_LIMIT[..], &["--html", &page]].concat();
    let (code, report, messages) = check("cmd", "--keep --fault limits", &more);
    assert_eq!((code, kinds(&report)), (Some(0), vec![]), "{report} {messages}");
    let trials = report["trials"].to_string();
    let scenarios = ["JSON, one process a turn, first player, 6x6", "JSON, kept running, second player, 6x6"];
    assert_contains(&trials, &scenarios);
    // Two notes say that the bot supports neither simplified interaction nor 8x8.
    assert_eq!(report["notes"].as_array().unwrap().len(), 2, "{report}");
    assert!(scratch.read("page.html").contains("JSON, kept running"));
    let (code, report, messages) = check("cmd", "--fault interrupt --at 2", &more);
    assert_eq!((code, &report["notes"]), (Some(1), &json!(["interrupted before its end"])), "{messages}");
}

#[test]
fn reports_request_of_fault_that_ends_match() {
    let no_line = ("message", "no line leads from ");
    let illegal = found("illegal-move", "cmd", "illegal --at 2", &LONG_TIME_LIMIT, no_line);
    let request: Value = serde_json::from_str(illegal["input"].as_str().unwrap()).unwrap();
    assert_eq!((&illegal["turn"], request["requests"].as_array().unwrap().len()), (&json!(2), 2));
    for (kind, protocol, fault, expected) in [
        ("illegal-move", "text", "nowhere --at 3", ("input", "3\n-1 -1 -1 -1 -1 -1\n")),
        ("malformed", "cmd", "garbage --at 2", ("cause", "the bot gave no move, but had ")),
        ("crash", "text", "crash --at 2 --stderr oh", ("standard_error", "oh 2")),
        ("output", "cmd", "flood --at 2", ("message", "more than 1048576 bytes of output")),
    ] {
        found(kind, protocol, fault, &LONG_TIME_LIMIT, expected);
    }
    found("stall", "cmd", "to-the-end", &["--time", "2"], ("cause", "the end of its input"));
}

#[test]
fn each_defect_has_its_answer_and_its_likely_cause() {
    for (kind, fault, expected) in [
        ("illegal-move", "forget", ("cause", "a board with the last request alone")),
        ("illegal-move", "deaf", ("cause", "the bot ignores the requests")),
        (
            "illegal-move",
            "theirs --at 1",
            ("message", "(x=4, y=5) holds the opponent's amazon since the start"),
        ),
        (
            "illegal-move",
            "nowhere --at 1",
            ("cause", "the bot gave no move, but had 544 legal moves, such as 1 0 0 0 1 0 (b1-a1/b1)"),
        ),
        ("malformed", "print --at 1", ("cause", "`moves: 1232` beside its answer; print one line only")),
        ("crash", "segfault --at 1", ("cause", "-g -fsanitize=address")),
        ("crash", "raise --at 1", ("cause", "the bot's standard error ends with `KeyError: 'x9'` (File ")),
    ] {
        let defect = found(kind, "cmd", fault, &LONG_TIME_LIMIT, expected);
        let answered = defect["answer"].as_str().unwrap().contains("response");
        assert_eq!(answered, kind != "crash", "{fault}: {defect}");
        assert_eq!(defect["exit"]["signal"] == 11, fault.starts_with("segfault"), "{defect}");
        assert!(defect["position"].as_str().unwrap().contains(" - - 0 "), "{fault}: {defect}");
    }
    let (_, report, _) = check("cmd", "--fault late-exchange", &["--time", "100", "--first-time", "0.5"]);
    // In this report, only defects of the kind `illegal-move` have a cause.
    let other = |defect: &&Value| defect["kind"] != "illegal-move";
    let others: Vec<_> = report["defects"].as_array().unwrap().iter().filter(other).collect();
    assert!(!others.is_empty() && others.iter().all(|defect| defect["cause"].is_null()), "{report}");
    // If `check` passed the variable `PYTHONUNBUFFERED` on, Python would flush the bot's output.
    let bot = "cmd:python3 -S tests/data/bots/bot.py --form json --board 6 --fault no-flush";
    let line = ["check", bot, "--board", "6", "--games", "0", "--time", "2"];
    let Run { code, out, err } = run(quiver(&line).env("PYTHONUNBUFFERED", "1"), b"");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("1. NO ANSWER: the bot may wait for the end of its input, "), "{out}");
    // The printed command that repeats the defect keeps the input of the bot open.
    assert_contains(&out, &["  to repeat it: (printf '%s\\n' '{", "; sleep 5) | python3 "]);
    assert_contains(&err, &["1 defect loses matches", "quiver: JSON, one process a turn"]);
}

#[test]
fn recognises_bot_that_swaps_coordinates() {
    for seed in ["1", "2", "3", "4", "5"] {
        let exchanged = ("cause", "the bot reads x and y exchanged: its opponent played ");
        let more = [&LONG_TIME_LIMIT[..], &["--seed", seed]].concat();
        let defect = found("illegal-move", "cmd", "read-exchange", &more, exchanged);
        assert_eq!(defect["moves"].as_array().map(Vec::len), Some(1), "{defect}");
        // The report has the bot's first answer, which shows best that the bot exchanges x and y.
        assert_fields(
            &defect,
            json!({"scenario": "JSON, one process a turn, second player, 6x6", "turn": 1}),
        );
    }
}

#[test]
fn recognises_fault_independent_of_kept_process() {
    let scratch = Scratch::new("check-lucky");
    let options = format!("--keep --fault read-exchange --state {}", scratch.path("state"));
    let (code, report, messages) = check("cmd", &options, &LONG_TIME_LIMIT);
    let defects = report["defects"].to_string();
    assert!(code == Some(1) && defects.contains("the bot reads x and y exchanged"), "{report} {messages}");
    assert!(!defects.contains("only while it is kept running"), "{defects}");
}

#[test]
fn legal_turns_rule_out_exchanged_writing() {
    for seed in ["1", "2", "3"] {
        let more = [&LONG_TIME_LIMIT[..], &["--seed", seed]].concat();
        let shown = ("message", "");
        let defect = found("illegal-move", "cmd", "exchange --at 2", &more, shown);
        assert!(defect["cause"].is_null() && defect["turn"] != 1, "{defect}");
        // A bot that exchanges x and y from the start is recognised by its first turn.
        let exchanged = ("cause", "the bot writes x and y exchanged");
        assert_eq!(found("illegal-move", "cmd", "exchange", &more, exchanged)["turn"], 1);
    }
}

#[test]
fn different_tracebacks_are_different_defects() {
    let (code, report, messages) = check("text", "--fault raise-either --at 2", &LONG_TIME_LIMIT);
    assert_eq!((code, kinds(&report)), (Some(1), vec!["crash".to_owned(); 2]), "{report} {messages}");
    for (defect, words) in report["defects"].as_array().unwrap().iter().zip(["KeyError", "IndexError"]) {
        assert!(defect["cause"].as_str().unwrap().contains(words), "{defect}");
    }
}

#[test]
fn turns_of_a_kept_bot_are_repeated_one_by_one() {
    for (fault, more, title) in [
        ("amnesia --at 4", " --time 100", "1. ILLEGAL MOVE: the bot fails only while it is kept running: "),
        (
            "hoard",
            " --time 100 --memory-limit 450M",
            "1. TOO MUCH MEMORY: the bot keeps some 100 MiB more after each turn",
        ),
        ("flush-once", " --time 3", "1. NO ANSWER: "),
    ] {
        let bot = bot("cmd", &format!("--keep --fault {fault}"));
        let line = format!("check '{bot}' --board 6 --games 0{more}");
        let Run { code, out, err } = run(quiver(&[]).args(shell_words::split(&line).unwrap()), b"");
        assert_eq!(code, Some(1), "{out} {err}");
        assert!(out.starts_with(title), "{out}");
        let again = out.lines().find_map(|line| line.strip_prefix("  to repeat it: ")).unwrap();
        let program = format!("| {} check ", env!("CARGO_BIN_EXE_quiver"));
        let again = again.replace("| quiver check ", &program);
        let Run { code, out: repeated, err } = run(Command::new("sh").args(["-c", &again]), b"");
        assert_eq!(code, Some(1), "{again}: {repeated} {err}");
        let kind = |text: &str| text.split(':').next().map(str::to_owned);
        assert_eq!(kind(&repeated), kind(&out), "{again}: {repeated}");
        assert!(err.contains("quiver: turn 1: ") && err.contains("quiver: turn 2: "), "{err}");
    }
    // If the bot plays a legal move that is not in the log, the report has a note but no defect.
    let log = "tests/data/judge_logs/random-1.json";
    let kept = own(8).replace(" --no-keep-running", "");
    let Run { code, out, .. } =
        run(quiver(&["check", &kept, "--board", "8", "--time", "100", "--replay", log]), b"");
    assert!(code == Some(0) && out.contains("note: in turn 1 the bot plays "), "{out}");
    refuses(&["check", "cmd:true", "--replay", "tests/data/games/random-6.jsonl"], "games: expected one");
}

#[test]
fn a_report_is_in_one_language() {
    let text = |fault: &str, language: &str| {
        let scratch = Scratch::new("check-report");
        let (bot, page) = (bot("cmd", &format!("--board 8 --fault {fault}")), scratch.path("page.html"));
        let line = ["check", &bot, "--board", "8", "--games", "0", "--time", "100", "--html", &page];
        let Run { code, out, .. } = run(quiver(&line).env("LC_ALL", language), b"");
        assert_eq!(code, Some(1));
        // The page opens at the end of the first failed game, with the reason in the report's
        // language.
        let page = scratch.read("page.html");
        let why = ["does not reach", "begins on", "没有己方皇后", "ended with status 3", "程序因段错误"];
        assert!(page.contains("\"opens_at\":0") || fault != "exchange", "{fault}");
        assert!(why.iter().any(|why| page.contains(why)), "{fault}");
        // Removes times and memory, which differ between runs.
        let figures =
            out.lines().map(|line| line.split([';', '；']).next().unwrap_or_default().to_owned() + "\n");
        figures.collect::<String>()
    };
    insta::assert_snapshot!(text("exchange", "en_GB.UTF-8") + "\n" + &text("exchange", "zh_CN.UTF-8"));
    let crashed = text("segfault", "zh_CN.UTF-8");
    assert!(crashed.contains("  现象：程序因段错误（信号 11）终止\n"), "{crashed}");
    let long = text("long-output-crash --at 2", "C");
    // The report leaves out a command that would contain a request with 150,000 bytes of data.
    assert!(long.contains("CRASH") && long.matches("to repeat it").count() == 1, "{long}");
}

#[test]
fn detects_board_size_of_bot() {
    let scratch = Scratch::new("check-board");
    let mut command = quiver(&["check", &(own(10) + " --log bot.log"), "--games", "0", "--time", "100"]);
    let closed = || std::io::pipe().unwrap().1;
    let told = command.current_dir(scratch.path("")).stderr(closed()).output().unwrap();
    let text = String::from_utf8(told.stdout).unwrap();
    assert!(told.status.success() && text.contains("\nthe bot plays on 10x10\n"), "{text}");
    assert!(text.contains("files in this folder changed during the check (bot.log)"), "{text}");
    // If standard output is closed, `check` still writes the page and returns its usual status.
    let page = scratch.path("page.html");
    let line = ["check", "cmd:false", "--board", "6", "--games", "0", "--html", &page];
    assert_eq!(quiver(&line).stdout(closed()).output().unwrap().status.code(), Some(1));
    assert!(scratch.read("page.html").contains("JSON, one process a turn"));
}

#[test]
fn reports_exceeded_limits() {
    let memory = ["--time", "100", "--memory-limit", "64M"];
    found("late", "cmd", "busy --at 1", &["--time", "1"], ("message", "(limit 2.000 s)"));
    found(
        "output",
        "cmd",
        "long-output",
        &LONG_TIME_LIMIT,
        ("message", "7000 bytes of debug: expected at most 1024; 1500"),
    );
    let hoarded = found("memory", "cmd", "hoard --at 1", &memory, ("message", "expected at most 64"));
    // In both games, every turn uses too much memory, but `count` counts each game only once.
    assert_eq!(hoarded["count"], 2);
}

#[test]
fn reports_leaks_and_leftover_processes() {
    let scratch = Scratch::new("check-leak");
    for (fault, expected) in
        [("leak", "only while two matches run at the same time"), ("waver-ever", "while a second match runs")]
    {
        let fault = format!("{fault} --state {}", scratch.path(fault));
        found("leak", "cmd", &fault, &LONG_TIME_LIMIT, ("message", expected));
    }
    let (code, report, messages) = check("cmd", "--fault child --at 3", &LONG_TIME_LIMIT);
    // The defect `left-behind` does not lose a match, so the exit status is 0.
    assert_eq!((code, kinds(&report)), (Some(0), vec!["left-behind".to_owned()]), "{report} {messages}");
}

#[test]
fn isolated_move_changes_are_no_leak() {
    let check_wavering_bot = |fault: &str, more: &[&str]| {
        let scratch = Scratch::new(fault);
        let (code, report, messages) =
            check("cmd", &format!("--fault {fault} --state {}", scratch.path("state")), more);
        eprintln!("{report} {messages}");
        (code, kinds(&report), scratch.join("state.done").exists())
    };
    let sound = (Some(0), vec![], true);
    assert_eq!(check_wavering_bot("waver-anew", &LONG_TIME_LIMIT), sound, "it plays another move each time");
    assert_eq!(
        check_wavering_bot("waver-thrice", &LONG_TIME_LIMIT),
        sound,
        "it plays the same other move three times"
    );
    // The bot answers 0.05 s after its limit, which is the defect `slow`. If a very busy machine
    // delays the answer by another second, the defect is `late`, and the test tries again.
    let mut tries =
        (0..6).map(|_| check_wavering_bot("waver-slowly", &["--time", "100", "--first-time", "1"]));
    let in_time = tries.find(|(_, kinds, _)| !kinds.contains(&"late".to_owned()));
    assert_eq!(in_time, Some((Some(0), vec!["slow".to_owned()], true)));
}

#[test]
fn a_bot_is_rated_on_a_ladder() {
    let clean = own(8).replacen("cmd:", "cmd:sh -c 'test -z \"$SPOILT\" && exec \"$@\"' - ", 1);
    let (code, report, err) = check_spec(&clean, &["--board", "8", "--time", "100", "--games", "10"]);
    assert_eq!(code, Some(0), "{report} {err}");
    let rating = &report["rating"];
    assert_fields(rating, json!({"name": "the bot", "games": 10}));
    let [elo, error, low] =
        [&rating["elo"], &rating["error"], &rating["interval"][0]].map(|number| number.as_f64().unwrap());
    // The player `greedy` has the rating 1763 on the ladder for 8x8.
    assert!((elo - 1763.0).abs() < 1.5 * error && low < elo && error > 0.0, "{rating}");
    // The bot first plays the weak players, then stronger ones.
    let opponents = rating["opponents"].as_array().unwrap();
    assert_fields(&opponents[0], json!({"name": "level2", "wins": 2}));
    let fragile = bot("cmd", "--board 8 --fault opening");
    let (code, report, err) = check_spec(&fragile, &["--board", "8", "--time", "100", "--games", "2"]);
    assert_eq!((code, kinds(&report)), (Some(1), vec!["crash".to_owned()]), "{report} {err}");
    let message = "in a game for the rating: ended with status 1";
    let cause = "the bot's standard error ends with `no such opening`";
    let defect = &report["defects"][0];
    assert_fields(defect, json!({"count": 2, "turn": 3, "message": message, "cause": cause}));
    assert!(defect["scenario"].as_str().unwrap().starts_with("JSON, one process a turn, "), "{defect}");
    // Without a win the rating is only an upper bound.
    assert_fields(&report["rating"], json!({"elo": null, "error": null}));
    let bound = report["rating"]["interval"][1].as_f64().unwrap();
    assert!(report["rating"]["interval"][0].is_null() && bound < 800.0, "{report}");
}

#[test]
fn starter_bots_have_no_defect() {
    let scratch = Scratch::new("check-starter");
    let checked = |spec: &str, board: &str| {
        let (code, report, messages) = check_spec(spec, &["--board", board, "--games", "0", "--time", "100"]);
        assert_eq!((code, kinds(&report)), (Some(0), vec![]), "{report} {messages}");
        let trials = report["trials"].as_array().unwrap();
        let scenarios = trials.iter().map(|trial| trial["scenario"].as_str().unwrap());
        let scenarios: String = scenarios.map(|scenario| scenario.to_owned() + "\n").collect();
        assert_contains(&scenarios, &["JSON, one process", "JSON, kept running"]);
        assert_contains(&scenarios, &["simplified text, one process", "simplified text, kept"]);
    };
    let starter = |language: &str| {
        printed(quiver(&["starter", "--language", language, &scratch.path("")]));
        refuses(&["starter", "--language", language, &scratch.path("")], "expected a new file");
    };
    starter("python");
    checked(&format!("cmd:python3 {}", scratch.path("bot.py")), "8");
    starter("cpp");
    let (source, program) = (scratch.path("bot.cpp"), scratch.path("bot"));
    let arguments = ["-std=c++11", "-Wall", "-Wextra", "-Werror", "-O1", &source, "-o", &program];
    match Command::new("g++").args(arguments).status() {
        Ok(status) => assert!(status.success()),
        Err(_) => return eprintln!("no g++ here: the C++ bot was not tried"),
    }
    checked(&format!("text:{program} 10"), "10");
}

#[test]
fn conversations_of_the_guide_are_one_legal_match() {
    let page = ["protocol.md", "protocol.zh.md"]
        .map(|page| std::fs::read_to_string(format!("src/botzone/{page}")).unwrap())
        .concat();
    let conversations = page.split("```text\n").skip(1).map(|block| block.split("```").next().unwrap());
    let read = |line: &str| match serde_json::from_str(line) {
        Ok(Value::Object(mut object)) => {
            let numbers = object.remove("response").unwrap_or(object.into());
            serde_json::from_value(numbers).ok().and_then(Coordinates::full_move)
        }
        _ => line.split_whitespace().take(6).collect::<Vec<_>>().join(" ").parse::<Move>().ok(),
    };
    let moves = |block: &str| -> Vec<Move> {
        block.lines().filter_map(|line| read(line.trim_start_matches(['<', '>', ' ']))).collect()
    };
    let matches: Vec<_> = conversations.map(moves).collect();
    assert!(matches.len() == 6 && matches.iter().all(|one| *one == matches[0]), "{matches:?}");
    let end = matches[0].iter().try_fold(start(8), |position, &played| position.play(played));
    assert!(end.is_ok() && matches[0].len() == 5, "{end:?}");
}
