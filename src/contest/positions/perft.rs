//! Reference counts of lines of play, which check any program's move generator.

use std::fmt::Display;

use crate::game::{Fen, InputError, Position};
use crate::messages::excerpt;

pub(crate) const SHIPPED: &str = include_str!("perft.txt");

/// A position, and the count at each depth.
type PerftCase = (Position, Vec<(u32, u64)>);

/// Reads cases: a FEN, then `; D1 COUNT ; D2 COUNT ...`; `#` begins a comment.
pub(crate) fn parse(text: &str) -> Result<Vec<PerftCase>, InputError> {
    let lines = (1..).zip(text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()));
    let count = |part: &str| {
        let (depth, count) = part.trim().strip_prefix('D')?.split_once(' ')?;
        Some((depth.parse().ok()?, count.trim().parse().ok()?))
    };
    let case = |(line, text): (usize, &str)| {
        let (fen, counts) = text.split_once(';').unwrap_or((text, ""));
        let error = |cause: &dyn Display| InputError(format!("line {line}: {cause}"));
        let Fen(position) = fen.trim().parse().map_err(|cause| error(&cause))?;
        let counts = counts.split(';').map(|part| {
            let expected =
                || format!("'{}': expected a depth and a count, as in 'D1 2176'", excerpt(part.trim(), 40));
            count(part).ok_or_else(|| error(&expected()))
        });
        Ok((position, counts.collect::<Result<_, _>>()?))
    };
    lines.filter(|(_, text)| !text.is_empty()).map(case).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
