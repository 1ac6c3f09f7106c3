//! Referees one game: asks the players in turn, checks their answers, and ends the game. `check`
//! observes the turns.

use std::ops::ControlFlow;
use std::time::Duration;

use super::adjudication;
use super::contestant::{Budget, Conditions, Contestant, GameContext, TurnResult};
use super::entrant::Entrant;
use super::fault::{LaunchError, PlayerFault};
use super::fixtures::Fixture;
use super::game_clock::GameClock;
use super::game_record::{GameRecord, RecordedPlayer};
use crate::game::{EndKind, Fen, FullMove, Game, GameEnd, Ply, Position, TurnFacts};
use crate::messages::counted;

/// A move of the position in time, or a fault.
pub(super) type Verdict = Result<FullMove, PlayerFault>;

/// Takes the game before a turn, the seat, and the turn with its verdict. A fault that it returns
/// ends the game in place of a move.
pub(super) type TurnObserver<'a> = dyn FnMut(&Game, usize, &TurnResult, &Verdict) -> Option<PlayerFault> + 'a;

/// Plays one game to its end, and shows it meanwhile; `None` if the contest is interrupted.
pub(super) fn play<'a>(
    fixture: &Fixture,
    entrants: [&'a Entrant; 2],
    opening: &Game,
    context: GameContext<'a>,
) -> Result<Option<GameRecord>, LaunchError> {
    let mut game = RefereedGame::begin(fixture, entrants, opening, context)?;
    let mut played = Ok(ControlFlow::Continue(()));
    while let Ok(ControlFlow::Continue(())) = played {
        if let Some(live) = &context.run.live {
            live.lock().insert(fixture.game, game.record.clone());
        }
        played = game.step(&mut |_, _, _, _| None);
    }
    if let Some(live) = &context.run.live {
        live.lock().remove(&fixture.game);
    }
    played.map(|_| game.into_record())
}

pub(super) struct RefereedGame<'a> {
    entrants: [&'a Entrant; 2],
    context: GameContext<'a>,
    players: [Box<dyn Contestant + 'a>; 2],
    clocks: [Option<GameClock>; 2],
    restarts_left: [usize; 2],
    record: GameRecord,
}

impl<'a> RefereedGame<'a> {
    pub(super) fn begin(
        fixture: &Fixture,
        entrants: [&'a Entrant; 2],
        opening: &Game,
        context: GameContext<'a>,
    ) -> Result<RefereedGame<'a>, LaunchError> {
        let prepare = |seat: usize| entrants[seat].prepare(GameContext { seat, ..context }, opening.start());
        let players = [prepare(0)?, prepare(1)?];
        let recorded = [0, 1].map(|seat: usize| RecordedPlayer {
            entrant: fixture.players[seat],
            name: entrants[seat].name.clone(),
            spec: entrants[seat].spec.to_string(),
            version: players[seat].version(),
            tc: entrants[seat].tc,
            seed: GameContext { seat, ..context }.player_seed(),
        });
        let record = GameRecord::new(fixture.game, fixture.pair, recorded, opening.clone());
        Ok(RefereedGame {
            entrants,
            context,
            players,
            clocks: entrants.map(|entrant| entrant.tc.map(GameClock::new)),
            restarts_left: [context.conditions.restarts; 2],
            record,
        })
    }

    /// The record of the game so far; `None` if the contest was interrupted before its end.
    pub(super) fn into_record(self) -> Option<GameRecord> {
        let interrupted = self.context.run.is_interrupted();
        Some(self.record).filter(|record| record.game.end.is_some() || !interrupted)
    }

    /// Plays the next turn, or ends the game; break once it has ended or the contest is
    /// interrupted.
    pub(super) fn step(&mut self, observe: &mut TurnObserver<'_>) -> Result<ControlFlow<()>, LaunchError> {
        let game = &mut self.record.game;
        if let (None, Some(winner)) = (&game.end, game.position().winner()) {
            game.end = Some(GameEnd::new(winner, EndKind::NoMove));
        } else if game.end.is_none() && self.context.conditions.adjudicate {
            game.end = end_by_proof(game.position());
        }
        if game.end.is_some() || self.context.run.is_interrupted() {
            return Ok(ControlFlow::Break(()));
        }
        let seat = game.position().to_move().index();
        let lost = self.take_turn(seat, observe)?;
        // After an interrupt the player may seem to be at fault, or its move may be bad: the game
        // does not count.
        if self.context.run.is_interrupted() {
            return Ok(ControlFlow::Break(()));
        }
        if lost.is_some() {
            self.record.game.end = lost;
            return Ok(ControlFlow::Break(()));
        }
        let spent = self.record.played().last().and_then(|ply| ply.facts.seconds);
        if let (Some(clock), Some(seconds)) = (&mut self.clocks[seat], spent) {
            clock.spend(Duration::from_secs_f64(seconds));
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Plays and records one turn; returns the end if it lost the game, as a player does that could
    /// not be prepared. After a crash the program is restarted, if a restart is left, and the turn
    /// goes on in the time that is left.
    fn take_turn(
        &mut self,
        seat: usize,
        observe: &mut TurnObserver<'_>,
    ) -> Result<Option<GameEnd>, LaunchError> {
        let winner = !self.record.game.position().to_move();
        if let Some(fault) = self.players[seat].unprepared() {
            return Ok(Some(fault.clone().end(winner, TurnFacts::default())));
        }
        let first_turn = self.record.played().len() < 2;
        let budget = self.entrants[seat].budget(first_turn, self.clocks, seat);
        let mut before = Duration::ZERO;
        let turn = loop {
            let mut turn = self.players[seat].turn(&self.record.game, budget.after(before, seat))?;
            turn.spent += before;
            let crashed = turn.answer.as_ref().is_err_and(|fault| fault.reason == EndKind::Crash);
            let in_time = budget.time.is_none_or(|time| turn.spent < time);
            if !(crashed && in_time && self.restart(seat)?) {
                break turn;
            }
            self.record.restarts.push(self.record.played().len());
            before = turn.spent;
        };
        // No clock here is more precise than a microsecond, and short numbers keep the lines short.
        let seconds = Some(turn.spent.as_micros() as f64 / 1e6);
        let verdict = judge(&self.record.game, &turn, budget, self.context.conditions);
        let verdict = observe(&self.record.game, seat, &turn, &verdict).map_or(verdict, Err);
        Ok(match verdict {
            Ok(full) => {
                let facts = TurnFacts { seconds, ..turn.facts };
                // The move has been judged to be legal.
                let _ = self.record.game.extend([Ply { full, facts }]);
                None
            }
            Err(fault) => {
                self.record.evidence = turn.evidence;
                Some(fault.end(winner, TurnFacts { seconds, ..TurnFacts::default() }))
            }
        })
    }

    /// Starts a program again that has crashed; false if it may not.
    fn restart(&mut self, seat: usize) -> Result<bool, LaunchError> {
        let entrant = self.entrants[seat];
        if self.restarts_left[seat] == 0 || entrant.command().is_empty() || self.context.run.is_interrupted()
        {
            return Ok(false);
        }
        self.restarts_left[seat] -= 1;
        if !self.players[seat].starts_afresh() {
            let context = GameContext { seat, ..self.context };
            self.players[seat] = entrant.prepare(context, self.record.game.start())?;
        }
        Ok(self.players[seat].unprepared().is_none())
    }
}

/// The end of a game whose winner is proven.
fn end_by_proof(position: &Position) -> Option<GameEnd> {
    let (winner, margin) = adjudication::proven(position)?;
    let margin =
        margin.map_or(String::new(), |margin| format!(" by {}", counted(u64::from(margin), "move", "moves")));
    let detail = format!("the {winner} player wins{margin} at {}", Fen(*position));
    Some(GameEnd { detail: Some(detail), ..GameEnd::new(winner, EndKind::Proven) })
}

pub(super) fn judge(game: &Game, turn: &TurnResult, budget: Budget, conditions: Conditions) -> Verdict {
    let full = turn.answer.clone()?;
    if let Some(limit) = budget.time.filter(|limit| turn.spent > *limit + conditions.grace) {
        let (spent, limit) = (turn.spent.as_secs_f64(), limit.as_secs_f64());
        let clock = budget.clocks[game.position().to_move().index()];
        let left = if clock.is_some() { " left on the game clock" } else { "" };
        return Err(PlayerFault::new(EndKind::Time, format!("{spent:.3} s used of {limit:.3} s{left}")));
    }
    game.position()
        .play(full)
        .map_err(|illegal| PlayerFault::illegal(full.into(), format!("{full}: {illegal}")))?;
    Ok(full)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::contest::contestant::RunOptions;
    use crate::game::Size;
    use crate::players::EngineOptions;

    /// Answers every turn with the same result.
    struct Puppet(TurnResult);

    impl Contestant for Puppet {
        fn version(&self) -> String {
            "puppet".to_owned()
        }

        fn turn(&mut self, _game: &Game, _budget: Budget) -> Result<TurnResult, LaunchError> {
            Ok(self.0.clone())
        }
    }

    fn judged(answer: Verdict, spent_ms: u64, limit_ms: Option<u64>) -> (String, GameRecord) {
        let start = Position::start(Size::square(10).unwrap()).unwrap();
        let spent = Duration::from_millis(spent_ms);
        let facts = TurnFacts { value: Some(0.5), proven: true, playouts: Some(7), ..TurnFacts::default() };
        let turn = TurnResult { facts, ..TurnResult::new(answer, spent) };
        let mut entrant = Entrant::new("random".parse().unwrap(), &EngineOptions::default());
        entrant.time = limit_ms.map(Duration::from_millis);
        let fixture = Fixture { game: 0, pair: 0, opening: 0, players: [0, 1] };
        let conditions = Conditions { grace: Duration::from_millis(20), ..Conditions::default() };
        let context = GameContext { conditions, seed: 1, game: 0, seat: 0, run: &RunOptions::default() };
        let mut game = RefereedGame::begin(&fixture, [&entrant; 2], &Game::new(start), context).unwrap();
        game.players[0] = Box::new(Puppet(turn));
        game.record.game.end = game.take_turn(0, &mut |_, _, _, _| None).unwrap();
        let text = match &game.record.game.end {
            None => game.record.game.moves()[0].to_string(),
            Some(end) => format!("{}: {}", end.kind, end.detail.clone().unwrap_or_default()),
        };
        (text, game.record)
    }

    #[test]
    fn an_interrupted_game_is_live_no_longer() {
        let start = Position::start(Size::square(6).unwrap()).unwrap();
        let player = Entrant::new("random".parse().unwrap(), &EngineOptions::default());
        let fixture = Fixture { game: 3, pair: 1, opening: 0, players: [0, 1] };
        for interrupted in [true, false] {
            let (interrupt, live) = (Arc::new(interrupted.into()), Some(Arc::default()));
            let run = &RunOptions { interrupt, live, ..RunOptions::default() };
            let context = GameContext { conditions: Conditions::default(), seed: 1, game: 3, seat: 0, run };
            let record = play(&fixture, [&player; 2], &Game::new(start), context).unwrap();
            assert_eq!(record.is_none(), interrupted);
            assert!(run.live.as_ref().unwrap().lock().is_empty());
        }
    }

    #[test]
    fn moves_count_if_they_are_legal_and_in_time() {
        let legal: FullMove = "d1-d7/g7".parse().unwrap();
        let illegal: FullMove = "d1-d10/d9".parse().unwrap();
        let (text, record) = judged(Ok(legal), 120, Some(100));
        assert_eq!(text, "d1-d7/g7");
        let facts = &record.played()[0].facts;
        assert_eq!((record.played().len(), facts.seconds, &record.game.end), (1, Some(0.12), &None));
        assert_eq!((facts.value, facts.playouts, facts.proven), (Some(0.5), Some(7), true));
        assert_eq!(judged(Ok(legal), 1_000_000, None).0, "d1-d7/g7");
        let (text, record) = judged(Ok(legal), 121, Some(100));
        assert_eq!(text, "time: 0.121 s used of 0.100 s");
        assert_eq!((record.played().len(), record.end().turn.seconds), (0, Some(0.121)));
        assert!(judged(Ok(illegal), 1, Some(100)).0.starts_with("illegal move: d1-d10/d9: the amazon on d1"));
        let fault = PlayerFault::new(EndKind::Crash, "gone");
        assert_eq!(judged(Err(fault), 500, Some(100)).0, "crash: gone");
    }
}
