//! Opening books: made, extended, played by, and refused.

use crate::common::program::{misused, printed, quiver, refusal, refuses, run};
use crate::common::scratch::Scratch;
use quiver::Coordinates;
use quiver::amazons::Move;

const FIRST: &[u8] = b"1\n-1 -1 -1 -1 -1 -1\n";

/// The first move of a bot with these arguments, and whether it searched for it.
fn opens(board: &str, more: &[&str]) -> (String, bool) {
    let bot = ["bot", "--board", board, "--playouts", "1", "--no-keep-running"];
    let run = run(quiver(&[&bot, more].concat()), FIRST);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let (answer, told) = run.out.trim_end().split_once('\n').unwrap();
    (answer.to_owned(), told != "book")
}

/// A full move as Botzone's six numbers.
fn numbers(played: &str) -> String {
    Coordinates::from(played.parse::<Move>().unwrap()).to_string()
}

#[test]
fn a_book_is_made_and_extended_and_a_bot_plays_by_it() {
    let scratch = Scratch::new("book-make");
    let [out, whole] = ["6.txt", "whole.txt"].map(|name| scratch.path(name));
    let make_at = |out: &str, positions: &str, more: &[&str]| {
        let line =
            ["book", "make", "--board", "6", "--playouts", "50", "--out", out, "--positions", positions];
        quiver(&[&line, more].concat())
    };
    let make = |positions: &str, more: &[&str]| make_at(&out, positions, more);
    assert_eq!(printed(make("4", &[])), format!("4 positions, 4 moves in {out}\n"));
    let four = scratch.read("6.txt");
    assert!(printed(make("9", &["--concurrency", "1"])).starts_with("9 positions, "));
    let nine = scratch.read("6.txt");
    let (head, lines) = nine.split_once('\n').unwrap();
    assert!(head.contains(" of 9 positions of 50 playouts, quiver ") && lines.lines().count() > 4, "{nine}");
    assert!(lines.lines().all(|line| line.contains(" # 0.")), "{nine}");
    assert_ne!(four, nine);
    printed(make_at(&whole, "9", &[]));
    assert_eq!(scratch.read("whole.txt"), nine, "the same book as in two parts");
    // Nine positions are there already.
    let journal = scratch.read("6.txt.journal");
    printed(make("9", &[]));
    assert_eq!((scratch.read("6.txt"), scratch.read("6.txt.journal")), (nine.clone(), journal));
    let first = lines.lines().find(|line| line.split(' ').count() == 3).unwrap();
    assert_eq!(opens("6", &["--book", &out]), (numbers(first.split(' ').next().unwrap()), false));
    for more in [&["--seed", "2"][..], &["--set", "exploration=0.5"], &["--threads", "2"]] {
        let changed = refusal(make("9", more), b"");
        assert!(changed.contains("holds positions of another book make: book."), "{changed}");
    }
}

#[test]
fn a_bot_opens_by_the_shipped_book_another_or_none() {
    let scratch = Scratch::new("book-bot");
    let other = scratch.file("other.txt", "c1-c2/c1\n");
    let empty = scratch.file("empty.txt", "");
    assert_eq!(opens("8", &["--book", &other]), (numbers("c1-c2/c1"), false));
    for board in ["8", "10"] {
        assert!(!opens(board, &[]).1, "{board}");
        let (searched, has_searched) = opens(board, &["--no-book"]);
        assert!(has_searched, "{board}");
        assert_eq!(opens(board, &["--book", &empty]), (searched, true));
    }
    assert!(opens("6", &[]).1, "no book is shipped for 6x6");
}

#[test]
fn refuses_what_is_no_book() {
    let scratch = Scratch::new("book-bad");
    for (text, expected) in [
        ("b1-b2/b1\nb1-b2/b1 b2-b6/b2\n", "line 2: ply 2, b2-b6/b2: "),
        ("b1-b2/b1 # .5\n# c\nhello\n", "line 3: 'hello' is no full move"),
        // Books that were cut off.
        ("# 2 moves of 3 positions\nb1-b2/b1 # .5\n", "1 whole lines: expected 2, as the head says"),
        ("# 2 moves of 3 positions\nb1-b2/b1 # .5\nb1-b2/b1 a5-b5/a5", "1 whole lines: expected 2"),
    ] {
        let path = scratch.file("bad.txt", text);
        for command in [&["bot", "--board", "6"][..], &["package", "--board", "6"]] {
            refuses(&[command, &["--book", &path]].concat(), &format!("bad.txt: {expected}"));
        }
    }
    refuses(&["bot", "--book", &scratch.path("none.txt")], "none.txt: ");
    refuses(&["bot", "--book", "a", "--player", "greedy"], "--book: player greedy has no book");
    misused(&["bot", "--book", "a", "--no-book"], "cannot be used with");
    misused(&["book", "make", "--out", "a"], "--positions");
    let line = ["book", "make", "--board", "6", "--positions", "1", "--out", "a", "--line"];
    for (moves, expected) in [("b1", "'b1'"), ("b1-b2/b1 b1-b2/b1", "expected legal moves from the start")] {
        refuses(&[&line[..], &[moves]].concat(), expected);
    }
    let out = scratch.path("none/a.txt");
    let make = ["book", "make", "--board", "6", "--positions", "1", "--out", &out];
    refuses(&make, "--out");
    refuses(
        &[&make[..], &["--playouts", "1000000"]].concat(),
        "for 1000000 playouts: expected at least 800000000",
    );
}
