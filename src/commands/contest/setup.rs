//! Builds a contest from the command line and the tournament's file.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use rustix::fs::{Access, access};

use super::args::Args;
use super::openings::{arranged, check_sizes, check_starts, openings};
use super::tournament::{file, numbered, pairings, tournament};
use crate::commands::Failed;
use crate::commands::options::parse_seconds;
use crate::contest::statistics::Sprt;
use crate::contest::tournament::{Tournament, TournamentPlayer};
use crate::contest::{
    Allowance, Clock, Conditions, Contest, Entrant, PlayerSpec, Protocol, RunningSprt, TimeControl,
    TournamentFormat, fixtures,
};
use crate::files;
use crate::game::{Position, Size};
use crate::players::EngineOptions;

/// What the user asks for one player, on the command line or in a tournament's file.
struct PlayerRequest<'a> {
    place: String,
    name: Option<&'a str>,
    spec: &'a str,
    time: Option<Duration>,
    first_time: Option<Duration>,
    control: Option<TimeControl>,
    playouts: Option<u64>,
    threads: Option<usize>,
    options: &'a [String],
}

/// Reads and checks everything; nothing has been written when it fails. Returns what is played, and
/// the sequential tests of it.
pub(super) fn contest(args: &Args, interrupted: &AtomicBool) -> anyhow::Result<(Contest, Vec<RunningSprt>)> {
    let conditions = conditions(args);
    let tournament = tournament(args)?;
    let wishes = match &tournament {
        Some(tournament) => tournament_wishes(args, tournament)?,
        None => match_wishes(args)?,
    };
    let mut entrants =
        wishes.iter().map(|wish| entrant(args, wish)).collect::<anyhow::Result<Vec<Entrant>>>()?;
    tell_apart(&mut entrants, &wishes)?;
    let numbers = numbered(args, &mut entrants)?;
    let pairings = pairings(args, tournament.as_ref(), &numbers)?;
    ensure!(
        args.sprt.is_none() || tournament.as_ref().is_none_or(|cup| cup.format == TournamentFormat::Gauntlet),
        "--sprt tests one player against each other one: expected format = \"gauntlet\" in {}",
        file(args)
    );
    let engine = args.engine.options()?;
    let openings = arranged(openings(args, engine.seed)?, args, engine.seed)?;
    check_sizes(args, &openings)?;
    check_starts(args, &entrants, &openings)?;
    let mut sizes: Vec<Size> = openings.starts().iter().map(Position::size).collect();
    sizes.sort_by_key(|size| (size.width(), size.height()));
    sizes.dedup();
    for (entrant, size) in entrants.iter().flat_map(|entrant| sizes.iter().map(move |&size| (entrant, size)))
    {
        let checked = entrant.check(conditions, size, interrupted);
        // Nothing else is published with the flag, which is why a wait may have failed.
        ensure!(!interrupted.load(Ordering::Relaxed), Failed("interrupted before the first game".to_owned()));
        for option in checked? {
            eprintln!("quiver: warning: {} does not offer the option '{option}'", entrant.name);
        }
    }
    if let Some(log) = &args.log {
        prepare_log(log).with_context(|| format!("--log {}", log.display()))?;
    }
    let contest = Contest {
        fixtures: fixtures::fixtures(&pairings),
        entrants,
        openings,
        conditions,
        seed: engine.seed,
    };
    warn(args, &contest);
    let tested = numbers[0];
    let test = |test: Sprt| pairings.iter().map(move |pairing| RunningSprt::new(test, pairing, tested));
    Ok((contest, args.sprt.into_iter().flat_map(test).collect()))
}

/// Checks, before the first program starts, that the standard error of programs can be kept.
fn prepare_log(path: &Path) -> std::io::Result<()> {
    if path.is_dir() {
        return Ok(access(path, Access::WRITE_OK | Access::EXEC_OK)?);
    }
    files::append(path).map(drop)
}

fn conditions(args: &Args) -> Conditions {
    Conditions {
        clock: args.clock,
        grace: args.grace,
        patience: args.patience,
        adjudicate: args.adjudicate,
        restarts: args.restart,
    }
}

/// The two players of a match.
fn match_wishes(args: &Args) -> anyhow::Result<Vec<PlayerRequest<'_>>> {
    // The command line asks for both where there is no tournament.
    let (Some(a), Some(b)) = (args.a.as_deref(), args.b.as_deref()) else {
        bail!("expected --a SPEC and --b SPEC, or --tournament FILE");
    };
    Ok(vec![
        PlayerRequest {
            place: "--a".to_owned(),
            name: args.a_name.as_deref(),
            spec: a,
            time: args.a_time,
            first_time: args.a_first_time,
            control: args.a_tc,
            playouts: args.a_playouts,
            threads: args.a_threads,
            options: &args.a_option,
        },
        PlayerRequest {
            place: "--b".to_owned(),
            name: args.b_name.as_deref(),
            spec: b,
            time: args.b_time,
            first_time: args.b_first_time,
            control: args.b_tc,
            playouts: args.b_playouts,
            threads: args.b_threads,
            options: &args.b_option,
        },
    ])
}

/// The players of a tournament.
fn tournament_wishes<'a>(args: &Args, tournament: &'a Tournament) -> anyhow::Result<Vec<PlayerRequest<'a>>> {
    let place = |number: usize| format!("{}, player {}", file(args), number + 1);
    let seconds = |time: Option<f64>, number: usize| -> anyhow::Result<Option<Duration>> {
        let checked = time.map(|time| parse_seconds(&time.to_string())).transpose();
        checked.map_err(|error| anyhow!("{}: time {error}", place(number)))
    };
    let wish = |(number, player): (usize, &'a TournamentPlayer)| -> anyhow::Result<PlayerRequest<'a>> {
        let playouts = player.playouts.or(tournament.playouts);
        ensure!(playouts != Some(0), "{}: playouts 0, expected at least 1", place(number));
        let own = [(player.time, player.tc), (tournament.time, tournament.tc)];
        let said = own.into_iter().find(|(time, tc)| time.is_some() || tc.is_some());
        let (time, control) = said.unwrap_or_default();
        ensure!(time.is_none() || control.is_none(), "{}: time and tc, expected one of them", place(number));
        Ok(PlayerRequest {
            place: place(number),
            name: player.name.as_deref(),
            spec: &player.spec,
            time: seconds(time, number)?,
            first_time: None,
            control,
            playouts,
            threads: None,
            options: &player.options,
        })
    };
    tournament.player.iter().enumerate().map(wish).collect()
}

/// A player with what the command line says for all.
fn entrant(args: &Args, wish: &PlayerRequest<'_>) -> anyhow::Result<Entrant> {
    let place = || wish.place.clone();
    let spec: PlayerSpec = wish.spec.parse().with_context(place)?;
    let (time, control) = match (wish.time, wish.control) {
        (None, None) => (args.limits.time, args.tc),
        own => own,
    };
    let playouts = wish.playouts.or(args.limits.playouts);
    let (searches, botzone, uci) = match &spec {
        PlayerSpec::BuiltIn { kind, .. } => (kind.searches(), false, false),
        PlayerSpec::Program { protocol: Protocol::Uci, .. } => (true, false, true),
        PlayerSpec::Program { .. } => (false, true, false),
    };
    ensure!(
        !searches || time.is_some() || control.is_some() || playouts.is_some(),
        "{}: '{}' would search without end, expected --time, --tc or --playouts",
        wish.place,
        wish.spec
    );
    ensure!(
        uci || wish.options.is_empty(),
        "{}: '{}' takes no options, expected a uci: player",
        wish.place,
        wish.spec
    );
    let engine = args.engine.options()?;
    let threads = wish.threads.unwrap_or(engine.threads);
    // In one process each player's time is that of the thread that asks; its helpers' would be
    // free.
    ensure!(
        threads == 1 || !searches || uci || args.clock == Clock::Wall,
        "{}: {threads} threads by --clock cpu: expected 1, or --clock wall",
        wish.place
    );
    let options = wish.options.iter().map(|pair| {
        let (name, value) = pair
            .split_once('=')
            .with_context(|| format!("{}: option '{pair}', expected NAME=VALUE", wish.place))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    });
    ensure!(
        !botzone || control.is_none(),
        "{}: '{}' cannot be told of a game clock, which Botzone's forms do not have; expected a time for each move",
        wish.place,
        wish.spec
    );
    ensure!(
        control.is_none() || wish.first_time.or(args.first_time).is_none(),
        "{}: a time for the first move does not go with a game clock",
        wish.place
    );
    // The site gives a bot's first turn twice the time: starting costs most there.
    let first_time = wish.first_time.or(args.first_time).or(time.filter(|_| botzone).map(|time| 2 * time));
    Ok(Entrant {
        name: wish.name.unwrap_or(wish.spec).to_owned(),
        spec,
        // Botzone's forms cannot say how many playouts a bot may make.
        allowance: Allowance { time, first_time, control, playouts: playouts.filter(|_| !botzone) },
        engine: EngineOptions { threads, ..engine },
        options: options.collect::<anyhow::Result<_>>()?,
        memory_limit: args.memory_limit.map(|bytes| bytes as u64),
    })
}

/// Gives players of one SPEC different names; names that the user gave must differ as they are.
fn tell_apart(entrants: &mut [Entrant], wishes: &[PlayerRequest<'_>]) -> anyhow::Result<()> {
    for later in 1..entrants.len() {
        let same = (0..later).find(|&earlier| wishes[earlier].name_or_spec() == wishes[later].name_or_spec());
        let Some(earlier) = same else { continue };
        let named = wishes[later].name.or(wishes[earlier].name);
        if let Some(name) = named {
            bail!("two players are called '{name}': expected different names");
        }
        let before = wishes[..later].iter().filter(|wish| wish.spec == wishes[later].spec).count();
        entrants[later].name = format!("{} ({})", wishes[later].spec, before + 1);
    }
    // A name made here may be one that the user gave to another player.
    let mut names = BTreeSet::new();
    for Entrant { name, .. } in entrants.iter() {
        ensure!(names.insert(name), "two players are called '{name}': expected different names");
    }
    Ok(())
}

impl PlayerRequest<'_> {
    fn name_or_spec(&self) -> &str {
        self.name.unwrap_or(self.spec)
    }
}

/// Prints warnings: settings that are valid but may not be what the user meant.
fn warn(args: &Args, contest: &Contest) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if args.concurrency > cores {
        eprintln!(
            "quiver: warning: {} games at a time on {cores} cores: players take each other's time",
            args.concurrency
        );
    }
    let pairs = contest.fixtures.iter().map(|fixture| fixture.opening + 1).max().unwrap_or(0);
    if let Some(distinct) = contest.openings.distinct().filter(|&distinct| distinct < pairs) {
        eprintln!("quiver: warning: {distinct} openings for {pairs} pairs: they are played more than once");
    }
}
