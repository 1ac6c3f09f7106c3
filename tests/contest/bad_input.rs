//! Input that is wrong: a sentence, exit status 2, nothing written over.

use super::{Scratch, play};

/// Checks that a match is refused with these words, and that nothing was printed as a result.
fn refused(arguments: &[&str], expected: &str) {
    let (code, out, err) = play(arguments);
    assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {err}");
    assert!(err.contains(expected), "{arguments:?}: {err}");
}

#[test]
fn players_that_are_none() {
    let game = |spec: &'static str| ["--a", "random", "--b", spec, "--games", "2"];
    refused(&game("quivr"), "--b: no player is called 'quivr'");
    let (_, _, err) = play(&game("quivr"));
    assert_eq!(err.matches("no player is called").count(), 1, "{err}");
    refused(&game("cmd:/no/such/bot --fast"), "'/no/such/bot --fast' does not start: ");
    refused(&game("text:"), "expected a command");
    refused(
        &[&game("uci:true")[..], &["--time", "1"]].concat(),
        "'true' does not get ready: ended with status 0",
    );
    refused(&game("uci:true"), "would search without end, expected a limit, as --time or --playouts");
    refused(&game("quiver:speed=9"), "no parameter is called 'speed'");
    refused(&game("quiver"), "would search without end, expected a limit, as --time or --playouts");
    refused(&game("campya"), "would search without end, expected a limit, as --time or --playouts");
    refused(&game("campya:exploration=1"), "campya has no parameters");
    let timed = ["--player", "quiver threads=2", "--time", "0.1", "--clock", "cpu", "--games", "2"];
    refused(
        &[&["--player", "random"], &timed[..]].concat(),
        "--player 2: 2 threads by --clock cpu: expected 1, or --clock wall",
    );
    refused(&[&game("quiver")[..], &["--threads", "0"]].concat(), "expected a number of threads from 1 to ");
    refused(&["--a", "random", "--games", "2"], "--b");
    let two = |a, b| ["--player", a, "--player", b, "--games", "2"];
    refused(&two("random name=x", "random name=x"), "two players are called 'x'");
    refused(&two("random", "greedy option.Hash=1"), "--player 2: 'greedy' takes no options");
    refused(&two("random", "time=1"), "--player 2: expected a SPEC");
    refused(&two("random", "greedy threads=0"), "--player 2: threads '0': expected a number of threads");
    refused(&two("random", "cmd:python3 bot.py"), "'bot.py': expected settings as NAME=VALUE");
    refused(&[&two("random", "greedy")[..], &["--each", "name=x"]].concat(), "--each: spec and name are");
    refused(&["--player", "random", "--games", "2"], "1 players: expected --a SPEC and --b SPEC, --player");
    refused(&["--games", "2"], "0 players: expected --a SPEC and --b SPEC");
}

#[test]
fn twins_of_earlier_versions() {
    for (twin, value, new) in [
        ("--a-time", "0.1", "write --player \"SPEC time=0.1\" in place of --a SPEC"),
        ("--b-first-time", "2", "write --player \"SPEC first_time=2\" in place of --b SPEC"),
        ("--b-option", "Hash=16", "write --player \"SPEC option.Hash=16\" in place of --b SPEC"),
    ] {
        refused(&["--a", "random", "--b", "greedy", "--games", "2", twin, value], new);
    }
}

#[test]
fn numbers_that_make_no_match() {
    let base = ["--a", "random", "--b", "greedy"];
    refused(&[&base[..], &["--games", "0"]].concat(), "expected at least one game");
    let endless = [&base[..], &["--games", "18446744073709551615"]].concat();
    refused(&endless, "--games 18446744073709551615: expected at most 10000000");
    refused(&base, "expected --games N");
    refused(&[&base[..], &["--games", "2", "--board", "7"]].concat(), "no start position");
    refused(&[&base[..], &["--games", "2", "--random-plies", "95"]].concat(), "expected fewer");
    refused(&[&base[..], &["--games", "2", "--concurrency", "0"]].concat(), "from 1 to 1024");
    refused(&[&base[..], &["--games", "2", "--sprt", "10,0"]].concat(), "ELO0 below ELO1");
    refused(&[&base[..], &["--games", "2", "--time", "0"]].concat(), "expected seconds above 0");
    refused(&[&base[..], &["--games", "2", "--resume"]].concat(), "--record");
}

#[test]
fn game_clocks_that_are_none() {
    let base = ["--a", "random", "--games", "2", "--b"];
    refused(
        &[&base[..], &["quiver", "--tc", "60"]].concat(),
        "'60': expected BASE+INC in seconds, as in 60+0.6",
    );
    refused(&[&base[..], &["quiver", "--tc", "1+1", "--time", "1"]].concat(), "cannot be used with");
    let told = "--b: 'cmd:cat' cannot be told of a game clock, which Botzone's forms do not have";
    refused(&[&base[..], &["cmd:cat", "--tc", "1+1"]].concat(), told);
    refused(
        &["--player", "random first_time=2", "--player", "greedy", "--tc", "1+1", "--games", "2"],
        "does not go with a game clock",
    );
    let scratch = Scratch::new("bad-clock");
    let file = scratch.path("tournament.toml");
    for (head, expected) in [
        ("tc = \"5\"", "expected BASE+INC in seconds"),
        ("tc = \"5+1\"\ntime = 1", "player 1: time and tc, expected one of them"),
    ] {
        let player = "[[player]]\nspec = \"random\"\n";
        std::fs::write(&file, format!("{head}\n{player}{player}")).unwrap();
        refused(&["--tournament", &file, "--games", "2"], expected);
    }
}

#[test]
fn openings_that_cannot_be_played() {
    let scratch = Scratch::new("bad-openings");
    let file = scratch.path("openings.txt");
    let base = ["--b", "greedy", "--games", "2", "--openings", &file];
    let random = [&["--a", "random"], &base[..]].concat();
    refused(&random, &file);
    std::fs::write(&file, "d1-d7/g7\nd1-d10/g7\n").unwrap();
    refused(&random, "on 10x10: move 1, d1-d10/g7: the amazon on d1 does not reach d10");
    // The second line fits 10x10 only.
    std::fs::write(&file, "c1-c6/f6\nd1-d7/g7\n").unwrap();
    let small = [&random[..], &["--board", "8"]].concat();
    refused(&small, "line 2: the moves cannot be played from the start on 8x8: move 1, d1-d7/g7");
    std::fs::write(&file, "c1-c6/f6\nq5/6/3q2/2Q3/6/5Q b - - 0 1\n").unwrap();
    refused(&small, "an opening begins on 6x6, at q5/6/3q2/2Q3/6/5Q b - - 0 1: expected 8x8");
    std::fs::write(&file, "# nothing\n").unwrap();
    refused(&random, "no openings");
    std::fs::write(&file, "q5/6/3q2/2Q3/6/5Q b - - 0 1\n").unwrap();
    refused(&[&["--a", "cmd:cat"], &base[..]].concat(), "cannot be told to begin at q5/6");
    let logs = scratch.path("logs");
    refused(&[&random[..], &["--botzone-log", &logs]].concat(), "--botzone-log cannot say");
    assert!(!std::path::Path::new(&logs).exists());
}

#[test]
fn records_of_other_matches() {
    let scratch = Scratch::new("bad-records");
    let record = scratch.path("record.jsonl");
    let base = ["--a", "random", "--games", "4", "--record", &record];
    assert_eq!(play(&[&base[..], &["--b", "greedy"]].concat()).0, 0);
    let before = std::fs::read(&record).unwrap();
    refused(&[&base[..], &["--b", "greedy"]].concat(), "exists: expected --resume");
    let missing = scratch.path("missing/record.jsonl");
    let line = ["--a", "random", "--b", "greedy", "--games", "2", "--record", &missing];
    refused(&line, "missing/record.jsonl: its folder is missing: expected one that exists");
    let resume =
        |more: &[&str], expected: &str| refused(&[&base[..], &["--resume"], more].concat(), expected);
    let logs = scratch.path("logs");
    resume(&["--b", "random", "--botzone-log", &logs], "record of another match");
    assert!(!std::path::Path::new(&logs).exists());
    let nowhere = scratch.path("no/such/log");
    resume(&["--b", "greedy", "--log", &nowhere], "no/such/log: ");
    resume(&["--b", "greedy", "--seed", "9"], "contest.seed is 1 there and 9 here");
    resume(&["--b", "greedy", "--board", "8"], "contest.openings.start is ");
    resume(&["--b", "greedy", "--playouts", "10"], "contest.players.0.playouts is null there and 10 here");
    assert_eq!(std::fs::read(&record).unwrap(), before);
    let text = String::from_utf8(before).unwrap();
    std::fs::write(&record, text.replacen("\"winner\":", "\"winner\":7", 1)).unwrap();
    resume(&["--b", "greedy"], ": the line was changed: its checksum is ");
    std::fs::write(&record, "dear diary\n").unwrap();
    resume(&["--b", "greedy"], "line 1, byte 0: ");
    assert_eq!(std::fs::read_to_string(&record).unwrap(), "dear diary\n");
}

#[test]
fn tournaments_that_are_none() {
    let scratch = Scratch::new("bad-tournament");
    let file = scratch.path("tournament.toml");
    let line = ["--tournament", &file, "--games", "2"];
    refused(&line, &file);
    for (text, expected) in [
        ("games = ", "--tournament"),
        ("", "0 players, expected at least 2"),
        (
            "name = \"x\"\n[[player]]\nspec = \"random\"\n[[player]]\nspec = \"greedy\"\n",
            "spec and name are those",
        ),
        ("speed = 3\n", "unknown field `speed`"),
        (
            "[[player]]\nspec = \"random\"\n[[player]]\nspec = \"rndom\"\n",
            "player 2: no player is called 'rndom'",
        ),
        ("time = -1\n[[player]]\nspec = \"random\"\n[[player]]\nspec = \"greedy\"\n", "player 1: time '-1'"),
        ("format = \"swiss\"\n", "unknown variant `swiss`"),
        (
            "format = \"neighbours\"\nreach = 0\n[[player]]\nspec = \"random\"\n[[player]]\nspec = \"greedy\"\n",
            "no two players meet, expected a reach of at least 1",
        ),
        (
            "games = 0\n[[player]]\nspec = \"random\"\n[[player]]\nspec = \"greedy\"\n",
            ": games = 0: expected at least one game",
        ),
        (
            "[[player]]\nspec = \"random\"\n[[player]]\nname = \"random (2)\"\nspec = \"greedy\"\n\
             [[player]]\nspec = \"random\"\n",
            "two players are called 'random (2)'",
        ),
    ] {
        std::fs::write(&file, text).unwrap();
        refused(&line, expected);
    }
}
