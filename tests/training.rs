//! `quiver selfplay`, `evaluate` and `features` as whole programs: games that go on where they were
//! cut, figures and rows that can be read, input that is wrong.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Output, Stdio};
use std::slice::from_ref;
use std::time::Duration;

use crate::common::program::{
    Run, assert_fields, done, misused, printed, printed_json, quiver, refusal, refuses, run,
};
use crate::common::scratch::Scratch;
use quiver::Solver;
use quiver::contest::is_blunder;
use quiver::files::sealed_line;
use quiver::game::Square;
use quiver::territory::{Evaluator, Terms, View, campya};
use quiver::training::Library;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// A quick selfplay on 6x6.
fn selfplay<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let usual = ["selfplay", "--board", "6", "--playouts", "20", "--memory", "4M", "--out", out];
    [&usual, more].concat()
}

fn play(out: &str, more: &[&str]) -> String {
    printed(quiver(&selfplay(out, more)))
}

/// The header of a file of rows, and the rows.
fn header_and_rows(path: &str) -> (Value, Vec<u8>) {
    let mut header = fs::read(path).unwrap();
    let rows = header.split_off(header.iter().position(|&byte| byte == b'\n').unwrap() + 1);
    assert_eq!(header.len() % 64, 0);
    (serde_json::from_slice(&header).unwrap(), rows)
}

/// The rows that games make, in the order of the games' numbers.
fn rows(games: &str, scratch: &Scratch) -> Vec<u8> {
    let path = scratch.path("rows");
    printed(quiver(&["features", "--games", games, "--out", &path]));
    header_and_rows(&path).1
}

#[test]
fn games_are_the_same_however_many_at_a_time_and_however_often_cut() {
    let scratch = Scratch::new("selfplay");
    let [whole, parts, other] = ["whole", "parts", "other"].map(|name| scratch.path(name));
    let twelve = ["--games", "12", "--seed", "4", "--concurrency", "3"];
    let out = play(&whole, &twelve[..4]);
    assert!(out.starts_with(&format!("12 games in {whole}, 12 of them new, ")), "{out}");
    let out = play(&parts, &["--games", "5", "--seed", "4", "--concurrency", "2"]);
    assert!(out.starts_with(&format!("5 games in {parts}, 5 of them new")), "{out}");
    // The last line, and so a game, is lost.
    let bytes = fs::read(&parts).unwrap();
    fs::write(&parts, &bytes[..bytes.len() - 3]).unwrap();
    let (out, err) = done(quiver(&selfplay(&parts, &twelve)));
    assert!(out.starts_with(&format!("12 games in {parts}, 8 of them new, ")), "{out}");
    assert!(err.contains("last line was torn"), "{err}");
    assert_eq!(rows(&whole, &scratch), rows(&parts, &scratch));
    assert_eq!(play(&whole, &twelve), format!("12 games in {whole}, 0 of them new\n"));
    // Another seed is another selfplay.
    play(&other, &["--games", "12", "--seed", "5"]);
    assert_ne!(rows(&whole, &scratch), rows(&other, &scratch));
}

#[test]
fn games_begin_at_random_blunder_at_times_and_record_their_searches() {
    let scratch = Scratch::new("selfplay-games");
    let games = scratch.path("games");
    // Enough playouts that the queen move of every choice has had one of its arrows visited.
    let line = "selfplay --board 6 --playouts 100 --memory 4M --blunders 0.1 --games 12 --out";
    printed(quiver(&line.split(' ').collect::<Vec<_>>()).arg(&games));
    let (mut openings, mut blunders) = (BTreeSet::new(), 0);
    for (number, game) in Library::open(&[games.into()]).unwrap().games() {
        let plies = game.plies();
        let opening = plies.iter().take_while(|ply| ply.facts.value.is_none()).count();
        assert!((2..=8).contains(&opening), "{opening}");
        openings.insert(game.moves()[..opening].to_vec());
        blunders += plies.iter().filter(|ply| is_blunder(ply)).count();
        let last = plies.iter().rposition(is_blunder).map_or(0, |ply| ply + 1);
        for (index, (ply, position)) in plies.iter().zip(game.positions()).enumerate().skip(opening) {
            let (facts, place) = (&ply.facts, format!("game {number}, ply {index}"));
            // The proven winner wins, unless a player blunders on purpose after the proof.
            let value = if game.winner() == Some(position.to_move()) { 1.0 } else { 0.0 };
            let may_differ = !facts.proven || index < last;
            assert!(facts.value.is_some_and(|found| may_differ || found == value), "{place}");
            let sum: u32 = facts.queen_shares.iter().map(|&(_, share)| u32::from(share)).sum();
            assert!(facts.proven || (60_000..=65_540).contains(&sum), "{place}: {sum}");
            assert!(facts.queen_shares.is_sorted_by(|(_, a), (_, b)| a >= b));
            if is_blunder(ply) {
                assert_eq!(facts.arrow_shares, []);
            } else if !facts.proven {
                let (queen, arrow) = (ply.full.queen(), ply.full.arrow);
                assert!(facts.queen_shares.iter().any(|&(visited, _)| visited == queen), "{place}");
                assert!(facts.arrow_shares.iter().any(|&(visited, _)| visited == arrow), "{place}");
            }
        }
    }
    assert_eq!(openings.len(), 12);
    assert!((5..60).contains(&blunders), "{blunders}");
}

#[test]
fn other_games_are_refused() {
    let scratch = Scratch::new("selfplay-refused");
    let games = scratch.path("games");
    play(&games, &["--games", "1"]);
    for (more, expected) in [
        (&["--seed", "2"][..], "holds games of another selfplay: contest.seed is 1 there and 2 here"),
        (&["--set", "exploration=0.9"], "contest.parameters.exploration is "),
        (&["--random-plies", "3"], "contest.random_plies is null there and 3 here"),
        (&["--blunders", "0"], "contest.blunders is 0.01 there and 0.0 here"),
        (&["--random-plies", "28"], "--random-plies: 28 random plies from here end the game"),
    ] {
        refuses(&selfplay(&games, &[&["--games", "1"], more].concat()), expected);
    }
    let usual = ["selfplay", "--games", "1", "--playouts", "20", "--out", &games];
    for (board, expected) in
        [("8", "games holds games of another selfplay"), ("7", "no start position for a board of 7x7")]
    {
        refuses(&[&usual[..], &["--board", board]].concat(), expected);
    }
    for option in [["--blunders", "2"], ["--concurrency", "0"], ["--playouts", "0"], ["--games", "0"]] {
        misused(&[&usual[..], &option].concat(), option[0]);
    }
    // A record of a match, the binary files of earlier versions, and the folders that they stood in.
    let binary = scratch.file("binary", fs::read("tests/data/journals/games-3.bin").unwrap());
    let folder = scratch.path("");
    for (file, expected) in [
        ("tests/data/journals/record-1.jsonl", "holds games of another selfplay: contest."),
        (&binary, "begins with {\"selfplay\":{\"blunders\":0.01,\"format\":3,"),
        (&folder, "a directory: expected a regular file"),
    ] {
        refuses(&selfplay(file, &["--games", "1"]), expected);
    }
    assert_eq!(fs::read(&binary).unwrap(), fs::read("tests/data/journals/games-3.bin").unwrap());
}

#[test]
fn games_that_do_not_go_together_are_refused() {
    let scratch = Scratch::new("mixed");
    let [six, eight, nowhere] = ["six", "eight", "nowhere"].map(|name| scratch.path(name));
    play(&six, &["--games", "1"]);
    printed(quiver(&["selfplay", "--board", "8", "--games", "1", "--playouts", "1", "--out", &eight]));
    let none = scratch.file("none", "{\"contes");
    let game = scratch.read("six").lines().nth(1).unwrap().to_owned();
    let number = scratch.file("number", sealed_line("{\"contest\":5}") + &game + "\n");
    let binary = "tests/data/journals/games-3.bin";
    let early = "line 1, byte 0: the file begins with {\"selfplay\":{\"blunders\":0.01,\"format\":3,";
    let expected = "not with {\"contest\":; expected a line of a match record (the version that wrote";
    for (files, expected) in [
        (&[&*none][..], "none: no games: expected at least one"),
        (&[&nowhere], "nowhere: "),
        (&[&six, &six], "games are those of a file before it"),
        (&[&six, &eight], "a board of 8x8, after one of 6x6"),
        (&[binary], early),
        (&[binary], expected),
        (&[&scratch.path("")], "a directory: expected a regular file"),
        (&[&number], "number: a first line of 5: expected an object about the games"),
    ] {
        refuses(&[&["evaluate", "--games"], files].concat(), expected);
    }
}

#[test]
fn an_interrupt_keeps_what_was_played_and_the_same_command_goes_on() {
    let scratch = Scratch::new("selfplay-interrupt");
    let games = scratch.path("games");
    let line = selfplay(&games, &["--games", "100000", "--concurrency", "2"]);
    let child = quiver(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = || fs::metadata(&games).is_ok_and(|file| file.len() > 2_000);
    while !begun() {
        std::thread::sleep(Duration::from_millis(5));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    let message = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(1), "{message}");
    let (_, rest) = message.split_once("interrupted after ").expect(&message);
    let (count, rest) = rest.split_once(' ').unwrap();
    assert_eq!(rest, "games; the same command goes on\n");
    let again = play(&games, &["--games", count, "--concurrency", "2"]);
    assert_eq!(again, format!("{count} games in {games}, 0 of them new\n"));
}

#[test]
fn evaluate_measures_labelled_positions() {
    for (file, least) in [("tests/data/positions/8.jsonl", 3), ("tests/data/positions/10.jsonl", 5)] {
        let report = printed_json(&["evaluate", "--positions", file]);
        let number =
            |value: &Value, name: &str| value[name].as_f64().unwrap_or_else(|| panic!("{name}: {value}"));
        assert_eq!(report["positions"], 200, "{file}");
        // Better than saying one half of everything, by far.
        for (name, range) in [("log_loss", 0.05..0.6), ("brier", 0.01..0.2), ("accuracy", 0.75..1.0)] {
            assert!(range.contains(&number(&report, name)), "{name}: {report}");
        }
        let bins = report["by_empty"].as_array().unwrap();
        assert!(bins.len() >= least, "{report}");
        // The first bin ends at 20; each other one is 15 wide.
        assert!(
            bins.iter().all(|bin| (number(bin, "to") - 20.0) % 15.0 == 0.0 || bin["to"] == 101),
            "{report}"
        );
        assert_eq!(bins.iter().map(|bin| number(bin, "positions")).sum::<f64>(), 200.0);
        let loss: f64 = bins.iter().map(|bin| number(bin, "positions") * number(bin, "log_loss")).sum();
        assert!((loss / 200.0 - number(&report, "log_loss")).abs() < 1e-9);
        let table = printed(quiver(&["evaluate", "--positions", file]));
        assert_eq!(table.lines().count(), bins.len() + 2, "{table}");
    }
}

#[test]
fn evaluate_counts_what_the_solver_proves() {
    let scratch = Scratch::new("evaluate-solved");
    // Five squares against three: the second line says otherwise.
    let rooms = |result| format!("{{\"result\": {result}, \"position\": \"Q2*1q/3*2 w\", \"ply\": 4}}\n");
    let start = r#"{"position": "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w", "result": 1}"#;
    let file = scratch.file("positions.jsonl", format!("{}{}{start}\n", rooms("1"), rooms("0.0")));
    let command = ["evaluate", "--positions", &file, "--solve", "5", "--bins", "8,9,93"];
    let (text, talk) = done(quiver(&command).arg("--json"));
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_fields(&report, json!({"positions": 3, "proven": 2, "contradicted": 1}));
    let small = json!({"from": 8, "to": 9, "positions": 2, "proven": 2, "contradicted": 1});
    assert_fields(&report["by_empty"][0], small);
    assert_fields(&report["by_empty"][1], json!({"positions": 1, "proven": 0, "contradicted": 0}));
    assert!(talk.contains("line 2: proven against its label: Q2*1q/3*2 w"), "{talk}");
    let (table, _) = done(quiver(&command));
    assert!(table.contains("66.7 %"), "{table}");
    // Without time for it nothing is said of proofs.
    assert!(!printed(quiver(&["evaluate", "--positions", &file, "--json"])).contains("proven"));
    for (option, value) in
        [("--solve", "0"), ("--solve", "x"), ("--bins", "20,20"), ("--bins", "0"), ("--bins", "")]
    {
        misused(&["evaluate", "--positions", &file, option, value], "expected");
    }
    misused(&["evaluate", "--games", "x", "--solve", "1"], "");
}

#[test]
fn lines_that_are_no_positions_are_refused_with_their_number() {
    let scratch = Scratch::new("evaluate-refused");
    let file = scratch.path("positions.jsonl");
    let good = r#"{"position": "q2/3/2Q w - - 0 1", "result": 1}"#;
    let torn = format!("{good}\n\n{{\n{good}\n");
    let expected =
        format!("{file}, line 3: EOF while parsing an object at line 1 column 1; expected {{\"position\"");
    for (content, expected) in [
        (torn.as_bytes(), &*expected),
        (b"\n", "no positions, expected a line each"),
        (b"\xff\xfe\n", "line 1"),
        (b"[]", "expected {\"position\": FEN, \"result\": 0 or 1}"),
        (br#"{"position": "q2/3/2Q w"}"#, "missing field `result`"),
        (br#"{"position": 3, "result": 1}"#, "expected a string"),
        (br#"{"position": "q2/3/2Q x", "result": 1}"#, "'x' as the side to move"),
        (br#"{"position": "q2/3/2Q w", "result": 0.5}"#, "result 0.5: expected 1 if the side to move won"),
        (br#"{"position": "q2/3/2Q w", "result": -1}"#, "result -1"),
    ] {
        fs::write(&file, content).unwrap();
        refuses(&["evaluate", "--positions", &file], expected);
    }
    refuses(&["evaluate", "--positions", "/no/such/file"], "/no/such/file");
    misused(&["evaluate"], "");
}

#[test]
fn games_are_measured_and_written_as_rows() {
    let scratch = Scratch::new("features");
    let [one, two] = ["one", "two"].map(|name| scratch.path(name));
    play(&one, &["--games", "6", "--blunders", "0"]);
    play(&two, &["--games", "6", "--seed", "2", "--blunders", "0.1"]);
    let report = printed_json(&["evaluate", "--games", &one, &two]);
    let positions = report["positions"].as_u64().unwrap();
    // Every ply has a half ply, where no player blunders.
    assert_eq!(report["half_plies"]["positions"].as_u64(), Some(positions), "{report}");
    assert!(report["half_plies"]["log_loss"].as_f64().unwrap() < 0.65, "{report}");
    assert!(printed(quiver(&["evaluate", "--games", &one])).contains("half plies"));

    let out = scratch.path("rows");
    let features = ["features", "--games", &one, &two, "--out", &out];
    let text = printed(quiver(&features));
    let (header, bytes) = header_and_rows(&out);
    let about = &header["features"];
    let [rows, row_bytes] = ["rows", "row_bytes"].map(|name| about[name].as_u64().unwrap() as usize);
    assert!(text.starts_with(&format!("{rows} rows of ")), "{text}");
    assert_eq!((&about["board"], &about["games"][1]["seed"]), (&json!([6, 6]), &json!(2)));
    let width = |field: &Value| field[1].as_str().unwrap()[2..].parse::<usize>().unwrap();
    let fields = about["fields"].as_array().unwrap();
    assert_eq!(fields.iter().map(width).sum::<usize>(), row_bytes);
    // Rows whose result does not count are there all the same.
    let usable = bytes.chunks_exact(row_bytes).filter(|row| row[6] & 2 != 0).count();
    assert!(usable < rows && usable as u64 == 2 * positions, "{usable} of {rows}");

    misused(&[&features[..], &["--playouts", "40"]].concat(), "--policy");
    misused(&[&features[..], &["--policy", "--seed", "2"]].concat(), "--playouts");

    let Run { code, err: message, .. } =
        run(quiver(&["features", "--games", &one, "--out", "/no/such/folder/rows"]), b"");
    assert!(code == Some(1) && message.contains("/no/such/folder/rows"), "{message}");
}

#[test]
fn rows_say_what_was_on_the_board() {
    let scratch = Scratch::new("rows");
    let [games, out] = ["games", "rows"].map(|name| scratch.path(name));
    play(&games, &["--games", "3", "--blunders", "0.1"]);
    let library = Library::open(&[games.clone().into()]).unwrap();
    let short = |chance: f64| (chance * 65_535.0).round() as u16;
    let odds = |log_odds: f64| (log_odds * 1024.0).round() as i16;
    let features = ["features", "--games", &games, "--out", &out];
    for every in [1, 3] {
        printed(quiver(&features).args(["--every", &every.to_string()]));
        let (header, bytes) = header_and_rows(&out);
        let about = &header["features"];
        let rows = bytes.chunks_exact(about["row_bytes"].as_u64().unwrap() as usize);
        let samples = || library.samples().filter(|(game, it)| (game + u32::from(it.ply)) % every == 0);
        assert_eq!((rows.len(), &about["rows"]), (samples().count(), &json!(rows.len())));
        for ((game, sample), row) in samples().zip(rows) {
            let (facts, view) = (sample.facts, View::from(&sample.moment));
            let waste = Solver::new(1 << 22).waste(view.empty, view.amazons);
            let view = &view.with_waste(waste.unwrap_or(0));
            let terms = Terms::of(view);
            let bits = [sample.moment.is_half_ply(), sample.result_usable, facts.proven];
            let flags = (0..).zip(bits).map(|(bit, is_set)| u16::from(is_set) << bit).sum();
            let empties = sample.moment.empty_squares() as u16;
            let value = short(facts.value.unwrap());
            let fixed = [game as u16, 0, sample.ply, flags, u16::from(sample.won), value, empties];
            let known = [Evaluator::default().log_odds(view), campya::log_odds(view)].map(odds);
            let about = [terms.contest, terms.empty, known[0], known[1], terms.t1()];
            let columns = about.into_iter().chain(terms.counts).take(5 + Terms::COUNT);
            let words = fixed.into_iter().chain(columns.map(i16::cast_unsigned));
            assert!(words.flat_map(u16::to_le_bytes).eq(row.iter().copied()), "{game}: {sample:?}");
        }
    }

    printed(quiver(&features).arg("--policy"));
    let (header, bytes) = header_and_rows(&out);
    // Game, four numbers, four origins, four sets of 36 bits, moves and shares, three grids.
    let rows = bytes.chunks_exact(4 + 8 + 4 + 4 * 5 + 32 + 32 + 3 * 36);
    let samples = || {
        library.samples().filter(|(_, sample)| match sample.moment.is_half_ply() {
            true => !sample.facts.arrow_shares.is_empty(),
            false => !sample.facts.queen_shares.is_empty(),
        })
    };
    let count = json!(samples().count());
    assert_eq!((&json!(rows.len()), &header["policy_rows"]["rows"]), (&count, &count));
    let index = |square: Square| 6 * square.y() + square.x();
    for ((_, sample), row) in samples().zip(rows) {
        let (facts, view) = (sample.facts, View::from(&sample.moment));
        let (origins, [from, to], share) = match &view.shooter {
            None => {
                let (queen, share) = facts.queen_shares[0];
                (view.amazons[0], [queen.from, queen.to], share)
            }
            Some(shooter) => {
                let (arrow, share) = facts.arrow_shares[0];
                (from_ref(shooter), [*shooter, arrow], share)
            }
        };
        let (half, empties) = (u16::from(sample.moment.is_half_ply()), sample.moment.empty_squares() as u16);
        let numbers = [sample.ply, half, empties, short(facts.value.unwrap())];
        assert_eq!(row[4..12], *numbers.map(u16::to_le_bytes).as_flattened());
        let origins: Vec<u8> = origins.iter().map(|&square| index(square)).collect();
        assert_eq!(row[12..12 + origins.len()], origins);
        assert_eq!([row[12 + usize::from(row[36])], row[37]], [from, to].map(index));
        assert_eq!(row[68..70], share.to_le_bytes());
        // Burnt: all squares but the empty ones and those of eight amazons.
        assert_eq!(row[100..136].iter().filter(|&&bits| bits == 0).count(), 28 - usize::from(empties));
    }
}

#[test]
fn games_of_several_files_have_numbers_of_their_own() {
    let scratch = Scratch::new("library");
    let [one, two] = ["one", "two"].map(|name| scratch.path(name));
    play(&one, &["--games", "3"]);
    // A tuned parameter that an imprecise reader of floats rounds to the neighbouring float.
    let tuned = ["--games", "2", "--seed", "9", "--set", "exploration=0.36995516654807925"];
    play(&two, &tuned);
    assert_eq!(play(&two, &tuned), format!("2 games in {two}, 0 of them new\n"));
    // One game is lost, and the others are written in another order.
    let text = scratch.read("one");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    scratch.file("one", [lines[0], lines[3], lines[1]].concat());
    let library = Library::open(&[one.into(), two.into()]).unwrap();
    let numbers: Vec<u32> = library.games().map(|(number, _)| number).collect();
    assert_eq!(numbers, [0, 2, 3, 4]);
}

#[test]
fn searches_go_on_where_they_were_cut_and_with_further_games() {
    let scratch = Scratch::new("searches");
    let [one, two, whole, parts] = ["one", "two", "whole", "parts"].map(|name| scratch.path(name));
    play(&one, &["--games", "4"]);
    play(&two, &["--games", "4", "--seed", "2"]);
    let [first, both] = [&[&*one][..], &[&one, &two]];
    let search = |out, playouts, games: &[&str]| {
        let line = ["features", "--policy", "--out", out, "--playouts", playouts];
        quiver(&[&line[..], &["--games"], games].concat())
    };
    let text = printed(search(&whole, "40", both));
    let (header, bytes) = header_and_rows(&whole);
    let about = &header["policy_rows"];
    let (rows, games) = (about["rows"].as_u64().unwrap() as usize, &about["games"]);
    assert!(text.starts_with(&format!("{rows} rows for the policy network, from 8 games")), "{text}");
    assert_eq!((bytes.len(), &about["searches"]["playouts"]), (208 * rows, &json!(40)));
    assert!(rows > 8 * 28, "{rows} rows, more than one a search: no game on 6x6 has more than 28 plies");
    assert_eq!((&games[0]["games"], &games[1]["seed"]), (&json!(4), &json!(2)));
    let journal = || fs::read(scratch.path("parts.journal")).unwrap();
    let two_at_a_time = ["--concurrency", "2"];
    // A write fails after some searches.
    let cut = |games: &[&str], fault: &str| {
        let Run { code, err, .. } =
            run(search(&parts, "40", games).args(two_at_a_time).env("QUIVER_FILE_FAULT", fault), b"");
        assert!(code == Some(1) && err.contains("injected fault: write"), "{err}");
    };
    cut(first, "16");
    let expected = "of another features --policy: searches.playouts is 40 there and 41 here; ";
    assert!(refusal(&mut search(&parts, "41", first), b"").contains(expected));
    // A process was killed in the middle of a record.
    let begun = journal();
    fs::write(scratch.path("parts.journal"), &begun[..begun.len() - 9]).unwrap();
    cut(both, "24");
    let kept = begun[..begun.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap();
    assert!(kept > 2_000 && journal().starts_with(&begun[..kept]) && journal().len() > begun.len());
    let expected = "searches.games has 2 entries there and 1 here";
    assert!(refusal(&mut search(&parts, "40", first), b"").contains(expected));
    printed(search(&parts, "40", both).args(two_at_a_time));
    assert_eq!(fs::read(&parts).unwrap(), fs::read(&whole).unwrap());
    assert!(!scratch.join("parts.journal").exists());
}
