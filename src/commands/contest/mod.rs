//! `quiver match`: a match of two, or a tournament of several, and what came of it.

mod resume;
mod setup;
mod stage;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use super::Failed;
use super::interrupt;
use super::options::{
    BoardOptions, EngineArgs, LimitOptions, parse_concurrency, parse_memory, parse_seconds, parse_threads,
};
use super::progress;
use crate::contest::statistics::Sprt;
use crate::contest::{
    Contest, Fixture, LaunchError, Record, Resumed, RunningSprt, Staging, Tally, kill_all, summary,
};
use crate::files;
use crate::game::Fen;
use crate::messages::printable;
use stage::Stage;

/// What the help ends with.
const AFTER_HELP: &str = "\
SPEC is one of
  quiver, quiver:name=value,...   this engine, with search parameters of its own
  greedy, random, campya          other built-in players
  cmd:COMMAND                     a Botzone JSON bot, one process a turn or kept running (found out)
  text:COMMAND                    a Botzone bot in simplified interaction, likewise
  uci:COMMAND                     a UCI engine with a variant of Amazons on the board, which is found in its list of
                                  options after those of the user are set, or is named by the option UCI_Variant
Bots on Botzone's terms cannot be told how many playouts to make: --playouts is not for them. Whether one will ask to
be kept running is known only after its answer, so its input stays open until then: it must answer to the one line of
JSON, or to the lines that the number in the first announces, and not wait for the end of its input.

Programs end with the match, even one that is killed, if they read their input. One that works on without reading has
its CPU time limited, far beyond what a game takes, where there is a time limit; without one it is never ended.

Each opening is played twice, with colours changed; statistics are those of pairs.

Exit status: 0 if all games were played out; 1 if some ended by a fault (illegal move, malformed output, time,
crash, stall) or the match was interrupted; 2 for bad input.";

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// One player
    #[arg(long, value_name = "SPEC", required_unless_present = "tournament")]
    a: Option<String>,
    /// The other player
    #[arg(long, value_name = "SPEC", required_unless_present = "tournament")]
    b: Option<String>,
    /// Games to play; in a tournament for each pairing, where its file does not say
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// What reports call A
    #[arg(long, value_name = "NAME")]
    a_name: Option<String>,
    /// What reports call B
    #[arg(long, value_name = "NAME")]
    b_name: Option<String>,
    /// A round robin or gauntlet of several players, described by a TOML file
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "a", "b", "sprt", "a_name", "b_name", "a_time", "b_time", "a_first_time", "b_first_time", "a_playouts", "b_playouts",
        "a_threads", "b_threads", "a_option", "b_option",
    ])]
    tournament: Option<PathBuf>,
    #[command(flatten)]
    board: BoardOptions,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    limits: LimitOptions,
    /// Time for a move of A, instead of --time
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    a_time: Option<Duration>,
    /// Time for a move of B, instead of --time
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    b_time: Option<Duration>,
    /// Playouts for a move of A, instead of --playouts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    a_playouts: Option<u64>,
    /// Playouts for a move of B, instead of --playouts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    b_playouts: Option<u64>,
    /// Threads of A, instead of --threads
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    a_threads: Option<usize>,
    /// Threads of B, instead of --threads
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    b_threads: Option<usize>,
    /// Time for each player's first move [default: twice the time for cmd: and text:, as on Botzone]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    first_time: Option<Duration>,
    /// Time for A's first move, instead of --first-time
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    a_first_time: Option<Duration>,
    /// Time for B's first move, instead of --first-time
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    b_first_time: Option<Duration>,
    /// What clocks count: wall time, or CPU time (the thread's of built-in players, the process group's of programs)
    #[arg(long, value_enum, default_value = "wall")]
    clock: ClockName,
    /// How far over its limit an answer may be
    #[arg(long, value_name = "SECONDS", default_value = "0.1", value_parser = parse_grace)]
    grace: Duration,
    /// How long to wait past the limit, or for a sign of work where there is none [default: 1, or 60 without limit]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    patience: Option<Duration>,
    /// Address space of programs, each process
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    memory_limit: Option<usize>,
    /// An option to set in A, a UCI engine; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    a_option: Vec<String>,
    /// An option to set in B, a UCI engine; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    b_option: Vec<String>,
    /// Openings: moves, or a FEN with or without moves, a line; # begins a comment. 'suite' is the board's shipped suite
    #[arg(long, value_name = "FILE", conflicts_with = "random_plies")]
    openings: Option<PathBuf>,
    /// Begin each pair with so many random plies [default: 4, without --openings]
    #[arg(long, value_name = "K")]
    random_plies: Option<usize>,
    /// Games at a time
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_concurrency)]
    concurrency: usize,
    /// Keep each of the games at a time, and its programs, to a core of its own
    #[arg(long)]
    pin: bool,
    /// Stop when a sequential test of pairs has a verdict (errors of 5 %)
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Write a line a game; what --resume goes on from
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Go on from the record, or begin it
    #[arg(long, requires = "record")]
    resume: bool,
    /// Also write each game as a Botzone match log
    #[arg(long, value_name = "DIR")]
    botzone_log: Option<PathBuf>,
    /// Keep programs' standard error: in this file, or in a file for each game if it is a directory
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Print a summary every so many games
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    report: u64,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ClockName {
    Wall,
    Cpu,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let interrupted = interrupt::watch("ending; games in progress are given up", kill_all)?;
    let contest = setup::contest(args, &interrupted)?;
    let names: Vec<String> = contest.entrants.iter().map(|entrant| entrant.name.clone()).collect();
    let mut done = BTreeSet::new();
    if let Some(directory) = args.botzone_log.as_ref().filter(|_| !args.resume) {
        // Before a record is begun that this would leave without games.
        stage::refuse_logs(directory, &contest.fixtures, &done)?;
    }
    let header = contest.header();
    let (record, resumed) = match &args.record {
        Some(path) if args.resume => {
            Record::resume(path, &header).map(|(record, games)| (Some(record), games))?
        }
        Some(path) => (Some(Record::create(path, &header)?), Resumed::default()),
        None => (None, Resumed::default()),
    };
    let mut tally = Tally::new(contest.entrants.len());
    done.extend(take_over(&resumed, &contest, &mut tally)?);
    if let Some(directory) = &args.botzone_log {
        stage::refuse_logs(directory, &contest.fixtures, &done)?;
        stage::prepare_logs(directory, resumed.games.iter().filter(|game| done.contains(&game.game)))?;
    }
    let mut stage = Stage {
        names: &names,
        total: contest.fixtures.len(),
        tally,
        sprt: args.sprt.map(RunningSprt::new),
        record,
        botzone_log: args.botzone_log.as_deref(),
        every: args.report,
        quiet: args.json,
        bar: progress::bar(contest.fixtures.len(), done.len()),
    };
    stage.begin(done.len())?;
    let staging = Staging { concurrency: args.concurrency, pin: args.pin, log: args.log.clone() };
    if !stage.decided() {
        let played = contest.run(&staging, &done, &interrupted, |game| stage.take(&game));
        played.map_err(|error| match error.downcast::<LaunchError>() {
            // It has started before: this is no bad input, nor the player's fault.
            Ok(error) => {
                Failed(format!("given up after {} games: {error}; {}", stage.tally.games, go_on(args))).into()
            }
            Err(other) => other,
        })?;
    }
    stage.finish()?;
    let mut out = std::io::stdout().lock();
    let Stage { tally, sprt, .. } = &stage;
    if args.json {
        writeln!(out, "{}", summary::json_report(&names, tally, sprt.as_ref()))?;
    } else if args.tournament.is_some() {
        write!(out, "{}", printable(&summary::tournament_report(&names, tally)))?;
    } else {
        write!(out, "{}", printable(&summary::match_report(&names, tally, sprt.as_ref())))?;
    }
    conclude(args, &stage, interrupted.load(Ordering::Relaxed))
}

/// The games of a record that are games of this contest, added up; their numbers.
fn take_over(resumed: &Resumed, contest: &Contest, tally: &mut Tally) -> anyhow::Result<BTreeSet<usize>> {
    if resumed.torn {
        eprintln!("quiver: the record's last line was torn and has been dropped; its game is played again");
    }
    let fixtures: BTreeMap<usize, &Fixture> =
        contest.fixtures.iter().map(|fixture| (fixture.game, fixture)).collect();
    let mut done = BTreeSet::new();
    let mut beyond = 0;
    for game in &resumed.games {
        let Some(fixture) = fixtures.get(&game.game) else {
            beyond += 1;
            continue;
        };
        let players = [0, 1].map(|seat: usize| game.players[seat].entrant);
        ensure!(
            players == fixture.players && game.pair == fixture.pair,
            "the record's game {} is not a game of this match: pair {}, players {players:?}, expected {}, {:?}",
            game.game,
            game.pair,
            fixture.pair,
            fixture.players
        );
        let opening = contest.openings.get(fixture.opening);
        let moves: Vec<String> = opening.moves.iter().map(ToString::to_string).collect();
        ensure!(
            game.start == Fen(opening.start).to_string() && game.opening == moves,
            "the record's game {} begins with {:?} from {}: expected {moves:?} from {}, the opening of this match",
            game.game,
            game.opening,
            game.start,
            Fen(opening.start)
        );
        tally.add(game);
        done.insert(game.game);
    }
    if beyond > 0 {
        eprintln!("quiver: {beyond} games of the record are beyond the number asked for and are left out");
    }
    Ok(done)
}

/// Says what is left to say, and whether all went well.
fn conclude(args: &Args, stage: &Stage<'_>, interrupted: bool) -> anyhow::Result<()> {
    let faults = stage.tally.faults();
    if interrupted && stage.tally.games < stage.total as u64 && !stage.decided() {
        let games = stage.tally.games;
        bail!(Failed(format!("interrupted after {games} games; {}", go_on(args))));
    }
    if faults > 0 {
        let culprits = summary::culprits(stage.names, &stage.tally);
        bail!(Failed(format!("{faults} of {} games ended by a fault: {culprits}", stage.tally.games)));
    }
    Ok(())
}

/// How a match goes on that was not played to its end.
fn go_on(args: &Args) -> String {
    match &args.record {
        Some(_) => format!("go on with:\n{}", resume::command()),
        None => "without --record they cannot be gone on from".to_owned(),
    }
}

/// Seconds, 0 included.
fn parse_grace(text: &str) -> Result<Duration, String> {
    if text.parse() == Ok(0.0) { Ok(Duration::ZERO) } else { parse_seconds(text) }
}

/// Reads a file that the user named.
fn read(option: &str, path: &Path) -> anyhow::Result<String> {
    files::read_text(path).with_context(|| format!("{option} {}", path.display()))
}
