//! Tests `quiver features`: rows from recorded games, rows from new searches, and resumed runs.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::slice::from_ref;

use crate::common::program::{Run, fails, fails_as_misuse, printed, printed_json, quiver, refusal, run};
use crate::common::scratch::Scratch;
use crate::training::{begun, header_and_rows, interrupted, play};
use quiver::Solver;
use quiver::amazons::Square;
use quiver::territory::{COLUMNS, Evaluator, Terms, View, campya};
use quiver::training::Library;
use serde_json::{Value, json};

/// Returns the byte range of each field of a row, by field name, as the header of the file states.
fn fields_of(about: &Value) -> BTreeMap<&str, Range<usize>> {
    let mut end = 0;
    let fields = about["fields"].as_array().unwrap().iter().map(|field| {
        let width: usize =
            field[1].as_str().unwrap().trim_start_matches(|c: char| !c.is_numeric()).parse().unwrap();
        let shape = field[2].as_array().into_iter().flatten().map(|length| length.as_u64().unwrap() as usize);
        let begin = end;
        end += width * shape.product::<usize>();
        (field[0].as_str().unwrap(), begin..end)
    });
    fields.collect()
}

fn bytes_of(fields: &BTreeMap<&str, Range<usize>>) -> usize {
    fields.values().map(|field| field.end).max().unwrap()
}

#[test]
fn features_count_every_position() {
    let (scratch, [one, two, random]) = Scratch::with_paths("features", ["one", "two", "random"]);
    play(&one, &["--games", "6", "--blunders", "0"]);
    play(&two, &["--games", "6", "--seed", "2", "--blunders", "0.1"]);
    let report = printed_json(&["evaluate", "--games", &one, &two]);
    let positions = report["positions"].as_u64().unwrap();
    // Each ply after a game's last blunder is scored before its queen move and before its arrow.
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
    let fields = fields_of(about);
    assert_eq!(bytes_of(&fields), row_bytes);
    // Bit 1 of a row's flags is set if no blunder comes later, so the result can label the row.
    let flags = fields["flags"].start;
    let usable = bytes.chunks_exact(row_bytes).filter(|row| row[flags] & 2 != 0).count();
    assert!(usable < rows && usable as u64 == 2 * positions, "{usable} of {rows}");

    fails_as_misuse(&[&features[..], &["--playouts", "40"]].concat(), "--policy");
    fails_as_misuse(&[&features[..], &["--policy", "--seed", "2"]].concat(), "--playouts");
    let line = ["match", "--a", "random", "--b", "random", "--board", "6", "--games", "2", "--record"];
    printed(quiver(&line).arg(&random));
    fails(1, quiver(&["features", "--policy", "--games", &random, "--out", &out]), "no row");
}

#[test]
fn rows_describe_positions() {
    let (_scratch, [games, out]) = Scratch::with_paths("rows", ["games", "rows"]);
    play(&games, &["--games", "3", "--blunders", "0.1"]);
    let library = Library::open(&[games.clone().into()]).unwrap();
    let short = |chance: f64| (chance * 65_535.0).round() as u16;
    let odds = |log_odds: f64| (log_odds * 1024.0).round() as i16;
    let features = ["features", "--games", &games, "--out", &out];
    for every in [1, 3] {
        printed(quiver(&features).args(["--every", &every.to_string()]));
        let (header, bytes) = header_and_rows(&out);
        let about = &header["features"];
        let fields = fields_of(about);
        let rows = bytes.chunks_exact(bytes_of(&fields));
        let samples = || library.samples().filter(|(game, it)| (game + u32::from(it.ply)) % every == 0);
        assert_eq!((rows.len(), &about["rows"]), (samples().count(), &json!(rows.len())));
        assert!(rows.remainder().is_empty());
        for ((game, sample), row) in samples().zip(rows) {
            let (facts, view) = (sample.facts, View::from(&sample.state));
            let dead_squares = Solver::new(1 << 22).dead_squares(view.empty, view.amazons);
            let view = &view.with_dead_squares(dead_squares.unwrap_or(0));
            let terms = Terms::of(view);
            let bits = [sample.state.is_half_ply(), sample.result_usable, facts.proven];
            let flags = (0..).zip(bits).map(|(bit, is_set)| u16::from(is_set) << bit).sum();
            let words = [
                ("ply", sample.ply),
                ("flags", flags),
                ("result", u16::from(sample.won)),
                ("value", short(facts.value.unwrap())),
                ("empties", sample.state.empty_squares() as u16),
            ];
            let columns = [
                ("contest", terms.contest),
                ("empty", terms.empty),
                ("odds:quiver", odds(Evaluator::default().log_odds(view))),
                ("odds:campya", odds(campya::log_odds(view))),
                ("t1", terms.t1()),
            ];
            let columns = columns.into_iter().chain(COLUMNS.into_iter().zip(terms.counts));
            let words = words.into_iter().chain(columns.map(|(name, count)| (name, count.cast_unsigned())));
            let words = words.map(|(name, word)| (name, word.to_le_bytes().to_vec()));
            let expected: BTreeMap<_, _> = words.chain([("game", game.to_le_bytes().to_vec())]).collect();
            let written = fields.iter().map(|(&name, field)| (name, row[field.clone()].to_vec()));
            assert_eq!(written.collect::<BTreeMap<_, _>>(), expected, "{game}: {sample:?}");
        }
    }

    printed(quiver(&features).arg("--policy"));
    let (header, bytes) = header_and_rows(&out);
    let fields = fields_of(&header["policy_rows"]);
    let rows = bytes.chunks_exact(bytes_of(&fields));
    let samples = || {
        library.samples().filter(|(_, sample)| match sample.state.is_half_ply() {
            true => !sample.facts.arrow_shares.is_empty(),
            false => !sample.facts.queen_shares.is_empty(),
        })
    };
    let count = json!(samples().count());
    assert_eq!((&json!(rows.len()), &header["policy_rows"]["rows"]), (&count, &count));
    assert!(rows.remainder().is_empty());
    let index = |square: Square| 6 * square.y() + square.x();
    for ((game, sample), row) in samples().zip(rows) {
        let (facts, view) = (sample.facts, View::from(&sample.state));
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
        let (half, empties) = (u16::from(sample.state.is_half_ply()), sample.state.empty_squares() as u16);
        let field = |name: &str| &row[fields[name].clone()];
        assert_eq!(field("game"), game.to_le_bytes());
        let numbers = [
            ("ply", sample.ply),
            ("half", half),
            ("empties", empties),
            ("value", short(facts.value.unwrap())),
        ];
        for (name, number) in numbers {
            assert_eq!(field(name), number.to_le_bytes(), "{name}");
        }
        let origins: Vec<u8> = origins.iter().map(|&square| index(square)).collect();
        assert!(field("from").starts_with(&origins));
        let &[origin, target, ..] = field("moves") else { panic!("a move") };
        assert_eq!([field("from")[usize::from(origin)], target], [from, to].map(index));
        assert_eq!(field("shares")[..2], share.to_le_bytes());
        // Plane 0 marks the amazons of the side to act, and plane 5 marks all unburnt squares. In a
        // half ply, plane 3 also marks the amazon that must shoot, and plane 4 all unburnt squares.
        let own = if sample.state.is_half_ply() { 0b11_1001 } else { 0b10_0001 };
        let (cells, _) = field("planes").as_chunks::<3>();
        assert!(origins.iter().all(|&origin| cells[usize::from(origin)] == [own, 0, 0]));
        // A 6x6 board has 28 squares without an amazon. Each of these squares is empty or burnt.
        let burnt = cells.iter().filter(|&&cell| cell == [0; 3]).count();
        assert_eq!(burnt, 28 - usize::from(empties));
    }
}

#[test]
fn searches_resume_with_further_games() {
    let (scratch, [one, two, whole, parts]) =
        Scratch::with_paths("searches", ["one", "two", "whole", "parts"]);
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
    assert_eq!(bytes.len(), bytes_of(&fields_of(about)) * rows);
    assert_eq!(about["searches"]["playouts"], 40);
    assert!(rows > 8 * 28, "{rows} rows, more than one a search: no game on 6x6 has more than 28 plies");
    assert_eq!((&games[0]["games"], &games[1]["seed"]), (&json!(4), &json!(2)));
    let journal = || fs::read(scratch.path("parts.journal")).unwrap();
    let two_at_a_time = ["--concurrency", "2"];
    // Runs searches in which file operation number `operation`, which must be a write, fails.
    let fail_at_write = |games: &[&str], operation: &str| {
        let Run { code, err, .. } =
            run(search(&parts, "40", games).args(two_at_a_time).env("QUIVER_FILE_FAULT", operation), b"");
        assert!(code == Some(1) && err.contains("injected fault: write"), "{err}");
    };
    fail_at_write(first, "16");
    let expected = "of another features --policy: searches.playouts is 40 there and 41 here; ";
    assert!(refusal(&mut search(&parts, "41", first), b"").contains(expected));
    // Cuts the journal as if a process had been killed while it wrote a record.
    let begun = journal();
    fs::write(scratch.path("parts.journal"), &begun[..begun.len() - 9]).unwrap();
    fail_at_write(both, "24");
    let kept = begun[..begun.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap();
    assert!(kept > 2_000 && journal().starts_with(&begun[..kept]) && journal().len() > begun.len());
    let expected = "searches.games has 2 entries there and 1 here";
    assert!(refusal(&mut search(&parts, "40", first), b"").contains(expected));
    printed(search(&parts, "40", both).args(two_at_a_time));
    assert_eq!(fs::read(&parts).unwrap(), fs::read(&whole).unwrap());
    assert!(!scratch.join("parts.journal").exists());
}

#[test]
fn interrupted_searches_resume() {
    let (scratch, [games, whole, parts]) =
        Scratch::with_paths("searches-interrupt", ["games", "whole", "parts"]);
    play(&games, &["--games", "4"]);
    // With 5,000 playouts a position, the program runs long enough for an interrupt.
    let search =
        |out| quiver(&["features", "--policy", "--games", &games, "--playouts", "5000", "--out", out]);
    printed(search(&whole));
    let done = interrupted(begun(search(&parts).args(["--concurrency", "2"]), &(parts.clone() + ".journal")));
    let records = scratch.read("parts.journal").lines().count() - 1;
    assert_eq!(done, format!("{records} searches"));
    printed(search(&parts));
    assert_eq!(fs::read(&parts).unwrap(), fs::read(&whole).unwrap());
}
