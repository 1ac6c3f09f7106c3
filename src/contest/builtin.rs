//! Players of this crate, in process: no pipes, clocked by the wall or by their thread.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::contestant::{Budget, Clock, Contestant, GameContext, LaunchError, PlayerFault, TurnResult};
use crate::game::{EndKind, Game, Position, TurnFacts};
use crate::players::{EngineOptions, Player, PlayerKind};
use crate::search::{Cpu, Limits, Stopwatch, Time};

/// A built-in player at the board.
pub(super) struct BuiltIn<'a> {
    kind: PlayerKind,
    player: Box<dyn Player>,
    context: GameContext<'a>,
    /// The number of moves that the player knows; `None` before its first turn.
    known: Option<usize>,
}

impl<'a> BuiltIn<'a> {
    /// A new player at the start of a game, made ready before any clock runs.
    pub(super) fn new(
        kind: PlayerKind,
        options: &EngineOptions,
        start: &Position,
        context: GameContext<'a>,
    ) -> BuiltIn<'a> {
        let mut player = kind.build(options, start);
        player.warm_up();
        BuiltIn { kind, player, context, known: None }
    }

    /// Plays the moves that the player has not seen. The clock counts this: keeping the tree is the
    /// player's work.
    fn catch_up(&mut self, game: &Game) {
        match self.known {
            Some(seen) => game.plies()[seen..].iter().for_each(|ply| self.player.advance(ply.full)),
            None => self.player.set_position(game.position()),
        }
        self.known = Some(game.plies().len());
    }
}

impl Contestant for BuiltIn<'_> {
    fn version(&self) -> String {
        format!("{} {}", self.kind, env!("CARGO_PKG_VERSION"))
    }

    fn turn(&mut self, game: &Game, budget: Budget) -> Result<TurnResult, LaunchError> {
        let stopwatch = match self.context.conditions.clock {
            Clock::Wall => Stopwatch::wall(),
            Clock::Cpu => Stopwatch::cpu(Cpu::Thread),
        };
        let clock = budget.clocks[game.position().to_move().index()];
        let time = budget.time.map(|time| match clock {
            Some(clock) => Time::Game { remaining: time, increment: clock.increment },
            None => Time::PerMove(time),
        });
        let stop = self.context.run.interrupt.clone();
        let limits = Limits { time, playouts: budget.playouts, stopwatch, stop };
        // A panic has already been reported by its hook; the player is not touched again after one.
        let choice = catch_unwind(AssertUnwindSafe(|| {
            self.catch_up(game);
            self.player.choose(&limits)
        }));
        let spent = stopwatch.elapsed();
        let answer = match &choice {
            Err(_) => Err(PlayerFault::new(EndKind::Crash, "the player panicked")),
            Ok(None) => Err(PlayerFault::new(EndKind::Malformed, "the player says that it has no move")),
            Ok(Some(choice)) => Ok(choice.full),
        };
        let report = choice.ok().flatten().and_then(|choice| choice.report);
        let facts = report.map_or(TurnFacts::default(), |report| TurnFacts {
            value: Some(report.value),
            proven: report.proven,
            playouts: Some(report.playouts),
            ..TurnFacts::default()
        });
        Ok(TurnResult { facts, ..TurnResult::new(answer, spent) })
    }
}
