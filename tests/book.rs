//! Tests how opening books are made, extended, used by bots, and rejected.

use crate::common::judge::FIRST_TURN;
use crate::common::program::{inputs, printed, quiver, refusal, refusals, run};
use crate::common::scratch::Scratch;
use quiver::Coordinates;
use quiver::amazons::Move;

/// Returns the first move of a bot with these arguments, and true if the bot searched for it.
fn first_move(board: &str, more: &[&str]) -> (String, bool) {
    let bot = ["bot", "--board", board, "--playouts", "1", "--no-keep-running"];
    let run = run(quiver(&[&bot, more].concat()), FIRST_TURN.as_bytes());
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let (answer, told) = run.out.trim_end().split_once('\n').unwrap();
    (answer.to_owned(), told != "book")
}

fn numbers(played: &str) -> String {
    Coordinates::from(played.parse::<Move>().unwrap()).to_string()
}

#[test]
fn extended_book_equals_book_of_same_size() {
    let (scratch, [out, whole]) = Scratch::with_paths("book-make", ["6.txt", "whole.txt"]);
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
    assert!(
        head.contains(" for 9 positions searched with 50 playouts each, quiver ")
            && lines.lines().count() > 4,
        "{nine}"
    );
    assert!(lines.lines().all(|line| line.contains(" # 0.")), "{nine}");
    assert_ne!(four, nine);
    printed(make_at(&whole, "9", &[]));
    assert_eq!(scratch.read("whole.txt"), nine, "one run makes the same book as two");
    // The book has nine positions. Making it again changes neither the book nor its journal.
    let journal = scratch.read("6.txt.journal");
    printed(make("9", &[]));
    assert_eq!((scratch.read("6.txt"), scratch.read("6.txt.journal")), (nine.clone(), journal));
    let first = lines.lines().find(|line| line.split(' ').count() == 3).unwrap();
    assert_eq!(first_move("6", &["--book", &out]), (numbers(first.split(' ').next().unwrap()), false));
    for more in [&["--seed", "2"][..], &["--set", "exploration=0.5"], &["--threads", "2"]] {
        let changed = refusal(make("9", more), b"");
        assert!(changed.contains("holds positions of another book make: book."), "{changed}");
    }
}

#[test]
fn bot_opens_by_chosen_book() {
    let scratch = Scratch::new("book-bot");
    let other = scratch.file("other.txt", "c1-c2/c1\n");
    let empty = scratch.file("empty.txt", "");
    assert_eq!(first_move("8", &["--book", &other]), (numbers("c1-c2/c1"), false));
    for board in ["8", "10"] {
        assert!(!first_move(board, &[]).1, "{board}");
        let (searched, has_searched) = first_move(board, &["--no-book"]);
        assert!(has_searched, "{board}");
        assert_eq!(first_move(board, &["--book", &empty]), (searched, true));
    }
    assert!(first_move("6", &[]).1, "no book is shipped for 6x6");
}

const REFUSED: &str = include_str!("snapshots/quiver__book__refusals.snap");

#[test]
fn rejects_bad_books() {
    let scratch = Scratch::new("book-bad");
    for (name, text) in [
        ("illegal.txt", "b1-b2/b1\nb1-b2/b1 b2-b6/b2\n"),
        ("words.txt", "b1-b2/b1 # .5\n# c\nhello\n"),
        // The first line states two moves, but the second move is missing or cut off.
        ("short.txt", "# 2 moves of 3 positions\nb1-b2/b1 # .5\n"),
        ("cut.txt", "# 2 moves of 3 positions\nb1-b2/b1 # .5\nb1-b2/b1 a5-b5/a5"),
    ] {
        scratch.file(name, text);
    }
    insta::assert_snapshot!("refusals", refusals(&scratch.path(""), inputs(REFUSED)));
}
