//! Matches with programs as players: good programs, and programs that fail in each known way.

use serde_json::{Value, json};

use crate::common::program::{assert_contains, assert_fields};

use super::{
    Run, Scratch, bot, games, play, play_json, printed, quiver, recorded_games, refuses_match, report, run,
};

/// The value of `--player` for a player with these settings.
pub(super) fn player(spec: &str, settings: &str) -> String {
    format!("'{}' {settings}", spec.replace('\'', r"'\''"))
}

/// Plays two games of this bot against the random player. `settings` are settings of the bot, such
/// as `startup=60`, and `more` are options of the match.
///
/// The bot has no time limit, so that a busy machine does not matter. A UCI engine is limited by a
/// number of playouts, which other bots ignore.
fn against_random(spec: &str, settings: &str, more: &str) -> (i32, Value) {
    let bot = player(spec, &format!("name=bot playouts=50 {settings}"));
    play_json(&format!("--games 2 --board 6 {more}"), &["--player", &bot, "--player", "random"])
}

fn report_without_faults(spec: &str, settings: &str, more: &str) -> Value {
    let (code, report) = against_random(spec, settings, more);
    assert_eq!(code, 0, "{spec}: {report}");
    report
}

/// Checks that the bot loses both games for this reason, and that its opponent commits no fault.
fn loses_by(reason: &str, spec: &str, settings: &str, more: &str) {
    let (code, report) = against_random(spec, settings, more);
    assert_eq!(code, 1, "{spec}: {report}");
    assert_fields(&report["players"][0], json!({"losses": {reason: 2}}));
    assert_fields(&report, json!({"score": {"losses": 2}, "faults": 2}));
}

#[test]
fn bots_of_every_protocol_finish_games() {
    let specs = [
        bot("cmd", ""),
        bot("cmd", "--keep"),
        bot("text", ""),
        bot("text", "--keep"),
        bot("uci", ""),
        // Before each move, this engine prints megabytes of lines that are not answers.
        bot("uci", "--fault loud"),
        bot("gtp", ""),
        bot("gtp", "--fault crlf"),
        bot("gtp", "--fault chatter"),
        // From its fourth turn on, this bot ends its process after each turn.
        bot("cmd", "--keep --fault once --at 4"),
        bot("text", "--keep --fault blanks"),
        // This bot leaves a child process behind, which keeps the pipe of its output open.
        bot("cmd", "--fault child --at 2"),
        bot("text", "--keep --fault child --at 2"),
    ];
    let mut moves = Vec::new();
    for spec in &specs {
        let bot = player(spec, "name=bot playouts=50");
        let games = recorded_games("--games 2 --board 6", &["--player", &bot, "--player", "random"]);
        let is_engine = ["uci:", "gtp:"].iter().any(|protocol| spec.starts_with(protocol));
        let version = if is_engine { "Scripted 1.5" } else { "" };
        assert_eq!(games[0]["players"][0]["version"], version);
        moves.push(games.iter().map(|game| game["moves"].clone()).collect::<Vec<_>>());
    }
    assert!(moves.iter().all(|same| *same == moves[0]), "{moves:?}");
}

#[test]
fn quiver_is_a_uci_engine_for_its_own_matches() {
    let spec = format!("uci:'{}' uci", env!("CARGO_BIN_EXE_quiver"));
    for board in ["10", "8", "6"] {
        let wire = player(&spec, "name=wire option.exploration=0.5 option.Hash=16");
        let line = format!("--each playouts=20 --board {board} --games 2");
        let report = report(&line, &["--player", &wire, "--player", "random"]);
        assert!(report["players"][0]["version"].as_str().unwrap().starts_with("Quiver "), "{report}");
    }
}

#[test]
fn quiver_plays_the_same_games_over_every_protocol() {
    let (_scratch, [file]) = Scratch::with_paths("protocols", ["contest.sgf"]);
    let line = "--games 1 --board 10 --random-plies 0 --seed 7";
    let game = |spec: &str, settings: &str| {
        let player = player(spec, &format!("name=quiver {settings}"));
        recorded_games(line, &["--player", &player, "--player", "random"]).remove(0)
    };
    let plain = game("quiver", "playouts=40");
    let seed = &plain["players"][0]["seed"];
    let quiver = format!("'{}'", env!("CARGO_BIN_EXE_quiver"));
    for (spec, settings) in [
        (format!("uci:{quiver} uci --seed {seed}"), "playouts=40"),
        (format!("gtp:{quiver} gtp --seed {seed}"), "playouts=40"),
        (format!("contest:{quiver} contest --seed {seed} --playouts 40 --game {file}"), ""),
    ] {
        assert_eq!(game(&spec, settings)["moves"], plain["moves"], "{spec}");
    }
}

#[test]
fn contest_engines_play_from_the_start_alone() {
    let contest = player(&bot("contest", "--board 10"), "");
    let line = "--games 2 --board 10 --player random";
    let moves = |player: &str| {
        let games = recorded_games(line, &["--random-plies", "0", "--player", player]);
        games.iter().map(|game| game["moves"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(moves(&contest), moves(&player(&bot("text", "--board 10"), "")));
    let faulty = player(&bot("contest", "--board 10 --fault banana --at 2"), "");
    let (_, report) = play_json(&format!("{line} --player"), &[&faulty, "--random-plies", "0"]);
    assert_fields(&report["players"][1], json!({"losses": {"malformed": 2}, "version": "Scripted"}));
    let small = "--games 2 --board 8 --random-plies 0 --player random --player";
    refuses_match(small, &[&contest], "expected the start position of 10x10");
}

#[test]
fn gtp_engines_are_told_limits_and_openings() {
    let engine = bot("gtp", "");
    // This engine refuses every `time_settings` command that does not set nine seconds.
    for settings in ["time=9", "tc=9+1", "time=9 option.maxTime=3"] {
        report_without_faults(&engine, settings, "");
    }
    let scratch = Scratch::new("gtp-openings");
    let opening = scratch.file("opening.txt", "q5/6/3q2/2Q3/6/5Q b - - 0 1\n");
    let quiver = format!("gtp:'{}' gtp", env!("CARGO_BIN_EXE_quiver"));
    let more =
        ["--player", &player(&quiver, "playouts=9 option.maxTime=5 option.nonsense=1"), "--player", "random"];
    let (code, out, err) = play(&format!("--games 2 --openings {opening}"), &more);
    assert!(code == 0 && err.contains("does not offer the option 'nonsense'"), "{out}{err}");
    // An engine may need a long time at its first start, for example to tune itself.
    report_without_faults(&bot("gtp", "--fault slow-start"), "startup=60", "");
}

#[test]
fn rejects_unusable_players_before_first_game() {
    let line = "--games 2 --board 6 --playouts 5 --player random --player";
    for (spec, settings, expected) in [
        ("uci:cat", "", "does not get ready: expected 'uciok' after 'uci', got 'uci': no answer after "),
        (
            "uci:sleep 3600",
            "",
            "does not get ready: expected 'uciok' after 'uci', got nothing: no answer after ",
        ),
        ("uci:echo usage: bot", "", "expected 'uciok' after 'uci', got 'usage: bot': ended with status 0"),
        ("gtp:cat", "", "expected '=' after 'list_commands', got 'name': no answer after "),
        ("gtp:sleep 3600", "", "expected '=' after 'list_commands', got nothing: no answer after "),
        (&bot("gtp", "--board 8"), "", "'boardsize 6' was answered '? unacceptable'"),
        (&bot("text", ""), "ponder=true", "cannot ponder: expected a uci:, gtp: or contest: player"),
        (&bot("contest", ""), "option.a=1", "has no options: expected a uci: or gtp: player"),
        (&bot("contest", ""), "", "cannot be told of an opening: expected --random-plies 0"),
        // Without its option VariantPath, this engine knows only Amazons on 10x10.
        (
            &bot("uci", "--fairy"),
            "",
            "the engine's variants are amazons: expected Amazons on 6x6, or a variant set with option.UCI_Variant",
        ),
    ] {
        refuses_match(line, &[&player(spec, settings)], expected);
    }
}

#[test]
fn uci_variant_follows_user_options() {
    let line = "--games 2 --board 6 --playouts 5 --player random --player";
    let with_options = player(&bot("uci", "--fairy"), "name=fairy option.VariantPath=small.ini option.Hsh=1");
    let (code, out, err) = play(line, &[&with_options]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(err.matches("warning: fairy does not offer the option 'Hsh'").count(), 1, "{err}");
    assert!(!err.contains("'VariantPath'"), "{err}");
}

#[test]
fn bots_get_no_environment_that_hides_a_missing_flush() {
    let bot = player("cmd:python3 -S tests/data/bots/bot.py --form json --board 6 --fault no-flush", "");
    let line = "match --games 2 --board 6 --patience 1.5 --json --player random --player";
    let Run { code, out, err } =
        run(quiver(&[]).args(line.split(' ')).arg(bot).env("PYTHONUNBUFFERED", "1"), b"");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["players"][1]["losses"]["stall"]), (Some(1), &2.into()), "{report} {err}");
    assert!(err.contains("; sleep 10) | python3 "), "{err}");
}

#[test]
fn processes_in_other_sessions_end_with_their_program() {
    let (scratch, [state]) = Scratch::with_paths("sessions", ["processes"]);
    // The process that `loud-daemon` leaves behind writes to standard error without end.
    for fault in ["daemon", "daemon --keep", "loud-daemon"] {
        report_without_faults(&bot("cmd", &format!("--fault {fault} --at 2 --state {state}")), "", "");
    }
    let processes = scratch.read("processes");
    assert!(processes.lines().count() > 4, "{processes}");
    for process in processes.lines() {
        assert!(!std::path::Path::new(&format!("/proc/{process}")).exists(), "{process}");
    }
}

#[test]
fn a_log_keeps_the_beginning_and_the_end() {
    let (scratch, [log]) = Scratch::with_paths("long-log", ["stderr.log"]);
    report_without_faults(&bot("cmd", "--keep --fault complain"), "", &format!("--log {log}"));
    let text = scratch.read("stderr.log");
    // The bot writes tens of megabytes in each of the two games, but the log stays small.
    assert!(text.len() < 5 << 20, "{}", text.len());
    assert_eq!(text.matches(" bytes of standard error are left out]\n").count(), 2);
    assert!(text.starts_with("something is wrong\n") && text.ends_with("the end of it\n"));
}

#[test]
fn distinguishes_kinds_of_failure() {
    for (reason, protocol, options) in [
        ("crash", "cmd", "--fault crash --at 3"),
        ("crash", "cmd", "--keep --fault crash --at 3"),
        ("crash", "text", "--keep --fault signal --at 2"),
        ("crash", "cmd", "--fault leave"),
        ("crash", "uci", "--fault crash --at 2"),
        // This bot crashes, and its child process keeps the pipe of the bot's output open.
        ("crash", "cmd", "--fault child-crash --at 2"),
        ("malformed", "cmd", "--fault garbage --at 2"),
        ("malformed", "text", "--fault garbage"),
        ("malformed", "text", "--keep --fault stray --at 2"),
        ("malformed", "uci", "--fault nowhere --at 2"),
        ("output", "cmd", "--keep --fault flood --at 2"),
        ("illegal-move", "text", "--keep --fault nowhere --at 2"),
        ("illegal-move", "uci", "--fault illegal --at 2"),
        ("crash", "gtp", "--fault crash --at 2"),
        ("forfeit", "gtp", "--fault pass --at 2"),
        ("forfeit", "gtp", "--fault resign --at 2"),
        ("malformed", "gtp", "--fault error --at 2"),
        ("malformed", "gtp", "--fault banana --at 2"),
        ("malformed", "gtp", "--fault blank --at 2"),
        ("malformed", "gtp", "--fault id --at 2"),
        ("malformed", "gtp", "--fault nowhere --at 2"),
        ("illegal-move", "gtp", "--fault illegal --at 2"),
    ] {
        loses_by(reason, &bot(protocol, options), "", "");
    }
}

#[test]
fn a_program_that_crashed_is_started_again_if_asked() {
    let spec = bot("uci", "--fault crash --at 3");
    loses_by("crash", &spec, "", "--restart 1");
    let (scratch, [record]) = Scratch::with_paths("restart", ["record.jsonl"]);
    let report = report_without_faults(&spec, "", &format!("--restart 30 --record {record}"));
    let restarts: usize = games(&record).iter().map(|game| game["restarts"].as_array().unwrap().len()).sum();
    assert!(restarts > 2 && report["players"][0]["restarts"] == restarts, "{report}");
    printed(quiver(&["replay", &record]));
    // This bot crashes once. Its next process gets a request with all moves of the game.
    for keep in ["", "--keep"] {
        let state = scratch.path(&format!("crashed{keep}"));
        let spec = bot("cmd", &format!("{keep} --fault crash-once --at 3 --state {state}"));
        assert_eq!(report_without_faults(&spec, "", "--restart 1")["players"][0]["restarts"], 1);
    }
}

#[test]
fn failed_restart_loses_by_crash() {
    let scratch = Scratch::new("not-ready");
    let (starts, record) = (scratch.path("starts"), scratch.path("record.jsonl"));
    // Only two starts of this engine succeed: the check before the match, and the first game.
    let script = format!("echo >> {starts}; [ $(wc -l < {starts}) -le 2 ] || exit 3; exec \"$@\"");
    let engine = bot("uci", "--fault crash --at 3");
    let spec = engine.replacen("uci:", &format!("uci:bash -c '{script}' bash "), 1);
    loses_by("crash", &spec, "", &format!("--restart 5 --record {record}"));
    let games = games(&record);
    assert!(games.iter().all(|game| game["restarts"].as_array().is_none_or(Vec::is_empty)), "{games:?}");
    assert!(games.iter().any(|game| game["evidence"]["input"].is_string()), "{games:?}");
}

#[test]
fn a_botzone_log_keeps_an_illegal_move() {
    for (fault, expected) in [("illegal", "made an illegal move ("), ("nowhere", "-1 -1 -1 -1 -1 -1")] {
        let (scratch, [record, log]) = Scratch::with_paths(fault, ["record.jsonl", "log.json"]);
        let spec = bot("cmd", &format!("--fault {fault} --at 2"));
        loses_by("illegal-move", &spec, "", &format!("--record {record} --random-plies 0"));
        printed(quiver(&["convert", &record, &log]));
        let logs = scratch.read("log.json");
        let log: Value = serde_json::from_str(logs.lines().next().unwrap()).unwrap();
        let last = log["log"].as_array().unwrap().iter().rev().nth(1).unwrap();
        assert!(last["0"]["response"]["x0"].is_i64(), "{last}");
        let text = printed(quiver(&["replay", &scratch.path("log.json")]));
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn silent_programs_stall_busy_programs_are_late() {
    let (short, by_wall) = ("time=0.2", "--first-time 0.2 --grace 0 --patience 2");
    for more in [by_wall, &format!("{by_wall} --clock cpu")] {
        loses_by("stall", "cmd:sleep 3600", short, more);
        loses_by("time", "cmd:sh -c 'while :; do :; done'", short, more);
    }
    loses_by("stall", "text:sh -c 'echo 1 2; sleep 3600'", short, by_wall);
    // Without a time limit, a program loses by `stall` if it is idle for `--patience` seconds.
    loses_by("stall", "cmd:sleep 3600", "", "--patience 0.3");
    // This bot answers, but neither ends nor asks to be kept running.
    loses_by("stall", &bot("cmd", "--keep --fault no-marker"), "", "--patience 1.5");
    // This engine leaves out the empty line that ends an answer.
    loses_by("stall", &bot("gtp", "--fault no-end --at 2"), "", "--patience 1.5");
}

#[test]
fn a_late_answer_loses_by_time_and_cpu_time_forgives_sleep() {
    // This bot sleeps for 0.6 s, longer than its time limit but shorter than `--patience`.
    let late = "--first-time 0.3 --grace 0.01 --patience 60";
    loses_by("time", &bot("cmd", "--keep --fault late"), "time=0.3", late);
    let by_cpu = |fault, time| {
        let report = report_without_faults(&bot("cmd", fault), "time=20", "--clock cpu");
        report["players"][0][time].as_f64().unwrap()
    };
    let worst = by_cpu("--keep --fault work --at 2", "worst_time");
    assert!((0.5..20.0).contains(&worst), "0.6 s of work: {worst}");
    // This bot sleeps for 0.6 s in each turn from turn 9 on. Sleep uses no CPU time.
    let mean = by_cpu("--keep --fault late --at 9", "mean_time");
    assert!(mean < 0.5, "mostly asleep: {mean}");
}

#[test]
fn game_clock_is_sent_and_recorded() {
    let (_scratch, [record]) = Scratch::with_paths("clock", ["record.jsonl"]);
    // Only a fault puts a request into the record, so the engine crashes in its third turn.
    let engine = bot("uci", "--fault crash --at 3");
    let engine = player(&engine, "tc=50+0.25");
    let players = ["--player", "quiver playouts=20", "--player", &engine];
    let line = format!("--board 6 --games 2 --record {record} --random-plies 0 --tc");
    let (code, out, err) = play(&format!("{line} 900+2"), &players);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("quiver: mean") && out.contains(", game clock 900+2 with "), "{out}");
    let games = games(&record);
    let clocks: Vec<u64> = games[0]["evidence"]["input"]
        .as_str()
        .and_then(|input| input.lines().last()?.strip_prefix("go wtime "))
        .map(|rest| rest.split(' ').filter_map(|word| word.parse().ok()).collect())
        .unwrap_or_default();
    let [white, 2000, black, 250] = clocks[..] else { panic!("{games:?}") };
    assert!((890_000..=908_000).contains(&white) && (1..=50_750).contains(&black), "{clocks:?}");
    assert_eq!([0, 1].map(|seat: usize| &games[0]["players"][seat]["tc"]), ["900+2", "50+0.25"]);
}

#[test]
fn a_game_clock_that_runs_out_loses() {
    loses_by("time", &bot("uci", "--fault late"), "tc=0.3+0", "--grace 0 --patience 60");
    // In its second turn, this engine uses 0.6 s of CPU time.
    let (slow, cpu) = (bot("uci", "--fault work --at 2"), "--clock cpu --patience 60");
    let report = report_without_faults(&slow, "tc=9+0.001", cpu);
    assert!(report["players"][0]["least_left"].as_f64().unwrap() < 8.5, "{report}");
    loses_by("time", &slow, "tc=0.2+0.01", cpu);
}

#[test]
fn memory_is_limited_and_standard_error_kept() {
    let (scratch, [log]) = Scratch::with_paths("log", ["stderr.log"]);
    let spec =
        bot("cmd", "--keep --stderr turn").replacen("cmd:", "cmd:sh -c 'echo begun >&2; exec \"$@\"' - ", 1);
    report_without_faults(&spec, "", &format!("--log {log}"));
    let text = std::fs::read_to_string(&log).unwrap();
    // The log has the messages of the two games, but not those of the check before the match.
    for words in ["begun\n", "turn 5\n"] {
        assert_eq!(text.matches(words).count(), 2, "{text}");
    }
    let more = format!("--log {} --player greedy", scratch.path(""));
    against_random(&spec, "", &more);
    for name in ["game-000005-first.log", "game-000006-second.log"] {
        assert!(std::fs::read_to_string(scratch.path(name)).unwrap().contains("turn 5\n"), "{name}");
    }
    // This bot allocates 100 MiB in its second turn, more than its memory limit.
    loses_by("crash", &bot("cmd", "--keep --fault hoard --at 2"), "", "--memory-limit 64M");
}

#[test]
fn crash_report_has_stderr_and_command() {
    for protocol in ["cmd", "text", "uci"] {
        let (_scratch, [record]) = Scratch::with_paths("evidence", ["record.jsonl"]);
        let keep = if protocol == "cmd" { "--keep" } else { "" };
        let spec = bot(protocol, &format!("{keep} --stderr thinking --fault crash --at 3"));
        let line = format!("--games 2 --board 6 --playouts 5 --random-plies 2 --report 1 --record {record}");
        let bot = player(&spec, "name=bot");
        let (code, out, err) = play(&line, &["--player", &bot, "--player", "random"]);
        assert_eq!(code, 1, "{out}{err}");
        assert_contains(&out, &["{crash by bot: ended with status 3}", "lost by crash: 2"]);
        let score = "Score of bot vs random: 0 - 2 [0.000] 2";
        assert_contains(&out, &[score, "Games ended by: no move left 0, crash 2"]);
        assert!(err.contains("2 of 2 games ended by a fault: 2 of bot (crash 2)"), "{err}");
        // Standard error is printed only for the first fault, but is recorded for both faults.
        assert_eq!(err.matches("bot, the end of its standard error:\n").count(), 1, "{err}");
        assert!(err.contains("\n  thinking 3\n"), "{err}");
        let evidence = &games(&record)[1]["evidence"];
        assert!(evidence["standard_error"].as_str().unwrap().ends_with("thinking 3\n"), "{evidence}");
        assert!(games(&record)[1]["last_time"].as_f64() > Some(0.0));
        let command = &err[err.find("printf '%s\\n' ").unwrap()..err.find("\nquiver: ").unwrap()];
        let again = run(std::process::Command::new("sh").args(["-c", command]), b"");
        // The match prints a command that sends the last request to a new process. As a UCI engine,
        // the bot counts its requests (1). As a Botzone bot, it counts the turns in a request (3).
        let turn = if protocol == "uci" { 1 } else { 3 };
        assert_eq!(again.err, format!("thinking {turn}\n"), "{command}");
        assert_eq!(again.code, Some(if protocol == "uci" { 0 } else { 3 }), "{command}");
    }
}
