//! One match: what has been asked and answered, and what the next request means for it.

use serde::{Deserialize, Serialize};

use crate::botzone::history::{History, HistoryError};
use crate::botzone::request::{Content, Form, Request, RequestError, TimeLimit};
use crate::botzone::starts::Starts;
use crate::game::{Coordinates, FullMove};

/// A match as far as it is known: all plies, whatever shape the requests had.
///
/// Every search is asked for by a full history, so that trees may come and go, and processes too.
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    form: Form,
    /// Request, response, request and so on; the first is [`Coordinates::NONE`] for the first
    /// player.
    entries: Vec<Coordinates>,
    phase: Phase,
    /// The site's own limit for this turn, where it names one.
    time_limit: Option<TimeLimit>,
}

/// Whose turn it is to say something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// A request waits for our answer.
    Asked,
    /// The answer is known here, and not yet by the site as far as we can tell: it is sent with
    /// every poll.
    Answered,
    /// The site has the answer.
    Confirmed,
    /// A request could not be understood, so that the position is unknown until one tells the whole
    /// history.
    Lost,
    /// The match is over: in the state file only.
    Ended,
}

/// What a request was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// One to answer.
    New,
    /// One to answer, whose history is not the one known here: the site's counts.
    Rewritten,
    /// The last one again, and its answer, if there is one, is to be sent again.
    Repeated,
    /// One more for a match that is lost anyway.
    StillLost,
}

/// Why a request cannot be answered, or a match not be restored.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message names what its fields hold")]
pub enum PlayError {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(
        "a match that is not known here: the request is one ply of it ({got}) and no first move, expected a \
         whole history or an earlier request; it was begun by a process that kept no --state"
    )]
    Forgotten { got: Coordinates },
    #[error("another request ({got}) before the last one was answered: expected the same again")]
    Unanswered { got: Coordinates },
    #[error("{entries} plies do not fit the phase {phase:?}")]
    Phase { phase: Phase, entries: usize },
}

impl Play {
    /// A match that nothing is known of.
    #[must_use]
    pub fn unknown() -> Play {
        Play { form: Form::Json, entries: Vec::new(), phase: Phase::Lost, time_limit: None }
    }

    /// A match as an earlier process left it.
    ///
    /// # Errors
    /// If its plies are not legal from these starts or do not fit the phase.
    pub fn restore(
        form: Form,
        entries: Vec<Coordinates>,
        phase: Phase,
        starts: &Starts,
    ) -> Result<Play, PlayError> {
        let odd = entries.len() % 2 == 1;
        let fits = match phase {
            Phase::Asked => odd,
            Phase::Answered | Phase::Confirmed => !odd && !entries.is_empty(),
            Phase::Lost | Phase::Ended => true,
        };
        if !fits {
            return Err(PlayError::Phase { phase, entries: entries.len() });
        }
        History::read(starts, &entries)?;
        Ok(Play { form, entries, phase, time_limit: None })
    }

    /// How the last request was written.
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// Request, response, request and so on.
    pub(super) fn entries(&self) -> &[Coordinates] {
        &self.entries
    }

    /// Whose turn it is.
    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// The site's limit for this turn, where its unit was guessed.
    pub(super) fn guessed_limit(&self) -> Option<TimeLimit> {
        self.time_limit.filter(|limit| limit.in_seconds)
    }

    /// Takes the line of a request.
    ///
    /// # Errors
    /// If it cannot be answered; the match is lost then, until a request tells its whole history.
    pub fn receive(&mut self, line: &str, starts: &Starts) -> Result<Received, PlayError> {
        let received = self.read(line).and_then(|request| self.take(request, starts));
        if received.is_err() {
            self.lose();
        }
        received
    }

    /// Reads a request, which must not go on over several lines.
    fn read(&self, line: &str) -> Result<Request, PlayError> {
        Ok(line.parse()?)
    }

    fn take(&mut self, request: Request, starts: &Starts) -> Result<Received, PlayError> {
        let Request { form, content, time_limit } = request;
        let received = match content {
            Content::History(entries) => self.take_history(entries, starts),
            Content::Turn(ply) => self.take_ply(ply, starts),
        }?;
        match received {
            Received::New | Received::Rewritten => {
                (self.form, self.phase, self.time_limit) = (form, Phase::Asked, time_limit);
            }
            Received::Repeated if self.phase == Phase::Confirmed => self.phase = Phase::Answered,
            Received::Repeated | Received::StillLost => {}
        }
        Ok(received)
    }

    /// The position is not known, or the match has no answer.
    pub(super) fn lose(&mut self) {
        self.phase = Phase::Lost;
    }

    fn take_history(&mut self, entries: Vec<Coordinates>, starts: &Starts) -> Result<Received, PlayError> {
        if self.phase != Phase::Lost && entries == self.asked() {
            return Ok(Received::Repeated);
        }
        History::read(starts, &entries)?;
        let extends = self.entries.is_empty() || entries.starts_with(&self.entries);
        self.entries = entries;
        Ok(if extends { Received::New } else { Received::Rewritten })
    }

    fn take_ply(&mut self, ply: Coordinates, starts: &Starts) -> Result<Received, PlayError> {
        match self.phase {
            Phase::Lost | Phase::Ended if self.entries.is_empty() => {
                if History::read(starts, &[ply]).is_err() {
                    return Err(PlayError::Forgotten { got: ply });
                }
            }
            Phase::Lost | Phase::Ended => return Ok(Received::StillLost),
            // No ply is legal twice: it burns a square. So this is the same request, not another
            // like it.
            _ if self.asked().last() == Some(&ply) => return Ok(Received::Repeated),
            Phase::Asked => return Err(PlayError::Unanswered { got: ply }),
            Phase::Answered | Phase::Confirmed => {
                let longer = [self.entries.as_slice(), &[ply]].concat();
                History::read(starts, &longer)?;
            }
        }
        self.entries.push(ply);
        Ok(Received::New)
    }

    /// The entries up to the last request.
    fn asked(&self) -> &[Coordinates] {
        match self.entries.split_last() {
            Some((_, asked)) if asked.len() % 2 == 1 => asked,
            _ => &self.entries,
        }
    }

    /// What to ask a player, in the shape of a full history; `None` if nothing is asked.
    pub(super) fn question(&self) -> Option<Request> {
        let content = || Content::History(self.entries.clone());
        let request = || Request { form: self.form, content: content(), time_limit: self.time_limit };
        (self.phase == Phase::Asked).then(request)
    }

    /// Our move in the position that was asked about.
    pub(super) fn answer(&mut self, full: FullMove) {
        if self.phase == Phase::Asked {
            self.entries.push(full.into());
            self.phase = Phase::Answered;
        }
    }

    /// The answer that the site may not have yet, as it wants it: the move alone, on one line.
    pub(super) fn unconfirmed(&self) -> Option<String> {
        let last = self.entries.last().filter(|_| self.phase == Phase::Answered)?;
        match self.form {
            Form::Text => Some(last.to_string()),
            Form::Json => serde_json::to_string(last).ok(),
        }
    }

    /// The site has the answer.
    pub(super) fn confirm(&mut self) {
        if self.phase == Phase::Answered {
            self.phase = Phase::Confirmed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::botzone::starts::StartChoice;
    use crate::game::Size;

    fn starts(board: usize) -> Starts {
        Starts::new(Size::square(board).unwrap(), false, StartChoice::Formula).unwrap()
    }

    fn receive(play: &mut Play, line: &str) -> Result<Received, String> {
        play.receive(line, &starts(8)).map_err(|error| error.to_string())
    }

    const NONE: &str = "-1 -1 -1 -1 -1 -1";
    const NONE_OBJECT: &str = r#"{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1}"#;
    const OURS: &str = "5 0 3 2 6 5";
    const THEIRS: &str = "0 5 4 5 3 4";

    fn full(numbers: &str) -> FullMove {
        numbers.parse().unwrap()
    }

    #[test]
    fn an_answer_is_sent_until_it_is_confirmed() {
        let mut play = Play::unknown();
        assert_eq!(receive(&mut play, NONE), Ok(Received::New));
        assert_eq!((play.phase(), play.unconfirmed()), (Phase::Asked, None));
        play.answer(full(OURS));
        assert_eq!(play.unconfirmed().as_deref(), Some(OURS));
        play.confirm();
        assert_eq!((play.phase(), play.unconfirmed(), play.question()), (Phase::Confirmed, None, None));
        // Asked again, the same answer goes out again.
        assert_eq!(receive(&mut play, NONE), Ok(Received::Repeated));
        assert_eq!(play.unconfirmed().as_deref(), Some(OURS));
        // The next request says that the answer came through.
        assert_eq!(receive(&mut play, THEIRS), Ok(Received::New));
        assert_eq!(play.entries().len(), 3);
    }

    #[test]
    fn the_three_shapes_are_answered_in_their_own_form() {
        let ours = r#"{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}"#;
        let history = format!(r#"{{"requests":[{NONE_OBJECT}],"responses":[]}}"#);
        for (line, answer) in [(NONE, OURS), (NONE_OBJECT, ours), (history.as_str(), ours)] {
            let mut play = Play::unknown();
            assert_eq!(receive(&mut play, line), Ok(Received::New), "{line}");
            assert_eq!(play.question().unwrap().content, Content::History(vec![Coordinates::NONE]));
            play.answer(full(OURS));
            assert_eq!(play.unconfirmed().as_deref(), Some(answer));
            assert_eq!(receive(&mut play, line), Ok(Received::Repeated), "{line}");
        }
    }

    #[test]
    fn a_match_that_is_not_known_needs_a_first_move_or_all_of_them() {
        // The first player's first move opens a match for the second.
        let mut second = Play::unknown();
        assert_eq!(receive(&mut second, OURS), Ok(Received::New));
        // The second player's move does not.
        let mut lost = Play::unknown();
        let error = receive(&mut lost, THEIRS).unwrap_err();
        assert!(error.contains("not known here") && error.contains(THEIRS), "{error}");
        assert_eq!((lost.phase(), lost.question()), (Phase::Lost, None));
        let theirs = r#"{"x0":0,"y0":5,"x1":4,"y1":5,"x2":3,"y2":4}"#;
        let ours = r#"{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}"#;
        let whole = format!(r#"{{"requests":[{NONE_OBJECT},{theirs}],"responses":[{ours}]}}"#);
        assert_eq!(receive(&mut lost, &whole), Ok(Received::New));
        assert_eq!((lost.phase(), lost.entries().len()), (Phase::Asked, 3));
    }

    #[test]
    fn a_match_is_lost_by_what_is_not_legal_and_found_again_by_a_history() {
        let mut play = Play::unknown();
        receive(&mut play, NONE).unwrap();
        assert!(receive(&mut play, THEIRS).unwrap_err().contains("before the last one was answered"));
        assert_eq!(play.phase(), Phase::Lost);
        assert_eq!(receive(&mut play, THEIRS), Ok(Received::StillLost));
        let other = r#"{"x0":2,"y0":0,"x1":2,"y1":1,"x2":2,"y2":0}"#;
        let theirs = r#"{"x0":0,"y0":5,"x1":4,"y1":5,"x2":3,"y2":4}"#;
        let whole = format!(r#"{{"requests":[{NONE_OBJECT},{theirs}],"responses":[{other}]}}"#);
        assert_eq!(receive(&mut play, &whole), Ok(Received::New));
        play.answer(full("2 1 2 2 2 1"));
        // Another past than ours: the site's counts.
        let ours = r#"{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}"#;
        let whole = format!(r#"{{"requests":[{NONE_OBJECT},{theirs}],"responses":[{ours}]}}"#);
        assert_eq!(receive(&mut play, &whole), Ok(Received::Rewritten));
        play.answer(full("0 2 0 3 3 0"));
        let error = receive(&mut play, "0 0 1 1 0 0").unwrap_err();
        assert_eq!(
            error,
            "ply 4: illegal move 0 0 1 1 0 0: a1 holds nothing, expected an amazon of the second player"
        );
        for line in ["", "3", "hello", "{\"x0\":1}"] {
            assert!(receive(&mut play, line).is_err(), "{line}");
        }
    }

    #[test]
    fn what_is_restored_is_what_was_left_or_nothing() {
        let entries: Vec<Coordinates> = [NONE, OURS].iter().map(|text| text.parse().unwrap()).collect();
        let restore =
            |count: usize, phase| Play::restore(Form::Text, entries[..count].to_vec(), phase, &starts(10));
        assert_eq!(restore(2, Phase::Answered).unwrap().unconfirmed().as_deref(), Some(OURS));
        assert!(restore(1, Phase::Asked).unwrap().question().is_some());
        for (count, phase) in
            [(2, Phase::Asked), (1, Phase::Answered), (1, Phase::Confirmed), (0, Phase::Answered)]
        {
            let error = restore(count, phase).unwrap_err().to_string();
            assert_eq!(error, format!("{count} plies do not fit the phase {phase:?}"));
        }
        let twice = vec![entries[1], entries[1]];
        let error = Play::restore(Form::Text, twice, Phase::Answered, &starts(10)).unwrap_err();
        assert!(matches!(error, PlayError::History(_)), "{error}");
    }
}
