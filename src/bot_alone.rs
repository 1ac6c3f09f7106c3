//! The bot without a command line: what `quiver package` embeds.
//!
//! It takes its settings as one JSON argument, a [`BotSettings`], and ends as `quiver bot` would. Built with
//! `--no-default-features --features bot-8` or `bot-10` it is smaller than `quiver` by all that
//! reads a command line, and by the network and the weights for the other kind of board.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Context;
use quiver::botzone::{BotError, BotSettings, Fault};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error),
    }
}

fn run() -> anyhow::Result<()> {
    let settings = std::env::args().nth(1).context("no settings: expected them as the one argument")?;
    let settings: BotSettings = serde_json::from_str(&settings).context("the settings of the bot")?;
    Ok(settings.run()?)
}

/// Prints an error where it belongs; 0 for a reader who has gone, 1 for what failed here, 2 for bad input.
fn report(error: &anyhow::Error) -> ExitCode {
    let fault = match error.downcast_ref() {
        Some(BotError::Session(error)) => error.fault(),
        _ => Fault::Input,
    };
    let status = match fault {
        Fault::Nobody => return ExitCode::SUCCESS,
        Fault::Here => 1,
        Fault::Input => 2,
    };
    // A closed standard error is no reason to panic.
    let _ = writeln!(io::stderr(), "quiver: {error:#}");
    ExitCode::from(status)
}
