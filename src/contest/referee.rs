//! Referees one game: asks the players in turn, checks their answers, and ends the game. `check`
//! observes the turns.

use std::ops::ControlFlow;
use std::time::Duration;

use super::adjudication;
use super::contestant::{Budget, Conditions, Contestant, GameContext, GameInPlay, TurnResult};
use super::entrant::Entrant;
use super::fault::{LaunchError, PlayerFault};
use super::fixtures::Fixture;
use super::game_clock::GameClock;
use super::game_record::{GameRecord, RecordedPlayer};
use super::live::LiveGame;
use super::openings::Opening;
use super::seeds;
use crate::game::{EndKind, Fen, FullMove, Position, Side};
use crate::messages::counted;

/// Follows the turns of a game.
pub(super) trait TurnObserver {
    /// Takes a turn with its verdict. A fault that it returns ends the game in place of a move.
    fn observe(
        &mut self,
        seat: usize,
        turn: &TurnResult,
        verdict: &Result<FullMove, PlayerFault>,
    ) -> Option<PlayerFault>;
}

/// No observer.
impl TurnObserver for () {
    fn observe(
        &mut self,
        _: usize,
        _: &TurnResult,
        _: &Result<FullMove, PlayerFault>,
    ) -> Option<PlayerFault> {
        None
    }
}

/// Plays one game to its end; `None` if the contest is interrupted.
///
/// # Errors
/// If a program does not start, which is no fault of the player.
pub(super) fn play<'a>(
    fixture: &Fixture,
    entrants: [&'a Entrant; 2],
    opening: &Opening,
    seed: u64,
    context: &GameContext<'a>,
) -> Result<Option<GameRecord>, LaunchError> {
    let mut game = RefereedGame::begin(fixture, entrants, opening, seed, context)?;
    while game.step(&mut ())?.is_continue() {}
    Ok(game.into_record())
}

/// A game in progress and its referee.
pub(super) struct RefereedGame<'a> {
    entrants: [&'a Entrant; 2],
    seeds: [u64; 2],
    start: Position,
    context: GameContext<'a>,
    players: [PreparedPlayer<'a>; 2],
    game: GameInPlay,
    clocks: [Option<GameClock>; 2],
    restarts_left: [usize; 2],
    record: GameRecord,
    live: Option<LiveGame<'a>>,
    winner: Option<Side>,
}

impl<'a> RefereedGame<'a> {
    /// Prepares the players and plays the opening.
    pub(super) fn begin(
        fixture: &Fixture,
        entrants: [&'a Entrant; 2],
        opening: &Opening,
        seed: u64,
        context: &GameContext<'a>,
    ) -> Result<RefereedGame<'a>, LaunchError> {
        let seeds = [0, 1].map(|seat| seeds::player(seed, fixture.game, seat));
        let prepare = |seat: usize| {
            entrants[seat].prepare(&GameContext { seat, ..*context }, &opening.start, seeds[seat])
        };
        let players: [PreparedPlayer<'a>; 2] = [prepare(0)?, prepare(1)?];
        let mut game = GameInPlay::new(opening.start);
        for &full in &opening.moves {
            game.advance(full);
        }
        let recorded = [0, 1].map(|seat: usize| RecordedPlayer {
            entrant: fixture.players[seat],
            name: entrants[seat].name.clone(),
            spec: entrants[seat].spec.to_string(),
            version: players[seat].as_ref().map_or(String::new(), |player| player.version()),
            tc: entrants[seat].allowance.control,
            seed: seeds[seat],
        });
        let record = blank(fixture, recorded, opening);
        Ok(RefereedGame {
            entrants,
            seeds,
            start: opening.start,
            context: *context,
            players,
            game,
            clocks: entrants.map(|entrant| entrant.allowance.control.map(GameClock::new)),
            restarts_left: [context.conditions.restarts; 2],
            live: context.live.map(|live| live.begin(&record)),
            record,
            winner: None,
        })
    }

    /// The record of the game once it has ended; `None` if the contest is interrupted.
    pub(super) fn into_record(self) -> Option<GameRecord> {
        Some(GameRecord { winner: self.winner?.index(), ..self.record })
    }

    /// Plays the next turn, or ends the game; break once it has ended or the contest is
    /// interrupted.
    ///
    /// # Errors
    /// If a program does not start, which is no fault of the player.
    pub(super) fn step(&mut self, observer: &mut dyn TurnObserver) -> Result<ControlFlow<()>, LaunchError> {
        if self.winner.is_none() {
            self.winner = self.game.position.winner().or_else(|| self.proven());
        }
        if self.winner.is_some() || self.context.interrupt.is_set() {
            return Ok(ControlFlow::Break(()));
        }
        let mover = self.game.position.to_move();
        let seat = mover.index();
        let verdict = self.take_turn(seat, observer)?;
        // After an interrupt the player may seem to be at fault, or its move may be bad: the game
        // does not count.
        if self.context.interrupt.is_set() {
            return Ok(ControlFlow::Break(()));
        }
        match verdict {
            Ok(full) => {
                self.game.advance(full);
                if let (Some(clock), Some(&Some(seconds))) =
                    (&mut self.clocks[seat], self.record.times.last())
                {
                    clock.spend(Duration::from_secs_f64(seconds));
                }
                if let Some(live) = &self.live {
                    live.update(&self.record);
                }
                Ok(ControlFlow::Continue(()))
            }
            Err(fault) => {
                self.record.reason = fault.reason;
                self.record.detail = Some(fault.detail);
                self.record.answered = fault.answered.map(|answered| answered.0);
                self.winner = Some(!mover);
                Ok(ControlFlow::Break(()))
            }
        }
    }

    /// The winner that the solver proves, where the conditions ask for it.
    fn proven(&mut self) -> Option<Side> {
        let adjudicate = self.context.conditions.adjudicate;
        let (winner, margin) = adjudicate.then(|| adjudication::proven(&self.game.position)).flatten()?;
        let margin = margin
            .map_or(String::new(), |margin| format!(" by {}", counted(u64::from(margin), "move", "moves")));
        let position = Fen(self.game.position);
        self.record.reason = EndKind::Proven;
        self.record.detail = Some(format!("the {winner} player wins{margin} at {position}"));
        Some(winner)
    }

    /// Plays and records one turn. A player that could not be prepared loses. After a crash the
    /// program is restarted, if a restart is left, and the turn goes on in the time that is left.
    fn take_turn(
        &mut self,
        seat: usize,
        observer: &mut dyn TurnObserver,
    ) -> Result<Result<FullMove, PlayerFault>, LaunchError> {
        let first_turn = self.record.moves.len() < 2;
        let budget = self.entrants[seat].allowance.budget(first_turn, self.clocks, seat);
        let mut before = Duration::ZERO;
        let turn = loop {
            let mut turn = match &mut self.players[seat] {
                Ok(player) => player.turn(&self.game, budget.after(before, seat))?,
                Err(fault) => return Ok(Err(fault.clone())),
            };
            turn.spent += before;
            let crashed = turn.answer.as_ref().is_err_and(|fault| fault.reason == EndKind::Crash);
            let in_time = budget.time.is_none_or(|time| turn.spent < time);
            if !(crashed && in_time && self.restart(seat)?) {
                break turn;
            }
            self.record.restarts.push(self.record.moves.len());
            before = turn.spent;
        };
        // No clock here is more precise than a microsecond, and short numbers keep the lines short.
        let seconds = turn.spent.as_micros() as f64 / 1e6;
        let verdict = judge(&self.game, &turn, budget, self.context.conditions);
        let verdict = observer.observe(seat, &turn, &verdict).map_or(verdict, Err);
        let record = &mut self.record;
        match verdict {
            Ok(full) => {
                record.moves.push(full.to_string());
                record.times.push(Some(seconds));
                if turn.proven {
                    record.proven.push(record.values.len());
                }
                record.values.push(turn.value);
                record.playouts.push(turn.playouts);
            }
            Err(_) => (record.last_time, record.evidence) = (Some(seconds), turn.evidence),
        }
        Ok(verdict)
    }

    /// Starts a program again that has crashed; false if it may not.
    fn restart(&mut self, seat: usize) -> Result<bool, LaunchError> {
        let entrant = self.entrants[seat];
        if self.restarts_left[seat] == 0 || !entrant.is_program() || self.context.interrupt.is_set() {
            return Ok(false);
        }
        self.restarts_left[seat] -= 1;
        if !self.players[seat].as_ref().is_ok_and(|player| player.starts_afresh()) {
            let context = GameContext { seat, ..self.context };
            self.players[seat] = entrant.prepare(&context, &self.start, self.seeds[seat])?;
        }
        Ok(self.players[seat].is_ok())
    }
}

/// A record before the first move.
fn blank(fixture: &Fixture, players: [RecordedPlayer; 2], opening: &Opening) -> GameRecord {
    GameRecord {
        game: fixture.game,
        pair: fixture.pair,
        players,
        start: Fen(opening.start).to_string(),
        opening: opening.moves.iter().map(ToString::to_string).collect(),
        moves: Vec::new(),
        times: Vec::new(),
        values: Vec::new(),
        proven: Vec::new(),
        playouts: Vec::new(),
        restarts: Vec::new(),
        winner: 0,
        reason: EndKind::NoMove,
        detail: None,
        answered: None,
        evidence: None,
        last_time: None,
    }
}

/// A player of a game, or the fault by which it could not be prepared.
type PreparedPlayer<'a> = Result<Box<dyn Contestant + 'a>, PlayerFault>;

/// The verdict on a turn: a move of this position, and in time, or a fault.
pub(super) fn judge(
    game: &GameInPlay,
    turn: &TurnResult,
    budget: Budget,
    conditions: Conditions,
) -> Result<FullMove, PlayerFault> {
    let full = turn.answer.clone()?;
    if let Some(limit) = budget.time.filter(|limit| turn.spent > *limit + conditions.grace) {
        let (spent, limit) = (turn.spent.as_secs_f64(), limit.as_secs_f64());
        let clock = budget.clocks[game.position.to_move().index()];
        let left = if clock.is_some() { " left on the game clock" } else { "" };
        return Err(PlayerFault::new(EndKind::Time, format!("{spent:.3} s used of {limit:.3} s{left}")));
    }
    game.position
        .play(full)
        .map_err(|illegal| PlayerFault::illegal(full.into(), format!("{full}: {illegal}")))?;
    Ok(full)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::contest::contestant::RunningSearches;
    use crate::contest::live::LiveGames;
    use crate::game::{Size, Start};
    use crate::players::EngineOptions;

    /// Answers every turn with the same result.
    struct Puppet(TurnResult);

    impl Contestant for Puppet {
        fn version(&self) -> String {
            "puppet".to_owned()
        }

        fn turn(&mut self, _game: &GameInPlay, _budget: Budget) -> Result<TurnResult, LaunchError> {
            Ok(self.0.clone())
        }
    }

    fn judged(
        answer: Result<FullMove, PlayerFault>,
        spent_ms: u64,
        limit_ms: Option<u64>,
    ) -> (String, GameRecord) {
        let start = Start::Formula.position(Size::square(10).unwrap()).unwrap();
        let spent = Duration::from_millis(spent_ms);
        let turn = TurnResult {
            value: Some(0.5),
            proven: true,
            playouts: Some(7),
            ..TurnResult::new(answer, spent)
        };
        let mut entrant = Entrant::new("random".parse().unwrap(), &EngineOptions::default());
        entrant.allowance.time = limit_ms.map(Duration::from_millis);
        let fixture = Fixture { game: 0, pair: 0, opening: 0, players: [0, 1] };
        let conditions = Conditions { grace: Duration::from_millis(20), ..Conditions::default() };
        let (flag, searches) = (AtomicBool::new(false), RunningSearches::default());
        let context = GameContext::new(conditions, &flag, &searches);
        let opening = Opening::bare(start);
        let mut game = RefereedGame::begin(&fixture, [&entrant; 2], &opening, 1, &context).unwrap();
        game.players[0] = Ok(Box::new(Puppet(turn)));
        let text = match game.take_turn(0, &mut ()).unwrap() {
            Ok(full) => full.to_string(),
            Err(fault) => format!("{}: {}", fault.reason, fault.detail),
        };
        (text, game.record)
    }

    #[test]
    fn an_interrupted_game_is_live_no_longer() {
        let start = Start::Formula.position(Size::square(6).unwrap()).unwrap();
        let player = Entrant::new("random".parse().unwrap(), &EngineOptions::default());
        let fixture = Fixture { game: 3, pair: 1, opening: 0, players: [0, 1] };
        let (searches, live) = (RunningSearches::default(), LiveGames::default());
        for interrupted in [true, false] {
            let flag = AtomicBool::new(interrupted);
            let conditions = Conditions::default();
            let context = GameContext {
                game: fixture.game,
                live: Some(&live),
                ..GameContext::new(conditions, &flag, &searches)
            };
            let record = play(&fixture, [&player; 2], &Opening::bare(start), 1, &context).unwrap();
            assert_eq!(record.is_none(), interrupted);
            assert!(live.snapshot().is_empty());
        }
    }

    #[test]
    fn moves_count_if_they_are_legal_and_in_time() {
        let legal: FullMove = "d1-d7/g7".parse().unwrap();
        let illegal: FullMove = "d1-d10/d9".parse().unwrap();
        let (text, record) = judged(Ok(legal), 120, Some(100));
        assert_eq!(text, "d1-d7/g7");
        assert_eq!((record.moves.len(), record.times[0], record.last_time), (1, Some(0.12), None));
        assert_eq!((record.values[0], record.playouts[0]), (Some(0.5), Some(7)));
        assert_eq!(record.proven, [0]);
        assert_eq!(judged(Ok(legal), 1_000_000, None).0, "d1-d7/g7");
        let (text, record) = judged(Ok(legal), 121, Some(100));
        assert_eq!(text, "time: 0.121 s used of 0.100 s");
        assert_eq!((record.moves.len(), record.last_time), (0, Some(0.121)));
        assert!(judged(Ok(illegal), 1, Some(100)).0.starts_with("illegal move: d1-d10/d9: the amazon on d1"));
        let fault = PlayerFault::new(EndKind::Crash, "gone");
        assert_eq!(judged(Err(fault), 500, Some(100)).0, "crash: gone");
    }
}
