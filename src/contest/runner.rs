//! Runs a contest: plays its games on several threads and adds up their results as they end.
//!
//! A game depends only on its number and the contest's seed. So the set of results is the same for
//! any number of threads and any order in which games end.

use std::ops::ControlFlow;

use parking_lot::Mutex;
#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::{Value, json};

use super::adjudication;
use super::contestant::{Clock, Conditions, GameContext, LaunchError, RunOptions};
use super::entrant::Entrant;
use super::fixtures::Fixture;
use super::game_record::GameRecord;
use super::openings::Openings;
use super::referee;
use super::results::ContestResults;
use crate::game::Fen;
use crate::game::random::mix;
use crate::jobs;

/// Everything that decides what is played, and the results.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    pub entrants: Vec<Entrant>,
    /// The games to play, in the order in which they begin. On the ladder the second player of each
    /// pair is chosen as it begins.
    pub fixtures: Vec<Fixture>,
    pub openings: Openings,
    pub conditions: Conditions,
    pub seed: u64,
    /// The results so far, those of an earlier run included.
    pub results: ContestResults,
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

    /// Plays the games and hands each to `on_game` as it ends, with the results after it.
    ///
    /// No game begins between players whose test has a verdict. After an interrupt the games in
    /// progress are given up.
    ///
    /// # Errors
    /// The first that `on_game` returns, or that a program did not start. No new game begins after
    /// it; those in progress are played to their end and, after a failed start, handed over as well.
    pub(crate) fn run<E: From<LaunchError>>(
        &mut self,
        options: &RunOptions,
        mut on_game: impl FnMut(GameRecord, &mut ContestResults) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut fixtures = std::mem::take(&mut self.fixtures);
        if self.results.ladder.is_empty() {
            return self.play(&fixtures, options, &mut on_game);
        }
        for pair in fixtures.chunks_mut(2) {
            let opponent = self.results.nearest_rung();
            for Fixture { players, .. } in pair.iter_mut() {
                *players = players.map(|player| if player == 0 { 0 } else { opponent });
            }
            self.play(pair, options, &mut on_game)?;
            if options.interrupt.is_stopped() {
                break;
            }
        }
        Ok(())
    }

    fn play<E: From<LaunchError>>(
        &mut self,
        fixtures: &[Fixture],
        options: &RunOptions,
        on_game: &mut impl FnMut(GameRecord, &mut ContestResults) -> Result<(), E>,
    ) -> Result<(), E> {
        let Contest { entrants, openings, conditions, seed, results, .. } = self;
        let (conditions, seed) = (*conditions, *seed);
        if results.decided() {
            return Ok(());
        }
        let decided = Mutex::new(results.decided_pairings());
        let cores = if options.pin { allowed_cores() } else { Vec::new() };
        let work = |worker: usize, fixture: &Fixture| {
            if let Some(&core) = cores.get(worker % cores.len().max(1)) {
                keep_to(core);
            }
            if decided.lock().contains(&fixture.players) {
                return Some(Ok(None));
            }
            let players = fixture.players.map(|entrant| &entrants[entrant]);
            let opening = openings.get(fixture.opening);
            let context = GameContext { conditions, seed, game: fixture.game, seat: 0, run: options };
            let played = referee::play(fixture.players, players, &opening, context);
            played.transpose().map(|played| played.map(Some))
        };
        let mut launched = Ok(());
        let take = |played| -> Result<ControlFlow<()>, E> {
            match played {
                Ok(Some(game)) => {
                    results.add(&game);
                    *decided.lock() = results.decided_pairings();
                    on_game(game, results)?;
                }
                Ok(None) => {}
                Err(error) => launched = Err(error),
            }
            let ends = launched.is_err() || results.decided();
            Ok(if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        jobs::run(options.concurrency, &options.interrupt, fixtures, work, take)?;
        Ok(launched?)
    }
}

/// Describes random openings by their start and number of plies, lists by a digest of their
/// content.
fn describe_openings(Openings { list, random_plies, .. }: &Openings) -> Value {
    let start = Fen(*list[0].start()).to_string();
    if *random_plies > 0 {
        return json!({"start": start, "random_plies": random_plies});
    }
    let mut digest = 0;
    for opening in list {
        let moves = opening.moves();
        let moves = moves.iter().map(ToString::to_string);
        for text in [Fen(*opening.start()).to_string()].into_iter().chain(moves) {
            digest = text.bytes().fold(digest, |digest, byte| mix(&[digest, u64::from(byte)]));
        }
    }
    json!({"start": start, "count": list.len(), "digest": format!("{digest:016x}")})
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
