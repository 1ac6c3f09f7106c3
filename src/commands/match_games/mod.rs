//! `quiver match`: plays a match of two players or a tournament, and reports the results.

mod args;
mod pgn;
mod players;
mod setup;
mod terminal;

use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use amazons::Position;
use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::options::expect_writable;
use super::{Failed, interrupt, write_result};
use crate::contest::{Contest, Entrant, GameContext, GameRecord, GameSink, RunOptions, check_start, record};
use crate::files::{self, Journal};
use crate::games::Game;
use crate::messages::warn;
use crate::threads;
use crate::web::contest_page::{ContestView, serve_contest_page};
pub(super) use args::Args;
use pgn::PgnFile;
pub(super) use players::entrant;
pub(super) use setup::{ladder_setup, setup};
use terminal::Terminal;

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let interrupt = interrupt::stop_on_interrupt("ending; games in progress are given up")?;
    let concurrency = args.concurrency;
    let mut options = RunOptions { concurrency, interrupt, ..RunOptions::default() };
    let mut contest = setup(args)?;
    let starts = contest.openings.list.iter().map(|opening| *opening.start());
    check_program_starts(
        &contest.entrants,
        starts,
        GameContext::new(contest.conditions, contest.seed, &options),
    )?;
    check_outputs(args)?;
    warn_of_settings(concurrency, &contest);
    // The log is set only now, so that the test starts of the programs do not write to the log.
    options.log.clone_from(&args.log);
    let total = contest.schedule.len();
    let view = contest_view(args, &contest)?;
    options.live = view.as_ref().map(|view| Arc::clone(&view.live));
    let (mut record, played) = open_record(args, &contest.header())?;
    let open = |path| PgnFile::open(path, args.resume, &contest, title(&contest));
    let mut pgn = args.pgn.as_deref().map(open).transpose()?;
    let (mut page, mut terminal) = (view.as_deref(), Terminal::new(args, total));
    let mut sinks: Vec<&mut dyn GameSink> = Vec::new();
    sinks.extend(record.as_mut().map(|record| record as &mut dyn GameSink));
    sinks.extend(pgn.as_mut().map(|pgn| pgn as &mut dyn GameSink));
    sinks.extend(page.as_mut().map(|page| page as &mut dyn GameSink));
    sinks.push(&mut terminal);
    let beyond = contest.resume(played, &mut sinks)?;
    if beyond > 0 {
        warn(format_args!("{beyond} games of the record do not belong to this match and are left out"));
    }
    let ended = contest.run(&options, &mut sinks).map_err(anyhow::Error::from);
    let results = contest.results.update_ratings();
    // The HTML page is written even if standard output is closed, and the report is printed even if
    // the page cannot be written.
    let written = view.map_or(Ok(()), |view| write_page(args, &view));
    terminal.finish(results, ended.and(written), options.interrupt.is_stopped())
}

fn check_outputs(args: &Args) -> anyhow::Result<()> {
    let outputs =
        [("--record", &args.record), ("--pgn", &args.pgn), ("--html", &args.html), ("--log", &args.log)];
    let mut options = BTreeMap::new();
    for (option, path) in outputs.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?))) {
        let file = fs::canonicalize(path).or_else(|_| std::path::absolute(path));
        let file = file.with_context(|| format!("{option} {}", path.display()))?;
        if let Some(other) = options.insert(file, option) {
            bail!("{option} {}: {other} names the same file: expected another file", path.display());
        }
    }
    expect_writable("--html", args.html.as_ref())?;
    let Some(log) = &args.log else { return Ok(()) };
    let writable = match log.is_dir() {
        true => {
            let probe = log.join(format!(".quiver-{}", std::process::id()));
            files::open_to_append(&probe).map(drop).and_then(|()| fs::remove_file(&probe))
        }
        false => files::open_to_append(log).map(drop),
    };
    writable.with_context(|| format!("--log {}", log.display()))
}

fn open_record(args: &Args, header: &Value) -> anyhow::Result<(Option<Journal>, Vec<GameRecord>)> {
    Ok(match &args.record {
        None => (None, Vec::new()),
        Some(path) if !args.resume => (Some(Journal::create(&record::MATCH, path, header)?), Vec::new()),
        Some(path) => {
            let (resumed, recorded) = record::resume(&record::MATCH, path, header)?;
            (Some(resumed), recorded)
        }
    })
}

fn title(contest: &Contest) -> String {
    match &contest.entrants[..] {
        [a, b] => format!("{} vs {}", a.name, b.name),
        several => format!("Tournament of {}", several.len()),
    }
}

fn contest_view(args: &Args, contest: &Contest) -> anyhow::Result<Option<Arc<ContestView>>> {
    if args.watch.is_none() && args.html.is_none() {
        return Ok(None);
    }
    let view = Arc::new(ContestView::new(title(contest), contest.schedule.len()));
    if let Some(port) = args.watch {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let address =
            serve_contest_page(address, Arc::clone(&view)).with_context(|| format!("--watch {port}"))?;
        warn(format_args!("watch at http://{address}/"));
    }
    Ok(Some(view))
}

/// The longest wait for pages of `--watch` to fetch the last update. Pages ask every second.
const LAST_UPDATE_WAIT: Duration = Duration::from_secs(3);

/// Writes the page of `--html`, and waits until a page of `--watch` has the last update.
fn write_page(args: &Args, view: &ContestView) -> anyhow::Result<()> {
    view.state.lock().over = true;
    if let Some(path) = &args.html {
        write_result("--html", path, view.html())?;
    }
    let end = Instant::now() + LAST_UPDATE_WAIT;
    while args.watch.is_some() && Instant::now() < end {
        // The server sets `end_was_sent` before it writes the update. The sleep below gives the
        // server time to write the update.
        let was_sent = view.state.lock().end_was_sent;
        sleep(Duration::from_millis(100));
        if was_sent {
            break;
        }
    }
    Ok(())
}

/// Starts each program once for each size of board, to find errors before the first game.
pub(super) fn check_program_starts(
    entrants: &[Entrant],
    starts: impl IntoIterator<Item = Position>,
    context: GameContext<'_>,
) -> anyhow::Result<()> {
    let size = |start: &Position| (start.size().width(), start.size().height());
    let mut starts: Vec<Position> = starts.into_iter().collect();
    starts.sort_by_key(size);
    starts.dedup_by_key(|start| size(start));
    for entrant in entrants {
        for &start in &starts {
            let checked = check_start(entrant, context, &Game::new(start));
            // `check_start` may fail because of an interrupt, so the interrupt is reported first.
            ensure!(
                !context.run.interrupt.is_stopped(),
                Failed("interrupted while programs were being started".to_owned())
            );
            for option in checked? {
                warn(format_args!("warning: {} does not offer the option '{option}'", entrant.name));
            }
        }
    }
    Ok(())
}

fn warn_of_settings(concurrency: usize, contest: &Contest) {
    let cores = threads::cores();
    if concurrency > cores {
        warn(format_args!(
            "warning: {concurrency} games at a time on {cores} cores: players slow each other down"
        ));
    }
    let pairs = contest.schedule.iter().map(|scheduled| scheduled.opening + 1).max().unwrap_or(0);
    if let Some(distinct) = contest.openings.distinct_count().filter(|&distinct| distinct < pairs) {
        warn(format_args!("warning: {distinct} openings for {pairs} pairs: they are played more than once"));
    }
}
