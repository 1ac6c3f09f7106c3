//! Lets the referee play a game with a built-in player.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Budget, Clock, Contestant, GameContext, LaunchError, PlayerFault, TurnResult};
use crate::games::{EndKind, Game, TurnFacts};
use crate::players::{Player, PlayerKind};
use crate::search::{Cpu, EngineOptions, Limits, Stopwatch, Time};

/// A built-in player in one game.
pub(super) struct BuiltIn<'a> {
    kind: PlayerKind,
    player: Box<dyn Player>,
    context: GameContext<'a>,
    /// The number of plies of the game that have been played on the player's own board.
    synced_plies: usize,
}

impl<'a> BuiltIn<'a> {
    /// Creates a player that continues `game`, and prepares its engine before any clock runs.
    pub(super) fn new(
        kind: PlayerKind,
        engine: &EngineOptions,
        context: GameContext<'a>,
        game: &Game,
    ) -> BuiltIn<'a> {
        let options = EngineOptions { seed: context.player_seed(), ..engine.clone() };
        let mut player = kind.build(&options, game.position());
        player.warm_up();
        BuiltIn { kind, player, context, synced_plies: game.plies().len() }
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
        let limits = Limits { time, playouts: budget.playouts, stopwatch: Some(stopwatch), stop };
        // A player that panics loses the game. The panic hook prints the panic's message.
        let choice = catch_unwind(AssertUnwindSafe(|| {
            // The update of the player's search tree counts as the player's thinking time.
            game.plies()[self.synced_plies..].iter().for_each(|ply| self.player.advance(ply.played));
            self.player.choose(&limits)
        }));
        let spent = stopwatch.elapsed();
        self.synced_plies = game.plies().len();
        let answer = match &choice {
            Err(_) => Err(PlayerFault::new(EndKind::Crash, "the player panicked")),
            Ok(None) => Err(PlayerFault::new(EndKind::Malformed, "the player returned no move")),
            Ok(Some(choice)) => Ok(choice.chosen),
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
