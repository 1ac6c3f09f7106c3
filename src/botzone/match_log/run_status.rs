//! The site's words for what became of a turn.

use std::fmt;

/// How a player's program ran, by the site's sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RunStatus {
    /// It ran to its answer.
    #[default]
    Ok,
    /// `TLE`: it was too slow.
    TimeLimit,
    /// `RE`: it crashed.
    Runtime,
    /// `MLE`: it took too much memory.
    Memory,
    /// `OLE`: it wrote too much.
    Output,
    /// `NJ`: it wrote no JSON.
    NotJson,
    /// A word that is none of these.
    Other(String),
}

/// Why the judge ended a match before a player ran out of moves: `display.err`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `INVALIDMOVE`: the move was illegal.
    InvalidMove,
    /// `INVALID_INPUT_VERDICT_*`: there was no move to judge, and this is how the program had run.
    NoMove(RunStatus),
    /// Some other text.
    Other(String),
}

impl RunStatus {
    /// Reads the site's abbreviation.
    #[must_use]
    pub fn from_site(word: &str) -> RunStatus {
        match word {
            "OK" => RunStatus::Ok,
            "TLE" => RunStatus::TimeLimit,
            "RE" => RunStatus::Runtime,
            "MLE" => RunStatus::Memory,
            "OLE" => RunStatus::Output,
            "NJ" => RunStatus::NotJson,
            other => RunStatus::Other(other.chars().take(40).collect()),
        }
    }

    /// The site's abbreviation.
    #[must_use]
    pub fn as_site(&self) -> &str {
        match self {
            RunStatus::Ok => "OK",
            RunStatus::TimeLimit => "TLE",
            RunStatus::Runtime => "RE",
            RunStatus::Memory => "MLE",
            RunStatus::Output => "OLE",
            RunStatus::NotJson => "NJ",
            RunStatus::Other(word) => word,
        }
    }
}

/// What the program did, as the rest of a sentence.
impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RunStatus::Ok => "gave an answer that is no move (OK)",
            RunStatus::TimeLimit => "ran out of time (TLE)",
            RunStatus::Runtime => "crashed (RE)",
            RunStatus::Memory => "ran out of memory (MLE)",
            RunStatus::Output => "wrote too much (OLE)",
            RunStatus::NotJson => "wrote no JSON (NJ)",
            RunStatus::Other(word) => return write!(f, "failed ({})", word.escape_debug()),
        })
    }
}

impl Fault {
    /// Reads `display.err`.
    #[must_use]
    pub fn from_site(text: &str) -> Fault {
        match (text, text.strip_prefix("INVALID_INPUT_VERDICT_")) {
            ("INVALIDMOVE", _) => Fault::InvalidMove,
            (_, Some(word)) => Fault::NoMove(RunStatus::from_site(word)),
            _ => Fault::Other(text.chars().take(80).collect()),
        }
    }
}

/// As the site writes it.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::InvalidMove => f.write_str("INVALIDMOVE"),
            Fault::NoMove(verdict) => {
                write!(f, "INVALID_INPUT_VERDICT_{}", verdict.as_site().escape_debug())
            }
            Fault::Other(text) => write!(f, "{}", text.escape_debug()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sites_words_survive() {
        for word in ["OK", "TLE", "RE", "MLE", "OLE", "NJ", "SE"] {
            assert_eq!(RunStatus::from_site(word).as_site(), word);
            let err = format!("INVALID_INPUT_VERDICT_{word}");
            assert_eq!(Fault::from_site(&err), Fault::NoMove(RunStatus::from_site(word)));
            assert_eq!(Fault::from_site(&err).to_string(), err);
        }
        assert_eq!(Fault::from_site("INVALIDMOVE"), Fault::InvalidMove);
        assert_eq!(Fault::from_site("\u{1b}[31m").to_string(), "\\u{1b}[31m");
    }
}
