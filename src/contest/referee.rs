//! Referees one game: asks the players in turn, checks their answers, and ends the game.

use std::time::Duration;

use super::adjudication;
use super::contestant::{Budget, Conditions, Contestant, GameContext, GameInPlay, TurnResult};
use super::entrant::Entrant;
use super::fault::{LaunchError, PlayerFault};
use super::fixtures::Fixture;
use super::game_clock::GameClock;
use super::game_record::{GameRecord, RecordedPlayer};
use super::openings::Opening;
use super::seeds;
use crate::game::{EndKind, Fen, FullMove};
use crate::messages::counted;

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
    let prepare = |seat: usize| -> Result<PreparedPlayer<'a>, LaunchError> {
        entrants[seat].prepare(
            &GameContext { seat, ..*context },
            &opening.start,
            seeds::player(seed, fixture.game, seat),
        )
    };
    let mut players = [prepare(0)?, prepare(1)?];
    let mut game = GameInPlay::new(opening.start);
    for &full in &opening.moves {
        game.advance(full);
    }
    let recorded = [0, 1].map(|seat| RecordedPlayer {
        entrant: fixture.players[seat],
        name: entrants[seat].name.clone(),
        spec: entrants[seat].spec.to_string(),
        version: players[seat].as_ref().map_or(String::new(), |player| player.version()),
        tc: entrants[seat].allowance.control,
        seed: seeds::player(seed, fixture.game, seat),
    });
    let mut restarts_left = [context.conditions.restarts; 2];
    let mut clocks = entrants.map(|entrant| entrant.allowance.control.map(GameClock::new));
    let mut record = blank(fixture, recorded, opening);
    let live = context.live.map(|live| live.begin(&record));
    let winner = loop {
        if let Some(winner) = game.position.winner() {
            break winner;
        }
        let proven = context.conditions.adjudicate.then(|| adjudication::proven(&game.position)).flatten();
        if let Some((winner, margin)) = proven {
            let margin = margin.map_or(String::new(), |margin| {
                format!(" by {}", counted(u64::from(margin), "move", "moves"))
            });
            let position = Fen(game.position);
            record.reason = EndKind::Proven;
            record.detail = Some(format!("the {winner} player wins{margin} at {position}"));
            break winner;
        }
        let mover = game.position.to_move();
        let seat = mover.index();
        let budget = entrants[seat].allowance.budget(record.moves.len() < 2, clocks, seat);
        let mut again = |player: &mut PreparedPlayer<'a>| {
            let starts_afresh = player.as_ref().is_ok_and(|player| player.starts_afresh());
            if restarts_left[seat] == 0 || !entrants[seat].is_program() || context.interrupt.is_set() {
                return Ok(false);
            }
            restarts_left[seat] -= 1;
            if !starts_afresh {
                *player = prepare(seat)?;
            }
            Ok(player.is_ok())
        };
        let verdict =
            take_turn(&mut players[seat], &game, budget, context.conditions, &mut record, &mut again)?;
        // After an interrupt the player may seem to be at fault, or its move may be bad: the game
        // does not count.
        if context.interrupt.is_set() {
            return Ok(None);
        }
        match verdict {
            Ok(full) => {
                game.advance(full);
                if let (Some(clock), Some(&Some(seconds))) = (&mut clocks[seat], record.times.last()) {
                    clock.spend(Duration::from_secs_f64(seconds));
                }
                if let Some(live) = &live {
                    live.update(&record);
                }
            }
            Err(fault) => {
                record.reason = fault.reason;
                record.detail = Some(fault.detail);
                record.answered = fault.answered.map(|answered| answered.0);
                break !mover;
            }
        }
    };
    record.winner = winner.index();
    Ok(Some(record))
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

/// A player of a game, or why it could not be prepared.
type PreparedPlayer<'a> = Result<Box<dyn Contestant + 'a>, PlayerFault>;

/// Plays and records one turn. A player that could not be prepared loses. After a crash `again`
/// restarts the program, if a restart is left, and the turn goes on in the time that is left.
fn take_turn<'a>(
    player: &mut PreparedPlayer<'a>,
    game: &GameInPlay,
    budget: Budget,
    conditions: Conditions,
    record: &mut GameRecord,
    again: &mut dyn FnMut(&mut PreparedPlayer<'a>) -> Result<bool, LaunchError>,
) -> Result<Result<FullMove, PlayerFault>, LaunchError> {
    let (seat, mut before) = (game.position.to_move().index(), Duration::ZERO);
    let turn = loop {
        let mut turn = match player {
            Ok(player) => player.turn(game, budget.after(before, seat))?,
            Err(fault) => return Ok(Err(fault.clone())),
        };
        turn.spent += before;
        let crashed = turn.answer.as_ref().is_err_and(|fault| fault.reason == EndKind::Crash);
        let in_time = budget.time.is_none_or(|time| turn.spent < time);
        if !(crashed && in_time && again(player)?) {
            break turn;
        }
        record.restarts.push(record.moves.len());
        before = turn.spent;
    };
    // No clock here is more precise than a microsecond, and short numbers keep the lines short.
    let seconds = turn.spent.as_micros() as f64 / 1e6;
    let verdict = judge(game, &turn, budget, conditions);
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

/// Whether a turn brought a move of this position, and in time.
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
    use crate::contest::contestant::{Interrupt, RunningSearches};
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
        let turn =
            TurnResult { answer, spent, value: Some(0.5), proven: true, playouts: Some(7), evidence: None };
        let fixture = Fixture { game: 0, pair: 0, opening: 0, players: [0, 1] };
        let mut record = blank(&fixture, [0, 0].map(RecordedPlayer::nameless), &Opening::bare(start));
        let conditions = Conditions { grace: Duration::from_millis(20), ..Conditions::default() };
        let budget = Budget { time: limit_ms.map(Duration::from_millis), ..Budget::default() };
        let mut player: PreparedPlayer<'_> = Ok(Box::new(Puppet(turn)));
        let mut again = |_: &mut PreparedPlayer<'_>| Ok(false);
        let verdict =
            take_turn(&mut player, &GameInPlay::new(start), budget, conditions, &mut record, &mut again)
                .unwrap();
        let text = match verdict {
            Ok(full) => full.to_string(),
            Err(fault) => format!("{}: {}", fault.reason, fault.detail),
        };
        (text, record)
    }

    #[test]
    fn an_interrupted_game_is_live_no_longer() {
        let start = Start::Formula.position(Size::square(6).unwrap()).unwrap();
        let player = Entrant::new("random".parse().unwrap(), &EngineOptions::default());
        let fixture = Fixture { game: 3, pair: 1, opening: 0, players: [0, 1] };
        let (searches, live) = (RunningSearches::default(), LiveGames::default());
        for interrupted in [true, false] {
            let flag = AtomicBool::new(interrupted);
            let context = GameContext {
                conditions: Conditions::default(),
                log: None,
                game: fixture.game,
                seat: 0,
                interrupt: Interrupt(&flag),
                searches: &searches,
                live: Some(&live),
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
