//! Tests commands of the program: their output, their errors and their exit status.

use std::fs;
use std::process::{Output, Stdio};

use crate::common::program::{
    assert_contains, assert_documented, assert_fields, fails, fails_as_misuse, inputs, printed, printed_json,
    quiver, refusal, refusals, refuses, run, run_successfully,
};
use crate::common::scratch::Scratch;
use serde_json::{Value, json};

const SMALL: &str = "Q1Q/1*1/q1q w - - 0 1";

#[test]
fn perft_counts_move_sequences() {
    // Each case has arguments, the value of `QUIVER_BOARD`, and the expected output.
    let cases: [(&[&str], Option<&str>, &str); 9] = [
        (&["--depth", "1"], None, "perft(1) = 2176\n"),
        (&["--depth", "1", "--board", "8"], None, "perft(1) = 1232\n"),
        (&["--depth", "2", "--board", "6"], None, "perft(2) = 238532\n"),
        (&["--depth", "0", "--divide", "--position", "startpos"], None, "perft(0) = 1\n"),
        (&["--depth", "1", "--board", "8", "--moves", "f1-e2/e5 c8a8d8"], None, "perft(1) = 1197\n"),
        (&["--depth", "1", "--board", "8", "--moves", "5 0 4 1 4 4 2 7 0 7 3 7"], None, "perft(1) = 1197\n"),
        (&["--depth", "1"], Some("6"), "perft(1) = 544\n"),
        (&["--depth", "1", "--board", "8"], Some("6"), "perft(1) = 1232\n"),
        (&["--depth", "4", "--position", SMALL], Some("8"), "perft(4) = 168\n"),
    ];
    for (arguments, board, expected) in cases {
        let board = board.map(|board| ("QUIVER_BOARD", board));
        assert_eq!(printed(quiver(&["perft"]).args(arguments).envs(board)), expected, "{arguments:?}");
    }
}

#[test]
fn divide_lists_first_moves_before_sum() {
    let output = printed(quiver(&["perft", "--depth", "3", "--divide", "--position", SMALL]));
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!((lines[0], lines[12], lines.len()), ("a3-a2/b1: 9", "perft(3) = 190", 13));
}

/// Commands that must fail. Unit tests check more errors in positions, moves and settings.
const REFUSED: &str = include_str!("snapshots/quiver__command_line__refusals.snap");

#[test]
fn refused_lines_say_what_was_expected() {
    let scratch = Scratch::new("refused-lines");
    let suite = include_str!("../src/training/positions/6.jsonl").split_inclusive('\n').next().unwrap();
    for (name, content) in [
        ("unknown.toml", "speed = 1\n"),
        ("text.toml", "exploration = \"high\"\n"),
        ("range.toml", "exploration = 5\n"),
        ("one.jsonl", "{\"id\":1}\n"),
        ("twice.jsonl", &suite.repeat(2)),
    ] {
        scratch.file(name, content);
    }
    insta::assert_snapshot!("refusals", refusals(&scratch.path(""), inputs(REFUSED)));
    // This error message depends on the machine's number of threads, so it is not in a snapshot.
    fails_as_misuse(&["analyze", "--threads", "10000"], "'10000': expected a number of threads from 1");
    // Without a command, `quiver` runs as the bot.
    refuses(&[], "the input is empty");
}

#[test]
fn help_goes_to_standard_output() {
    assert!(printed(quiver(&["--help"])).contains("\n  perft "));
    assert!(printed(quiver(&["perft", "--help"])).contains("--divide"));
    // `quiver package` has no default board.
    assert!(!printed(quiver(&["package", "--help"])).contains("QUIVER_BOARD=] [default"));
}

#[test]
fn gtp_takes_the_options_of_katago() {
    let line = ["gtp", "-config", "none.cfg", "-model", "none.bin.gz", "--board", "8"];
    let said = run(quiver(&line), b"1 name\nquit\n");
    let ready = "GTP ready, beginning main protocol loop\n";
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(0), "=1 Quiver\n\n=\n\n", ready));
}

#[cfg(unix)]
#[test]
fn solve_reports_memory_that_it_cannot_have() {
    let mut command = std::process::Command::new("sh");
    let line = "ulimit -v 4000000; exec $0 solve --memory 8G";
    command.args(["-c", line, env!("CARGO_BIN_EXE_quiver")]);
    fails(1, command, "--memory: the system does not give 8589934592 bytes");
}

#[cfg(unix)]
#[test]
fn main_thread_needs_small_stack() {
    for line in ["--help", "perft --depth 1 --board 6"] {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "ulimit -s 64; exec $0 $@", env!("CARGO_BIN_EXE_quiver")]).args(line.split(' '));
        let said = run(command, b"");
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{line}");
    }
}

#[test]
fn version_names_allowed_kernel() {
    let short = concat!("quiver ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(printed(quiver(&["-V"])), short);
    let long = printed(quiver(&["--version"]).env("QUIVER_KERNEL", "portable"));
    let rest = long.strip_prefix(short).unwrap();
    let names: Vec<&str> = rest.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["commit", "tree", "kernel"], "{long}");
    assert!(rest.ends_with("kernel portable\n"), "{long}");
    assert!(!printed(quiver(&["--version"]).env("QUIVER_KERNEL", "avx2")).contains("avx512"));
    let message = refusal(quiver(&["elo", "1,2,3"]).env("QUIVER_KERNEL", "avx9"), b"");
    assert_contains(&message, &["QUIVER_KERNEL is 'avx9': expected portable, avx2, vnni or avx512"]);
}

#[test]
fn params_has_same_values_in_every_format() {
    let format = |name| printed(quiver(&["params", "--format", name, "--set", "exploration=0.45"]));
    let list: Vec<Value> = serde_json::from_str(&format("json")).unwrap();
    assert!(!list.is_empty());
    list.iter().for_each(|row| assert_documented("params", row));
    let (table, toml) = (format("table"), format("toml"));
    assert_eq!(table, printed(quiver(&["params", "--set", "exploration=0.45"])));
    // The table has two lines of headings, and three rows for settings that the JSON leaves out.
    assert_eq!(table.lines().count(), 2 + list.len() + 3);
    for name in ["reuse", "endgame", "margin_ms"] {
        assert!(table.contains(&format!("| `{name}` | ")), "{name}");
        assert!(!list.iter().any(|row| row["name"] == name), "{name}");
    }
    let toml: toml::Table = toml.parse().unwrap();
    assert_eq!(toml.len(), list.len());
    for row in &list {
        let [name, kind, about] = ["name", "type", "about"].map(|field| row[field].as_str().unwrap());
        let [value, default] = ["value", "default"].map(|field| row[field].as_f64().unwrap());
        assert_eq!(value, if name == "exploration" { 0.45 } else { default }, "{name}");
        assert!(table.contains(&format!("| `{name}` | {value} | ")) && table.contains(about), "{name}");
        let written = &toml[name];
        assert_eq!(written.is_integer(), kind == "int", "{name}");
        assert_eq!(written.as_float().or(written.as_integer().map(|whole| whole as f64)), Some(value));
    }
}

#[test]
fn reads_back_printed_parameters() {
    let scratch = Scratch::new("parameters");
    let toml = |arguments: &[&str]| printed(quiver(&["params", "--format", "toml"]).args(arguments));
    let changed = ["exploration=1.25", "playout_plies=6", "playout_weight=1", "reuse=0"];
    let text = toml(&changed.map(|pair| ["--set", pair]).concat());
    let file = scratch.file("round-trip.toml", &text);
    assert_eq!(toml(&["--params", &file]), text);
    assert!(text.ends_with("\nreuse = 0\n"), "{text}");
    let over = toml(&["--params", &file, "--set", "exploration=0.5"]);
    assert_eq!(over, text.replace("exploration = 1.25", "exploration = 0.5"));
}

#[test]
fn closed_pipe_succeeds_and_full_disk_fails() {
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/judge_logs/random-1.json");
    let lines: [&[&str]; 5] = [
        &["perft", "--depth", "1"],
        &["perft", "--depth", "2", "--divide", "--board", "6"],
        &["params"],
        &["replay", "--json", log],
        &["--help"],
    ];
    for line in lines {
        let ends = |stdout: Stdio| {
            let Output { status, stderr, .. } = quiver(line).stdout(stdout).output().unwrap();
            (status.code(), String::from_utf8(stderr).unwrap().lines().count())
        };
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(ends(writer.into()), (Some(0), 0), "{line:?}");
        // On a full disk, every command except `--help` fails.
        if line != ["--help"] {
            let full = fs::File::options().write(true).open("/dev/full").unwrap();
            assert_eq!(ends(full.into()), (Some(1), 1), "{line:?}");
        }
    }
}

#[test]
fn bench_prints_figures_and_signature() {
    let figures = printed_json(&["bench"]);
    let names = "playouts_per_second static_evaluations_per_second distance_ns reference_distance_ns \
                 distance_speedup evaluation_ns reference_evaluation_ns evaluation_speedup \
                 playout_plies_per_second bytes_per_playout";
    for name in names.split(' ') {
        assert!(figures[name].as_f64().unwrap() > 0.0, "{name} in {figures}");
    }
    assert!(figures["kernel"].is_string() && figures["board"] == 10, "{figures}");
    let signature = || quiver(&["bench", "--signature"]);
    // The portable kernel and a second thread do not change the signature, but a parameter does.
    let of_play = figures["signature"].as_str().unwrap();
    assert_eq!(of_play.len(), 16);
    assert_eq!(printed(signature().env("QUIVER_KERNEL", "portable")).trim_end(), of_play);
    assert_eq!(printed(signature().args(["--threads", "2"])).trim_end(), of_play);
    assert_ne!(printed(signature().args(["--set", "exploration=0.9"])).trim_end(), of_play);
}

#[test]
fn network_changes_signature_of_its_board() {
    let scratch = Scratch::new("signature");
    let about =
        |arguments: &[&str]| printed_json(&[&["bench", "--signature", "--board"], arguments].concat());
    // Changes the last weight of the value head. In the file the checksum follows this weight.
    let shipped = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/src/engine/policy/nets/8.net")).unwrap();
    let mut body = shipped[..shipped.len() - 4].to_vec();
    let end = body.len();
    body[end - 4..].copy_from_slice(&1.0_f32.to_le_bytes());
    let checksum = crc32fast::hash(&body);
    body.extend(checksum.to_le_bytes());
    let net = scratch.file("8.net", body);

    let [six, eight, ten] = ["6", "8", "10"].map(|board| about(&[board]));
    // A change that alters play, on purpose or not, alters this snapshot.
    insta::assert_snapshot!("signatures", format!("{six}\n{eight}\n{ten}"));
    assert_eq!((&eight["board"], six["book"].is_null()), (&8.into(), true));
    assert_ne!(eight["book"], ten["book"]);
    assert_ne!((&eight["signature"], &eight["weights"]), (&ten["signature"], &ten["weights"]));
    let [other_eight, other_ten] = ["8", "10"].map(|board| about(&[board, "--net", &net]));
    assert_eq!(other_ten, ten);
    let network = format!("{checksum:08x}");
    assert_fields(&other_eight, json!({"network": network, "weights": eight["weights"]}));
    assert_ne!(other_eight["signature"], eight["signature"]);
    let table = printed(quiver(&["bench", "--signature", "--board", "8"]));
    assert!(table.contains(&format!("signature  {}\n", eight["signature"].as_str().unwrap())), "{table}");
}

#[test]
fn elo_rates_pairs() {
    // Each case counts lost, drawn and won pairs. For the first two cases, fastchess's tests
    // "EloWDL 2" and "EloWDL 1" (Disservin, app/tests/elo_test.cpp) have the same counts, but of
    // games, and almost the same results, except nElo, which was computed by hand. If all pairs end
    // 1-1, the interval comes from the variance of single games. If all games are won, the
    // interval's lower end is finite.
    let pairs =
        ["96,111,136", "89,123,76", "10,0,0", "0,0,0", "0,2,0", "0,10,0", "0,1,1", "0,3,17", "0,0,25"];
    insta::assert_snapshot!("elo", pairs.map(|pairs| printed(quiver(&["elo", pairs]))).concat());
    // After one won pair, the likelihood of superiority is the normal CDF at sqrt(2).
    let superior = printed_json(&["elo", "0,0,1"])["score"]["los"].as_f64().unwrap();
    assert!((superior - 0.921_350_396).abs() < 1e-7, "{superior}");
    // For many games, the interval is that of the normal distribution, 40.70 +/- 9.60.
    let many = &printed_json(&["elo", "960,1110,1360"])["score"]["elo_interval"];
    let [low, high] = [0, 1].map(|end: usize| many[end].as_f64().unwrap());
    assert!((low - 31.10).abs() < 0.1 && (high - 50.30).abs() < 0.1, "{many}");
    // These bounds are from SciPy's `binomtest(k, 10).proportion_ci(method="wilson")`.
    for (pairs, interval) in [("0,5,0", [0.236_593, 0.763_407]), ("5,0,0", [0.0, 0.277_533])] {
        let bounds = &printed_json(&["elo", pairs])["score"]["elo_interval"];
        for (got, expected) in [0, 1].map(|end: usize| &bounds[end]).into_iter().zip(interval) {
            // An infinite Elo is null in JSON.
            let score = got.as_f64().map_or(0.0, |elo| 1.0 / (1.0 + 10_f64.powf(-elo / 400.0)));
            assert!((score - expected).abs() < 1e-6, "{pairs}: {bounds}");
        }
    }
    // These values are from fastchess's app/tests/sprt_test.cpp, "logistic trinomial".
    for (pairs, test, llr) in [("21184,40708,21404", "0.5,2.5", -1.57), ("57030,106593,57433", "0,2", -2.59)]
    {
        let figures = printed_json(&["elo", pairs, "--sprt", test]);
        assert!((figures["sprt"]["llr"].as_f64().unwrap() - llr).abs() < 0.01, "{figures}");
        assert_fields(&figures, json!({"sprt": {"verdict": null}}));
    }
    let none = printed(quiver(&["elo", "0,0,0", "--sprt", " -5 , 2.5"]));
    let line = "\nSPRT [-5.00, 2.50]: LLR 0.00 (-2.94, 2.94) after 0 pairs, no verdict yet\n";
    assert!(none.ends_with(line), "{none}");
    for test in ["0", "10,0", "0,0", "0,nan", "0,inf", "0,10,20", "a,b"] {
        fails_as_misuse(&["elo", "0,0,0", "--sprt", test], "expected ELO0,ELO1 with ELO0 below ELO1");
    }
    let all = printed_json(&["elo", "0,0,10"]);
    assert_fields(&all, json!({"games": 20, "score": {"elo": null}}));
    assert!(all["score"]["los"].as_f64() > Some(0.9999), "{all}");
    for bad in ["1,2", "1,2,-3", "1,2,3,4", "a,b,c", "0,0,99999999999999999"] {
        fails_as_misuse(&["elo", bad], "expected three numbers of pairs");
    }
}

#[test]
fn stress_measures_end_of_turns() {
    const SIX: [&str; 2] = ["--board", "6"];
    let stress = ["bench", "--stress", "30", "--time", "0.002", "--memory", "1M"];
    // Standard error is ignored, because `bench --stress` prints its progress there.
    let printed = |arguments: &[&str]| {
        run_successfully(quiver(&stress).args(arguments).env("QUIVER_KERNEL", "portable")).0
    };
    for (clock, more, boards) in
        [("cpu", &[][..], &[8, 10][..]), ("wall", &SIX, &[6]), ("botzone", &SIX, &[6])]
    {
        let object = printed(&[&["--json", "--clock", clock], more].concat());
        let figures: Value = serde_json::from_str(&object).unwrap();
        assert_documented("bench", &figures);
        assert_fields(&figures, json!({"limit_ms": 2.0, "clock": clock, "kernel": "portable"}));
        let measured = figures["boards"].as_array().unwrap();
        assert!(measured.iter().map(|board| board["board"].as_u64()).eq(boards.iter().copied().map(Some)));
        for board in measured {
            // In a game on 6x6, a side has fewer than 30 turns. So 30 turns need several games.
            assert!(board["board"] != 6 || board["fresh"].as_u64() > Some(1), "{object}");
            for name in ["cpu", "wall"] {
                let [median, worst] = ["median_ms", "worst_ms"].map(|key| board[name][key].as_f64().unwrap());
                assert!(board[name]["count"] == 30 && median <= worst, "{object}");
            }
        }
    }
    let lines = printed(&SIX);
    assert!(lines.contains("boards board  6\n") && lines.contains("boards cpu worst_ms  "), "{lines}");
    assert_eq!(lines.matches("boards turns  30\n").count(), 1, "{lines}");
    fails_as_misuse(&["bench", "--time", "1"], "--stress");
}

#[test]
fn solve_proves_small_positions() {
    let line = printed(quiver(&["solve", "--position", "Q2*1q/3*2 w - - 0 1"]));
    assert!(line.starts_with("the first player wins by 2, best move "), "{line}");
    assert_eq!(line.lines().count(), 1);
    let object = printed_json(&["solve", "--position", SMALL]);
    assert_eq!((&object["to_move"], object["winner"].is_string()), (&"first".into(), true), "{object}");
    let object = printed_json(&["solve", "--board", "10", "--time", "0.05"]);
    assert!(object["winner"].is_null() && object["best"].is_null(), "{object}");
    let [nodes, least, most] = ["nodes", "least", "most"].map(|name| object[name].as_i64().unwrap());
    assert!(nodes > 0 && least < most, "{object}");
}
