//! The bot without a command line: what `quiver package` embeds.
//!
//! It takes its settings as one JSON argument, a [`BotSettings`], and ends as `quiver bot` would.
//! Built with `--no-default-features --features bot-8` or `bot-10` it is smaller than `quiver` by
//! all that reads a command line, and by the network and the weights for the other kind of board.

use std::process::ExitCode;

use anyhow::Context;
use quiver_bot::messages::warn;
use quiver_bot::{BotError, BotSettings};

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

/// Prints an error on standard error; returns 1 for what failed here, 2 for bad input.
fn report(error: &anyhow::Error) -> ExitCode {
    let failed_here = error.downcast_ref().is_some_and(|error: &BotError| !error.is_bad_input());
    warn(format_args!("{error:#}"));
    ExitCode::from(if failed_here { 1 } else { 2 })
}
