//! The README's pictures are what the board renderer draws today.
//!
//! `QUIVER_WRITE_PICTURES=1 cargo test --test pictures` draws them anew.

use std::fs;
use std::path::Path;

use quiver::game::{FullMove, Size, Start};
use quiver::web::board;

#[test]
fn the_opening_of_a_real_match() {
    let moves = ["5 0 3 2 6 5", "0 5 4 5 3 4", "0 2 0 3 3 0", "2 7 2 5 1 4"];
    let mut position = Start::Formula.position(Size::square(8).unwrap()).unwrap();
    let mut last = None;
    for text in moves {
        let full: FullMove = text.parse().unwrap();
        position = position.play(full).unwrap();
        last = Some(full);
    }
    let drawn = board::svg(&position, last);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pictures/real-opening.svg");
    if std::env::var_os("QUIVER_WRITE_PICTURES").is_some() {
        fs::write(&path, &drawn).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap() == drawn, "{} is out of date", path.display());
}

#[test]
fn a_picture_is_well_formed() {
    // Inside the style sheet an angle bracket would open a tag: pages forgive it, pictures of their
    // own do not.
    assert!(!board::STYLE.contains(['<', '>', '&']));
}
