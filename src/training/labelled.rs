//! Labelled positions as text: a line of JSON each, `{"position": FEN, "result": 1}`.

use serde::Deserialize;

use crate::game::Position;

/// A position and who won. Other fields of the line are ignored.
#[derive(Deserialize)]
pub(crate) struct Labelled {
    pub position: Position,
    /// 1 if the side to move won, else 0.
    result: serde_json::Number,
}

impl Labelled {
    pub(crate) fn parse(line: &str) -> Result<Labelled, String> {
        let form = |error| format!("{error}; expected {{\"position\": FEN, \"result\": 0 or 1}}");
        let labelled: Labelled = serde_json::from_str(line).map_err(form)?;
        let result = &labelled.result;
        if ![Some(0.0), Some(1.0)].contains(&result.as_f64()) {
            return Err(format!("result {result}: expected 1 if the side to move won, 0 if it lost"));
        }
        Ok(labelled)
    }

    pub(crate) fn won(&self) -> bool {
        self.result.as_f64() == Some(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_or_refused_by_name() {
        let labelled =
            Labelled::parse(r#"{"position": "q2/3/2Q w - - 0 1", "result": 1, "ply": 4}"#).unwrap();
        assert!(labelled.won() && labelled.position.to_string() == "q2/3/2Q w - - 0 1");
        assert!(!Labelled::parse(r#"{"result": 0.0, "position": "q2/3/2Q b"}"#).unwrap().won());
        for (line, expected) in [
            ("", "expected {\"position\": FEN, \"result\": 0 or 1}"),
            ("[]", "expected {\"position\""),
            (r#"{"position": "q2/3/2Q w"}"#, "missing field `result`"),
            (r#"{"position": 3, "result": 1}"#, "expected a string"),
            (r#"{"position": "q2/3/2Q x", "result": 1}"#, "'x' as the side to move"),
            (r#"{"position": "q2/3/2Q w", "result": 0.5}"#, "result 0.5: expected 1 if the side to move won"),
            (r#"{"position": "q2/3/2Q w", "result": -1}"#, "result -1"),
        ] {
            let error = Labelled::parse(line).err().unwrap();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
