//! Creates a player of a contest from its settings, and checks the settings.

use anyhow::{Context, anyhow, ensure};

use crate::commands::value_parsers::{parse_seconds, parse_threads};
use crate::contest::{Clock, Entrant, PlayerSettings, PlayerSpec, Protocol};
use crate::search::EngineOptions;

/// Creates the player that these settings describe. A built-in player uses the options in
/// `engine`, except those that the settings change.
///
/// # Errors
/// If a setting is out of range, or contradicts another setting or the clock.
pub(in crate::commands) fn entrant(
    settings: PlayerSettings,
    engine: &EngineOptions,
    clock: Clock,
) -> anyhow::Result<Entrant> {
    let text = settings.spec.context("expected a SPEC")?;
    let spec: PlayerSpec = text.parse()?;
    let time = parse_setting("time", settings.time, parse_seconds)?;
    let first_time = parse_setting("first_time", settings.first_time, parse_seconds)?;
    let threads = parse_setting("threads", settings.threads, parse_threads)?.unwrap_or(engine.threads);
    let startup = parse_setting("startup", settings.startup, parse_seconds)?;
    let option = |pair: &String| {
        let (name, value) =
            pair.split_once('=').with_context(|| format!("option '{pair}', expected NAME=VALUE"))?;
        anyhow::Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    let mut player = Entrant {
        name: if settings.name.is_empty() { text.clone() } else { settings.name },
        time,
        first_time,
        tc: settings.tc,
        playouts: settings.playouts,
        games: settings.games,
        reach: settings.reach.unwrap_or(1),
        startup,
        ponder: settings.ponder == Some(true),
        options: settings.options.iter().map(option).collect::<anyhow::Result<_>>()?,
        memory_limit: settings.memory_limit,
        ..Entrant::new(spec, &EngineOptions { threads, ..engine.clone() })
    };
    check_settings(&player, &text, clock)?;
    // Botzone gives a bot twice the time in its first turn, which includes starting the program.
    let twice = time.filter(|_| player.is_botzone_bot()).map(|time| 2 * time);
    player.first_time = first_time.or(twice);
    // The protocols of Botzone and of the contest platform cannot carry the number of playouts.
    let protocol = player.spec.protocol();
    player.playouts = player.playouts.filter(|_| protocol.is_none() || takes_options(protocol));
    Ok(player)
}

/// Checks the value of a setting with the parser of a command-line option.
fn parse_setting<T>(
    name: &str,
    value: Option<impl ToString>,
    parse: fn(&str) -> Result<T, String>,
) -> anyhow::Result<Option<T>> {
    let checked = value.map(|value| parse(&value.to_string())).transpose();
    checked.map_err(|error| anyhow!("{name} {error}"))
}

/// True if a program with this protocol can be given options and a limit of playouts.
fn takes_options(protocol: Option<Protocol>) -> bool {
    matches!(protocol, Some(Protocol::Uci | Protocol::Gtp))
}

/// Checks that the settings fit each other. `text` is the SPEC as the user wrote it.
fn check_settings(player: &Entrant, text: &str, clock: Clock) -> anyhow::Result<()> {
    let Entrant { spec, time, first_time, tc, playouts, startup, ponder, options, .. } = player;
    let (protocol, threads, is_bot) = (spec.protocol(), player.engine.threads, player.is_botzone_bot());
    let takes_options = takes_options(protocol);
    let is_engine = protocol.is_some() && !is_bot;
    // UCI and GTP engines search until a limit ends the search. Other programs stop by themselves.
    let searches = match spec {
        PlayerSpec::BuiltIn { kind, .. } => kind.searches(),
        PlayerSpec::Program { .. } => takes_options,
    };
    ensure!(time.is_none() || tc.is_none(), "time and tc: expected only one of them");
    ensure!(*playouts != Some(0), "playouts 0, expected at least 1");
    ensure!(
        !searches || time.is_some() || tc.is_some() || playouts.is_some(),
        "'{text}' would search without end: expected a limit such as --time or --playouts"
    );
    ensure!(takes_options || options.is_empty(), "'{text}' has no options: expected a uci: or gtp: player");
    ensure!(
        !ponder || is_engine && clock == Clock::Wall,
        "'{text}' cannot ponder: expected a uci:, gtp: or contest: player, and --clock wall"
    );
    ensure!(
        is_engine || startup.is_none(),
        "'{text}' has no startup time: expected a uci:, gtp: or contest: player"
    );
    // CPU time is measured for one thread of a built-in player, so further threads would not count.
    ensure!(
        threads == 1 || !searches || takes_options || clock == Clock::Wall,
        "{threads} threads with --clock cpu: expected 1 thread, or --clock wall"
    );
    ensure!(
        tc.is_none() || !is_bot,
        "'{text}': Botzone's protocols have no game clock, expected a time for each move"
    );
    ensure!(tc.is_none() || first_time.is_none(), "first_time and tc: expected only one of them");
    Ok(())
}
