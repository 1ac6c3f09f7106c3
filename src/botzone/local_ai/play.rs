//! One match: what has been asked and answered, and what the next request means for it.

use serde::{Deserialize, Serialize};

use crate::botzone::History;
use crate::botzone::request::{Form, Request, RequestBody, TimeLimit};
use crate::game::{Coordinates, FullMove, InputError};

/// A match as far as it is known: all plies, whatever shape the requests had. The state file holds
/// it in this form.
///
/// Every search is asked for by a full history, so that trees may come and go, and processes too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Play {
    form: Form,
    /// Request, response, request and so on; the first is [`Coordinates::NONE`] for the first
    /// player. A request waits for our answer while their number is odd. Without plies the match
    /// is lost: the position is unknown until a request tells the whole history.
    pub(super) plies: Vec<Coordinates>,
    /// Whether the site has our last answer. If not, it is sent with every poll.
    pub(super) confirmed: bool,
    #[serde(skip)]
    pub(super) time_limit: Option<TimeLimit>,
}

impl Play {
    pub(super) fn lost() -> Play {
        Play { form: Form::Json, plies: Vec::new(), confirmed: false, time_limit: None }
    }

    /// The match after a request; `before` is what is known of the match, if anything.
    pub fn receive(before: Option<&Play>, line: &str, start: &History) -> Result<Play, InputError> {
        let (plies, asked) = before.map_or((&[][..], &[][..]), |play| (&play.plies, play.asked()));
        let Request { form, content, time_limit } = line.parse()?;
        let plies = match content {
            RequestBody::History(plies) => plies,
            // No ply is legal twice: it burns a square. So this is the same request, not another
            // like it.
            RequestBody::Turn(ply) if asked.last() == Some(&ply) => asked.to_vec(),
            RequestBody::Turn(ply) if !plies.is_empty() && plies.len().is_multiple_of(2) => {
                [plies, &[ply]].concat()
            }
            // The first player's first request is a whole history, whatever came before it.
            RequestBody::Turn(ply)
                if before.is_none_or(|before| before.is_lost() && ply == Coordinates::NONE)
                    && start.read(&[ply]).is_ok() =>
            {
                vec![ply]
            }
            RequestBody::Turn(got) => {
                return Err(InputError(format!(
                    "a match that is not known here: the request is one ply ({got}) that neither begins it nor \
                     follows what is known of it; expected a whole history; was it begun by a process that kept \
                     no --state?"
                )));
            }
        };
        match before {
            // The site may have missed the answer.
            Some(before) if plies == asked => Ok(Play { confirmed: false, ..before.clone() }),
            _ => {
                start.read(&plies)?;
                Ok(Play { form, plies, confirmed: false, time_limit })
            }
        }
    }

    pub(super) fn is_lost(&self) -> bool {
        self.plies.is_empty()
    }

    pub(super) fn asked(&self) -> &[Coordinates] {
        match self.plies.split_last() {
            Some((_, asked)) if asked.len() % 2 == 1 => asked,
            _ => &self.plies,
        }
    }

    /// The question to a player, in the shape of a full history; `None` if nothing is asked.
    pub(super) fn question(&self) -> Option<Request> {
        let content = || RequestBody::History(self.plies.clone());
        let request = || Request { form: self.form, content: content(), time_limit: self.time_limit };
        (self.plies.len() % 2 == 1).then(request)
    }

    pub(super) fn answer(&mut self, full: FullMove) {
        self.plies.push(full.into());
        self.confirmed = false;
    }

    /// The answer that the site may not have yet, as it wants it: the move alone, on one line.
    pub(super) fn unconfirmed(&self) -> Option<String> {
        let last = *self.plies.last().filter(|_| self.plies.len().is_multiple_of(2) && !self.confirmed)?;
        match self.form {
            Form::Text => Some(last.to_string()),
            Form::Json => serde_json::to_string(&last).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::botzone::StartChoice;

    fn next(before: Option<&Play>, line: &str) -> Result<Play, String> {
        let start = History::new(8, false, StartChoice::Formula).unwrap();
        Play::receive(before, line, &start).map_err(|error| error.to_string())
    }

    const NONE: &str = "-1 -1 -1 -1 -1 -1";
    const OURS: &str = "5 0 3 2 6 5";
    const THEIRS: &str = "0 5 4 5 3 4";

    /// The request of the second turn, with its whole history.
    fn history(ours: &str) -> String {
        let object = |numbers: &str| serde_json::to_string(&numbers.parse::<Coordinates>().unwrap()).unwrap();
        let [none, ours, theirs] = [NONE, ours, THEIRS].map(object);
        format!(r#"{{"requests":[{none},{theirs}],"responses":[{ours}]}}"#)
    }

    #[test]
    fn a_match_that_is_not_known_needs_a_first_move_or_all_of_them() {
        // The first player's first move opens a match for the second.
        assert!(next(None, OURS).is_ok());
        // The second player's move does not, and no single ply goes on with a lost match.
        for (before, line) in [(None, THEIRS), (Some(Play::lost()), OURS)] {
            let error = next(before.as_ref(), line).unwrap_err();
            assert!(error.contains("not known here") && error.contains(line), "{error}");
        }
        for before in [None, Some(Play::lost())] {
            assert_eq!(next(before.as_ref(), &history(OURS)).unwrap().plies.len(), 3);
            assert_eq!(next(before.as_ref(), NONE).unwrap().plies.len(), 1);
        }
    }

    #[test]
    fn what_is_not_legal_is_refused_and_the_sites_history_counts() {
        let mut play = next(None, NONE).unwrap();
        assert!(next(Some(&play), THEIRS).unwrap_err().contains("not known here"));
        play.answer("2 0 2 1 2 0".parse().unwrap());
        // Another past than ours.
        let mut play = next(Some(&play), &history(OURS)).unwrap();
        play.answer("0 2 0 3 3 0".parse().unwrap());
        assert_eq!(
            next(Some(&play), "0 0 1 1 0 0").unwrap_err(),
            "ply 4: illegal move 0 0 1 1 0 0: a1 holds nothing, expected an amazon of the second player"
        );
        for line in ["", "3", "hello", "{\"x0\":1}"] {
            assert!(next(Some(&play), line).is_err(), "{line}");
        }
    }
}
