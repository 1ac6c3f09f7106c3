//! `quiver gtp`: runs Quiver as an engine for programs that speak GTP.

use std::ffi::OsString;
use std::io::{self, Write as _};

use super::options::{BoardArgs, EngineArgs, LimitArgs};
use crate::protocols::gtp::{GtpOptions, GtpSession};
use crate::protocols::{converse, output};

#[derive(Debug, clap::Args)]
#[command(mut_arg("playouts", |playouts| playouts.help("Number of playouts of a move [default: 20000, without --time]")))]
pub(super) struct Args {
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Removes KataGo's options for a configuration and a network, each with its argument. Programs
/// written for KataGo pass these options, and Quiver does not need them.
pub(super) fn remove_katago_options(line: &mut Vec<OsString>) {
    const OPTIONS: [&str; 3] = ["-config", "-model", "-override-config"];
    if line.get(1).is_none_or(|command| command != "gtp") {
        return;
    }
    while let Some(place) = line.iter().position(|word| OPTIONS.iter().any(|option| word == option)) {
        line.drain(place..line.len().min(place + 2));
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let options = GtpOptions {
        engine: args.engine.options()?,
        start: args.board.start()?,
        playouts: args.limits.playouts,
        time: args.limits.time,
    };
    // Graphical programs wait for this line, which KataGo prints too. An error is ignored, because
    // a program that waits for the line reads standard error.
    let _ = writeln!(io::stderr(), "GTP ready, beginning main protocol loop");
    Ok(converse(io::stdin().lock(), &mut GtpSession::new(options, output(io::stdout())))?)
}
