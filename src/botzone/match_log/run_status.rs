//! The site's words for what became of a turn.

use std::fmt;

/// The longest word of the site that is kept, in characters.
const LONGEST: usize = 80;

/// How a player's program ran, in the word of the site's sandbox: `OK`, `TLE` and others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStatus(String);

/// Why the judge ended a match before a player ran out of moves, in its own words: `display.err`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeError(String);

impl RunStatus {
    /// Reads the site's word.
    #[must_use]
    pub fn new(word: &str) -> RunStatus {
        RunStatus(word.chars().take(LONGEST).collect())
    }

    /// The program ran to its answer.
    #[must_use]
    pub fn ok() -> RunStatus {
        RunStatus::new("OK")
    }

    /// The program was too slow.
    #[must_use]
    pub fn time_limit() -> RunStatus {
        RunStatus::new("TLE")
    }

    /// The site's word.
    #[must_use]
    pub fn word(&self) -> &str {
        &self.0
    }
}

/// What the program did, as the rest of a sentence.
impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.word() {
            "OK" => "gave an answer that is no move",
            "TLE" => "ran out of time",
            "RE" => "crashed",
            "MLE" => "ran out of memory",
            "OLE" => "wrote too much",
            "NJ" => "wrote no JSON",
            _ => "failed",
        };
        write!(f, "{what} ({})", self.word().escape_debug())
    }
}

impl JudgeError {
    /// Reads `display.err`.
    #[must_use]
    pub fn new(text: &str) -> JudgeError {
        JudgeError(text.chars().take(LONGEST).collect())
    }

    /// Whether the move was illegal.
    #[must_use]
    pub fn is_invalid_move(&self) -> bool {
        self.0 == "INVALIDMOVE"
    }

    /// How the program had run, where there was no move to judge.
    #[must_use]
    pub fn run_status(&self) -> Option<RunStatus> {
        self.0.strip_prefix("INVALID_INPUT_VERDICT_").map(RunStatus::new)
    }
}

/// As the site writes it.
impl fmt::Display for JudgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_debug())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sites_words_survive() {
        for word in ["OK", "TLE", "SE"] {
            let error = JudgeError::new(&format!("INVALID_INPUT_VERDICT_{word}"));
            assert_eq!(error.run_status(), Some(RunStatus::new(word)));
            assert!(RunStatus::new(word).to_string().ends_with(&format!("({word})")));
        }
        let illegal = JudgeError::new("INVALIDMOVE");
        assert!(illegal.is_invalid_move() && illegal.run_status().is_none());
        assert_eq!(JudgeError::new("\u{1b}[31m").to_string(), "\\u{1b}[31m");
    }
}
