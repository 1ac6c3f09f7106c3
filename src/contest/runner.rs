//! A whole contest: games handed to threads, results handed back as they come.
//!
//! A game is a unit of work and depends on nothing but its number and the contest's seed, so that the set of
//! results is the same whatever the number of threads and the order in which games end.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::{Value, json};

use super::contestant::{Clock, Conditions, GameContext, Interrupt, Searches};
use super::entrant::Entrant;
use super::fault::LaunchError;
use super::fixtures::Fixture;
use super::openings::Openings;
use super::record::GameRecord;
use super::referee;
use super::seeds;
use crate::game::Fen;

/// How long an interrupt may go unseen while no game ends.
const SLICE: Duration = Duration::from_millis(100);

/// Everything that decides what is played.
#[derive(Clone, Debug)]
pub struct Contest {
    /// Those who take part.
    pub entrants: Vec<Entrant>,
    /// The games, in the order in which they begin.
    pub fixtures: Vec<Fixture>,
    /// Where they begin.
    pub openings: Openings,
    /// How strict the referee is.
    pub conditions: Conditions,
    /// What everything random follows from.
    pub seed: u64,
}

/// How it is played, none of which changes what is played.
#[derive(Clone, Debug, Default)]
pub struct Staging {
    /// Games at a time.
    pub concurrency: usize,
    /// Whether each thread, and the programs it starts, keeps to a core of its own.
    pub pin: bool,
    /// Where programs' standard error goes: a file, or a directory with files for each game.
    pub log: Option<PathBuf>,
}

impl Contest {
    /// What a record of this contest begins with: equal for equal contests, whatever the number of games.
    #[must_use]
    pub fn header(&self) -> Value {
        // Openings of one contest are of one board, but for lists made by hand.
        let size = self.openings.get(0).start.size();
        let entrants: Vec<Value> = self.entrants.iter().map(|entrant| entrant.describe(size)).collect();
        json!({"contest": {
            "quiver": env!("CARGO_PKG_VERSION"),
            "players": entrants,
            "openings": describe_openings(&self.openings),
            "clock": match self.conditions.clock { Clock::Wall => "wall", Clock::Cpu => "cpu" },
            "grace": self.conditions.grace.as_secs_f64(),
            "patience": self.conditions.patience.map(|time| time.as_secs_f64()),
            "seed": self.seed,
        }})
    }

    /// Plays all games but those already `done`, and hands each to `on_game` as it ends.
    ///
    /// No new game begins once `on_game` says break; those in progress are played to their end and handed over
    /// as well. Where `interrupt` is set they are given up.
    ///
    /// # Errors
    /// The first that `on_game` returns, or that a program did not start; no new game begins after it.
    pub fn run<E: From<LaunchError>>(
        &self,
        staging: &Staging,
        done: &BTreeSet<usize>,
        interrupt: &AtomicBool,
        mut on_game: impl FnMut(GameRecord) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let to_play: Vec<&Fixture> =
            self.fixtures.iter().filter(|fixture| !done.contains(&fixture.game)).collect();
        let next = AtomicUsize::new(0);
        let closing = AtomicBool::new(false);
        let searches = Searches::default();
        let (sender, receiver) = mpsc::channel();
        let cores = if staging.pin { allowed_cores() } else { Vec::new() };
        thread::scope(|scope| {
            for worker in 0..staging.concurrency.clamp(1, to_play.len().max(1)) {
                let sender = sender.clone();
                let core = (!cores.is_empty()).then(|| cores[worker % cores.len()]);
                let (next, closing, to_play, searches) = (&next, &closing, &to_play, &searches);
                scope.spawn(move || {
                    if let Some(core) = core {
                        keep_to(core);
                    }
                    // Relaxed throughout: the counter hands out numbers and the flag only has to be seen soon;
                    // what a game produces travels through the channel.
                    while !closing.load(Ordering::Relaxed) && !Interrupt(interrupt).is_set() {
                        let Some(&fixture) = to_play.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                        let played = self.play(fixture, staging, Interrupt(interrupt), searches).transpose();
                        let Some(played) = played else { break };
                        if sender.send(played).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let (mut outcome, mut launched) = (Ok(()), Ok(()));
            loop {
                // Whoever searches does not look at the interrupt: it is told from here.
                if Interrupt(interrupt).is_set() {
                    searches.stop();
                }
                // After an error games still arrive from threads that were in the middle of one; they count unless it
                // was `on_game` that failed.
                match receiver.recv_timeout(SLICE) {
                    Ok(Ok(record)) if outcome.is_ok() => match on_game(record) {
                        Ok(ControlFlow::Continue(())) => continue,
                        Ok(ControlFlow::Break(())) => {}
                        Err(error) => outcome = Err(error),
                    },
                    Ok(Ok(_)) | Err(RecvTimeoutError::Timeout) => continue,
                    Ok(Err(error)) => launched = launched.and(Err(error)),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                closing.store(true, Ordering::Relaxed);
            }
            outcome.and(launched.map_err(E::from))
        })
    }

    fn play(
        &self,
        fixture: &Fixture,
        staging: &Staging,
        interrupt: Interrupt<'_>,
        searches: &Searches,
    ) -> Result<Option<GameRecord>, LaunchError> {
        let log = staging.log.as_ref();
        let context = GameContext {
            conditions: self.conditions,
            log,
            game: fixture.game,
            seat: 0,
            interrupt,
            searches,
        };
        let entrants = fixture.players.map(|entrant| &self.entrants[entrant]);
        referee::play(fixture, entrants, &self.openings.get(fixture.opening), self.seed, &context)
    }
}

/// Random openings by what they follow from, lists by a digest of what stands in them.
fn describe_openings(openings: &Openings) -> Value {
    match openings {
        Openings::Random { start, plies, .. } => {
            json!({"start": Fen(*start).to_string(), "random_plies": plies})
        }
        Openings::List(list) => {
            let mut digest = 0;
            for opening in list {
                let moves = opening.moves.iter().map(ToString::to_string);
                for text in [Fen(opening.start).to_string()].into_iter().chain(moves) {
                    digest = text.bytes().fold(digest, |digest, byte| seeds::mix(&[digest, u64::from(byte)]));
                }
            }
            json!({"start": Fen(list[0].start).to_string(), "count": list.len(), "digest": format!("{digest:016x}")})
        }
    }
}

/// The cores that this process may use.
fn allowed_cores() -> Vec<usize> {
    sched_getaffinity(None)
        .map(|set| (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
        .unwrap_or_default()
}

/// Keeps the calling thread, and programs it starts, to one core; where the system refuses, nothing is lost
/// but steadiness.
fn keep_to(core: usize) {
    let mut set = CpuSet::new();
    set.set(core);
    let _ = sched_setaffinity(None, &set);
}
