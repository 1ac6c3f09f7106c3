//! `quiver suite`: scores players on test positions.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use amazons::{self, Size};
use anyhow::{Context, bail, ensure};

use super::match_games::{check_program_starts, entrant};
use super::options::{BoardArgs, ClockArgs, EngineArgs, expect_no_input, expect_writable};
use super::value_parsers::{parse_concurrency, parse_seconds, parse_serde_name};
use super::{Failed, failed, interrupt, progress_bar};
use crate::contest::{Entrant, GameConditions, GameContext, PlayerSettings, RunOptions};
use crate::files;
use crate::messages::counted;
use crate::players::PlayerKind;
use crate::search::EngineOptions;
use crate::training::positions::suite::Suite;
use crate::training::positions::{self, Phase, SuiteTask, TestPosition, Theme, results};

const AFTER_HELP: &str = "\
SPEC is a player of `quiver match`. The suite asks the player for one move in each position, as in a new game. A \
position is solved if the move keeps the proven win (task win), keeps the whole margin (task margin), or is the move \
on which two long searches agree (task best).

If --time or --playouts lists several limits, each player answers every position once under each limit. A player that \
does not search answers once. A cmd: or text: player answers once without a limit under --playouts, because its \
protocol cannot carry a number of playouts. A cmd: or text: player gets each position as the moves from the start \
position, so it cannot answer positions without such moves.

Exit status: 0 if every answer was a legal move in time; 1 if one was not, if a count of --perft differs, or if the \
command was interrupted; 2 for bad input.";

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// The players to test
    #[arg(value_name = "SPEC", required_unless_present = "perft")]
    specs: Vec<String>,
    #[command(flatten)]
    board: BoardArgs,
    /// Test positions to use in place of the shipped ones: a file in the same format
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Time limit of a move; several limits are separated by commas
    #[arg(long, value_name = "SECONDS,...", value_parser = parse_seconds, value_delimiter = ',', conflicts_with = "playouts")]
    time: Vec<Duration>,
    /// Playouts of a move; several numbers are separated by commas
    #[arg(long, value_name = "N,...", value_parser = clap::value_parser!(u64).range(1..), value_delimiter = ',')]
    playouts: Vec<u64>,
    #[command(flatten)]
    clock: ClockArgs,
    /// Use only positions of this task: win, margin or best
    #[arg(long, value_name = "TASK", value_parser = parse_serde_name::<SuiteTask>)]
    task: Option<SuiteTask>,
    /// Use only positions of this phase: opening, middle, late or endgame
    #[arg(long, value_name = "PHASE", value_parser = parse_serde_name::<Phase>)]
    phase: Option<Phase>,
    /// Use only positions of this theme, by its name in the printed table
    #[arg(long, value_name = "THEME", value_parser = parse_serde_name::<Theme>)]
    theme: Option<Theme>,
    /// Number of positions that are searched at the same time
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_concurrency)]
    concurrency: usize,
    /// An option to set in every UCI engine; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<String>,
    /// Write the scores as CSV: a row for each player, limit and group of positions
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
    /// Check this program's move generator against the shipped perft counts that are at most N,
    /// instead of testing players
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "10000000", conflicts_with_all = ["specs", "json", "csv"])]
    perft: Option<u64>,
    #[command(flatten)]
    engine: EngineArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    args.perft.map_or_else(|| score(args), check_perft_counts)
}

fn check_perft_counts(max_count: u64) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let mut wrong = 0;
    for (position, depth, count) in
        positions::perft_counts().into_iter().filter(|&(.., count)| count <= max_count)
    {
        let got = amazons::perft(&position, depth);
        wrong += u64::from(got != count);
        let verdict = if got == count { "ok".to_owned() } else { format!("expected {count}") };
        writeln!(out, "{position}: perft({depth}) = {got}, {verdict}")?;
    }
    ensure!(wrong == 0, Failed(format!("{} differ", counted(wrong, "count", "counts"))));
    Ok(())
}

fn score(args: &Args) -> anyhow::Result<()> {
    expect_no_input("--csv", args.csv.as_ref(), args.positions.as_slice())?;
    let positions = chosen_positions(args)?;
    let engine = args.engine.options()?;
    let entrants = entrants(args, &engine)?;
    expect_writable("--csv", args.csv.as_ref())?;
    let interrupt = interrupt::stop_on_interrupt("ending; the positions in progress are given up")?;
    let run = &RunOptions { concurrency: args.concurrency, interrupt, ..RunOptions::default() };
    let ClockArgs { clock, grace } = args.clock;
    let conditions = GameConditions { clock, grace, ..GameConditions::default() };
    let context = GameContext::new(conditions, engine.seed, run);
    check_program_starts(&entrants, [positions[0].position], context)?;
    let suite = Suite { positions: &positions, context };
    if let Some(Entrant { name, .. }) =
        entrants.iter().find(|entrant| suite.askable_positions(entrant).is_empty())
    {
        bail!(
            "{name}: this player needs positions with their moves from the start, and no position has them"
        );
    }
    let report = ask_all(&suite, &entrants)?;
    super::print_result(args.json, &report, || report.text())?;
    if let Some(path) = &args.csv {
        super::write_result("--csv", path, report.csv_table().csv())?;
    }
    let faults = report.fault_count();
    ensure!(faults == 0, Failed(format!("no legal move in time: {}", counted(faults, "answer", "answers"))));
    Ok(())
}

fn ask_all(suite: &Suite<'_>, entrants: &[Entrant]) -> anyhow::Result<results::SuiteReport> {
    let bar = progress_bar(entrants.iter().map(|entrant| suite.askable_positions(entrant).len()).sum(), 0);
    let mut runs = Vec::new();
    for entrant in entrants {
        bar.set_message(entrant.name.clone());
        let answers = suite.ask(entrant, || bar.inc(1)).map_err(failed)?;
        ensure!(!suite.context.run.interrupt.is_stopped(), Failed("interrupted".to_owned()));
        runs.push((entrant, answers));
    }
    bar.finish_and_clear();
    Ok(results::SuiteReport::new(runs, suite.positions))
}

fn chosen_positions(args: &Args) -> anyhow::Result<Vec<TestPosition>> {
    let side = args.board.board;
    let place = args.positions.as_ref().map(|path| format!("--positions {}", path.display()));
    let place = place.unwrap_or_else(|| "the shipped positions".to_owned());
    let text = match &args.positions {
        Some(path) => files::read_text(path).with_context(|| place.clone())?,
        None => positions::shipped_positions(side)
            .with_context(|| format!("--board {side}: expected 4, 5, 6, 8 or 10, or --positions FILE"))?
            .to_owned(),
    };
    let mut list = TestPosition::parse(&text).with_context(|| place.clone())?;
    let (size, reason) = match list.first() {
        Some(first) if !args.board.is_set_by_user() => (first.position.size(), "for the first position"),
        _ => (Size::square(side)?, "as --board says"),
    };
    if let Some(other) = list.iter().find(|test| test.position.size() != size) {
        bail!("{place}: {} is on {}, expected {size} {reason}", other.id, other.position.size());
    }
    list.retain(|position| {
        args.task.is_none_or(|task| task == position.task)
            && args.phase.is_none_or(|phase| phase == position.phase)
            && args.theme.is_none_or(|theme| theme == position.theme)
    });
    ensure!(!list.is_empty(), "{place} for {size}: none has this task, phase and theme");
    Ok(list)
}

/// Creates an entrant for each player and each limit that the player can obey. A player that obeys
/// none of the limits gets one entrant.
fn entrants(args: &Args, engine: &EngineOptions) -> anyhow::Result<Vec<Entrant>> {
    if let Some(option) = args.option.first() {
        let takes = args.specs.iter().any(|spec| spec.starts_with("uci:"));
        ensure!(takes, "--option '{option}': expected a uci: player among the SPECs");
    }
    let mut entrants = Vec::new();
    for spec in &args.specs {
        let options = args.option.iter().filter(|_| spec.starts_with("uci:")).cloned().collect();
        let unlimited = PlayerSettings { spec: Some(spec.clone()), options, ..PlayerSettings::default() };
        let searches = spec.parse().map_or(true, |kind: PlayerKind| kind.searches());
        let is_told_playouts = !spec.starts_with("cmd:") && !spec.starts_with("text:");
        let timed = args.time.iter().map(Duration::as_secs_f64);
        let timed = timed.map(|time| (format!("{time} s"), Some(time), None));
        let counted = args.playouts.iter().filter(|_| is_told_playouts);
        let counted = counted.map(|&playouts| (format!("{playouts} playouts"), None, Some(playouts)));
        let limited = timed.chain(counted).filter(|_| searches).map(|(limit, time, playouts)| {
            PlayerSettings { name: format!("{spec}, {limit}"), time, playouts, ..unlimited.clone() }
        });
        let mut budgets: Vec<PlayerSettings> = limited.collect();
        if budgets.is_empty() {
            budgets.push(unlimited);
        }
        for player in budgets {
            entrants.push(entrant(player, engine, args.clock.clock).context("SPEC")?);
        }
    }
    Ok(entrants)
}
