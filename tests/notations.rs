//! Tests of all notations: printed values parse back to equal values, and parsing never panics.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use crate::common::strategies::{arbitrary_moves, boards, squares};
use proptest::prelude::*;
use quiver::Coordinates;
use quiver::amazons::{Move, Position, Square, UciMove};

/// Random texts, of which some are almost valid moves or FENs.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-kA-K0-9/,\\- ]{0,16}",
        "([a-j](10|[1-9])[-/,]?){1,5}",
        "(-?[0-9]{1,3} ?){0,8}",
        "([Qq*1-9]{1,11}/?){0,12}( [wb])?( -){0,3}( [0-9]{1,12}){0,3}",
        "[éа𝐚\u{0} a1]{0,6}",
    ]
}

fn damaged(text: &str, at: usize, by: Option<char>) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let at = at % characters.len();
    match by {
        Some(character) => characters[at] = character,
        None => drop(characters.remove(at)),
    }
    characters.into_iter().collect()
}

fn damage() -> impl Strategy<Value = (usize, Option<char>)> {
    (any::<usize>(), prop::option::of(prop_oneof![any::<char>(), prop::char::range('*', 'q')]))
}

fn check_round_trip(text: &str) -> Result<(), TestCaseError> {
    if let Ok(square) = text.parse::<Square>() {
        prop_assert_eq!(square.to_string(), text.to_ascii_lowercase());
    }
    if let Ok(played) = text.parse::<Move>() {
        prop_assert_eq!(played.to_string().parse(), Ok(played));
    }
    if let Ok(numbers) = text.parse::<Coordinates>() {
        prop_assert_eq!(numbers.to_string().parse(), Ok(numbers));
    }
    if let Ok(position) = text.parse::<Position>() {
        prop_assert_eq!(position.to_string().parse(), Ok(position));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_spelling_parses_to_same_move(square in squares(), played in arbitrary_moves()) {
        prop_assert_eq!(square.to_string().parse(), Ok(square));
        prop_assert_eq!(square.to_string().to_uppercase().parse(), Ok(square));
        prop_assert_eq!(Square::from_byte(square.to_byte()), Some(square));
        prop_assert_eq!(Square::new(square.x(), square.y()), Some(square));
        let Move { from, to, arrow } = played;
        let spellings = [
            played.to_string(),
            format!("{from}-{to}-{arrow}"),
            format!("{from}{to}{arrow}"),
            UciMove(played).to_string(),
            played.to_string().to_uppercase(),
            Coordinates::from(played).to_string(),
            format!(" {played}\r"),
        ];
        for text in spellings {
            prop_assert_eq!(text.parse(), Ok(played), "{}", text);
        }
        prop_assert_eq!(Coordinates::from(played).full_move(), Some(played));
    }

    #[test]
    fn every_position_survives_its_fen(plain in (1..=10_usize, 1..=10_usize).prop_flat_map(|(w, h)| boards(w, h))) {
        let position = plain.position();
        let text = position.to_string();
        prop_assert_eq!(text.parse(), Ok(position), "{}", text);
        prop_assert_eq!(text.trim_end_matches(" - - 0 1").parse(), Ok(position));
    }

    #[test]
    fn arbitrary_text_never_panics(text in texts()) {
        check_round_trip(&text)?;
    }

    #[test]
    fn damaged_text_fails_or_round_trips(
        played in arbitrary_moves(),
        plain in boards(6, 4),
        (at, by) in damage(),
    ) {
        let fen = plain.position().to_string();
        let numbers = Coordinates::from(played).to_string();
        for text in [played.to_string(), UciMove(played).to_string(), numbers, fen] {
            check_round_trip(&damaged(&text, at, by))?;
        }
    }
}

#[test]
fn errors_describe_every_fault() {
    fn error_texts<T: FromStr<Err: Display> + Debug>(texts: &str) -> String {
        texts.split('|').map(|text| format!("{text:?}: {}\n", text.parse::<T>().unwrap_err())).collect()
    }
    let squares = "|a|7|k1|a0|a01|a11|a1 |aa1|a-1|é1|aé";
    let moves = "|d1|d1-d7|d1-d7/|d1-d7/g7x|d1d7,d6g7|d1--d7/g7|d1/d7/g7|3 0 3 6 6|3 0 3 6 6 10|\
                 3 0 3 6 256 6|3 0 3 6 6 -1|d1-d11/g7|d1-d7/g7/a1";
    let positions = "|3/3/3 w - -|3/3/3 x|3/3/3 w - - 0 one|3/3/3 w KQ - 0 1|3/2/3 w|3/1x1/3 w|3/0Q2/3 w|\
                     11/11 w|99999999999999999999/3 w|/ w|QQQQQ/5 w|qqqqqq w";
    let errors =
        [error_texts::<Square>(squares), error_texts::<Move>(moves), error_texts::<Position>(positions)];
    insta::assert_snapshot!("errors", errors.join("\n"));
}
