//! Opening books: made, extended, played by, and refused.

mod common;

use common::program::{misused, printed, quiver, refusal, refuses, run};
use common::scratch::Scratch;

const FIRST: &[u8] = b"1\n-1 -1 -1 -1 -1 -1\n";

/// The first move of a bot on 6x6 with these arguments.
fn opens(more: &[&str]) -> String {
    let bot = ["bot", "--board", "6", "--playouts", "1", "--no-keep-running"];
    printed_with(&[&bot, more].concat())
}

fn printed_with(arguments: &[&str]) -> String {
    let run = run(quiver(arguments), FIRST);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    run.out
}

#[test]
fn a_book_is_made_and_extended_and_a_bot_plays_by_it() {
    let scratch = Scratch::new("book-make");
    let out = scratch.path("6.txt");
    let make = |positions: &str, more: &[&str]| {
        let line =
            ["book", "make", "--board", "6", "--playouts", "50", "--out", &out, "--positions", positions];
        quiver(&[&line, more].concat())
    };
    assert_eq!(printed(make("4", &[])), format!("4 positions, 4 moves in {out}\n"));
    let four = scratch.read("6.txt");
    assert!(printed(make("9", &["--concurrency", "1"])).starts_with("9 positions, "));
    let nine = scratch.read("6.txt");
    let (head, lines) = nine.split_once('\n').unwrap();
    assert!(head.starts_with("# 9 positions of 50 playouts, quiver ") && lines.lines().count() > 4, "{nine}");
    assert!(lines.lines().all(|line| line.contains(" # 0.")), "{nine}");
    assert_ne!(four, nine);
    // The same positions again cost no search.
    printed(make("9", &[]));
    assert_eq!(scratch.read("6.txt"), nine);
    let first = nine.lines().find(|line| line.split(' ').count() == 3).unwrap();
    let numbers = |full: &str| {
        let squares = [&full[..2], &full[3..5], &full[6..]];
        let number = |at: &str| format!("{} {}", at.as_bytes()[0] - b'a', at.as_bytes()[1] - b'1');
        squares.map(number).join(" ")
    };
    let full = first.split(' ').next().unwrap();
    let answer = opens(&["--book", &out]);
    assert!(answer.starts_with(&numbers(full)), "{answer}: not {full}");
    let other = scratch.file("other.txt", "b1-b2/b1\n");
    assert!(opens(&["--book", &other]).starts_with(&numbers("b1-b2/b1")));
    assert_eq!(opens(&["--no-book"]), opens(&[]), "no book is shipped for 6x6");
    // Other players have no book.
    assert!(opens(&["--book", &other, "--player", "greedy"]) != opens(&["--book", &other]));
    let changed = refusal(make("9", &["--seed", "2"]), b"");
    assert!(
        changed.contains("holds positions of another book make: book.seed is 1 there and 2"),
        "{changed}"
    );
}

#[test]
fn what_is_no_book_is_refused() {
    let scratch = Scratch::new("book-bad");
    for (text, expected) in [("b1-b2/b1\nb1-b2/b1 b2-b9/b2\n", "line 2: "), ("hello\n", "line 1: ")] {
        let path = scratch.file("bad.txt", text);
        for command in [&["bot", "--board", "6"][..], &["package", "--board", "6"]] {
            refuses(&[command, &["--book", &path]].concat(), &format!("--book: {expected}"));
        }
    }
    refuses(&["bot", "--book", &scratch.path("none.txt")], "none.txt: ");
    misused(&["bot", "--book", "a", "--no-book"], "cannot be used with");
    misused(&["book", "make", "--out", "a"], "--positions");
    let out = scratch.path("none/a.txt");
    refuses(&["book", "make", "--board", "6", "--positions", "1", "--out", &out], "its folder is missing");
}
