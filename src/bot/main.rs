//! The bot as the program `quiver-bot`, which `quiver package` embeds in a C++ source.
//!
//! The program takes its settings, a [`BotSettings`], as one JSON argument. If it is built with
//! `--no-default-features --features bot-8`, it contains only the network and the weights for
//! boards up to 8x8. With `bot-10` it contains only the network and the weights for larger boards.

use std::process::ExitCode;

use anyhow::Context;
use quiver_bot::messages::warn;
use quiver_bot::{BotError, BotSettings};

/// Exits with status 1 if input or output fails, and with 2 for bad input.
fn main() -> ExitCode {
    let Err(error) = run() else { return ExitCode::SUCCESS };
    warn(format_args!("{error:#}"));
    let is_io = matches!(error.downcast_ref(), Some(BotError::Input { .. } | BotError::Output { .. }));
    ExitCode::from(if is_io { 1 } else { 2 })
}

fn run() -> anyhow::Result<()> {
    let settings =
        std::env::args().nth(1).context("no settings: expected the bot's settings as one JSON argument")?;
    let settings: BotSettings = serde_json::from_str(&settings).context("the settings of the bot")?;
    Ok(quiver_bot::run(&settings)?)
}

/// Replaces glibc's function of this name, whose use of `sscanf` adds 107 KB to a static program.
/// Rust's runtime calls glibc's function only to recognise a stack overflow. This function always
/// fails, so a stack overflow ends the program by a signal without a message.
#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
#[unsafe(no_mangle)]
extern "C" fn pthread_getattr_np(_thread: usize, _attributes: *mut u8) -> i32 {
    const ENOSYS: i32 = 38;
    ENOSYS
}

/// Replaces glibc's function of this name, to leave its code for translations out of the program.
#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
#[unsafe(no_mangle)]
extern "C" fn __dcgettext(_domain: *const u8, message: *const u8, _category: i32) -> *const u8 {
    message
}
