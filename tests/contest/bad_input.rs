//! Input that is wrong: a sentence, exit status 2, nothing written over.

use super::bots::player;
use super::{Scratch, play, players, refused, tournament};

#[test]
fn options_that_make_no_match() {
    let (a, b, player) =
        ("--a random --games 2 --b", "--a random --b greedy --games 2", "--player random --games 2 --player");
    let (cpu, games) = (&format!("--time 0.1 --clock cpu {player}"), "--a random --b greedy --games");
    let clock = &format!("--tc 1+1 {player}");
    for (line, last, expected) in [
        ("--games", "2", "0 players: expected --a SPEC and --b SPEC"),
        ("--games 2 --player", "random", "1 players: expected --a SPEC and --b SPEC, --player"),
        ("--games 2 --a", "random", "--b"),
        (a, "cmd:/no/such/bot --fast", "'/no/such/bot --fast' does not start: "),
        (a, "uci:true", "would search without end, expected a limit, as --time or --playouts"),
        (a, "quiver", "would search without end, expected a limit, as --time or --playouts"),
        (a, "campya", "would search without end, expected a limit, as --time or --playouts"),
        ("--board 8 --ladder", "quiver", "--ladder: 'quiver' would search without end"),
        (
            "--a random --games 2 --time 1 --b",
            "uci:true",
            "'true' does not get ready: expected 'uciok' after 'uci', got nothing: ended with status 0",
        ),
        (a, "quivr", "cmd:COMMAND"),
        (a, "", "no player is called ''"),
        (a, "quiver:exploraton=1", "did you mean 'exploration'"),
        (a, "quiver:", "expected name=value"),
        (a, "random:exploration=1", "random has no parameters"),
        (a, "cmd:", "expected a command"),
        (a, "uci", "expected a command"),
        (a, "text:'a", "a quote is not closed"),
        (player, "quiver tim=1", "unknown field `tim`, expected one of `spec`, `name`, `time`"),
        (player, "quiver time=soon", "invalid type: string \"soon\", expected f64"),
        (player, "quiver playouts=-1", "invalid value: integer `-1`, expected u64"),
        (player, "quiver playouts=1e3", "floating point `1000.0`, expected u64 in `playouts`"),
        (player, "greedy first_time=0", "--player 2: first_time '0': expected seconds above 0"),
        (player, "quiver tc=60", "'60': expected BASE+INC"),
        (
            player,
            "cmd:python3 bot.py",
            "'bot.py': expected settings as NAME=VALUE after the SPEC, and quotes",
        ),
        (player, "quiver time=1 time=2", "'time=2' stands twice"),
        (player, "'quiver", "a quote is not closed"),
        (cpu, "quiver threads=2", "--player 2: 2 threads by --clock cpu: expected 1, or --clock wall"),
        (player, "greedy option.Hash=1", "--player 2: 'greedy' takes no options"),
        (player, "time=1", "--player 2: expected a SPEC"),
        (player, "greedy name=random", "two players are called 'random'"),
        (player, "greedy threads=0", "--player 2: threads '0': expected a number of threads"),
        (clock, "random first_time=2", "a time for the first move does not go with a game clock"),
        (
            clock,
            "cmd:cat",
            "--player 2: 'cmd:cat' cannot be told of a game clock, which Botzone's forms do not have; \
             expected a time for each move",
        ),
        ("--games 2 --player random --player greedy --each", "name=x", "--each: spec and name are"),
        ("--a random --b greedy --board", "8", "expected --games N"),
        (games, "0", "0 games for each pairing: expected 1 to 10000000"),
        (games, "18446744073709551615", "18446744073709551615 games for each pairing"),
        (b, "--board=7", "no start position"),
        (b, "--random-plies=95", "expected fewer"),
        (b, "--concurrency=0", "from 1 to 1024"),
        (b, "--sprt=10,0", "ELO0 below ELO1"),
        (b, "--time=0", "expected seconds above 0"),
        (b, "--threads=0", "expected a number of threads from 1 to "),
        (b, "--resume", "--record"),
        ("--a random --b quiver --games 2 --tc 1+1 --time", "1", "cannot be used with"),
        ("--board 6 --ladder", "random", "no ladder is shipped for 6x6: expected --board 8 or 10"),
        ("--board 8 --ladder level2 --record", "x.jsonl", "cannot be used with"),
        ("--board 8 --ladder level2", "--resume", "cannot be used with"),
        ("--board 8 --ladder level2 --each", "name=x", "--each: spec and name are"),
        ("--board 6 --tournament", "ladder", "--tournament ladder: no ladder is shipped for 6x6"),
        // What follows the ladder's own checks.
        ("--random-plies 95 --board 8 --tournament", "ladder", "--random-plies"),
        ("--random-plies 95 --board 10 --tournament", "ladder", "--random-plies"),
    ] {
        refused(line, &[last], expected);
    }
    let (_, _, err) = play(a, &["quivr"]);
    assert_eq!(err.matches("--b: no player is called 'quivr'").count(), 1, "{err}");
}

#[test]
fn openings_that_cannot_be_played() {
    let scratch = Scratch::new("bad-openings");
    let file = scratch.path("openings.txt");
    let line = format!("--b greedy --games 2 --openings {file} --a");
    refused(&line, &["random"], &file);
    let small = "q5/6/3q2/2Q3/6/5Q b - - 0 1\n";
    for (text, more, expected) in [
        (
            "c1-c6/f6\nc1-c6/f6 c1-c2/c3\n",
            &["random", "--board", "8"][..],
            "line 2: as a list of moves: the moves cannot be played from the start on 8x8: move 2, c1-c2/c3: c1",
        ),
        (
            "q2/4/2Q w",
            &["random"],
            "line 1: as a list of moves: a position that cannot be read: row 2 of the FEN",
        ),
        (
            &format!("c1-c6/f6\n{small}"),
            &["random", "--board", "8"],
            "an opening begins on 6x6, at q5/6/3q2/2Q3/6/5Q b - - 0 1: expected 8x8",
        ),
        ("# nothing\n", &["random"], "it holds no game: expected moves or a FEN a line"),
        (small, &["cmd:cat"], "cannot be told to begin at q5/6"),
    ] {
        std::fs::write(&file, text).unwrap();
        refused(&line, more, expected);
    }
    refused(&line, &["random", "--openings-start", "9"], "quiver: --openings-start 9: expected 1 to 1");
}

#[test]
fn records_of_other_matches() {
    let scratch = Scratch::new("bad-records");
    let record = scratch.path("record.jsonl");
    let line = format!("--a random --games 4 --record {record} --b");
    // An empty file is begun.
    std::fs::write(&record, "").unwrap();
    assert_eq!(play(&line, &["greedy"]).0, 0);
    let before = std::fs::read(&record).unwrap();
    refused(&line, &["greedy"], "exists: expected --resume");
    let missing = scratch.path("missing/record.jsonl");
    let expected = "missing/record.jsonl: its folder is missing: expected one that exists";
    refused("--a random --b greedy --games 2 --record", &[&missing], expected);
    let resume = |more: &str, expected: &str| refused(&format!("--resume {line} {more}"), &[], expected);
    resume("random", "record of another match");
    resume(&format!("greedy --log {}", scratch.path("no/such/log")), "no/such/log: ");
    resume("greedy --seed 9", "contest.seed is 1 there and 9 here");
    resume("greedy --board 8", "contest.openings.start is ");
    resume("greedy --first-time 2", "contest.players.0.first_time is null there and 2.0 here");
    resume("greedy --playouts 10", "contest.players.0.playouts is null there and 10 here");
    assert_eq!(std::fs::read(&record).unwrap(), before);
    for (text, place) in [
        ("my notes", "line 1, byte 0: "),
        ("my notes\n", "line 1, byte 0: "),
        ("{\"contest\"\n", "line 1, byte 0: "),
        ("\u{e9}\n", "line 1, byte 0: "),
        ("{\"contest\":{}}\n{}\n", "line 2, byte 15: "),
        (
            "{\"contest\":{}}\n{\"game\":0,\"crc\":\"00000000\"}\n",
            "byte 15: the line was changed: its checksum is",
        ),
    ] {
        std::fs::write(&record, text).unwrap();
        resume("greedy", place);
        assert_eq!(std::fs::read_to_string(&record).unwrap(), text);
    }
    // A record gains players, and no player gains options.
    std::fs::write(&record, "").unwrap();
    let line = format!("--playouts 1 --board 6 --games 2 --record {record} --player random --player");
    let engine = |settings: &str| player(&format!("uci:'{}' uci", env!("CARGO_BIN_EXE_quiver")), settings);
    assert_eq!(play(&line, &[&engine("")]).0, 0);
    let expected = "contest.players.1.options has 0 entries there and 1 here";
    refused(&line, &[&engine("option.Hash=16"), "--resume"], expected);
}

#[test]
fn tournaments_that_are_none() {
    let scratch = Scratch::new("bad-tournament");
    let file = scratch.path("missing.toml");
    refused("--games 2 --tournament", &[&file], &file);
    let two = players(&["random", "greedy"]);
    for (text, expected) in [
        ("games = ".to_owned(), "--tournament"),
        (String::new(), "0 players, expected at least 2"),
        (format!("name = \"x\"\n{two}"), "spec and name are those"),
        ("speed = 3\n".to_owned(), "unknown field `speed`"),
        (players(&["random", "rndom"]), "player 2: no player is called 'rndom'"),
        (format!("time = -1\n{two}"), "player 1: time '-1'"),
        (format!("tc = \"5+1\"\ntime = 1\n{two}"), "player 1: time and tc, expected one of them"),
        ("format = \"swiss\"\n".to_owned(), "unknown variant `swiss`"),
        (
            format!("format = \"neighbours\"\nreach = 0\n{two}"),
            "no two players meet, expected a reach of at least 1",
        ),
        (
            format!("format = \"neighbours\"\n{}reach = 0\n{}", players(&["random"]), players(&["greedy"])),
            "no two players meet, expected a reach of at least 1",
        ),
        (format!("games = 0\n{two}"), "0 games for each pairing: expected 1 to "),
        (format!("{two}name = \"random (2)\"\n{}", players(&["random"])), "are called 'random (2)'"),
    ] {
        refused(&format!("{} --games 2", tournament(&scratch, &text)), &[], expected);
    }
}
