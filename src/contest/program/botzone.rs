//! A bot written for Botzone, one process a turn or kept running, as its output tells.

use serde_json::Value;

use super::exchange::{Exchange, Output};
use super::group::{ProcessGroup, describe};
use super::watch::Wait;
use super::{Launch, LaunchError, json, text};
use crate::botzone::response::KEEP_RUNNING;
use crate::contest::contestant::{Budget, Contestant, Game, Turn};
use crate::contest::entrant::Table;
use crate::contest::fault::{Evidence, Fault, Reason};
use crate::game::{Coordinates, FullMove, Side};

/// How a bot is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON.
    Json,
    /// Simplified interaction.
    Text,
}

/// A match from the point of view of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct History {
    /// What this side was asked: the moves of the other, after "none yet" for who moved first.
    pub(super) requests: Vec<Coordinates>,
    /// What this side answered; one less.
    pub(super) responses: Vec<Coordinates>,
}

impl History {
    /// The history of a game that began at a start position.
    fn of(game: &Game) -> History {
        let own = game.position.to_move().index();
        let moves = |side: usize| {
            game.moves.iter().skip(side).step_by(2).map(|&full| Coordinates::from(full)).collect()
        };
        let mut requests: Vec<Coordinates> = moves(1 - own);
        if game.position.to_move() == Side::First {
            requests.insert(0, Coordinates::NONE);
        }
        History { requests, responses: moves(own) }
    }
}

/// An answer that can be read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    /// The six numbers.
    pub(super) coordinates: Coordinates,
    /// `data` and `globaldata`, to be handed to the next process.
    pub(super) kept: [Value; 2],
}

/// Why an answer cannot be read.
#[derive(Debug)]
pub(super) struct Unread(pub(super) String);

/// A bot in one game.
pub(super) struct Bot<'a> {
    form: Form,
    launch: Launch<'a>,
    table: Table<'a>,
    /// The process that has asked to be kept.
    running: Option<ProcessGroup>,
    kept: [Value; 2],
}

impl<'a> Bot<'a> {
    /// A bot whose first process is yet to start.
    pub(super) fn new(form: Form, launch: Launch<'a>, table: Table<'a>) -> Bot<'a> {
        Bot { form, launch, table, running: None, kept: Default::default() }
    }

    fn ask(&mut self, game: &Game, budget: Budget) -> Result<Exchange, LaunchError> {
        let (mut group, request) = match self.running.take() {
            Some(group) => {
                let last = History::of(game).requests.last().copied().unwrap_or(Coordinates::NONE);
                let request = match self.form {
                    Form::Json => json::next(last),
                    Form::Text => text::next(last),
                };
                (group, request)
            }
            None => (ProcessGroup::start(&self.launch, &self.table)?, self.whole_request(game, budget)),
        };
        let wait =
            Wait { limit: budget.time, conditions: self.table.conditions, interrupt: self.table.interrupt };
        let exchange = group.exchange(request.as_bytes(), &wait, before_marker);
        if matches!(exchange.outcome, Ok(Output::Complete(_))) {
            self.running = Some(group);
        }
        Ok(exchange)
    }

    /// The request for a fresh process.
    fn whole_request(&self, game: &Game, budget: Budget) -> String {
        let history = History::of(game);
        match self.form {
            Form::Json => json::full(&history, budget, self.launch.memory_limit, &self.kept),
            Form::Text => text::full(&history, &self.kept),
        }
    }

    fn read(&mut self, output: Output) -> Result<FullMove, Fault> {
        let bytes = match output {
            // Blank lines may come between the turns of a kept bot; anything else there spoils its answer.
            Output::Complete(bytes) => bytes.trim_ascii_start().to_vec(),
            Output::Ended(bytes, status) => {
                if !status.is_some_and(|status| status.success()) {
                    return Err(Fault::new(Reason::Crash, describe(status)));
                }
                if bytes.iter().all(u8::is_ascii_whitespace) {
                    return Err(Fault::new(Reason::Crash, "ended without an answer"));
                }
                bytes
            }
        };
        let malformed = |detail: String| {
            let seen: String = String::from_utf8_lossy(&bytes).chars().take(80).collect();
            Fault::new(Reason::Malformed, format!("{seen:?}: {detail}"))
        };
        let text = std::str::from_utf8(&bytes).map_err(|error| malformed(error.to_string()))?;
        let answer = match self.form {
            Form::Json => json::read(text),
            Form::Text => text::read(text),
        };
        let Answer { coordinates, kept } = answer.map_err(|Unread(detail)| malformed(detail))?;
        self.kept = kept;
        let off_board = || Fault::illegal(coordinates, format!("{coordinates}: not squares of a board"));
        coordinates.full_move().ok_or_else(off_board)
    }
}

impl Contestant for Bot<'_> {
    fn version(&self) -> String {
        // Bots say nothing about themselves.
        String::new()
    }

    fn turn(&mut self, game: &Game, budget: Budget) -> Result<Turn, LaunchError> {
        let Exchange { outcome, spent, complaint } = self.ask(game, budget)?;
        let evidence = Evidence { input: self.whole_request(game, budget), standard_error: complaint };
        Ok(Turn {
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
    use crate::game::{Size, Start};

    #[test]
    fn either_side_sees_the_match_its_own_way() {
        let start = Start::Formula.position(Size::square(10).unwrap()).unwrap();
        let mut game = Game::new(start);
        assert_eq!(History::of(&game), History { requests: vec![Coordinates::NONE], responses: Vec::new() });
        let moves: Vec<FullMove> =
            ["d1-d7/g7", "d10-d9/a9", "g1-g2/g1"].map(|text| text.parse().unwrap()).to_vec();
        let numbers: Vec<Coordinates> = moves.iter().copied().map(Coordinates::from).collect();
        game.advance(moves[0]);
        assert_eq!(History::of(&game), History { requests: vec![numbers[0]], responses: Vec::new() });
        game.advance(moves[1]);
        let first = History { requests: vec![Coordinates::NONE, numbers[1]], responses: vec![numbers[0]] };
        assert_eq!(History::of(&game), first);
        game.advance(moves[2]);
        let second = History { requests: vec![numbers[0], numbers[2]], responses: vec![numbers[1]] };
        assert_eq!(History::of(&game), second);
    }

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
