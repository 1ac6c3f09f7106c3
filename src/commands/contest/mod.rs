//! `quiver match`: plays a match of two players, or a tournament of several, and reports the
//! results.

mod args;
mod openings;
mod resume;
mod setup;
#[cfg(feature = "serve")]
mod show;
mod stage;
mod tournament;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::bail;

use super::Failed;
use super::interrupt;
use super::options::expect_writable;
use super::progress;
use crate::contest::table::Table;
use crate::contest::{ContestResults, LaunchError, Record, Resumed, RunOptions, kill_all, summary};
use crate::files;
use crate::messages::{counted, printable};
pub(super) use args::{Args, parse_grace};
use resume::{go_on, take_over};
use stage::Stage;

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let interrupted = interrupt::watch("ending; games in progress are given up", kill_all)?;
    let (contest, tests) = setup::contest(args, &interrupted)?;
    let names: Vec<String> = contest.entrants.iter().map(|entrant| entrant.name.clone()).collect();
    let anchor = tournament::anchor(args, &names)?;
    expect_writable([("--table", &args.table)])?;
    #[cfg(feature = "serve")]
    expect_writable([("--html", &args.html)])?;
    let mut done = BTreeSet::new();
    // All that can fail comes before a record is begun, which would be left without games.
    if let Some(directory) = args.botzone_log.as_ref().filter(|_| !args.resume) {
        stage::refuse_logs(directory, &contest.fixtures, &done)?;
        stage::prepare_logs(directory, std::iter::empty())?;
    }
    #[cfg(feature = "serve")]
    let show = match (args.watch, &args.html) {
        (None, None) => None,
        (port, _) => Some(show::Show::new(&names, contest.fixtures.len(), port)?),
    };
    let header = contest.header();
    let (record, resumed) = match &args.record {
        Some(path) if args.resume => {
            Record::resume(path, &header).map(|(record, games)| (Some(record), games))?
        }
        Some(path) => (Some(Record::create(path, &header)?), Resumed::default()),
        None => (None, Resumed::default()),
    };
    let mut results = ContestResults::new(contest.entrants.len());
    results.anchor = anchor;
    done.extend(take_over(&resumed, &contest, &mut results)?);
    if let Some(directory) = &args.botzone_log {
        stage::refuse_logs(directory, &contest.fixtures, &done)?;
        stage::prepare_logs(directory, resumed.games.iter().filter(|game| done.contains(&game.game)))?;
    }
    let mut stage = Stage {
        names: &names,
        total: contest.fixtures.len(),
        results,
        tests,
        pairings: Arc::default(),
        record,
        botzone_log: args.botzone_log.as_deref(),
        every: args.report,
        quiet: args.json,
        bar: progress::bar(contest.fixtures.len(), done.len()),
        #[cfg(feature = "serve")]
        show: show.as_ref(),
    };
    #[cfg(feature = "serve")]
    if let Some(show) = &show {
        resumed.games.iter().filter(|game| done.contains(&game.game)).for_each(|game| show.view().add(game));
        stage.tell();
    }
    stage.begin(done.len())?;
    let staging = RunOptions {
        concurrency: args.concurrency,
        pin: args.pin,
        log: args.log.clone(),
        decided: Arc::clone(&stage.pairings),
        #[cfg(feature = "serve")]
        live: show.as_ref().and_then(show::Show::live),
        #[cfg(not(feature = "serve"))]
        live: None,
    };
    if !stage.decided() {
        let played = contest.run(&staging, &done, &interrupted, |game| stage.take(&game));
        played.map_err(|error| match error.downcast::<LaunchError>() {
            // It has started before: this is no bad input, nor the player's fault.
            Ok(error) => {
                let games = counted(stage.results.games, "game", "games");
                Failed(format!("given up after {games}: {error}; {}", go_on(args))).into()
            }
            Err(other) => other,
        })?;
    }
    stage.finish()?;
    let mut out = std::io::stdout().lock();
    let Stage { results, tests, .. } = &stage;
    if args.json {
        writeln!(out, "{}", summary::json_report(&names, results, tests))?;
    } else if args.tournament.is_some() {
        write!(out, "{}", printable(&summary::tournament_report(&names, results, tests)))?;
    } else {
        write!(out, "{}", printable(&summary::match_report(&names, results, tests)))?;
    }
    drop(out);
    if let Some(path) = &args.table {
        write_table(path, &names, &stage.results)?;
    }
    #[cfg(feature = "serve")]
    if let Some(show) = &show {
        show.finish(args.html.as_deref())?;
    }
    conclude(args, &stage, interrupted.load(Ordering::Relaxed))
}

/// Writes the table of a match or a tournament.
fn write_table(path: &Path, names: &[String], results: &ContestResults) -> anyhow::Result<()> {
    let table = Table::new(names, results);
    let page = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html"));
    let text = if page { table.html("Quiver: ratings and results") } else { table.markdown() };
    files::replace(path, text).map_err(|error| Failed(format!("--table {}: {error}", path.display())).into())
}

/// Prints the closing messages. Fails if the match was interrupted or a player was at fault.
fn conclude(args: &Args, stage: &Stage<'_>, interrupted: bool) -> anyhow::Result<()> {
    let faults = stage.results.faults();
    if interrupted && stage.results.games < stage.total as u64 && !stage.decided() {
        let games = counted(stage.results.games, "game", "games");
        bail!(Failed(format!("interrupted after {games}; {}", go_on(args))));
    }
    if faults > 0 {
        let culprits = summary::culprits(stage.names, &stage.results);
        bail!(Failed(format!(
            "{faults} of {} ended by a fault: {culprits}",
            counted(stage.results.games, "game", "games")
        )));
    }
    Ok(())
}
