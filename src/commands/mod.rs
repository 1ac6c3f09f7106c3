//! The command line: one file a subcommand.
//!
//! Results go to standard output, all talk to standard error. A command returns an error and `main` turns it
//! into a message and an exit status: 1 for a [`Failed`] check or a system that refused, 2 for anything that is
//! wrong with what the user gave.

mod options;
mod params;
mod perft;
#[cfg(feature = "replay")]
mod replay;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

/// The thing asked for was understood and failed, or a check did not hold: exit status 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failed(pub String);

#[derive(Debug, Parser)]
#[command(name = "quiver", version, about, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print or list the search parameters
    Params(params::Args),
    /// Count the lines of play from a position: the test of every move generator
    Perft(perft::Args),
    /// Read Botzone match logs, check them against the rules, and say who won and why
    #[cfg(feature = "replay")]
    Replay(Box<replay::Args>),
}

/// Reads a command line, program name first, and does what it says.
///
/// # Errors
/// A [`clap::Error`] for a command line that cannot be read (or that asks for help), a [`Failed`] for a check
/// that did not hold, otherwise whatever was wrong with the input.
pub fn run(line: impl IntoIterator<Item = OsString>) -> anyhow::Result<()> {
    match Cli::try_parse_from(line)?.command {
        Command::Params(args) => params::run(&args),
        Command::Perft(args) => perft::run(&args),
        #[cfg(feature = "replay")]
        Command::Replay(args) => replay::run(&args),
    }
}
