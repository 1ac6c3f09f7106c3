//! `quiver match`: plays a match of two players, or a tournament of several, and reports the
//! results.

mod args;
mod progress;
mod setup;

use std::fs;

use amazons::Size;
use anyhow::{Context, ensure};

use super::{Failed, interrupt};
use crate::contest::{Conditions, Contest, Entrant, RunOptions};
use crate::files;
use crate::messages::warn;
pub(super) use args::Args;
use progress::MatchProgress;
pub(super) use setup::{entrant, on_the_ladder, setup};

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let interrupt = interrupt::watch("ending; games in progress are given up")?;
    let concurrency = args.concurrency;
    let mut options = RunOptions { concurrency, interrupt, ..RunOptions::default() };
    let mut contest = setup(args)?;
    let sizes = contest.openings.list.iter().map(|opening| opening.start().size());
    start_programs(&contest.entrants, sizes, contest.conditions, &options)?;
    if let Some(log) = &args.log {
        // Checks before the first game that the log can be written.
        let writable = match log.is_dir() {
            true => {
                let probe = log.join(format!(".quiver-{}", std::process::id()));
                files::append(&probe).map(drop).and_then(|()| fs::remove_file(&probe))
            }
            false => files::append(log).map(drop),
        };
        writable.with_context(|| format!("--log {}", log.display()))?;
    }
    warn_of_settings(concurrency, &contest);
    options.log.clone_from(&args.log);
    let mut progress = MatchProgress::begin(args, &mut contest, &mut options)?;
    let played = contest.run(&options, |game, results| progress.take(&game, results));
    progress.finish(&mut contest.results, played, options.interrupt.is_stopped())
}

/// Starts each program once on boards of each of these sizes, before the first game.
pub(super) fn start_programs(
    entrants: &[Entrant],
    sizes: impl IntoIterator<Item = Size>,
    conditions: Conditions,
    run: &RunOptions,
) -> anyhow::Result<()> {
    let mut sizes: Vec<Size> = sizes.into_iter().collect();
    sizes.sort_by_key(|size| (size.width(), size.height()));
    sizes.dedup();
    for entrant in entrants {
        for &size in &sizes {
            let checked = entrant.check(conditions, size, run);
            // The interrupt may be why a wait has failed.
            ensure!(
                !run.interrupt.is_stopped(),
                Failed("interrupted while programs were started".to_owned())
            );
            for option in checked? {
                warn(format_args!("warning: {} does not offer the option '{option}'", entrant.name));
            }
        }
    }
    Ok(())
}

/// Prints warnings: settings that are valid but may not be what the user meant.
fn warn_of_settings(concurrency: usize, contest: &Contest) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if concurrency > cores {
        warn(format_args!(
            "warning: {concurrency} games at a time on {cores} cores: players take each other's time"
        ));
    }
    let pairs = contest.fixtures.iter().map(|fixture| fixture.opening + 1).max().unwrap_or(0);
    if let Some(distinct) = contest.openings.distinct().filter(|&distinct| distinct < pairs) {
        warn(format_args!("warning: {distinct} openings for {pairs} pairs: they are played more than once"));
    }
}
