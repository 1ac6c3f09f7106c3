//! Runs a contest: plays its games on several threads and adds up their results as they end.
//!
//! A game depends only on its number and the contest's seed. So the set of results is the same for
//! any number of threads and any order in which games end.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::{Value, json};

use super::contestant::{GameContext, LaunchError};
use super::entrant::Entrant;
use super::fixtures::Fixture;
use super::game_record::GameRecord;
use super::openings::Openings;
use super::referee;
use super::results::ContestResults;
use crate::game::Fen;
use crate::game::random::mix;
use crate::jobs::Jobs;
use crate::players::StopHandle;

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

/// The conditions of all games; the same for all players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    pub clock: Clock,
    /// The time by which an answer may be over its limit before it loses.
    pub grace: Duration,
    /// How long to wait for a program past its limit, or for a sign of work where it has none; by
    /// default 1 second past a limit, which is Botzone's alarm, and 60 without.
    pub patience: Option<Duration>,
    /// True if a game ends once its winner is proven.
    pub adjudicate: bool,
    /// The number of times in a game that a crashed program is started again.
    pub restarts: usize,
    /// True if CPU time and memory of programs are read in every turn, whatever the clock.
    pub measured: bool,
}

impl Conditions {
    pub(super) fn patience(&self, limited: bool) -> Duration {
        self.patience.unwrap_or(Duration::from_secs(if limited { 1 } else { 60 }))
    }
}

/// The time that a clock counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Clock {
    /// Wall time
    #[default]
    Wall,
    /// CPU time: the thread's for built-in players, the process group's for programs
    Cpu,
}

/// The games in progress by number, each as far as it has been played.
pub type LiveGames = Mutex<BTreeMap<usize, GameRecord>>;

/// The way in which games are run, and what ends them early. None of this changes them.
#[derive(Debug, Default)]
pub(crate) struct RunOptions {
    pub concurrency: usize,
    /// True if each thread, and the programs it starts, keeps to a core of its own.
    pub pin: bool,
    /// The target of programs' standard error: a file for all, or a directory with a file for each
    /// game and player.
    pub log: Option<PathBuf>,
    /// The games in progress, for a page that shows them.
    pub live: Option<Arc<LiveGames>>,
    /// Ends every wait, and the whole contest.
    pub interrupt: Arc<AtomicBool>,
    /// The searches in progress of built-in players, by game and seat: an interrupt ends them.
    pub searches: Mutex<BTreeMap<(usize, usize), StopHandle>>,
}

impl RunOptions {
    pub(crate) fn is_interrupted(&self) -> bool {
        // Nothing else is published with the flag: it only has to be seen soon.
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Ends the searches in progress, which do not look at the interrupt.
    pub(super) fn stop_searches(&self) {
        self.searches.lock().values().for_each(StopHandle::stop);
    }
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
            "adjudicate": self.conditions.adjudicate.then_some(referee::PROOF_NODES),
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
            if options.is_interrupted() {
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
            let context = GameContext {
                conditions: *conditions,
                seed: *seed,
                game: fixture.game,
                seat: 0,
                run: options,
            };
            let played = referee::play(fixture, players, &opening, context);
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
        let jobs = Jobs { concurrency: options.concurrency, interrupt: &options.interrupt };
        jobs.run(fixtures, work, || options.stop_searches(), take)?;
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
                    digest = text.bytes().fold(digest, |digest, byte| mix(&[digest, u64::from(byte)]));
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
