//! Where a log and the rules part ways.

use std::fmt;

/// Something in a log that cannot be so by the rules. Plies are counted from 1; "after ply 0" is
/// the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Its kind in one word, for programs.
    pub kind: &'static str,
    /// The ply it is about; `None` where it is about the result.
    pub ply: Option<usize>,
    /// What the log says and what the rules say.
    pub message: String,
    /// The legal full moves of both sides by the log and by the rules, where they differ.
    pub counts: Option<[[u64; 2]; 2]>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
