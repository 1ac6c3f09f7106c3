//! The binary as its users meet it: what it prints, what it refuses and how it ends.

mod common;

use std::fs;
use std::process::{Output, Stdio};

use common::program::{Run, misused, printed, printed_json, quiver, refusal, refuses, run};

const SMALL: &str = "Q1Q/1*1/q1q w - - 0 1";

#[test]
fn perft_counts_from_a_start_a_fen_and_moves() {
    let cases: [(&[&str], &str); 7] = [
        (&["--depth", "1"], "perft(1) = 2176\n"),
        (&["--depth", "1", "--board", "8"], "perft(1) = 1232\n"),
        (&["--depth", "2", "--board", "6"], "perft(2) = 238532\n"),
        (&["--depth", "0", "--position", "startpos"], "perft(0) = 1\n"),
        (&["--depth", "4", "--position", SMALL], "perft(4) = 168\n"),
        (&["--depth", "5", "--position", SMALL], "perft(5) = 0\n"),
        (&["--depth", "1", "--board", "8", "--moves", "f1-e2/e5 c8a8d8"], "perft(1) = 1197\n"),
    ];
    for (arguments, expected) in cases {
        assert_eq!(printed(quiver(&[&["perft"], arguments].concat())), expected, "{arguments:?}");
    }
}

#[test]
fn a_board_that_contradicts_the_position_is_refused() {
    let eight = ["perft", "--depth", "1", "--board", "8", "--position", SMALL];
    refuses(&eight, "--position is a board of 3x3, expected 8x8 as --board says");
    // From the environment it is a default, and a position is more than that.
    let mut command = quiver(&["perft", "--depth", "4", "--position", SMALL]);
    command.env("QUIVER_BOARD", "8");
    assert_eq!(printed(command), "perft(4) = 168\n");
}

#[test]
fn the_environment_sets_the_board_and_an_option_overrides_it() {
    let with_six = |arguments| {
        let mut command = quiver(arguments);
        command.env("QUIVER_BOARD", "6");
        printed(command)
    };
    assert_eq!(with_six(&["perft", "--depth", "1"]), "perft(1) = 544\n");
    assert_eq!(with_six(&["perft", "--depth", "1", "--board", "8"]), "perft(1) = 1232\n");
}

#[test]
fn divide_lists_the_first_moves_before_their_sum() {
    let output = printed(quiver(&["perft", "--depth", "3", "--divide", "--position", SMALL]));
    let (lines, total) = output.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(total, "perft(3) = 190");
    let counts = lines.lines().map(|line| line.split_once(": ").unwrap().1.parse::<u64>().unwrap());
    assert_eq!((counts.clone().count(), counts.sum::<u64>()), (12, 190));
    assert!(lines.starts_with("a3-a2/b1: 9\n"), "{lines}");
    let none = printed(quiver(&["perft", "--depth", "0", "--divide", "--position", SMALL]));
    assert_eq!(none, "perft(0) = 1\n");
}

#[test]
fn bad_positions_and_moves_are_refused_in_one_line() {
    let cases: [(&[&str], &str); 8] = [
        (&["--position", "3/2/3 w"], "row 2 of the FEN has 2 squares: expected 3"),
        (&["--position", "QQQQQ/5 w"], "the first player has 5 amazons"),
        (&["--position", ""], "a FEN of 0 fields"),
        (&["--board", "7"], "no start position for a board of 7x7"),
        (&["--moves", "d1-d7"], "--moves, ply 1: 'd1-d7': 'd1-d7' is no full move"),
        (&["--moves", "d1-d7/g7 d1-d2/d3"], "--moves, ply 2: 'd1-d2/d3': d1 holds nothing"),
        (&["--moves", "d1-d10/d9"], "--moves, ply 1"),
        (&["--board", "8", "--moves", "a3-a9/a8"], "a9 is not on a board of 8x8"),
    ];
    for (arguments, expected) in cases {
        let message = refusal(quiver(&[&["perft", "--depth", "1"], arguments].concat()));
        assert!(message.starts_with("quiver: ") && message.contains(expected), "{message}");
    }
}

#[test]
fn a_wrong_command_line_is_refused_and_help_is_a_result() {
    let lines: [&[&str]; 5] = [
        &["perft"],
        &["perft", "--depth", "11"],
        &["perft", "--depth", "-1"],
        &["params", "--format", "xml"],
        &["no-such-command"],
    ];
    for line in lines {
        misused(line, "error: ");
    }
    misused(&["analyze", "--threads", "10000"], "'10000': expected a number of threads from 1");
    for board in ["11", "3", "ten"] {
        let expected = format!("'{board}': expected 4 to 10 squares along a side");
        misused(&["perft", "--depth", "1", "--board", board], &expected);
    }
    assert!(printed(quiver(&["perft", "--help"])).contains("--divide"));
    // They have no board unless the user names one.
    for command in ["package", "local-ai"] {
        assert!(!printed(quiver(&[command, "--help"])).contains("QUIVER_BOARD=] [default"), "{command}");
    }
    let short = concat!("quiver ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(printed(quiver(&["-V"])), short);
    let mut portable = quiver(&["--version"]);
    portable.env("QUIVER_PORTABLE", "1");
    let long = printed(portable);
    let mut limited = quiver(&["--version"]);
    limited.env("QUIVER_KERNEL", "avx2");
    assert!(!printed(limited).contains("avx512"));
    let mut unknown = quiver(&["elo", "1,2,3"]);
    unknown.env("QUIVER_KERNEL", "avx9");
    assert!(refusal(unknown).contains("QUIVER_KERNEL is 'avx9': expected portable, avx2 or avx512"));
    let rest = long.strip_prefix(short).unwrap();
    let names: Vec<&str> = rest.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["commit", "tree", "kernels"], "{long}");
    assert!(rest.ends_with("kernels portable, portable\n"), "{long}");
}

#[test]
fn a_page_that_cannot_be_written_is_refused_before_the_work() {
    for line in [["check", "cmd:./no-bot"], ["replay", "no-log.json"]] {
        let message = refusal(quiver(&[&line[..], &["--html", "no-folder/page.html"]].concat()));
        assert!(message.starts_with("quiver: --html no-folder/page.html: "), "{message}");
    }
}

#[test]
fn params_prints_the_same_table_in_every_format() {
    let format = |name| printed(quiver(&["params", "--format", name, "--set", "exploration=0.45"]));
    let list: Vec<serde_json::Value> = serde_json::from_str(&format("json")).unwrap();
    assert!(!list.is_empty());
    let (table, toml, spsa) = (format("table"), format("toml"), format("spsa"));
    assert_eq!(table, printed(quiver(&["params", "--set", "exploration=0.45"])));
    // The table has two lines of head, and ends with three switches that are not for tuners.
    assert_eq!((table.lines().count(), spsa.lines().count()), (2 + list.len() + 3, list.len()));
    for name in ["reuse", "endgame", "margin_ms"] {
        assert!(table.contains(&format!("| `{name}` | ")), "{name}");
        assert!(!spsa.lines().any(|line| line.starts_with(&format!("{name}, "))), "{name}");
    }
    let toml: toml::Table = toml.parse().unwrap();
    assert_eq!(toml.len(), list.len());
    for (row, spsa) in list.iter().zip(spsa.lines()) {
        let name = row["name"].as_str().unwrap();
        let integer = row["type"] == "int";
        let value = row["value"].as_f64().unwrap();
        let about = row["about"].as_str().unwrap();
        let expected = if name == "exploration" { 0.45 } else { row["default"].as_f64().unwrap() };
        assert_eq!(value, expected, "{name}");
        assert!(table.contains(&format!("| `{name}` | {value} | ")) && table.contains(about), "{name}");
        assert_eq!(toml[name].is_integer(), integer, "{name}");
        assert_eq!(toml[name].as_float().or(toml[name].as_integer().map(|whole| whole as f64)), Some(value));
        let kind = if integer { "int" } else { "float" };
        assert!(spsa.starts_with(&format!("{name}, {kind}, {value}, ")), "{spsa}");
        assert_eq!(spsa.split(", ").count(), 7, "{spsa}");
    }
}

#[test]
fn a_printed_parameter_file_is_read_back_and_settings_go_over_it() {
    let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/round-trip.toml");
    let changed = ["--set", "exploration=1.25", "--set", "playout_plies=6", "--set", "playout_weight=1"];
    let toml = printed(quiver(&[&["params", "--format", "toml"][..], &changed].concat()));
    fs::write(file, &toml).unwrap();
    assert_eq!(printed(quiver(&["params", "--format", "toml", "--params", file])), toml);
    let over = ["params", "--format", "toml", "--params", file, "--set", "exploration=0.5"];
    assert_eq!(printed(quiver(&over)), toml.replace("exploration = 1.25", "exploration = 0.5"));
}

#[test]
fn wrong_parameters_are_refused_in_one_line() {
    let cases = [
        ("explorations=1", "no parameter is called 'explorations' (did you mean 'exploration'?)"),
        ("x=1", "no parameter is called 'x'; 'quiver params' lists them"),
        ("exploration=-1", "exploration = '-1': expected a number from 0 to 4"),
        ("exploration=nan", "exploration = 'nan'"),
        ("playout_plies=2.5", "playout_plies = '2.5': expected a whole number"),
        ("exploration", "'exploration': expected name=value"),
        ("reuse=2", "reuse = '2': expected a whole number from 0 to 1"),
    ];
    for (setting, expected) in cases {
        let message = refusal(quiver(&["params", "--set", setting]));
        assert!(message.contains("--set: ") && message.contains(expected), "{message}");
    }
    let files = [
        ("unknown.toml", "speed = 1\n", "no parameter is called 'speed'"),
        ("text.toml", "exploration = \"high\"\n", "exploration is a string, expected a number"),
        ("range.toml", "exploration = 5\n", "exploration = '5': expected a number from 0 to 4"),
    ];
    for (name, content, expected) in files {
        let file = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
        fs::write(&file, content).unwrap();
        let message = refusal(quiver(&["params", "--params", &file]));
        assert!(message.contains(&format!("--params {file}")) && message.contains(expected), "{message}");
    }
    refuses(&["params", "--params", "/no/such/file"], "--params /no/such/file");
}

#[test]
fn a_reader_who_has_gone_is_no_error_and_a_full_disk_is_a_failure() {
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/judge_logs/random-1.json");
    let lines: [&[&str]; 5] = [
        &["perft", "--depth", "1"],
        &["perft", "--depth", "2", "--divide", "--board", "6"],
        &["params"],
        &["replay", "--json", log],
        &["--help"],
    ];
    for line in lines {
        // The exit status, and the number of lines of the message.
        let ends = |stdout: Stdio| {
            let Output { status, stderr, .. } = quiver(line).stdout(stdout).output().unwrap();
            (status.code(), String::from_utf8(stderr).unwrap().lines().count())
        };
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(ends(writer.into()), (Some(0), 0), "{line:?}");
        // The input is not at fault. Only help is printed as far as it can be.
        if line != ["--help"] {
            let full = fs::File::options().write(true).open("/dev/full").unwrap();
            assert_eq!(ends(full.into()), (Some(1), 1), "{line:?}");
        }
    }
}

#[test]
fn bench_has_every_figure_and_one_signature() {
    let figures = printed_json(&["bench"]);
    let names = "playouts_per_second static_evaluations_per_second distance_ns reference_distance_ns \
                 distance_speedup evaluation_ns reference_evaluation_ns evaluation_speedup \
                 playout_plies_per_second bytes_per_playout";
    for name in names.split(' ') {
        assert!(figures[name].as_f64().unwrap() > 0.0, "{name} in {figures}");
    }
    assert!(figures["kernel"].is_string() && figures["board"] == 10, "{figures}");
    let signature = |arguments: &[&str]| {
        printed(quiver(&[&["bench", "--signature"], arguments].concat())).trim_end().to_owned()
    };
    // Neither the plain kernel nor the board nor more threads change it; a parameter does.
    let of_play = figures["signature"].as_str().unwrap();
    assert_eq!(of_play.len(), 16);
    let mut plain = quiver(&["bench", "--signature"]);
    plain.env("QUIVER_PORTABLE", "1");
    assert_eq!(printed(plain).trim_end(), of_play);
    assert_eq!(signature(&["--threads", "2"]), of_play);
    assert_ne!(signature(&["--set", "exploration=0.9"]), of_play);
}

#[test]
fn another_network_changes_the_signature_of_its_board_alone() {
    let about =
        |arguments: &[&str]| printed_json(&[&["bench", "--signature", "--board"], arguments].concat());
    // The last weight of the value head comes before the checksum.
    let shipped = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/src/engine/policy/nets/8.net")).unwrap();
    let mut body = shipped[..shipped.len() - 4].to_vec();
    let end = body.len();
    body[end - 4..].copy_from_slice(&1.0_f32.to_le_bytes());
    let checksum = crc32fast::hash(&body);
    body.extend(checksum.to_le_bytes());
    let file = std::env::temp_dir().join(format!("quiver-signature-{}.net", std::process::id()));
    fs::write(&file, body).unwrap();
    let net = file.to_str().unwrap();

    let [eight, ten] = ["8", "10"].map(|board| about(&[board]));
    assert_eq!((&eight["board"], &eight["book"]), (&8.into(), &serde_json::Value::Null));
    assert_ne!((&eight["signature"], &eight["weights"]), (&ten["signature"], &ten["weights"]));
    let [other_eight, other_ten] = ["8", "10"].map(|board| about(&[board, "--net", net]));
    fs::remove_file(&file).unwrap();
    assert_eq!(other_ten, ten);
    assert_eq!(other_eight["network"], format!("{checksum:08x}"));
    assert_eq!(other_eight["weights"], eight["weights"]);
    assert_ne!(other_eight["signature"], eight["signature"]);
    let table = printed(quiver(&["bench", "--signature", "--board", "8"]));
    assert!(table.contains(&format!("signature  {}\n", eight["signature"].as_str().unwrap())), "{table}");
}

#[test]
fn elo_says_what_pairs_are_worth() {
    // The figures are fastchess's, of a model of wins, draws and losses; nElo is checked by hand.
    let lines = printed(quiver(&["elo", "96,111,136"]));
    assert_eq!(
        lines,
        "Elo: 40.7 +/- 30.4, nElo: 35.2 +/- 26.0, LOS: 99.6 %, pairs (0-1-2): 96 - 111 - 136\n"
    );
    let figures = printed_json(&["elo", "21184,40708,21404", "--sprt", "0.5,2.5"]);
    assert!((figures["sprt"]["llr"].as_f64().unwrap() + 1.57).abs() < 0.01, "{figures}");
    assert_eq!((&figures["games"], &figures["sprt"]["verdict"]), (&166_592.into(), &serde_json::Value::Null));
    let all = printed_json(&["elo", "0,0,10"]);
    assert!(all["score"]["elo"].is_null() && all["score"]["los"].as_f64() > Some(0.9999), "{all}");
    for bad in ["1,2", "1,2,-3", "1,2,3,4", "a,b,c", "0,0,99999999999999999"] {
        misused(&["elo", bad], "expected three counts");
    }
}

#[test]
fn a_stressed_bench_says_how_late_turns_end_on_each_board() {
    let stress = ["bench", "--stress", "5", "--time", "0.005", "--clock", "cpu", "--memory", "8M"];
    // Progress is said on standard error.
    let printed = |arguments: &[&str]| {
        let mut command = quiver(&[&stress[..], arguments].concat());
        command.env("QUIVER_PORTABLE", "1");
        let Run { code, out, err } = run(command, b"");
        assert_eq!(code, Some(0), "{err}");
        out
    };
    let object = printed(&["--json"]);
    let figures: serde_json::Value = serde_json::from_str(&object).unwrap();
    assert_eq!((&figures["limit_ms"], &figures["clock"]), (&5.0.into(), &"cpu".into()), "{object}");
    assert_eq!(figures["kernel"], "portable");
    let boards = figures["boards"].as_array().unwrap();
    assert_eq!(boards.iter().map(|board| board["board"].as_u64()).collect::<Vec<_>>(), [Some(8), Some(10)]);
    for board in boards {
        for clock in ["cpu", "wall"] {
            let [median, worst] = ["median_ms", "worst_ms"].map(|name| board[clock][name].as_f64().unwrap());
            assert!(board[clock]["count"] == 5 && median <= worst, "{object}");
        }
    }
    let lines = printed(&["--board", "6"]);
    assert!(lines.contains("boards board  6\n") && lines.contains("boards cpu worst_ms  "), "{lines}");
    assert_eq!(lines.matches("boards turns  5\n").count(), 1, "{lines}");
    misused(&["bench", "--time", "1"], "--stress");
}

#[test]
fn solve_proves_a_small_position_and_says_how_far_it_got_with_a_large_one() {
    let rooms = "Q2*1q/3*2 w - - 0 1";
    let line = printed(quiver(&["solve", "--position", rooms]));
    assert!(line.starts_with("the first player wins by 2, best move "), "{line}");
    assert_eq!(line.lines().count(), 1);
    let object = printed_json(&["solve", "--position", SMALL]);
    assert_eq!((&object["to_move"], object["winner"].is_string()), (&"first".into(), true), "{object}");
    let object = printed_json(&["solve", "--board", "10", "--time", "0.05"]);
    assert!(object["winner"].is_null() && object["best"].is_null(), "{object}");
    assert!(
        object["nodes"].as_u64() > Some(0) && object["least"].as_i64() < object["most"].as_i64(),
        "{object}"
    );
    refuses(&["solve", "--position", "Q1q v"], "expected w (first) or b (second)");
}
