//! The referee of a game: asks the players for moves, checks the answers, and ends the game.

use std::time::Duration;

use amazons::hash::mix;
use amazons::{Move, Position};

use super::launch::prepare_contestant;
use super::{
    Budget, Contestant, Entrant, GameConditions, GameContext, GameRecord, LaunchError, PlayerFault,
    RecordedPlayer, TimeControl, TurnResult, adjudication,
};
use crate::games::{EndKind, Game, GameEnd, PlayedMove, TurnFacts};
use crate::messages::counted;

/// The referee's judgement of a turn: a legal move within the time limit, or a fault.
pub(crate) type Verdict = Result<Move, PlayerFault>;

/// A function that is called after each turn with the game before the turn, the turn's result and
/// the verdict. If the function returns a fault, the player loses by this fault.
pub(crate) type TurnObserver<'a> = dyn FnMut(&Game, &TurnResult, &Verdict) -> Option<PlayerFault> + 'a;

/// Starts a player and asks it for one move. Returns the move or a message about the player's
/// fault, and the time of the turn.
pub(crate) fn ask_for_move(
    entrant: &Entrant,
    game: &Game,
    context: GameContext<'_>,
) -> Result<(Result<Move, String>, Duration), LaunchError> {
    let budget = entrant.budget(false, [None; 2], context.seat);
    let turn = prepare_contestant(entrant, context, game)?.turn(game, budget)?;
    let verdict = judge(game, &turn, budget, context.conditions);
    Ok((verdict.map_err(|fault| fault.to_string()), turn.spent))
}

/// Plays a new game from the start position of `game`, with one more ply than `game` has. `entrant`
/// has the side that is to move at the end of `game`, and chooses all moves of this side, including
/// the additional ply. The opponent plays the moves of `game`, or a random move if the move of
/// `game` is illegal in the new game. Returns early if the new game is over, at an interrupt, or
/// when `observe` returns a fault.
pub(crate) fn repeat_game(
    entrant: &Entrant,
    game: &Game,
    context: GameContext<'_>,
    observe: &mut TurnObserver<'_>,
) -> Result<(), LaunchError> {
    let opponent = (!game.position().to_move()).index();
    let mut repeated = RefereedGame::begin([0, 1], [entrant; 2], &Game::new(*game.start()), context)?;
    // `begin` made both players from `entrant`, so the opponent is replaced. A replaced Botzone
    // bot has not started a program yet, because a bot starts programs only in its turns.
    repeated.players[opponent] = Box::new(ScriptedPlayer { game, seed: context.seed });
    for _ in 0..=game.len() {
        if !repeated.play_turn(observe)? {
            break;
        }
    }
    Ok(())
}

/// A player that plays the moves of a game, or a random move if the move of the game is illegal.
struct ScriptedPlayer<'a> {
    game: &'a Game,
    seed: u64,
}

impl Contestant for ScriptedPlayer<'_> {
    fn turn(&mut self, game: &Game, _: Budget) -> Result<TurnResult, LaunchError> {
        let (position, ply) = (game.position(), game.len());
        let random = mix(&[self.seed, ply as u64]) % position.count_legal_moves(position.to_move());
        let scripted = self.game.move_to(ply + 1).filter(|&played| position.is_legal(played));
        let played = scripted.or_else(|| position.legal_moves_iter().nth(random as usize));
        let none = || PlayerFault::new(EndKind::Malformed, "the script has no move");
        Ok(TurnResult::new(played.ok_or_else(none), Duration::ZERO))
    }
}

/// Plays one game to its end. Returns `None` if the user interrupts the contest. `numbers` are the
/// players' indices in the contest.
pub(super) fn play<'a>(
    numbers: [usize; 2],
    entrants: [&'a Entrant; 2],
    opening: &Game,
    context: GameContext<'a>,
) -> Result<Option<GameRecord>, LaunchError> {
    let mut game = RefereedGame::begin(numbers, entrants, opening, context)?;
    let mut goes_on = Ok(true);
    while let Ok(true) = goes_on {
        if let Some(live) = &context.run.live {
            live.lock().insert(context.game, game.record.clone());
        }
        goes_on = game.play_turn(&mut |_, _, _| None);
    }
    if let Some(live) = &context.run.live {
        live.lock().remove(&context.game);
    }
    goes_on.map(|_| game.into_record())
}

/// A game in progress, with its players and their clocks.
pub(crate) struct RefereedGame<'a> {
    entrants: [&'a Entrant; 2],
    context: GameContext<'a>,
    players: [Box<dyn Contestant + 'a>; 2],
    clocks: [Option<TimeControl>; 2],
    record: GameRecord,
}

impl<'a> RefereedGame<'a> {
    pub(crate) fn begin(
        numbers: [usize; 2],
        entrants: [&'a Entrant; 2],
        opening: &Game,
        context: GameContext<'a>,
    ) -> Result<RefereedGame<'a>, LaunchError> {
        let player =
            |seat: usize| prepare_contestant(entrants[seat], GameContext { seat, ..context }, opening);
        let players = [player(0)?, player(1)?];
        let recorded = [0, 1].map(|seat: usize| RecordedPlayer {
            entrant: numbers[seat],
            name: entrants[seat].name.clone(),
            spec: entrants[seat].spec.to_string(),
            version: players[seat].version(),
            tc: entrants[seat].tc,
            seed: GameContext { seat, ..context }.player_seed(),
        });
        let clocks = entrants.map(|entrant| entrant.tc);
        let record = GameRecord::new(context.game, recorded, opening.clone());
        let record = GameRecord { place: context.place, ..record };
        Ok(RefereedGame { entrants, context, players, clocks, record })
    }

    /// The finished game. `None` if the contest was interrupted before the game ended.
    pub(crate) fn into_record(self) -> Option<GameRecord> {
        let interrupted = self.context.run.interrupt.is_stopped();
        Some(self.record).filter(|record| record.game.end.is_some() || !interrupted)
    }

    /// Plays the next turn, or ends the game if its winner is known. Returns false if the game has
    /// ended, or if the contest was interrupted before the turn.
    pub(crate) fn play_turn(&mut self, observe: &mut TurnObserver<'_>) -> Result<bool, LaunchError> {
        let game = &mut self.record.game;
        let position = game.position();
        if let (None, Some(winner)) = (&game.end, position.winner()) {
            game.end = Some(GameEnd::new(winner, EndKind::NoMove));
        } else if game.end.is_none() && self.context.conditions.adjudicate {
            game.end = end_by_proof(position);
        }
        if game.end.is_some() || self.context.run.interrupt.is_stopped() {
            return Ok(false);
        }
        self.record.game.end = self.take_turn(observe)?;
        Ok(self.record.game.end.is_none())
    }

    /// Plays and records one turn. Returns the end of the game if the player lost by a fault. A
    /// crashed program may be restarted, and then has the rest of the turn's time. A turn that an
    /// interrupt ended early is not recorded, and `observe` is not called.
    fn take_turn(&mut self, observe: &mut TurnObserver<'_>) -> Result<Option<GameEnd>, LaunchError> {
        let mover = self.record.game.position().to_move();
        let (seat, winner) = (mover.index(), !mover);
        let first_turn = self.record.plies_after_opening().len() < 2;
        let budget = self.entrants[seat].budget(first_turn, self.clocks, seat);
        let mut before = Duration::ZERO;
        let mut turn = loop {
            let time = budget.time.map(|time| time.saturating_sub(before));
            let mut turn = self.players[seat].turn(&self.record.game, Budget { time, ..budget })?;
            turn.spent += before;
            let crashed = turn.answer.as_ref().is_err_and(|fault| fault.reason == EndKind::Crash);
            let in_time = budget.time.is_none_or(|time| turn.spent < time);
            if !(crashed && in_time && self.try_restart(seat)?) {
                break turn;
            }
            self.record.restarts.push(self.record.plies_after_opening().len());
            before = turn.spent;
        };
        // An interrupt stops programs and searches, so an interrupted turn does not count.
        if self.context.run.interrupt.is_stopped() {
            return Ok(None);
        }
        // The time is rounded down to microseconds, so that it needs few digits in a record.
        let is_ready = self.players[seat].readiness().is_ok();
        let seconds = is_ready.then_some(turn.spent.as_micros() as f64 / 1e6);
        let verdict = judge(&self.record.game, &turn, budget, self.context.conditions);
        // After a fault, the program is ended first, so that its standard error is complete.
        if let (Err(_), Some(evidence)) = (&verdict, &mut turn.evidence)
            && let Some(standard_error) = self.players[seat].end_program()
        {
            evidence.standard_error = standard_error;
        }
        let verdict = observe(&self.record.game, &turn, &verdict).map_or(verdict, Err);
        Ok(match verdict {
            Ok(played) => {
                let facts = TurnFacts { seconds, ..turn.facts };
                // No error is possible, because `judge` has checked that the move is legal.
                let _ = self.record.game.play(PlayedMove { played, facts });
                if let Some(clock) = &mut self.clocks[seat] {
                    clock.spend(turn.spent);
                }
                None
            }
            Err(PlayerFault { reason, detail, answered }) => {
                self.record.evidence = turn.evidence;
                let turn = TurnFacts { seconds, ..TurnFacts::default() };
                Some(GameEnd { detail: Some(detail), answered, turn, ..GameEnd::new(winner, reason) })
            }
        })
    }

    /// Restarts a crashed program. Returns false if the player has used all its restarts, is not a
    /// program, or does not get ready, or if the contest is interrupted.
    fn try_restart(&mut self, seat: usize) -> Result<bool, LaunchError> {
        let (entrant, record) = (self.entrants[seat], &self.record);
        let restarts = record.restarts.iter().filter(|&&ply| record.mover(ply).index() == seat).count();
        let left = self.context.conditions.restarts.saturating_sub(restarts);
        let may_restart =
            left > 0 && !entrant.spec.command().is_empty() && self.players[seat].readiness().is_ok();
        if !may_restart || self.context.run.interrupt.is_stopped() {
            return Ok(false);
        }
        // A Botzone bot needs no restart, because its next request starts a new process.
        if entrant.is_botzone_bot() {
            return Ok(true);
        }
        let player = prepare_contestant(entrant, GameContext { seat, ..self.context }, &record.game)?;
        let is_ready = player.readiness().is_ok();
        if is_ready {
            self.players[seat] = player;
        }
        Ok(is_ready)
    }
}

fn end_by_proof(position: &Position) -> Option<GameEnd> {
    let (winner, margin) = adjudication::proven_winner(position)?;
    let margin =
        margin.map_or(String::new(), |margin| format!(" by {}", counted(u64::from(margin), "move", "moves")));
    let detail = format!("the {winner} player wins{margin} at {position}");
    Some(GameEnd { detail: Some(detail), ..GameEnd::new(winner, EndKind::Proven) })
}

fn judge(game: &Game, turn: &TurnResult, budget: Budget, conditions: GameConditions) -> Verdict {
    let played = turn.answer.clone()?;
    if let Some(limit) = budget.time.filter(|limit| turn.spent > *limit + conditions.grace) {
        let (spent, limit) = (turn.spent.as_secs_f64(), limit.as_secs_f64());
        let clock = budget.clocks[game.position().to_move().index()];
        let left = if clock.is_some() { " left on the game clock" } else { "" };
        return Err(PlayerFault::new(EndKind::Time, format!("used {spent:.3} s of {limit:.3} s{left}")));
    }
    game.position()
        .play(played)
        .map_err(|illegal| PlayerFault::illegal(played.into(), format!("{played}: {illegal}")))?;
    Ok(played)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use amazons::Size;

    use super::*;
    use crate::contest::contestant::RunOptions;
    use crate::search::EngineOptions;

    #[test]
    fn interrupted_game_leaves_live_list() {
        let start = Position::start(Size::square(6).unwrap()).unwrap();
        let player = Entrant::new("random".parse().unwrap(), &EngineOptions::default());
        for interrupted in [true, false] {
            let run = &RunOptions { live: Some(Arc::default()), ..RunOptions::default() };
            if interrupted {
                run.interrupt.stop();
            }
            let context = GameContext { game: 3, ..GameContext::new(GameConditions::default(), 1, run) };
            let record = play([0, 1], [&player; 2], &Game::new(start), context).unwrap();
            assert_eq!(record.is_none(), interrupted);
            assert!(run.live.as_ref().unwrap().lock().is_empty());
        }
    }

    #[test]
    fn moves_count_if_they_are_legal_and_in_time() {
        let game = Game::new(Position::start(Size::square(10).unwrap()).unwrap());
        let ms = Duration::from_millis;
        let conditions = GameConditions { grace: ms(20), ..GameConditions::default() };
        for (text, spent, limit, expected) in [
            ("d1-d7/g7", 120, Some(100), "d1-d7/g7"),
            ("d1-d7/g7", 1_000_000, None, "d1-d7/g7"),
            ("d1-d7/g7", 121, Some(100), "time: used 0.121 s of 0.100 s"),
            ("d1-d10/d9", 1, Some(100), "illegal move: d1-d10/d9: the amazon on d1"),
        ] {
            let turn = TurnResult::new(Ok(text.parse().unwrap()), ms(spent));
            let budget = Budget { time: limit.map(ms), ..Budget::default() };
            let verdict = judge(&game, &turn, budget, conditions);
            let judged = verdict.map_or_else(|fault| fault.to_string(), |played| played.to_string());
            assert!(judged.starts_with(expected), "{text}, {spent} ms: {judged}");
        }
    }
}
