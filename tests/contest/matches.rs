//! Matches between built-in players, tournaments, and their reports and files.

use std::collections::HashSet;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::program::assert_fields;

use super::{
    Run, Scratch, games, play, play_json, players, printed, quiver, recorded_games, refuses_match, report,
    run, tournament,
};

#[test]
fn games_depend_on_seed_not_concurrency() {
    let run = |more: &[&str]| recorded_games("--a quiver --b random --games 31 --playouts 50", more);
    let one = run(&[]);
    assert_eq!(one, run(&["--concurrency", "3"]));
    let other = run(&["--seed", "2"]);
    assert_ne!(one, other);
    let seeds = |game: &Value| [0, 1].map(|seat: usize| game["players"][seat]["seed"].as_u64().unwrap());
    let seeds: HashSet<u64> = one.iter().chain(&other).flat_map(seeds).collect();
    assert_eq!(seeds.len(), 2 * (31 + 31));
    // In the first game, the engine moves first. The random player's number of playouts is null.
    let ([value, playouts], first) = (["values", "playouts"].map(|name| &one[0][name]), [0, 1]);
    assert_eq!(first.map(|ply: usize| &playouts[ply]), [&50.into(), &Value::Null]);
    assert!(value[0].is_f64() && !one[0]["proven"].as_array().unwrap().is_empty(), "{}", one[0]);
    assert!(one.iter().map(|game| game["game"].as_u64().unwrap()).eq(0..31));
    for pair in one.chunks(2).filter(|pair| pair.len() == 2) {
        assert_eq!(pair[0]["opening"], pair[1]["opening"]);
        assert_eq!(pair[0]["players"][0]["name"], pair[1]["players"][1]["name"]);
    }
    assert_ne!(one[0]["opening"], one[2]["opening"]);
}

#[test]
fn openings_come_from_a_file() {
    let (_scratch, [file, record]) = Scratch::with_paths("openings", ["openings.txt", "record.jsonl"]);
    let text = "# a move, also as numbers\nb1-b4/d4\n\n1 0 1 3 3 3\nq5/6/3q2/2Q3/6/5Q b - - 0 1 # small\n\
                q5/6/3q2/2Q3/6/5Q b a6-a5/a4\n";
    std::fs::write(&file, text).unwrap();
    let line = "--a random --b greedy --games 10 --board 6 --openings";
    let (code, out, err) = play(line, &[&file, "--record", &record]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("3 openings for 5 pairs: they are played more than once"), "{err}");
    let games = games(&record);
    // The length of a game includes the plies of its opening.
    let plies = 1 + games[0]["moves"].as_array().unwrap().len();
    assert!(out.lines().next().unwrap().contains(&format!(" in {plies} plies ")), "{out}");
    let first_moves = [0, 2, 6, 8].map(|game: usize| games[game]["opening"][0].as_str().unwrap());
    assert_eq!(first_moves, ["b1-b4/d4", "b1-b4/d4", "a6-a5/a4", "b1-b4/d4"]);
    for game in &games[4..8] {
        assert!(game["start"].as_str().unwrap().starts_with("q5/6/3q2"), "{game}");
    }
    // With or without `--board`, an opening may be on 5x5, although 5x5 has no start position.
    std::fs::write(&file, "q4/5/5/5/4Q w - - 0 1\n").unwrap();
    assert_eq!(play("--a random --b greedy --games 2 --board 5 --openings", &[&file]).0, 0);
    assert_eq!(play("--a random --b greedy --games 2 --openings", &[&file]).0, 0);
    // The first move after each opening moves an amazon of the side to move.
    for (pair, amazons) in ["a5 b6 e6 f5", "a5 b6 e6 f5", "a6 d4", "c3 f1"].iter().enumerate() {
        for game in &games[2 * pair..2 * pair + 2] {
            let first_move = game["moves"][0].as_str().unwrap();
            assert!(amazons.split(' ').any(|square| first_move.starts_with(square)), "{first_move}");
        }
    }
}

#[test]
fn a_match_is_summed_up_with_the_games_that_repeat_others() {
    let scratch = Scratch::new("repeats");
    let file = scratch.file("opening.txt", "b1-b4/d4\n");
    let line = "--a greedy --b greedy --games 12 --board 6";
    let opening = ["--openings", &file];
    assert_eq!(report(line, &opening)["repeated"], 10);
    let (_, out, _) = play(line, &opening);
    // A line is printed after each game, a summary every ten games, and the report at the end.
    for (begin, count) in [
        ("Game ", 12),
        ("Score of greedy vs greedy (2): 6 - 6 [0.500] 12", 1),
        ("Score of greedy vs greedy (2): ", 2),
        ("Elo: 0.0 +/- ", 2),
        ("First player: ", 1),
        ("greedy (2): mean ", 1),
        ("Games ended by: no move left 12", 1),
        ("Games that repeat all moves of an earlier game: 10; the errors", 1),
    ] {
        assert_eq!(out.lines().filter(|line| line.starts_with(begin)).count(), count, "{begin}: {out}");
    }
    assert_eq!(report(line, &["--random-plies", "4"])["repeated"], 0);
}

#[test]
fn a_test_stops_a_match_that_is_decided() {
    let (_scratch, [record]) = Scratch::with_paths("sprt", ["record.jsonl"]);
    // The program `true` ends at once, so it loses all games and the sequential test accepts H1.
    let line = "--a random --b text:true --games 2000 --board 6 --sprt 0,200";
    let run = |more: &[&str]| play_json(line, more).1;
    let report = run(&["--concurrency", "2", "--record", &record]);
    assert_fields(&report["sprt"], json!({"verdict": "H1", "players": ["random", "text:true"]}));
    let games = report["games"].as_u64().unwrap();
    assert!(games < 200, "{games} games");
    let (bounds, llr) = (&report["sprt"]["bounds"], report["sprt"]["llr"].as_f64().unwrap());
    assert!(llr > bounds[1].as_f64().unwrap(), "{report}");
    // The number of threads does not change the verdict. After a verdict, no more games are played.
    assert_eq!(run(&[])["sprt"], report["sprt"]);
    let resumed = run(&["--record", &record, "--resume"]);
    assert_eq!((&resumed["sprt"], &resumed["games"]), (&report["sprt"], &report["games"]));
}

#[test]
fn tournaments_need_no_file_and_are_written_as_pgn() {
    let (_scratch, [record, pgn]) = Scratch::with_paths("formats", ["record.jsonl", "games.pgn"]);
    let line = format!(
        "--player random --player greedy --player random --board 6 --seed 3 --record {record} --pgn {pgn}"
    );
    let run = |more: &[&str]| play(&line, more);
    let (code, out, _) = run(&["--games", "2", "--format", "gauntlet"]);
    let numbers: Vec<&str> = out
        .lines()
        .filter_map(|line| line.strip_prefix("Game ")?.split_once(':'))
        .map(|(number, _)| number)
        .collect();
    assert_eq!((code, &numbers[..]), (0, &["1 (1/4)", "2 (2/4)", "3 (3/4)", "4 (4/4)"][..]), "{out}");
    let (_, out, _) = run(&["--games", "2", "--format", "round-robin", "--resume"]);
    assert!(out.contains("\nGame 5 (5/6): greedy vs random (2): "), "{out}");
    let text = std::fs::read_to_string(&pgn).unwrap();
    let rounds: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("[Round ")).collect();
    assert_eq!(rounds, ["\"1\"]", "\"2\"]", "\"3\"]", "\"4\"]", "\"5\"]", "\"6\"]"], "{text}");
    assert!(text.contains("[Site \"Quiver ") && text.contains("\n[TimeControl \"-\"]\n\n{"), "{text}");
    // If the PGN file is missing, a resumed match also writes the recorded games to the new file.
    std::fs::remove_file(&pgn).unwrap();
    run(&["--games", "4", "--format", "neighbours", "--resume"]);
    let text = std::fs::read_to_string(&pgn).unwrap();
    assert_eq!((text.matches("[Event ").count(), text.contains("[Round \"8\"]")), (8, true), "{text}");
    let line = format!("--a random --b greedy --board 6 --games 2 --pgn {pgn}");
    refuses_match(&line, &[], "exists: expected another name, or --resume");
}

#[test]
fn resumed_match_writes_games_that_the_pgn_lacks() {
    let (scratch, [record, pgn]) = Scratch::with_paths("lacks", ["record.jsonl", "games.pgn"]);
    // The file's limit leaves 300 bytes for the first game, which is longer.
    let comment = format!("%{}\n", "x".repeat((64 << 10) - 302));
    scratch.file("games.pgn", &comment);
    let line =
        format!("match --a random --b greedy --board 6 --games 2 --record {record} --pgn {pgn} --resume");
    let limited = "trap '' XFSZ; ulimit -f 128; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    let limited = command.args(["-c", limited, env!("CARGO_BIN_EXE_quiver")]);
    let Run { code, err, .. } = run(limited.args(line.split(' ')), b"");
    assert!(code == Some(1) && err.contains("ended after 1 game: --pgn "), "{err}");
    assert_eq!((scratch.read("games.pgn"), games(&record).len()), (comment.clone(), 1));
    // The second time, the file lacks no game.
    for _ in 0..2 {
        printed(quiver(&[]).args(line.split(' ')));
        let text = scratch.read("games.pgn");
        let rounds: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("[Round ")).collect();
        assert!(text.starts_with(&(comment.clone() + "[Event ")) && rounds == ["\"1\"]", "\"2\"]"], "{text}");
    }
}

#[test]
fn gauntlet_runs_one_sprt_per_opponent() {
    let (scratch, [record]) = Scratch::with_paths("gauntlet-sprt", ["record.jsonl"]);
    let players = players(&["random", "text:true", "greedy"]);
    let line = tournament(&scratch, &format!("format = \"gauntlet\"\ngames = 1000\n{players}"));
    let line = line + " --sprt 0,200 --concurrency 2";
    let (code, report) = play_json(&line, &["--record", &record]);
    assert_eq!(code, 1, "{report}");
    let outcome =
        |test: &Value| [&test["players"][0], &test["players"][1], &test["verdict"]].map(Value::clone);
    let outcomes: Vec<_> = report["sprts"].as_array().unwrap().iter().map(outcome).collect();
    let expected = [["random", "text:true", "H1"], ["random", "greedy", "H0"]];
    assert_eq!(outcomes, expected, "{report}");
    // In a gauntlet, the first player takes part in every game.
    assert!(report["games"].as_u64().unwrap() < 400 && report["wins"][1][2] == 0, "{report}");
    // Every sequential test has a verdict, so the resumed match plays no more games.
    let (_, out, _) = play(&line, &["--record", &record, "--resume"]);
    assert_eq!(out.lines().filter(|line| line.starts_with("Game ")).count(), 0, "{out}");
    let test = "random vs greedy: SPRT [0.00, 200.00]: LLR -";
    assert!(out.lines().any(|line| line.starts_with(test)), "{out}");
    tournament(&scratch, &format!("games = 1000\n{players}"));
    refuses_match(&line, &[], "expected format = \"gauntlet\" in --tournament");
}

#[test]
fn a_proven_game_is_ended_by_the_referee() {
    let (_scratch, [short, sgf, back]) =
        Scratch::with_paths("proven", ["short.jsonl", "games.sgf", "back.jsonl"]);
    let line = "--a quiver --b greedy --games 6 --board 8 --playouts 60";
    let plain = recorded_games(line, &[]);
    let line = &format!("{line} --record {short}");
    let (code, out, err) = play(line, &["--adjudicate"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains(" {proof: the "), "{out}");
    let mut proofs = 0;
    for (played, ended) in plain.iter().zip(games(&short)) {
        let moves = |game: &Value| game["moves"].as_array().unwrap().clone();
        let (played, shown) = (moves(played), moves(&ended));
        if ended["reason"] == "proven" {
            assert!(shown.len() < played.len() && played.starts_with(&shown), "{ended}");
            proofs += 1;
        } else {
            assert_eq!(shown, played);
        }
    }
    assert!(proofs > 2 && out.contains(&format!(", proof {proofs}\n")), "{out}");
    // Other commands can read the record. A conversion to SGF and back keeps how each game ended.
    printed(quiver(&["replay", &short]));
    for (from, to) in [(&short, &sgf), (&sgf, &back)] {
        printed(quiver(&["convert", from, to]));
    }
    let ends = |path: &str| -> Vec<(Value, Value)> {
        games(path).iter().map(|game| (game["winner"].clone(), game["reason"].clone())).collect()
    };
    assert_eq!(ends(&back), ends(&short));
    refuses_match(line, &["--resume"], "contest.adjudicate is 50 there and null here");
    // A match is not resumed if the solver proves that a game's recorded winner must lose, even if
    // the checksum of the game's line is valid.
    let text = std::fs::read_to_string(&short).unwrap();
    let proven = text.lines().find(|line| line.contains("\"reason\":\"proven\"")).unwrap();
    let (content, _) = proven.split_once(",\"crc\"").unwrap();
    let wrong = content.replace("\"winner\":0", "\"winner\":2").replace("\"winner\":1", "\"winner\":0");
    let wrong = wrong.replace("\"winner\":2", "\"winner\":1");
    let wrong = quiver::files::sealed_line(&(wrong + "}"));
    std::fs::write(&short, text.replace(proven, wrong.trim_end())).unwrap();
    refuses_match(line, &["--adjudicate", "--resume"], "proven to lose");
}

#[test]
fn a_tournament_rates_everybody() {
    let scratch = Scratch::new("tournament");
    let players = "[[player]]\nname = \"one\"\nspec = \"random\"\n[[player]]\nspec = \"greedy\"\n\
                   [[player]]\nname = \"void\"\nspec = \"text:true\"\n";
    let line = tournament(&scratch, &format!("games = 4\nplayouts = 10\n{players}"));
    let (code, out, err) = play(&line, &["--report", "1"]);
    assert_eq!(code, 1, "{err}");
    assert!(out.contains("No ratings: some players are not connected") && !out.contains("NaN"), "{out}");
    assert!(out.lines().any(|line| line.starts_with("  3.  void ") && line.contains(" 0-4")), "{out}");
    assert!(out.contains("half a loss are added"), "{out}");
    assert_eq!(out.lines().filter(|line| line.starts_with("Game ")).count(), 12);
    let (_, report) = play_json(&line, &[]);
    let elo = |index: usize| report["players"][index]["elo"].as_f64().unwrap();
    assert!(elo(2) < elo(0) && elo(2) < elo(1) && (elo(0) + elo(1) + elo(2)).abs() < 1e-6, "{report}");
}

#[test]
fn neighbours_meet_in_a_ladder() {
    let scratch = Scratch::new("ladder");
    let player = |name: &str, more: &str| format!("[[player]]\nname = \"{name}\"\nspec = \"random\"\n{more}");
    let players =
        player("a", "") + &player("b", "games = 2\n") + &player("c", "") + &player("d", "reach = 1\n");
    let head = "format = \"neighbours\"\nreach = 2\ngames = 4\n";
    let line = tournament(&scratch, &format!("{head}{players}"));
    // The options replace the settings at the top of the file, but not those of players.
    for (more, expected) in
        [(&[][..], [2, 4, 0, 2, 0, 4]), (&["--games", "6", "--each", "reach=1"], [2, 0, 0, 2, 0, 6])]
    {
        let report = report(&line, more);
        let won = |a: usize, b: usize| report["wins"][a][b].as_u64().unwrap();
        let met = |(a, b)| won(a, b) + won(b, a);
        assert_eq!([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(met), expected, "{more:?}");
    }
}

#[test]
fn a_player_is_placed_on_the_ladder() {
    let report = report("--ladder level2 --board 8 --games 20", &[]);
    let opponents = report["opponents"].as_array().unwrap();
    let played = |rung: &Value| rung["wins"].as_u64().unwrap() + rung["losses"].as_u64().unwrap();
    let games: u64 = opponents.iter().map(played).sum();
    assert_eq!((&report["name"], games), (&"level2".into(), 20), "{report}");
    // The player `level2` has the rating 491 on the ladder.
    let distance = |player: &Value| (player["elo"].as_f64().unwrap() - 491.0).abs();
    assert!(distance(&report) < 1.5 * report["error"].as_f64().unwrap(), "{report}");
    let near: u64 = opponents.iter().filter(|rung| distance(rung) < 500.0).map(played).sum();
    assert!(near >= 10, "{near} games against its like: {report}");
}

#[test]
fn a_tournament_has_an_anchor() {
    let scratch = Scratch::new("anchor");
    let players = players(&["random", "greedy"]) + "name = 'a|b<i>'\n";
    let players = format!("anchor = \"a|b<i>\"\nanchor_elo = 1000\n{players}");
    let line = tournament(&scratch, &players) + " --games 4";
    assert_eq!(report(&line, &[])["players"][1]["elo"], 1000.0);
    let (_, out, _) = play(&line, &[]);
    assert!(out.contains("  a|b<i>  1000.0    0.0      4  1.000 "), "{out}");
    tournament(&scratch, &players.replace("\"a|b<i>\"\nanchor_elo", "\"nobody\"\nanchor_elo"));
    let record = scratch.path("record.jsonl");
    refuses_match(&line, &["--record", &record], "anchor = 'nobody', expected the name of a player");
    assert!(!std::path::Path::new(&record).exists(), "a record without games");
}

#[test]
fn opening_suite_header_reproduces_suite() {
    let line =
        "openings --board 6 --count 5 --plies 2 --choice-playouts 100 --playouts 200 --margin 0.2 --seed 3";
    for line in [
        line.to_owned(),
        format!(
            "{line} --memory 4194304 --net src/engine/policy/nets/8.net --set exploration=0.5 --set reuse=0"
        ),
    ] {
        let make = || printed(quiver(&[]).args(line.split(' ')));
        let text = make();
        let (head, rest) = text.split_once('\n').unwrap();
        assert_eq!((head, &text), (&*format!("# quiver {line}"), &make()));
        let value = |line: &str| line.split_once("  # ").unwrap().1.parse::<f64>().unwrap();
        let values: Vec<f64> = rest.lines().skip(1).map(value).collect();
        assert!(values.len() == 5 && values.iter().all(|value| (0.3..=0.7).contains(value)), "{text}");
    }
}

#[test]
fn openings_are_taken_in_the_order_asked_for() {
    let scratch = Scratch::new("order");
    let openings = scratch.file("openings", "b1-b4/b5\nb1-b3/b4\nb1-b2/b3\n");
    let line = format!("--a random --b random --games 6 --board 6 --openings {openings}");
    let begun = |more: &[&str]| -> Vec<Value> {
        recorded_games(&line, more).iter().step_by(2).map(|game| game["opening"][0].clone()).collect()
    };
    assert_eq!(begun(&[]), ["b1-b4/b5", "b1-b3/b4", "b1-b2/b3"]);
    assert_eq!(begun(&["--openings-start", "2"]), ["b1-b3/b4", "b1-b2/b3", "b1-b4/b5"]);
    let shuffled = begun(&["--openings-shuffled", "--seed", "5"]);
    assert_eq!(shuffled, begun(&["--openings-shuffled", "--seed", "5"]));
    for opening in ["b1-b4/b5", "b1-b3/b4", "b1-b2/b3"] {
        assert!(shuffled.contains(&opening.into()), "{shuffled:?}");
    }
}
