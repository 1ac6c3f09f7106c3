//! Squares, moves and positions as text for serde: their names, and FEN.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::fen::Fen;
use super::moves::FullMove;
use super::position::Position;
use super::square::Square;

/// Reads text, borrowed or not, through a type's parser.
struct Text<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

impl Serialize for Square {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Square {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Square, D::Error> {
        from.deserialize_str(Text(PhantomData))
    }
}

impl Serialize for FullMove {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FullMove {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<FullMove, D::Error> {
        from.deserialize_str(Text(PhantomData))
    }
}

impl Serialize for Position {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Position, D::Error> {
        from.deserialize_str(Text::<Fen>(PhantomData)).map(|Fen(position)| position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Size;

    #[test]
    fn text_survives_serde() {
        let start = Position::start(Size::square(8).unwrap()).unwrap();
        let full: FullMove = "c1-c2/c1".parse().unwrap();
        let json = serde_json::to_string(&(start, full, full.arrow)).unwrap();
        assert_eq!(json, format!("[\"{start}\",\"c1-c2/c1\",\"c1\"]"));
        assert_eq!(
            serde_json::from_str::<(Position, FullMove, Square)>(&json).unwrap(),
            (start, full, full.arrow)
        );
        let error = serde_json::from_str::<FullMove>("\"c1-c2\"").unwrap_err().to_string();
        assert!(error.contains("'c1-c2' is no full move"), "{error}");
    }
}
