//! What a user is told, a line each.

use std::fmt;
use std::time::Duration;

use super::play::PlayError;
use super::poll::{Finished, SiteId};
use super::site::MatchOrder;
use crate::botzone::conversation::MatchError;
use crate::botzone::request::TimeLimit;
use crate::game::FullMove;
use crate::messages::counted;

/// Something that has happened.
#[derive(Debug)]
pub(crate) enum Notice {
    /// The first poll is next.
    Ready {
        /// Threads that think.
        threads: usize,
        /// Engines that share the memory.
        engines: usize,
    },
    /// Matches that an earlier process had begun.
    Restored(usize),
    /// The site has started a match for us.
    Started(SiteId, MatchOrder),
    /// It has not.
    NotStarted(MatchOrder, String),
    /// A match has been ended on our request.
    Aborted(SiteId),
    /// It has not.
    NotAborted(SiteId, String),
    /// A request as it was written.
    Request(SiteId, String),
    /// The limit that a request names, where its unit was guessed.
    TimeLimit(SiteId, TimeLimit),
    /// Our move.
    Answered {
        /// The match.
        id: SiteId,
        /// Its turn.
        turn: usize,
        /// The move.
        full: FullMove,
        /// What the search has to say.
        about: String,
    },
    /// A request came again, and its answer goes out again.
    Repeated(SiteId),
    /// The history of a request is not what was known here.
    Rewritten(SiteId),
    /// A request that cannot be answered, and is left as it is.
    Unanswerable(SiteId, PlayError),
    /// A request without an answer.
    NoAnswer(SiteId, MatchError),
    /// A fault of this program.
    Fault(SiteId, String),
    /// A match is over.
    Finished(Finished),
    /// A call came to nothing; the next try is after this time.
    Trouble(String, Duration),
    /// The site answers again after this many failures.
    Recovered(u32),
    /// A body that is none of a poll.
    Unreadable(String),
    /// The state file cannot be written, and is tried again at the next change.
    StateUnsaved(std::io::Error),
    /// The state file holds all changes again.
    StateSaved,
    /// The user wants to stop; this many answers are still to be found or delivered.
    Stopping(usize),
    /// The end came before these were confirmed, and before those were answered.
    Left {
        /// Answers that the site may not have.
        unconfirmed: usize,
        /// Requests that have none.
        unanswered: usize,
    },
    /// What has been played.
    Summary(Tally),
}

/// The results of the matches that were finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Matches won.
    pub(crate) won: u32,
    /// Matches lost.
    pub(crate) lost: u32,
    /// Matches without a winner.
    pub(crate) drawn: u32,
    /// Matches that ended without a result.
    pub(crate) aborted: u32,
    /// Matches that the site did not start.
    pub(crate) refused: u32,
}

/// How a match ended for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// We have more than everybody else.
    Won,
    /// Another player has more.
    Lost,
    /// Another player has as much.
    Drawn,
    /// There are no scores.
    Aborted,
}

impl Finished {
    /// How it ended for us.
    pub(crate) fn ending(&self) -> Ending {
        let Some(scores) = &self.scores else { return Ending::Aborted };
        let Some(ours) = scores.get(self.slot) else { return Ending::Aborted };
        let others = scores.iter().enumerate().filter(|(slot, _)| *slot != self.slot).map(|(_, score)| score);
        let best = others.copied().fold(f64::NEG_INFINITY, f64::max);
        match ours.partial_cmp(&best) {
            Some(std::cmp::Ordering::Greater) => Ending::Won,
            Some(std::cmp::Ordering::Less) => Ending::Lost,
            _ => Ending::Drawn,
        }
    }
}

impl Tally {
    /// Counts a match in.
    pub(crate) fn add(&mut self, ending: Ending) {
        *match ending {
            Ending::Won => &mut self.won,
            Ending::Lost => &mut self.lost,
            Ending::Drawn => &mut self.drawn,
            Ending::Aborted => &mut self.aborted,
        } += 1;
    }
}

impl Notice {
    /// Whether this is a result rather than talk.
    pub(crate) fn is_result(&self) -> bool {
        matches!(self, Notice::Finished(_) | Notice::Summary(_) | Notice::Started(..) | Notice::Aborted(_))
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Ready { threads, engines } => {
                let threads = counted(*threads, "thread", "threads");
                let engines = counted(*engines, "engine", "engines");
                write!(f, "本地AI is ready: {threads}, {engines}; Ctrl-C ends it")
            }
            Notice::Restored(count) => {
                write!(f, "goes on with {} of an earlier process", counted(*count, "match", "matches"))
            }
            Notice::Started(id, MatchOrder { bot, slot, .. }) => {
                write!(f, "match {id}: started against {bot}, as the {} player", place(*slot))
            }
            Notice::NotStarted(MatchOrder { bot, .. }, why) => {
                write!(f, "no match against {bot}: {why}")
            }
            Notice::Aborted(id) => write!(f, "match {id}: ended on request"),
            Notice::NotAborted(id, why) => write!(f, "match {id}: not ended: {why}"),
            Notice::Request(id, line) => write!(f, "match {id}: asked {line}"),
            Notice::TimeLimit(id, limit) => write!(f, "match {id}: {limit}"),
            Notice::Answered { id, turn, full, about } => {
                write!(f, "match {id}: turn {turn}, {full}, {about}")
            }
            Notice::Repeated(id) => write!(f, "match {id}: the same request again, its answer stays"),
            Notice::Rewritten(id) => {
                write!(f, "match {id}: the site tells another history than this process knew, and it counts")
            }
            Notice::Unanswerable(id, error) => write!(f, "match {id}: left unanswered: {error}"),
            Notice::NoAnswer(id, error) => write!(f, "match {id}: left unanswered: {error}"),
            Notice::Fault(id, reason) => {
                write!(f, "match {id}: left unanswered: this program is at fault: {reason}")
            }
            Notice::Finished(finished) => {
                let ending = match finished.ending() {
                    Ending::Won => "won",
                    Ending::Lost => "lost",
                    Ending::Drawn => "drawn",
                    Ending::Aborted => return write!(f, "match {}: aborted", finished.id),
                };
                write!(f, "match {}: {ending}", finished.id)?;
                let scores = finished.scores.as_deref().unwrap_or_default();
                let separators = std::iter::once(" ").chain(std::iter::repeat("-"));
                for (score, separator) in scores.iter().zip(separators) {
                    write!(f, "{separator}{score}")?;
                }
                write!(f, " as the {} player", place(finished.slot))
            }
            Notice::Trouble(why, wait) => write!(f, "{why}; again in {} s", wait.as_secs_f64()),
            Notice::Recovered(failures) => {
                write!(f, "the site answers again after {}", counted(*failures, "failure", "failures"))
            }
            Notice::Unreadable(why) => write!(f, "the site's message is not as documented: {why}"),
            Notice::StateUnsaved(error) => {
                write!(
                    f,
                    "the state file cannot be written: {error}; the matches go on, and it is tried again"
                )
            }
            Notice::StateSaved => f.write_str("the state file is up to date again"),
            Notice::Stopping(0) => f.write_str("stopping"),
            Notice::Stopping(count) => {
                let answers = counted(*count, "answer", "answers");
                write!(f, "stopping: {answers} to finish and deliver first; Ctrl-C again ends at once")
            }
            Notice::Left { unconfirmed, unanswered } => {
                let answers = counted(*unconfirmed, "answer", "answers");
                let requests = counted(*unanswered, "request", "requests");
                write!(f, "stopped with {answers} sent but not confirmed and {requests} not answered")
            }
            Notice::Summary(Tally { won, lost, drawn, aborted, refused }) => {
                write!(f, "finished: {won} won, {lost} lost")?;
                for (count, what) in [(drawn, "drawn"), (aborted, "aborted"), (refused, "not started")] {
                    if *count > 0 {
                        write!(f, ", {count} {what}")?;
                    }
                }
                Ok(())
            }
        }
    }
}

fn place(slot: usize) -> &'static str {
    match slot {
        0 => "first",
        1 => "second",
        _ => "further",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_readable_lines() {
        let finished = |slot, scores: &[f64]| Finished {
            id: "5f0a".parse().unwrap(),
            slot,
            scores: (!scores.is_empty()).then(|| scores.to_vec()),
        };
        let mut tally = Tally::default();
        for (finished, expected) in [
            (finished(0, &[2.0, 0.0]), "match 5f0a: won 2-0 as the first player"),
            (finished(1, &[2.0, 0.0]), "match 5f0a: lost 2-0 as the second player"),
            (finished(1, &[1.0, 1.0]), "match 5f0a: drawn 1-1 as the second player"),
            (finished(0, &[]), "match 5f0a: aborted"),
        ] {
            tally.add(finished.ending());
            let notice = Notice::Finished(finished);
            assert_eq!(notice.to_string(), expected);
            assert!(notice.is_result());
        }
        let summary = Notice::Summary(tally).to_string();
        assert_eq!(summary, "finished: 1 won, 1 lost, 1 drawn, 1 aborted");
        let none = Notice::Summary(Tally { won: 3, ..Tally::default() });
        assert_eq!(none.to_string(), "finished: 3 won, 0 lost");
    }
}
