//! `quiver match`: plays a match of two players, or a tournament of several, and reports the
//! results.

mod args;
mod openings;
mod players;
mod progress;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, ensure};
use rustix::fs::{Access, access};

use super::{Failed, interrupt};
use crate::contest::placement::place;
use crate::contest::{Conditions, Contest, Entrant, LaunchError, RunningSprt, fixtures, kill_all};
use crate::files;
use crate::game::{Position, Size};
pub(super) use args::{Args, ended_twin, parse_grace};
use players::Lineup;
pub(super) use players::{entrant, ladder};
use progress::MatchProgress;

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let interrupted = interrupt::watch("ending; games in progress are given up", kill_all)?;
    let engine = args.engine.options()?;
    let Lineup { entrants, pairings, anchor, tested, ladder } = players::lineup(args, &engine)?;
    let contest = Contest {
        openings: openings::openings(args, &entrants, engine.seed)?,
        fixtures: fixtures::fixtures(&pairings),
        entrants,
        conditions: conditions(args),
        seed: engine.seed,
    };
    start_programs(&contest.entrants, &contest.openings.starts(), contest.conditions, &interrupted)?;
    if let Some(log) = &args.log {
        prepare_log(log).with_context(|| format!("--log {}", log.display()))?;
    }
    warn(args.concurrency, &contest);
    let tests = args
        .sprt
        .iter()
        .flat_map(|&test| pairings.iter().map(move |pairing| RunningSprt::new(test, pairing, tested)));
    let total = ladder.as_ref().map_or(contest.fixtures.len(), |(_, games)| *games);
    let mut progress = MatchProgress::begin(args, &contest, total, anchor, tests.collect())?;
    let (options, done) = (progress.options(), progress.done.clone());
    let mut placement = None;
    let played = match &ladder {
        Some((elos, games)) => place(contest, elos, *games, &options, &interrupted, |game, placement| {
            progress.take(&game, Some(placement))
        })
        .map(|found| placement = Some(found)),
        None if progress.decided() => Ok(()),
        None => contest.run(&options, &done, &interrupted, |game| progress.take(&game, None)),
    };
    played.map_err(|error| match error.downcast::<LaunchError>() {
        Ok(error) => progress.given_up(&error).into(),
        Err(other) => other,
    })?;
    progress.finish(placement.as_ref())?;
    progress.exit_status(interrupted.load(Ordering::Relaxed))
}

/// The number of games that the options describe.
pub(super) fn games(args: &Args) -> anyhow::Result<usize> {
    Ok(fixtures::fixtures(&players::lineup(args, &args.engine.options()?)?.pairings).len())
}

fn conditions(args: &Args) -> Conditions {
    Conditions {
        clock: args.clock,
        grace: args.grace,
        patience: args.patience,
        adjudicate: args.adjudicate,
        restarts: args.restart,
        measured: false,
    }
}

/// Starts each program once on each board, before the first game.
pub(super) fn start_programs(
    entrants: &[Entrant],
    starts: &[Position],
    conditions: Conditions,
    interrupted: &AtomicBool,
) -> anyhow::Result<()> {
    let mut sizes: Vec<Size> = starts.iter().map(Position::size).collect();
    sizes.sort_by_key(|size| (size.width(), size.height()));
    sizes.dedup();
    for entrant in entrants {
        for &size in &sizes {
            let checked = entrant.check(conditions, size, interrupted);
            // Nothing else is published with the flag, which is why a wait may have failed.
            let ended = interrupted.load(Ordering::Relaxed);
            ensure!(!ended, Failed("interrupted while programs were started".to_owned()));
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
