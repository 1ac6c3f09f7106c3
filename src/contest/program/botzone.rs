//! A bot written for Botzone, one process a turn or kept running, as its output tells.

use serde_json::Value;

use super::dialogue::{BotAnswer, Dialogue, UnreadableAnswer};
use super::exchange::{Exchange, Output, Usage};
use super::group::{Launch, ProcessGroup, describe};
use super::watch::WaitLimits;
use super::{json, text};
use crate::botzone::request::Form;
use crate::botzone::response::KEEP_RUNNING;
use crate::contest::contestant::{Budget, Contestant, GameContext, GameInPlay, TurnResult};
use crate::contest::fault::{Evidence, LaunchError, PlayerFault};
use crate::game::{Coordinates, EndKind, FullMove};

/// A bot in one game.
pub(in crate::contest) struct Bot<'a> {
    form: Form,
    launch: Launch<'a>,
    context: GameContext<'a>,
    /// The process that has asked to be kept.
    running: Option<ProcessGroup>,
    kept: [Value; 2],
    measured: bool,
}

/// A turn of a bot as an observer sees it.
#[derive(Debug)]
pub(in crate::contest) struct Observed {
    /// The move, legal or not, or why there is none.
    pub(in crate::contest) answer: Result<FullMove, PlayerFault>,
    /// The request in the form for a fresh process.
    pub(in crate::contest) input: String,
    /// What the turn took.
    pub(in crate::contest) usage: Usage,
    /// Bytes of `debug`, `data` and `globaldata`.
    pub(in crate::contest) extras: [usize; 3],
    /// Whether the bot asked to be kept running.
    pub(in crate::contest) asks_to_be_kept: bool,
    /// The end of standard error.
    pub(in crate::contest) complaint: String,
}

impl<'a> Bot<'a> {
    /// A bot whose first process is yet to start.
    pub(super) fn new(form: Form, launch: Launch<'a>, context: GameContext<'a>) -> Bot<'a> {
        Bot { form, launch, context, running: None, kept: Default::default(), measured: false }
    }

    /// A bot that an observer asks by [`Bot::observe`].
    pub(in crate::contest) fn observed(form: Form, launch: Launch<'a>, context: GameContext<'a>) -> Bot<'a> {
        Bot { measured: true, ..Bot::new(form, launch, context) }
    }

    /// A turn with all that can be seen of it. Without `keep` the next turn has a process of its
    /// own, whatever the bot asks for.
    pub(in crate::contest) fn observe(
        &mut self,
        game: &GameInPlay,
        budget: Budget,
        keep: bool,
    ) -> Result<Observed, LaunchError> {
        let input = self.whole_request(game, budget);
        let Exchange { outcome, usage, complaint, .. } = self.ask(game, budget)?;
        let asks_to_be_kept = self.running.is_some();
        let bytes = match &outcome {
            Ok(Output::Complete(bytes) | Output::Ended(bytes, _)) => bytes.clone(),
            Err(_) => Vec::new(),
        };
        self.kept = Default::default();
        let answer = outcome.and_then(|output| self.read(output));
        let length = |value: &Value| match value {
            Value::Null => 0,
            Value::String(text) => text.len(),
            other => other.to_string().len(),
        };
        let debug = match self.form {
            Form::Json => {
                let whole: Value = serde_json::from_slice(&bytes).unwrap_or_default();
                length(&whole["debug"])
            }
            Form::Text => bytes.split(|&byte| byte == b'\n').nth(1).map_or(0, <[u8]>::len),
        };
        let extras = [debug, length(&self.kept[0]), length(&self.kept[1])];
        if !keep {
            self.running = None;
        }
        Ok(Observed { answer, input, usage, extras, asks_to_be_kept, complaint })
    }

    fn ask(&mut self, game: &GameInPlay, budget: Budget) -> Result<Exchange, LaunchError> {
        let (mut group, request) = match self.running.take() {
            Some(group) => {
                let last = Dialogue::of(game).requests.last().copied().unwrap_or(Coordinates::NONE);
                let request = match self.form {
                    Form::Json => json::next(last),
                    Form::Text => text::next(last),
                };
                (group, request)
            }
            None => (ProcessGroup::start(&self.launch, &self.context)?, self.whole_request(game, budget)),
        };
        let wait = WaitLimits {
            limit: budget.time,
            conditions: self.context.conditions,
            interrupt: self.context.interrupt,
            measured: self.measured,
        };
        let exchange = group.exchange(request.as_bytes(), &wait, before_marker);
        if matches!(exchange.outcome, Ok(Output::Complete(_))) {
            self.running = Some(group);
        }
        Ok(exchange)
    }

    /// The request for a fresh process.
    fn whole_request(&self, game: &GameInPlay, budget: Budget) -> String {
        let dialogue = Dialogue::of(game);
        match self.form {
            Form::Json => json::full(&dialogue, budget, self.launch.memory_limit, &self.kept),
            Form::Text => text::full(&dialogue, &self.kept),
        }
    }

    fn read(&mut self, output: Output) -> Result<FullMove, PlayerFault> {
        let bytes = match output {
            // Blank lines may come between the turns of a kept bot; anything else there spoils its
            // answer.
            Output::Complete(bytes) => bytes.trim_ascii_start().to_vec(),
            Output::Ended(bytes, status) => {
                if !status.is_some_and(|status| status.success()) {
                    return Err(PlayerFault::new(EndKind::Crash, describe(status)));
                }
                if bytes.iter().all(u8::is_ascii_whitespace) {
                    return Err(PlayerFault::new(EndKind::Crash, "ended without an answer"));
                }
                bytes
            }
        };
        let malformed = |detail: String| {
            let seen: String = String::from_utf8_lossy(&bytes).chars().take(80).collect();
            PlayerFault::new(EndKind::Malformed, format!("{seen:?}: {detail}"))
        };
        let text = std::str::from_utf8(&bytes).map_err(|error| malformed(error.to_string()))?;
        let answer = match self.form {
            Form::Json => json::read(text),
            Form::Text => text::read(text),
        };
        let BotAnswer { coordinates, kept } = answer.map_err(|UnreadableAnswer(detail)| malformed(detail))?;
        self.kept = kept;
        let off_board =
            || PlayerFault::illegal(coordinates, format!("{coordinates}: not squares of a board"));
        coordinates.full_move().ok_or_else(off_board)
    }
}

impl Contestant for Bot<'_> {
    fn version(&self) -> String {
        // Bots say nothing about themselves.
        String::new()
    }

    fn starts_afresh(&self) -> bool {
        true
    }

    fn turn(&mut self, game: &GameInPlay, budget: Budget) -> Result<TurnResult, LaunchError> {
        let Exchange { outcome, spent, complaint, .. } = self.ask(game, budget)?;
        let evidence = Evidence { input: self.whole_request(game, budget), standard_error: complaint };
        Ok(TurnResult {
            answer: outcome.and_then(|output| self.read(output)),
            spent,
            value: None,
            proven: false,
            playouts: None,
            evidence: Some(evidence),
        })
    }
}

/// Where the marker's line begins, once it is whole: what stands before it is the answer.
fn before_marker(received: &[u8]) -> Option<usize> {
    let mut begin = 0;
    for line in received.split_inclusive(|&byte| byte == b'\n') {
        if line.ends_with(b"\n") && line.trim_ascii() == KEEP_RUNNING.as_bytes() {
            return Some(begin);
        }
        begin += line.len();
    }
    None
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
