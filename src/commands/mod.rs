//! The command line of Quiver. Each subcommand has a file or folder in this module.
//!
//! Results go to standard output, messages to standard error. If a command returns an error, `main`
//! turns the error into a message and an exit status: 1 for a [`Failed`] check or an error of the
//! system, 2 for bad arguments or bad input.

mod analyze;
mod bench;
mod book;
mod bot;
mod check;
mod contest;
mod convert;
mod elo;
mod evaluate;
mod features;
mod games;
mod gtp;
mod interrupt;
mod match_games;
mod openings;
mod options;
mod package;
mod params;
mod perft;
mod removed;
mod replay;
mod selfplay;
mod serve;
mod solve;
mod starter;
mod suite;
mod value_parsers;

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::LazyLock;
use std::thread;

use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::files;
use crate::messages::printable;
use crate::protocols::uci::UciSession;
use crate::protocols::{converse, output};
use crate::simd::Kernel;

/// The error of a command that could not do its work, or whose check failed. The exit status is 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failed(pub String);

/// Gives an error the exit status 1. Without this, an error counts as bad arguments or bad input.
fn failed(error: impl Display) -> Failed {
    Failed(format!("{error:#}"))
}

#[derive(Debug, Parser)]
#[command(name = "quiver", version, long_version = version(), about, max_term_width = 110, override_usage = "quiver [COMMAND]")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play on Botzone: requests on standard input, moves on standard output (the default command)
    Bot(Box<bot::Args>),
    /// Search a position and print the best moves; with --jsonl, answer the queries of a program
    Analyze(Box<analyze::Args>),
    /// Measure the engine's speed, and print a signature that changes when its play changes
    Bench(bench::Args),
    /// Make an opening book
    #[command(subcommand)]
    Book(Box<book::Args>),
    /// Check a bot for Botzone in every form of the protocol, list its defects, and rate the bot
    Check(Box<check::Args>),
    /// Play on the platform of the Chinese university contest
    Contest(Box<contest::Args>),
    /// Convert games between formats: SGF, GGF, Botzone logs, match records, lists of moves
    Convert(convert::Args),
    /// Compute Elo, its error and a sequential test from the results of pairs of games
    Elo(elo::Args),
    /// Measure how well the static evaluator predicts who wins
    Evaluate(evaluate::Args),
    /// Write training data for the evaluator's weights or the policy network, from self-play games
    Features(features::Args),
    /// Run as a GTP engine for programs that speak KataGo's dialect for Amazons
    Gtp(Box<gtp::Args>),
    /// Play a match or a tournament between engines, bots and built-in players
    Match(Box<match_games::Args>),
    /// Make a suite of even openings for matches
    Openings(openings::Args),
    /// Write this engine as one C++ source file, for upload to Botzone
    Package(Box<package::Args>),
    /// List the search parameters
    Params(params::Args),
    /// Count the lines of play from a position, to test a move generator
    Perft(perft::Args),
    /// Read games in any format, check them against the rules, and print who won and why
    Replay(Box<replay::Args>),
    /// Play the engine against itself and write the games as training data
    Selfplay(Box<selfplay::Args>),
    /// Prove who wins a position on a small board or with few empty squares
    Solve(solve::Args),
    /// Write the source of a small Botzone bot, as a beginning for a bot of your own
    Starter(starter::Args),
    /// Score players on test positions: proven wins and best moves, by theme and phase
    Suite(Box<suite::Args>),
    /// Play and analyse on a board in the browser, on this machine
    Serve(Box<serve::Args>),
    /// Run as a UCI engine with the variant amazons, for match runners and GUIs
    Uci(Box<options::EngineArgs>),
}

/// Parses a command line, whose first word is the program's name, and runs its command.
pub fn run(line: impl IntoIterator<Item = OsString>) -> anyhow::Result<()> {
    let mut line = with_default_command(line);
    gtp::remove_katago_options(&mut line);
    let first = line.get(1).map(|word| word.to_string_lossy()).unwrap_or_default();
    let command = parse(&line)
        .map_err(|error| removed::message(&first, &error).map_or(error.into(), anyhow::Error::msg))?
        .command;
    // Returns an error if the environment variable QUIVER_KERNEL is invalid.
    Kernel::allowed()?;
    match command {
        Command::Bot(args) => bot::run(&args),
        Command::Analyze(args) => analyze::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Book(args) => book::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Contest(args) => contest::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Elo(args) => elo::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Features(args) => features::run(&args),
        Command::Gtp(args) => gtp::run(&args),
        Command::Match(args) => match_games::run(&args),
        Command::Openings(args) => openings::run(&args),
        Command::Package(args) => package::run(&args),
        Command::Params(args) => params::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Selfplay(args) => selfplay::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Starter(args) => starter::run(&args),
        Command::Suite(args) => suite::run(&args),
        Command::Uci(engine) => {
            let mut session = UciSession::new(engine.options()?, output(io::stdout()));
            Ok(converse(io::stdin().lock(), &mut session)?)
        }
    }
}

/// A negative number is the value of the option before it, so that its error says what was expected.
fn try_parse(line: &[OsString]) -> Result<Cli, clap::Error> {
    let takes_numbers = |arg: Arg| match arg.get_action().takes_values() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    };
    let command = Cli::command().mut_subcommands(|command| command.mut_args(takes_numbers));
    Cli::from_arg_matches(&command.try_get_matches_from(line)?)
}

/// Parses a command line on a thread of its own, because clap needs about 100 KB of stack and
/// `ulimit -s` may leave the main thread less.
fn parse(line: &[OsString]) -> Result<Cli, clap::Error> {
    const STACK_SIZE: usize = 2 << 20;
    thread::scope(|scope| {
        let parser = thread::Builder::new().stack_size(STACK_SIZE);
        match parser.spawn_scoped(scope, || try_parse(line)) {
            Ok(parsed) => parsed.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // If the system allows no second thread, the main thread parses.
            Err(_) => try_parse(line),
        }
    })
}

/// Reads a tournament's file as `quiver match --tournament PATH --games 2 --playouts 1` does, and
/// returns the number of its games. Plays nothing and starts no program.
pub fn count_tournament_games(path: &Path) -> anyhow::Result<usize> {
    let mut line =
        ["quiver", "match", "--games=2", "--playouts=1", "--tournament"].map(OsString::from).to_vec();
    line.push(path.into());
    match Cli::try_parse_from(line)?.command {
        Command::Match(args) => Ok(match_games::setup(&args)?.schedule.len()),
        _ => unreachable!("the line names the command"),
    }
}

/// Prints a result to standard output. A closed pipe is an error; the macro `print!` would panic.
fn print(text: impl Display) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    write!(out, "{text}")?;
    Ok(out.flush()?)
}

fn print_result(json: bool, result: &impl Serialize, text: impl FnOnce() -> String) -> anyhow::Result<()> {
    print(if json { serde_json::to_string(result)? + "\n" } else { printable(&text()) })
}

/// Writes `text` to the file of a command-line option. If this fails, the file keeps its content.
fn write_result(option: &str, path: &Path, text: String) -> anyhow::Result<()> {
    let failed = |error| Failed(format!("{option} {}: {error}", path.display()));
    Ok(files::replace(path, text).map_err(failed)?)
}

/// A progress bar on standard error, which stays hidden if standard error is no terminal.
fn progress_bar(total: usize, done: usize) -> ProgressBar {
    let bar = ProgressBar::new(total as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} (left {eta}) {msg}") {
        bar.set_style(style);
    }
    bar.set_position(done as u64);
    bar.reset_eta();
    bar
}

/// Formats an error with its causes. A cause whose text already stands in the message is left out.
pub fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !text.contains(&cause) {
            text += if text.is_empty() { "" } else { ": " };
            text += &cause;
        }
    }
    text
}

fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        format!(
            "{}\ncommit {}\ntree {}\nkernel {}",
            env!("CARGO_PKG_VERSION"),
            env!("QUIVER_COMMIT"),
            env!("QUIVER_TREE"),
            Kernel::best().name()
        )
    });
    &VERSION
}

/// Inserts the default command `bot` into a command line that names no command. Such a line is
/// empty, or begins with an option other than those for help and version.
fn with_default_command(line: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut line: Vec<OsString> = line.into_iter().collect();
    let first = line.get(1).and_then(|first| first.to_str());
    let has_command = match first {
        Some("-h" | "--help" | "-V" | "--version") => true,
        Some(word) => !word.starts_with('-'),
        // If the first word is invalid UTF-8, nothing is inserted, and clap reports the word.
        None => line.len() > 1,
    };
    if !has_command {
        line.insert(line.len().min(1), "bot".into());
    }
    line
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        <super::Cli as super::CommandFactory>::command().debug_assert();
    }
}
