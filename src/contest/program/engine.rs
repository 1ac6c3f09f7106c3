//! An engine as a player: a program with a protocol such as UCI. It is started once in each game,
//! gets ready before any clock runs, and then answers requests for moves.

use std::time::Duration;

use amazons::Move;

use super::exchange::{Exchange, LineKind};
use super::exchange_watch::Limit;
use super::group::ProcessGroup;
use crate::contest::{Budget, Clock, Contestant, Entrant, GameContext, LaunchError, PlayerFault, TurnResult};
use crate::games::{EndKind, Game, TurnFacts};
use crate::messages::excerpt;

/// The time limit of a reply that is not a move, such as the reply to `isready`.
const REPLY_TIMEOUT: Duration = Duration::from_secs(30);

/// The time for which a program may be idle before its first reply. A program that is idle for
/// longer probably expects another protocol, so the referee stops waiting.
const FIRST_REPLY_TIMEOUT: Duration = Duration::from_secs(3);

/// A protocol between the referee and engines: how to write requests and parse answers.
pub(in crate::contest) trait EngineProtocol {
    /// True if each request has all moves of the game, and so does not depend on earlier requests.
    const SENDS_WHOLE_GAME: bool = false;

    /// Prepares a program for `game`. Returns the options that the user set but the program lacks.
    fn get_ready(&mut self, program: &mut EngineProgram<'_>, game: &Game)
    -> Result<Vec<String>, PlayerFault>;

    fn request(&mut self, game: &Game, budget: Budget) -> String;

    /// Classifies a line of the answer. Stores the line's value and playouts, if any, in `facts`.
    fn classify_line(&mut self, line: &[u8], facts: &mut TurnFacts) -> LineKind;

    /// Parses the move. `answer` has the lines of the program's answer that `classify_line` has
    /// kept.
    fn read(&mut self, answer: &str, game: &Game) -> Result<Move, PlayerFault>;
}

/// A player whose program uses an engine protocol.
pub(in crate::contest) struct Engine<'a, P> {
    program: EngineProgram<'a>,
    protocol: P,
    /// The names of the options that the user set but the program lacks. `Err` if the program did
    /// not get ready. The player then loses in its first turn by the fault in `Err`.
    readiness: Result<Vec<String>, PlayerFault>,
}

impl<'a, P: EngineProtocol> Engine<'a, P> {
    /// Starts a program and prepares it for `game`. If the program does not get ready, this
    /// function succeeds, and `readiness` has the fault.
    pub(in crate::contest) fn start(
        mut protocol: P,
        entrant: &'a Entrant,
        context: GameContext<'a>,
        game: &Game,
    ) -> Result<Engine<'a, P>, LaunchError> {
        let group = ProcessGroup::start(entrant, &context)?;
        let mut program =
            EngineProgram { group, entrant, context, name: String::new(), earlier_requests: String::new() };
        let readiness = protocol.get_ready(&mut program, game);
        Ok(Engine { program, protocol, readiness })
    }
}

impl<P: EngineProtocol> Contestant for Engine<'_, P> {
    fn version(&self) -> String {
        self.program.name.clone()
    }

    fn readiness(&self) -> Result<&[String], &PlayerFault> {
        self.readiness.as_deref()
    }

    fn turn(&mut self, game: &Game, budget: Budget) -> Result<TurnResult, LaunchError> {
        if let Err(fault) = &self.readiness {
            return Ok(TurnResult::new(Err(fault.clone()), Duration::ZERO));
        }
        let Engine { program: EngineProgram { group, context, earlier_requests, .. }, protocol, .. } = self;
        let request = protocol.request(game, budget);
        let mut facts = TurnFacts::default();
        let classify = |line: &[u8]| protocol.classify_line(line, &mut facts);
        let exchange = group.exchange(request.as_bytes(), Limit::Turn(budget.time), context, classify);
        let input = earlier_requests.clone() + &request;
        if !P::SENDS_WHOLE_GAME {
            earlier_requests.clone_from(&input);
        }
        let answer = reply(&exchange);
        if answer.is_err() {
            facts = TurnFacts::default();
        }
        let answer = answer.and_then(|answer| protocol.read(&answer, game));
        let evidence = Some(group.evidence(input, &answer));
        Ok(TurnResult { facts, evidence, ..TurnResult::new(answer, exchange.spent) })
    }

    fn end_program(&mut self) -> Option<String> {
        self.program.group.kill_and_drain(drop);
        Some(self.program.group.standard_error.text())
    }
}

pub(in crate::contest) struct EngineProgram<'a> {
    group: ProcessGroup,
    pub(super) entrant: &'a Entrant,
    context: GameContext<'a>,
    /// The name and version that the program reports.
    pub(super) name: String,
    /// The earlier requests that a new process would need before the next request. The evidence of
    /// a fault contains these requests.
    earlier_requests: String,
}

impl EngineProgram<'_> {
    /// Sends a request that does not ask for a move, and returns the lines of the answer that
    /// `classify` keeps. `expected` is the beginning of the awaited line, for error messages.
    pub(super) fn query(
        &mut self,
        request: &str,
        expected: &str,
        mut classify: impl FnMut(&[u8]) -> LineKind,
    ) -> Result<String, PlayerFault> {
        let startup = self.entrant.startup;
        let most = startup.unwrap_or(REPLY_TIMEOUT);
        let idle =
            if self.earlier_requests.is_empty() { startup.unwrap_or(FIRST_REPLY_TIMEOUT) } else { most };
        self.earlier_requests.push_str(request);
        let mut stray = None;
        let classify = |line: &[u8]| {
            let kind = classify(line);
            if kind == LineKind::Dropped && !line.is_empty() {
                stray.get_or_insert_with(|| String::from_utf8_lossy(line).into_owned());
            }
            kind
        };
        let limit = Limit::Reply { most, idle };
        let exchange = self.group.exchange(request.as_bytes(), limit, &self.context, classify);
        if self.context.conditions.clock == Clock::Cpu {
            self.group.cpu_at_answer =
                self.group.take_snapshot().map_or(Duration::ZERO, |snapshot| snapshot.cpu);
        }
        reply(&exchange).map_err(|mut fault| {
            let got = stray.map_or("nothing".to_owned(), |line| format!("'{}'", excerpt(&line, 80)));
            let asked = request.lines().last().unwrap_or_default();
            fault.detail = format!("expected '{expected}' after '{asked}', got {got}: {}", fault.detail);
            if let Some(last) = self.group.standard_error.text().lines().last() {
                fault.detail = format!("{}; its standard error ends: {last}", fault.detail);
            }
            fault
        })
    }
}

/// The program's answer as text, or its fault. An engine that has ended counts as crashed.
fn reply(exchange: &Exchange) -> Result<String, PlayerFault> {
    match &exchange.outcome {
        Ok(true) => Ok(String::from_utf8_lossy(&exchange.output).into_owned()),
        Ok(false) => Err(PlayerFault::new(EndKind::Crash, "ended with status 0")),
        Err(fault) => Err(fault.clone()),
    }
}

/// Returns the word after the first `word` in a line.
pub(super) fn word_after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let mut words = line.split_ascii_whitespace();
    words.find(|&found| found == word)?;
    words.next()
}

pub(super) fn malformed(detail: String) -> PlayerFault {
    PlayerFault::new(EndKind::Malformed, detail)
}
