//! Runs a contest: plays its games on several threads and returns each result as its game ends.
//!
//! A game depends only on its number and the contest's seed. So the set of results is the same for
//! any number of threads and any order in which games end.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::{Value, json};

use super::adjudication;
use super::contestant::{Clock, Conditions, GameContext, RunOptions};
use super::entrant::Entrant;
use super::fault::LaunchError;
use super::fixtures::Fixture;
use super::game_record::GameRecord;
use super::openings::Openings;
use super::referee;
use super::seeds;
use crate::game::Fen;
use crate::jobs::Jobs;

/// Everything that decides what is played.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    pub entrants: Vec<Entrant>,
    /// The games, in the order in which they begin.
    pub fixtures: Vec<Fixture>,
    pub openings: Openings,
    pub conditions: Conditions,
    pub seed: u64,
}

impl Contest {
    /// The header of a record of this contest: equal for equal contests, whatever the number of
    /// games.
    pub(crate) fn header(&self) -> Value {
        // Openings of one contest are of one board, but for lists made by hand.
        let size = self.openings.get(0).start().size();
        let entrants: Vec<Value> = self.entrants.iter().map(|entrant| entrant.describe(size)).collect();
        json!({"contest": {
            "quiver": env!("CARGO_PKG_VERSION"),
            "players": entrants,
            "openings": describe_openings(&self.openings),
            "clock": match self.conditions.clock { Clock::Wall => "wall", Clock::Cpu => "cpu" },
            "grace": self.conditions.grace.as_secs_f64(),
            "patience": self.conditions.patience.map(|time| time.as_secs_f64()),
            "adjudicate": self.conditions.adjudicate.then_some(adjudication::NODES),
            "restarts": Some(self.conditions.restarts).filter(|&restarts| restarts > 0),
            "seed": self.seed,
        }})
    }

    /// Plays all games but those already `done` and those of decided pairings, and hands each to
    /// `on_game` as it ends.
    ///
    /// No new game begins once `on_game` says break; those in progress are played to their end and
    /// handed over as well. After an interrupt they are given up.
    ///
    /// # Errors
    /// The first that `on_game` returns, or that a program did not start; no new game begins after
    /// it.
    pub(crate) fn run<E: From<LaunchError>>(
        &self,
        options: &RunOptions,
        done: &BTreeSet<usize>,
        mut on_game: impl FnMut(GameRecord) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let to_play: Vec<&Fixture> =
            self.fixtures.iter().filter(|fixture| !done.contains(&fixture.game)).collect();
        let cores = if options.pin { allowed_cores() } else { Vec::new() };
        let play = |worker: usize, &fixture: &&Fixture| {
            if let Some(&core) = cores.get(worker % cores.len().max(1)) {
                keep_to(core);
            }
            if options.decided.lock().contains(&fixture.players) {
                return Some(Ok(None));
            }
            let entrants = fixture.players.map(|entrant| &self.entrants[entrant]);
            let opening = self.openings.get(fixture.opening);
            let context =
                GameContext { conditions: self.conditions, game: fixture.game, seat: 0, run: options };
            let played = referee::play(fixture, entrants, &opening, self.seed, context);
            played.transpose().map(|played| played.map(Some))
        };
        let mut launched = Ok(());
        let take = |played| match played {
            Ok(Some(record)) => on_game(record),
            Ok(None) => Ok(ControlFlow::Continue(())),
            Err(error) => {
                launched = Err(error);
                Ok(ControlFlow::Break(()))
            }
        };
        let jobs = Jobs { concurrency: options.concurrency, interrupt: &options.interrupt };
        jobs.run(&to_play, play, || options.stop_searches(), take)?;
        Ok(launched?)
    }
}

/// Describes random openings by their start and number of plies, lists by a digest of their
/// content.
fn describe_openings(openings: &Openings) -> Value {
    match openings {
        Openings::Random { start, plies, .. } => {
            json!({"start": Fen(*start).to_string(), "random_plies": plies})
        }
        Openings::List(list) => {
            let mut digest = 0;
            for opening in list {
                let moves = opening.moves();
                let moves = moves.iter().map(ToString::to_string);
                for text in [Fen(*opening.start()).to_string()].into_iter().chain(moves) {
                    digest = text.bytes().fold(digest, |digest, byte| seeds::mix(&[digest, u64::from(byte)]));
                }
            }
            json!({"start": Fen(*list[0].start()).to_string(), "count": list.len(), "digest": format!("{digest:016x}")})
        }
    }
}

/// The cores that this process may use; none where the system pins no threads.
fn allowed_cores() -> Vec<usize> {
    #[cfg(target_os = "linux")]
    if let Ok(set) = sched_getaffinity(None) {
        return (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect();
    }
    Vec::new()
}

/// Pins the calling thread, and the programs that it starts, to one core. If the system refuses,
/// only the times vary more.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables))]
fn keep_to(core: usize) {
    #[cfg(target_os = "linux")]
    {
        let mut set = CpuSet::new();
        set.set(core);
        let _ = sched_setaffinity(None, &set);
    }
}
