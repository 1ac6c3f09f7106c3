//! A bot written for Botzone, one process a turn or kept running, as its output tells.

use serde_json::Value;

use super::exchange::{Exchange, whole_line};
use super::group::ProcessGroup;
use super::wire::{self, Extras};
use crate::botzone::request::Form;
use crate::botzone::response::KEEP_RUNNING;
use crate::contest::contestant::{Budget, Contestant, GameContext, LaunchError, PlayerFault, TurnResult};
use crate::contest::entrant::Entrant;
use crate::contest::game_record::Evidence;
use crate::game::{EndKind, FullMove, Game};
use crate::messages::excerpt;

/// The most bytes of output that are kept for people.
const MOST_SHOWN: usize = 2000;

pub(in crate::contest) struct Bot<'a> {
    form: Form,
    entrant: &'a Entrant,
    context: GameContext<'a>,
    /// The process that has asked to be kept.
    running: Option<ProcessGroup>,
    /// Those of its last answer.
    extras: Extras,
}

impl<'a> Bot<'a> {
    /// A bot whose first process is yet to start.
    pub(in crate::contest) fn new(form: Form, entrant: &'a Entrant, context: GameContext<'a>) -> Bot<'a> {
        Bot { form, entrant, context, running: None, extras: Extras::default() }
    }

    fn read(&mut self, output: &[u8], running: bool) -> Result<FullMove, PlayerFault> {
        // Blank lines may come between the turns of a kept bot; anything else there spoils its answer.
        let bytes = if running { output.trim_ascii_start() } else { output };
        // A turn without an answer has none of the turn before.
        self.extras = Extras::default();
        if !running && bytes.trim_ascii().is_empty() {
            return Err(PlayerFault::new(EndKind::Crash, "ended without an answer"));
        }
        let seen = || excerpt(&String::from_utf8_lossy(bytes), 80);
        let malformed =
            |detail: String| PlayerFault::new(EndKind::Malformed, format!("'{}': {detail}", seen()));
        let text = std::str::from_utf8(bytes).map_err(|error| malformed(error.to_string()))?;
        let (coordinates, extras) = wire::read(self.form, text).map_err(malformed)?;
        self.extras = extras;
        let off_board =
            || PlayerFault::illegal(coordinates, format!("{coordinates}: not squares of a board"));
        coordinates.full_move().ok_or_else(off_board)
    }
}

impl Contestant for Bot<'_> {
    fn turn(&mut self, game: &Game, budget: Budget) -> Result<TurnResult, LaunchError> {
        let history = wire::history(game);
        // The request for a fresh process, which repeats the turn by itself.
        let input = wire::full(self.form, &history, budget, self.entrant.memory_limit, &self.extras);
        let (mut group, request) = match self.running.take() {
            Some(group) => (group, &wire::next(self.form, history[history.len() - 1])),
            None => (ProcessGroup::start(self.entrant, &self.context)?, &input),
        };
        let Exchange { outcome, output, spent, complaint, usage } =
            group.exchange(request.as_bytes(), budget.time, &self.context, before_marker);
        if outcome == Ok(true) {
            self.running = Some(group);
        }
        let answer = outcome.and_then(|running| self.read(&output, running));
        let length = |value: &Value| match value {
            Value::Null => 0,
            value => value.as_str().map_or_else(|| value.to_string().len(), str::len),
        };
        let (asks_to_be_kept, extras) = (self.running.is_some(), self.extras.each_ref().map(length));
        if !self.entrant.keeps_running {
            self.running = None;
        }
        let evidence = Some(Evidence { input, standard_error: complaint });
        let output = String::from_utf8_lossy(&output[..output.len().min(MOST_SHOWN)]).into_owned();
        Ok(TurnResult { evidence, output, extras, asks_to_be_kept, usage, ..TurnResult::new(answer, spent) })
    }
}

/// The begin of the marker's line, once it is whole: the answer stands before it.
fn before_marker(received: &[u8]) -> Option<usize> {
    whole_line(received, |line| line == KEEP_RUNNING.as_bytes()).map(|line| line.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_is_a_whole_line() {
        let marker = KEEP_RUNNING;
        let at = |text: String| before_marker(text.as_bytes());
        assert_eq!(at(format!("{{}}\n{marker}\n")), Some(3));
        assert_eq!(at(format!("{{}}\r\n{marker}\r\nmore")), Some(4));
        assert_eq!(at(format!("{marker}\n")), Some(0));
        assert_eq!(at(format!("{{}}\n{marker}")), None);
        assert_eq!(at(format!("{{}}{marker}\n")), None);
        assert_eq!(at(String::new()), None);
    }
}
