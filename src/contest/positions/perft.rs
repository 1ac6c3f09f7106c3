//! Reference counts of lines of play, which check any program's move generator.

use crate::game::{Fen, FenError, Position};

/// The counts that are shipped.
pub const SHIPPED: &str = include_str!("perft.txt");

/// A position and its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerftCase {
    /// The position.
    pub position: Position,
    /// Depths and counts.
    pub counts: Vec<(u32, u64)>,
}

/// The error of a line that is not a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum PerftError {
    #[error("line {line}: {cause}")]
    Fen { line: usize, cause: FenError },
    #[error("line {line}: '{got}': expected a depth and a count, as in 'D1 2176'")]
    Count { line: usize, got: String },
}

/// Reads cases: a FEN, then `; D1 COUNT ; D2 COUNT ...`; `#` begins a comment.
///
/// # Errors
/// If a line is no such case.
pub fn parse(text: &str) -> Result<Vec<PerftCase>, PerftError> {
    let lines = (1..).zip(text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()));
    let case = |(line, text): (usize, &str)| {
        let (fen, counts) = text.split_once(';').unwrap_or((text, ""));
        let Fen(position) = fen.trim().parse().map_err(|cause| PerftError::Fen { line, cause })?;
        let count = |part: &str| {
            let (depth, count) = part.trim().strip_prefix('D')?.split_once(' ')?;
            Some((depth.parse().ok()?, count.trim().parse().ok()?))
        };
        let count = |part: &str| {
            count(part).ok_or_else(|| PerftError::Count { line, got: part.trim().chars().take(40).collect() })
        };
        let counts = counts.split(';').map(count).collect::<Result<_, _>>()?;
        Ok(PerftCase { position, counts })
    };
    lines.filter(|(_, text)| !text.is_empty()).map(case).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::perft;

    #[test]
    fn shipped_counts_hold_to_the_second_ply() {
        let cases = parse(SHIPPED).unwrap();
        assert!(cases.len() >= 7);
        for PerftCase { position, counts } in cases {
            for (depth, count) in counts.into_iter().filter(|&(depth, _)| depth <= 2) {
                assert_eq!(perft(&position, depth), count, "{} at depth {depth}", Fen(position));
            }
        }
    }

    #[test]
    fn rejects_lines_that_are_no_counts() {
        for (text, expected) in [
            ("# only\nQ2/q w ; D1 3", "line 2: row"),
            ("Q2q w", "line 1: '': expected a depth"),
            ("Q2q w ; D1", "line 1: 'D1': expected"),
            ("Q2q w ; D1 x", "line 1: 'D1 x': expected"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
