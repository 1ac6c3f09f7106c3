//! A player of a contest from its settings, checked against each other.

use std::time::Duration;

use anyhow::{Context, anyhow, ensure};

use crate::commands::options::{parse_seconds, parse_threads};
use crate::contest::spec::{EngineProtocol, PlayerSettings};
use crate::contest::{Clock, Entrant, PlayerSpec};
use crate::search::EngineOptions;

/// The abilities of a player by its kind and its protocol.
struct Abilities {
    /// True if the player searches as long as it is allowed to.
    searches: bool,
    botzone: bool,
    takes_options: bool,
    is_engine: bool,
}

impl Abilities {
    fn of(spec: &PlayerSpec) -> Abilities {
        // The contest platform tells an engine no limit, and Botzone's forms no game clock.
        let (searches, botzone, takes_options) = match spec {
            PlayerSpec::BuiltIn { kind, .. } => (kind.searches(), false, false),
            PlayerSpec::Botzone { .. } => (false, true, false),
            PlayerSpec::Engine { protocol: EngineProtocol::Contest, .. } => (false, false, false),
            PlayerSpec::Engine { .. } => (true, false, true),
        };
        let is_engine = matches!(spec, PlayerSpec::Engine { .. });
        Abilities { searches, botzone, takes_options, is_engine }
    }
}

/// The player that these settings describe; `engine` has the settings that they leave open.
///
/// # Errors
/// If a setting is out of range, or does not go with another or with the clock.
pub(in crate::commands) fn entrant(
    player: &PlayerSettings,
    engine: &EngineOptions,
    clock: Clock,
) -> anyhow::Result<Entrant> {
    let text = player.spec.as_deref().context("expected a SPEC")?;
    let spec: PlayerSpec = text.parse()?;
    let abilities = Abilities::of(&spec);
    let (time, first_time) = (seconds("time", player.time)?, seconds("first_time", player.first_time)?);
    let threads = player.threads.map(|threads| parse_threads(&threads.to_string())).transpose();
    let threads = threads.map_err(|error| anyhow!("threads {error}"))?.unwrap_or(engine.threads);
    let options = player.options.iter().map(|pair| {
        let (name, value) =
            pair.split_once('=').with_context(|| format!("option '{pair}', expected NAME=VALUE"))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    });
    let Abilities { botzone, takes_options, is_engine, .. } = abilities;
    let entrant = Entrant {
        name: player.name.clone().unwrap_or_else(|| text.to_owned()),
        time,
        // The site gives a bot's first turn twice the time: starting costs most there.
        first_time: first_time.or(time.filter(|_| botzone).map(|time| 2 * time)),
        tc: player.tc,
        // Neither Botzone's forms nor the platform's words say how many playouts a program may make.
        playouts: player.playouts.filter(|_| !botzone && (takes_options || !is_engine)),
        startup: seconds("startup", player.startup)?,
        ponders: player.ponder.unwrap_or(false),
        options: options.collect::<anyhow::Result<_>>()?,
        ..Entrant::new(spec, &EngineOptions { threads, ..engine.clone() })
    };
    check(&entrant, player, &abilities, clock)?;
    Ok(entrant)
}

fn seconds(name: &str, time: Option<f64>) -> anyhow::Result<Option<Duration>> {
    let checked = time.map(|time| parse_seconds(&time.to_string())).transpose();
    checked.map_err(|error| anyhow!("{name} {error}"))
}

fn check(
    entrant: &Entrant,
    player: &PlayerSettings,
    abilities: &Abilities,
    clock: Clock,
) -> anyhow::Result<()> {
    let &Abilities { searches, botzone, takes_options, is_engine } = abilities;
    let &PlayerSettings { tc, playouts, .. } = player;
    let (text, time, threads) =
        (player.spec.as_deref().unwrap_or_default(), entrant.time, entrant.engine.threads);
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
        is_engine || entrant.startup.is_none(),
        "'{text}' is started anew for each turn or not at all: expected startup for a uci:, gtp: or contest: player"
    );
    // In one process each player's time is that of the thread that asks; its helpers' would be
    // free.
    ensure!(
        threads == 1 || !searches || takes_options || clock == Clock::Wall,
        "{threads} threads by --clock cpu: expected 1, or --clock wall"
    );
    ensure!(
        !botzone || tc.is_none(),
        "'{text}' cannot be told of a game clock, which Botzone's forms do not have; expected a time for each move"
    );
    ensure!(
        tc.is_none() || player.first_time.is_none(),
        "a time for the first move does not go with a game clock"
    );
    Ok(())
}
