//! `quiver match`: plays a match of two players, or a tournament of several, and reports the
//! results.

mod args;
mod openings;
mod progress;
mod setup;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};
use rustix::fs::{Access, access};

use super::{Failed, interrupt};
use crate::contest::placement::place;
use crate::contest::{Conditions, Contest, ContestResults, Entrant, LaunchError, RunOptions, kill_all};
use crate::files;
use crate::game::{Position, Size};
pub(super) use args::{Args, ended_twin, parse_grace};
use progress::MatchProgress;
use setup::{MatchSetup, setup};
pub(super) use setup::{entrant, shipped_ladder};

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let options = RunOptions {
        concurrency: args.concurrency,
        pin: args.pin,
        log: args.log.clone(),
        live: args.watch.map(|_| Arc::default()),
        interrupt: interrupt::watch("ending; games in progress are given up", kill_all)?,
        ..RunOptions::default()
    };
    let MatchSetup { contest, anchor, tests, ladder } = setup(args)?;
    start_programs(&contest.entrants, &contest.openings.starts(), contest.conditions, &options)?;
    if let Some(log) = &args.log {
        prepare_log(log).with_context(|| format!("--log {}", log.display()))?;
    }
    warn(args.concurrency, &contest);
    let total = ladder.as_ref().map_or(contest.fixtures.len(), |(_, games)| *games);
    let names = contest.entrants.iter().map(|entrant| entrant.name.as_str());
    let results = ContestResults::new(names, anchor, tests);
    let mut progress = MatchProgress::begin(args, &options, &contest, total, results)?;
    let done = std::mem::take(&mut progress.done);
    let mut placement = None;
    let played = match ladder {
        Some((elos, games)) => {
            place(contest, &elos, games, &options, |game, placement| progress.take(&game, Some(placement)))
                .map(|found| placement = Some(found))
        }
        None if progress.results.decided() => Ok(()),
        None => contest.run(&options, &done, |game| progress.take(&game, None)),
    };
    match played.map_err(anyhow::Error::downcast::<LaunchError>) {
        Ok(()) => progress.finish(placement.as_ref()),
        // The program started before but not now: the player is not at fault.
        Err(Ok(error)) => Err(progress.stopped("given up", &format!(": {error}"))),
        Err(Err(other)) => Err(other),
    }
}

/// The number of games that the options describe.
pub(super) fn games(args: &Args) -> anyhow::Result<usize> {
    Ok(setup(args)?.contest.fixtures.len())
}

/// Starts each program once on each board, before the first game.
pub(super) fn start_programs(
    entrants: &[Entrant],
    starts: &[Position],
    conditions: Conditions,
    options: &RunOptions,
) -> anyhow::Result<()> {
    let mut sizes: Vec<Size> = starts.iter().map(Position::size).collect();
    sizes.sort_by_key(|size| (size.width(), size.height()));
    sizes.dedup();
    for entrant in entrants {
        for &size in &sizes {
            let checked = entrant.check(conditions, size, options);
            // The interrupt may be why a wait has failed.
            ensure!(!options.is_interrupted(), Failed("interrupted while programs were started".to_owned()));
            for option in checked? {
                eprintln!("quiver: warning: {} does not offer the option '{option}'", entrant.name);
            }
        }
    }
    Ok(())
}

/// Checks, before the first game, that the standard error of programs can be kept.
fn prepare_log(path: &Path) -> std::io::Result<()> {
    if path.is_dir() {
        return Ok(access(path, Access::WRITE_OK | Access::EXEC_OK)?);
    }
    files::append(path).map(drop)
}

/// Prints warnings: settings that are valid but may not be what the user meant.
fn warn(concurrency: usize, contest: &Contest) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if concurrency > cores {
        eprintln!(
            "quiver: warning: {concurrency} games at a time on {cores} cores: players take each other's time"
        );
    }
    let pairs = contest.fixtures.iter().map(|fixture| fixture.opening + 1).max().unwrap_or(0);
    if let Some(distinct) = contest.openings.distinct().filter(|&distinct| distinct < pairs) {
        eprintln!("quiver: warning: {distinct} openings for {pairs} pairs: they are played more than once");
    }
}
