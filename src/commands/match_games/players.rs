//! Reads the players of a contest from options or a file, and checks their settings.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};

use super::args::Args;
use crate::commands::value_parsers::{parse_seconds, parse_threads};
use crate::contest::spec::shipped_ladder;
use crate::contest::{Clock, ContestSpec, Entrant, PlayerSettings, PlayerSpec, Protocol};
use crate::files;
use crate::search::EngineOptions;

/// The value of `--tournament` that means the shipped ladder, and not a file with this name.
const SHIPPED_LADDER: &str = "ladder";

pub(super) fn contest_spec(args: &Args) -> anyhow::Result<ContestSpec> {
    match &args.tournament {
        Some(path) if path.as_os_str() != SHIPPED_LADDER => {
            let read = || anyhow::Ok(toml::from_str(&files::read_text(path)?)?);
            read().with_context(|| tournament_option(args))
        }
        None if args.ladder.is_none() => {
            let alone =
                |spec: &String| PlayerSettings { spec: Some(spec.clone()), ..PlayerSettings::default() };
            let player = args.a.iter().chain(&args.b).map(alone).chain(args.player.iter().cloned()).collect();
            let format = args.format.unwrap_or_default();
            Ok(ContestSpec { player, format, ..ContestSpec::default() })
        }
        path => {
            let option = if path.is_some() { tournament_option(args) } else { "--ladder".to_owned() };
            shipped_ladder(args.board.board).context(option)
        }
    }
}

/// The players with all settings of the user. The settings are checked, and the names are unique.
pub(super) fn players(
    args: &Args,
    mut players: Vec<PlayerSettings>,
    each: PlayerSettings,
    engine: &EngineOptions,
) -> anyhow::Result<Vec<Entrant>> {
    let (file, count) = (tournament_option(args), players.len());
    ensure!(
        count >= 2 || args.tournament.is_none(),
        "{file}: {count} players, expected at least 2 [[player]] tables"
    );
    ensure!(
        count >= 2,
        "{count} players: expected --a SPEC and --b SPEC, --player \"SPEC ...\" at least twice, or --tournament FILE"
    );
    expect_common_settings(&file, &each)?;
    let each = each.or(&common_settings(args)?);
    make_names_unique(&mut players);
    let players = players.into_iter().enumerate().map(|(number, player)| {
        let place = match (&args.tournament, &args.a) {
            (Some(_), _) => format!("{file}, player {}", number + 1),
            (None, Some(_)) => ["--a", "--b"][number].to_owned(),
            (None, None) => format!("--player {}", number + 1),
        };
        entrant(player.or(&each), engine, args.clock.clock).context(place)
    });
    let players = players.collect::<anyhow::Result<Vec<_>>>()?;
    let mut names = BTreeSet::new();
    for Entrant { name, .. } in &players {
        ensure!(names.insert(name), "two players are called '{name}': expected different names");
    }
    Ok(players)
}

pub(super) fn player_to_rate(args: &Args, spec: &str, engine: &EngineOptions) -> anyhow::Result<Entrant> {
    let player = PlayerSettings { spec: Some(spec.to_owned()), ..common_settings(args)? };
    entrant(player, engine, args.clock.clock).context("--ladder")
}

/// The settings that the command line gives for all players.
fn common_settings(args: &Args) -> anyhow::Result<PlayerSettings> {
    let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
    let common = PlayerSettings {
        time: seconds(args.limits.time),
        first_time: seconds(args.first_time),
        tc: args.tc,
        playouts: args.limits.playouts,
        games: args.games,
        memory_limit: args.memory_limit.map(|bytes| bytes as u64),
        ..PlayerSettings::default()
    };
    let each = args.each.clone().unwrap_or_default();
    expect_common_settings("--each", &each)?;
    Ok(each.or(&common))
}

fn expect_common_settings(place: &str, each: &PlayerSettings) -> anyhow::Result<()> {
    let named = each.spec.is_some() || !each.name.is_empty();
    ensure!(!named, "{place}: got a spec or a name: expected only settings that all players can share");
    Ok(())
}

/// The option `--tournament` with its value, for error messages.
pub(super) fn tournament_option(args: &Args) -> String {
    let path = args.tournament.as_deref().unwrap_or(Path::new("FILE"));
    format!("--tournament {}", path.display())
}

/// Gives different names to players that have the same SPEC and no name from the user.
fn make_names_unique(players: &mut [PlayerSettings]) {
    for number in (0..players.len()).rev() {
        let (earlier, later) = players.split_at_mut(number);
        let player = &mut later[0];
        let same: Vec<_> = earlier.iter().filter(|other| other.spec == player.spec).collect();
        if let Some(spec) = player.spec.as_ref().filter(|_| player.name.is_empty())
            && same.iter().any(|other| other.name.is_empty())
        {
            player.name = format!("{spec} ({})", same.len() + 1);
        }
    }
}

/// Creates the player that these settings describe. Missing settings are taken from `engine`.
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
    // The protocols of Botzone and of the contest platform cannot carry a number of playouts.
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
    // The contest platform cannot limit a search, and Botzone's protocols have no game clock.
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
