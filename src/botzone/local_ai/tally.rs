//! The results of the matches that were played.

use std::collections::BTreeMap;
use std::fmt;

use super::poll::Finished;

/// How a match ended for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MatchResult {
    /// We have more than every other player.
    Won,
    /// Another player has more.
    Lost,
    /// Another player has as much.
    Drawn,
    /// There are no scores.
    Aborted,
    /// The site did not start it.
    NotStarted,
}

impl fmt::Display for MatchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MatchResult::Won => "won",
            MatchResult::Lost => "lost",
            MatchResult::Drawn => "drawn",
            MatchResult::Aborted => "aborted",
            MatchResult::NotStarted => "not started",
        })
    }
}

impl Finished {
    /// How it ended for us.
    pub(super) fn result(&self) -> MatchResult {
        let Some(scores) = &self.scores else { return MatchResult::Aborted };
        let Some(ours) = scores.get(self.slot) else { return MatchResult::Aborted };
        let others = scores.iter().enumerate().filter(|(slot, _)| *slot != self.slot).map(|(_, score)| score);
        let best = others.copied().fold(f64::NEG_INFINITY, f64::max);
        match ours.partial_cmp(&best) {
            Some(std::cmp::Ordering::Greater) => MatchResult::Won,
            Some(std::cmp::Ordering::Less) => MatchResult::Lost,
            _ => MatchResult::Drawn,
        }
    }
}

impl fmt::Display for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "match {}: {}", self.id, self.result())?;
        let Some(scores) = &self.scores else { return Ok(()) };
        let scores: Vec<String> = scores.iter().map(f64::to_string).collect();
        write!(f, " {} as the {} player", scores.join("-"), place(self.slot))
    }
}

/// A player by its place.
pub(super) fn place(slot: usize) -> &'static str {
    ["first", "second"].get(slot).copied().unwrap_or("further")
}

/// How many matches ended in each way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally(BTreeMap<MatchResult, u32>);

impl Tally {
    /// Counts a match in.
    pub(super) fn add(&mut self, result: MatchResult) {
        *self.0.entry(result).or_default() += 1;
    }

    /// Whether no match was counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |result| self.0.get(&result).copied().unwrap_or_default();
        write!(f, "finished: {} won, {} lost", count(MatchResult::Won), count(MatchResult::Lost))?;
        let others = self.0.range(MatchResult::Drawn..);
        others.into_iter().try_for_each(|(result, count)| write!(f, ", {count} {result}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_readable_lines() {
        let mut tally = Tally::default();
        for (slot, scores, expected) in [
            (0, &[2.0, 0.0][..], "match 5f0a: won 2-0 as the first player"),
            (1, &[2.0, 0.0], "match 5f0a: lost 2-0 as the second player"),
            (1, &[1.0, 1.0], "match 5f0a: drawn 1-1 as the second player"),
            (0, &[], "match 5f0a: aborted"),
        ] {
            let scores = (!scores.is_empty()).then(|| scores.to_vec());
            let finished = Finished { id: "5f0a".parse().unwrap(), slot, scores };
            tally.add(finished.result());
            assert_eq!(finished.to_string(), expected);
        }
        assert_eq!(tally.to_string(), "finished: 1 won, 1 lost, 1 drawn, 1 aborted");
        let won = Tally([(MatchResult::Won, 3)].into());
        assert_eq!(won.to_string(), "finished: 3 won, 0 lost");
    }
}
