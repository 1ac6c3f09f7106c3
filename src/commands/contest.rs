//! `quiver contest`: runs Quiver on the platform of the Chinese university contest.

use std::fs;
use std::io;
use std::panic;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};

use super::games;
use super::options::{EngineArgs, LimitArgs, start};
use super::value_parsers::parse_seconds;
use crate::formats;
use crate::games::Game;
use crate::protocols::contest_platform::{PlatformOptions, PlatformSession};
use crate::protocols::{converse, output};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Time for all moves of the engine in a game, in seconds, or in minutes as in 15m
    #[arg(long, value_name = "TIME", default_value = "15m", value_parser = parse_total_time, conflicts_with_all = ["time", "playouts"])]
    total: Duration,
    /// Search in the opponent's time too
    #[arg(long)]
    ponder: bool,
    /// The name of the engine, which the platform shows
    #[arg(long, value_name = "NAME", default_value = "Quiver", value_parser = parse_name)]
    name: String,
    /// Write the game after each ply, as SGF to this file and as the contest's record to a .txt
    /// file beside it; the files of further games get a number
    #[arg(long, value_name = "FILE", default_value = "contest.sgf")]
    game: PathBuf,
    /// Resume the game in this file, and write it to the same file
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    resume: Option<PathBuf>,
    /// Append all received and sent lines to this file [default: a .log file beside the game]
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// The name of the team that moves first, for the contest's record
    #[arg(long, value_name = "TEAM")]
    first_team: Option<String>,
    /// The name of the team that moves second, for the contest's record
    #[arg(long, value_name = "TEAM")]
    second_team: Option<String>,
    /// Date, time and place, for the contest's record, as in "2026.05.01 14:00 Shenyang"
    #[arg(long, value_name = "TEXT")]
    event: Option<String>,
}

/// Squares along a side of the contest's board.
const BOARD: usize = 10;

fn parse_total_time(text: &str) -> Result<Duration, String> {
    match text.strip_suffix('m') {
        Some(minutes) => parse_seconds(minutes).map(|time| 60 * time),
        None => parse_seconds(text),
    }
}

/// Checks that a name is one word, as the platform requires.
fn parse_name(text: &str) -> Result<String, String> {
    let is_word =
        (1..=200).contains(&text.len()) && !text.contains(|c: char| c.is_whitespace() || c.is_control());
    if is_word { Ok(text.to_owned()) } else { Err("expected one word of at most 200 bytes".to_owned()) }
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let game_file = args.resume.as_ref().unwrap_or(&args.game).clone();
    let log = args.log.clone().unwrap_or_else(|| game_file.with_extension("log"));
    let record = game_file.with_extension("txt");
    ensure!(
        game_file != record && game_file != log && record != log,
        "the game in {}, its record in {} and the log in {}: expected three different files",
        game_file.display(),
        record.display(),
        log.display()
    );
    let resumed = args.resume.as_deref().map(read_game).transpose()?;
    let writer = fs::OpenOptions::new().create(true).append(true).open(&log);
    let writer = writer.with_context(|| format!("--log {}", log.display()))?;
    let mut start = Game::new(start(BOARD)?);
    start.players = [args.first_team.clone(), args.second_team.clone()];
    start.event.clone_from(&args.event);
    let options = PlatformOptions {
        engine: args.engine.options()?,
        name: args.name.clone(),
        start,
        total: args.total,
        time: args.limits.time,
        playouts: args.limits.playouts,
        ponder: args.ponder,
        game_file,
        resumed,
    };
    // A panic message goes to the log: on standard error the platform would parse it as an answer.
    let panics = writer.try_clone().with_context(|| format!("--log {}", log.display()))?;
    panic::set_hook(Box::new(move |panic| {
        let _ = io::Write::write_fmt(&mut &panics, format_args!("# {panic}\n"));
    }));
    let mut session = PlatformSession::new(options, output(io::stdout()), output(writer));
    Ok(converse(io::stdin().lock(), &mut session)?)
}

fn read_game(path: &Path) -> anyhow::Result<Game> {
    let place = || format!("--resume {}", path.display());
    // Warnings about the game file are not printed: the platform would read them as answers.
    let found =
        formats::read(&games::read_bytes(path).with_context(place)?, &[start(BOARD)?]).with_context(place)?;
    let first = formats::reject_disagreements(found).next().with_context(place)?;
    let game = first.game.with_context(place)?;
    ensure!(
        *game.start() == start(BOARD)?,
        "{}: the game begins at {}: expected the start position of {BOARD}x{BOARD}",
        place(),
        game.start()
    );
    ensure!(
        game.end.is_none() && game.position().winner().is_none(),
        "{}: the game is over: expected an unfinished game",
        place()
    );
    Ok(game)
}
