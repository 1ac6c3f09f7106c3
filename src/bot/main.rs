//! The bot without a command line, which `quiver package` embeds.
//!
//! The program takes its settings, a [`BotSettings`], as one JSON argument, and ends like `quiver
//! bot`. Built with `--no-default-features --features bot-8` or `bot-10`, it is smaller than
//! `quiver`: it has no command line, and no network and weights for the other kind of board.

use std::process::ExitCode;

use anyhow::Context;
use quiver_bot::messages::warn;
use quiver_bot::{BotError, BotSettings};

/// Ends with status 1 for a failure of this machine, with 2 for bad input.
fn main() -> ExitCode {
    let Err(error) = run() else { return ExitCode::SUCCESS };
    warn(format_args!("{error:#}"));
    let failed_here = matches!(error.downcast_ref(), Some(BotError::Input { .. } | BotError::Output { .. }));
    ExitCode::from(if failed_here { 1 } else { 2 })
}

fn run() -> anyhow::Result<()> {
    let settings = std::env::args().nth(1).context("no settings: expected them as the one argument")?;
    let settings: BotSettings = serde_json::from_str(&settings).context("the settings of the bot")?;
    Ok(quiver_bot::run(&settings)?)
}

/// Replaces glibc's function of this name, which reads the end of a thread's stack from a file by
/// `sscanf`. That takes 107 KB of a static program, as much as the AVX-512 kernels. Rust's runtime
/// calls it only to report a stack overflow by name; after an error, the signal reports it.
#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
#[unsafe(no_mangle)]
extern "C" fn pthread_getattr_np(_thread: usize, _attributes: *mut u8) -> i32 {
    const ENOSYS: i32 = 38;
    ENOSYS
}

/// Replaces glibc's function of this name, which translates a message into the language of the
/// locale. A program that sets no locale gets the message unchanged.
#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
#[unsafe(no_mangle)]
extern "C" fn __dcgettext(_domain: *const u8, message: *const u8, _category: i32) -> *const u8 {
    message
}
