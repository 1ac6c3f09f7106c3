//! A player of a contest from its description, whose settings are checked against each other.

use std::time::Duration;

use anyhow::{Context, anyhow, ensure};

use crate::commands::options::{parse_seconds, parse_threads};
use crate::contest::{Clock, EngineProtocol, Entrant, PlayerSpec, Protocol};
use crate::search::EngineOptions;

/// The player that these settings describe; `engine` has the settings that they leave open.
///
/// # Errors
/// If a setting is out of range, or does not go with another or with the clock.
pub(in crate::commands) fn entrant(
    mut player: Entrant,
    engine: &EngineOptions,
    clock: Clock,
) -> anyhow::Result<Entrant> {
    let text = player.spec.take().context("expected a SPEC")?;
    let kind: PlayerSpec = text.parse()?;
    player.time = seconds("time", player.time)?;
    player.first_time = seconds("first_time", player.first_time)?;
    let threads = player.threads.map(|threads| parse_threads(&threads.to_string())).transpose();
    let threads = threads.map_err(|error| anyhow!("threads {error}"))?.unwrap_or(engine.threads);
    player.startup = seconds("startup", player.startup)?;
    for pair in &player.options {
        ensure!(pair.contains('='), "option '{pair}', expected NAME=VALUE");
    }
    check(&player, &text, &kind, threads, clock)?;
    let protocol = kind.protocol();
    // The site gives a bot's first turn twice the time: starting costs most there.
    let twice = player
        .time
        .filter(|_| matches!(protocol, Some(Protocol::Botzone(_))))
        .map(|time| 2 * Duration::from_secs_f64(time));
    player.first_time = player.first_time.or(twice.map(|time| time.as_secs_f64()));
    // Neither Botzone's forms nor the platform's words say how many playouts a program may make.
    player.playouts = player.playouts.filter(|_| protocol.is_none() || takes_options(protocol));
    if player.name.is_empty() {
        player.name = text;
    }
    Ok(player.of(kind, &EngineOptions { threads, ..engine.clone() }))
}

fn seconds(name: &str, time: Option<f64>) -> anyhow::Result<Option<f64>> {
    let checked = time.map(|time| parse_seconds(&time.to_string())).transpose();
    Ok(checked.map_err(|error| anyhow!("{name} {error}"))?.as_ref().map(Duration::as_secs_f64))
}

/// True for an engine that has options, and limits of its searches.
fn takes_options(protocol: Option<Protocol>) -> bool {
    matches!(protocol, Some(Protocol::Engine(EngineProtocol::Uci | EngineProtocol::Gtp)))
}

/// Checks the settings against each other. `text` is the SPEC as the user wrote it.
fn check(
    player: &Entrant,
    text: &str,
    kind: &PlayerSpec,
    threads: usize,
    clock: Clock,
) -> anyhow::Result<()> {
    let (protocol, &Entrant { time, tc, playouts, .. }) = (kind.protocol(), player);
    let takes_options = takes_options(protocol);
    let is_engine = matches!(protocol, Some(Protocol::Engine(_)));
    // The contest platform tells an engine no limit, and Botzone's forms no game clock.
    let searches = match kind {
        PlayerSpec::BuiltIn { kind, .. } => kind.searches(),
        PlayerSpec::Program { .. } => takes_options,
    };
    ensure!(time.is_none() || tc.is_none(), "time and tc, expected one of them");
    ensure!(playouts != Some(0), "playouts 0, expected at least 1");
    ensure!(
        !searches || time.is_some() || tc.is_some() || playouts.is_some(),
        "'{text}' would search without end, expected a limit, as --time or --playouts"
    );
    ensure!(
        takes_options || player.options.is_empty(),
        "'{text}' takes no options, expected a uci: or gtp: player"
    );
    ensure!(
        player.ponder != Some(true) || is_engine && clock == Clock::Wall,
        "'{text}' cannot ponder: expected a uci:, gtp: or contest: player by --clock wall"
    );
    ensure!(
        is_engine || player.startup.is_none(),
        "'{text}' is started anew for each turn or not at all: expected startup for a uci:, gtp: or contest: player"
    );
    // In one process each player's time is that of the thread that asks; its helpers' would be
    // free.
    ensure!(
        threads == 1 || !searches || takes_options || clock == Clock::Wall,
        "{threads} threads by --clock cpu: expected 1, or --clock wall"
    );
    ensure!(
        tc.is_none() || !matches!(protocol, Some(Protocol::Botzone(_))),
        "'{text}' cannot be told of a game clock, which Botzone's forms do not have; expected a time for each move"
    );
    ensure!(
        tc.is_none() || player.first_time.is_none(),
        "a time for the first move does not go with a game clock"
    );
    Ok(())
}
