//! From the command line to a contest.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use clap::parser::ValueSource;
use rustix::fs::{Access, access};

use super::args::{Args, MatchClock};
use crate::commands::Failed;
use crate::commands::options::{BoardOptions, parse_seconds};
use crate::contest::fixtures::MOST_GAMES;
use crate::contest::suite;
use crate::contest::tournament::{self, Tournament, TournamentPlayer};
use crate::contest::{
    Allowance, Clock, Conditions, Contest, Entrant, Format, Openings, Pairing, PlayerSpec, Protocol, Record,
    TimeControl, fixtures,
};
use crate::files;
use crate::game::random::mix;
use crate::game::{Fen, Position, Size, Start};
use crate::players::EngineOptions;

/// Random plies of each pair, by default.
const DEFAULT_RANDOM_PLIES: usize = 4;

/// The name under which `--openings` finds the suite that is shipped; a file of that name is
/// `./suite`.
const SUITE: &str = "suite";

/// The name under which `--tournament` finds the ladder that is shipped; a file of that name is
/// `./ladder`.
const LADDER: &str = "ladder";

/// Marks the choices of an order of openings.
const SHUFFLE: u64 = 3;

/// What a player is given, wherever it was written.
struct Wish<'a> {
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

/// Reads and checks everything; nothing has been written when it fails.
pub(super) fn contest(args: &Args, interrupted: &AtomicBool) -> anyhow::Result<Contest> {
    let conditions = conditions(args);
    let tournament = tournament(args)?;
    let wishes = match &tournament {
        Some(tournament) => tournament_wishes(args, tournament)?,
        None => match_wishes(args)?,
    };
    let mut entrants =
        wishes.iter().map(|wish| entrant(args, wish)).collect::<anyhow::Result<Vec<Entrant>>>()?;
    tell_apart(&mut entrants, &wishes)?;
    let pairings = pairings(args, tournament.as_ref(), &numbered(args, &mut entrants)?)?;
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
    Ok(contest)
}

/// The number of the player whose rating a tournament gives, and that rating.
pub(super) fn anchor(args: &Args, names: &[String]) -> anyhow::Result<Option<(usize, f64)>> {
    let Some(tournament) = tournament(args)? else { return Ok(None) };
    let Some(anchor) = tournament.anchor else { return Ok(None) };
    let place = || format!("{}: anchor = '{anchor}', expected the name of a player", file(args));
    let number = names.iter().position(|name| *name == anchor).with_context(place)?;
    let elo = tournament.anchor_elo;
    ensure!(elo.is_finite(), "{}: anchor_elo = {elo}, expected a number", file(args));
    Ok(Some((number, elo)))
}

/// Puts the entrants of a tournament that goes on in the order of its record, new ones after them.
/// Returns the entrant's number for each place in the tournament's list.
fn numbered(args: &Args, entrants: &mut Vec<Entrant>) -> anyhow::Result<Vec<usize>> {
    let record = args.record.as_deref().filter(|_| args.resume && args.tournament.is_some());
    let known = record.map_or(Vec::new(), Record::players);
    let names: Vec<&String> = entrants.iter().map(|entrant| &entrant.name).collect();
    let missing = known.iter().find(|name| !names.contains(name));
    if let (Some(missing), Some(path)) = (missing, record) {
        bail!("{} has games of '{missing}': expected a tournament with this player", path.display());
    }
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&place| known.iter().position(|name| name == names[place]).unwrap_or(known.len()));
    let mut numbers = vec![0; order.len()];
    for (number, &place) in order.iter().enumerate() {
        numbers[place] = number;
    }
    *entrants = order.iter().map(|&place| entrants[place].clone()).collect();
    Ok(numbers)
}

/// Who meets whom in how many games, by the tournament's file or the command line; `numbers` are
/// the entrants' by their place in the file.
fn pairings(args: &Args, tournament: Option<&Tournament>, numbers: &[usize]) -> anyhow::Result<Vec<Pairing>> {
    let format = tournament.map_or(Format::RoundRobin, |tournament| tournament.format);
    let most = Pairing::most_games(numbers.len());
    let checked = |place: String, games: usize| {
        ensure!(games > 0, "{place}: expected at least one game");
        ensure!(games <= most, "{place}: expected at most {most}");
        Ok(games)
    };
    let in_file = |games: usize| checked(format!("{}: games = {games}", file(args)), games);
    let by_default = match tournament.and_then(|tournament| tournament.games) {
        Some(games) => Some(in_file(games)?),
        None => args.games.map(|games| checked(format!("--games {games}"), games)).transpose()?,
    };
    let reach = tournament.and_then(|tournament| tournament.reach).unwrap_or(1);
    let mut pairings = Vec::new();
    for places in fixtures::pairs(numbers.len()) {
        let smaller = |of: fn(&TournamentPlayer) -> Option<usize>, otherwise: Option<usize>| {
            let player = |place: usize| tournament.and_then(|tournament| of(&tournament.player[place]));
            let [a, b] = places.map(|place| player(place).or(otherwise));
            Some(a?.min(b?))
        };
        if format.meets(places, smaller(|player| player.reach, Some(reach)).unwrap_or(reach)) {
            let games = smaller(|player| player.games, by_default);
            let games = in_file(games.context("no number of games: expected --games N")?)?;
            let [a, b] = places.map(|place| numbers[place]);
            pairings.push(Pairing { players: [a.min(b), a.max(b)], games });
        }
    }
    let all = pairings.iter().map(|pairing| pairing.games).fold(0, usize::saturating_add);
    ensure!(all <= MOST_GAMES, "{all} games in all: expected at most {MOST_GAMES}");
    Ok(pairings)
}

/// Sees that programs' standard error can be kept, before any of them depends on it.
fn prepare_log(path: &Path) -> std::io::Result<()> {
    if path.is_dir() {
        return Ok(access(path, Access::WRITE_OK | Access::EXEC_OK)?);
    }
    files::append(path).map(drop)
}

/// The tournament that the user names, if it is one.
fn tournament(args: &Args) -> anyhow::Result<Option<Tournament>> {
    let Some(path) = args.tournament.as_deref() else { return Ok(None) };
    let text = if path.as_os_str() == LADDER {
        let side = args.board.board;
        let shipped = tournament::shipped(side).map(str::to_owned);
        shipped.with_context(|| format!("{}: none is shipped for {side}x{side}", file(args)))?
    } else {
        read("--tournament", path)?
    };
    let tournament: Tournament = toml::from_str(&text).with_context(|| file(args))?;
    let players = tournament.player.len();
    ensure!(players >= 2, "{}: {players} players, expected at least 2 [[player]] tables", file(args));
    Ok(Some(tournament))
}

/// The option that names the tournament's file, for messages.
fn file(args: &Args) -> String {
    let path = args.tournament.as_deref().unwrap_or(Path::new(""));
    format!("--tournament {}", path.display())
}

fn conditions(args: &Args) -> Conditions {
    let clock = match args.clock {
        MatchClock::Wall => Clock::Wall,
        MatchClock::Cpu => Clock::Cpu,
    };
    Conditions { clock, grace: args.grace, patience: args.patience }
}

/// The two players of a match.
fn match_wishes(args: &Args) -> anyhow::Result<Vec<Wish<'_>>> {
    // The command line asks for both where there is no tournament.
    let (Some(a), Some(b)) = (args.a.as_deref(), args.b.as_deref()) else {
        bail!("expected --a SPEC and --b SPEC, or --tournament FILE");
    };
    Ok(vec![
        Wish {
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
        Wish {
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
fn tournament_wishes<'a>(args: &Args, tournament: &'a Tournament) -> anyhow::Result<Vec<Wish<'a>>> {
    let place = |number: usize| format!("{}, player {}", file(args), number + 1);
    let seconds = |time: Option<f64>, number: usize| -> anyhow::Result<Option<Duration>> {
        let checked = time.map(|time| parse_seconds(&time.to_string())).transpose();
        checked.map_err(|error| anyhow!("{}: time {error}", place(number)))
    };
    let wish = |(number, player): (usize, &'a TournamentPlayer)| -> anyhow::Result<Wish<'a>> {
        let playouts = player.playouts.or(tournament.playouts);
        ensure!(playouts != Some(0), "{}: playouts 0, expected at least 1", place(number));
        let own = [(player.time, player.tc), (tournament.time, tournament.tc)];
        let said = own.into_iter().find(|(time, tc)| time.is_some() || tc.is_some());
        let (time, control) = said.unwrap_or_default();
        ensure!(time.is_none() || control.is_none(), "{}: time and tc, expected one of them", place(number));
        Ok(Wish {
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
fn entrant(args: &Args, wish: &Wish<'_>) -> anyhow::Result<Entrant> {
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
    // In one process each player's time is that of the thread that asks; its helpers' would be free.
    ensure!(
        threads == 1 || !searches || uci || matches!(args.clock, MatchClock::Wall),
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
fn tell_apart(entrants: &mut [Entrant], wishes: &[Wish<'_>]) -> anyhow::Result<()> {
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

impl Wish<'_> {
    fn name_or_spec(&self) -> &str {
        self.name.unwrap_or(self.spec)
    }
}

fn openings(args: &Args, seed: u64) -> anyhow::Result<Openings> {
    let start = BoardOptions { board: args.board.board }.start()?;
    if let Some(path) = &args.openings {
        let place = || format!("--openings {}", path.display());
        if path.as_os_str() == SUITE {
            let text = suite::shipped(start.size().width());
            let text =
                text.with_context(|| format!("--openings {SUITE}: none is shipped for {}", start.size()))?;
            return Openings::parse(text, start).with_context(place);
        }
        return openings_of(path, start).with_context(place);
    }
    let plies = args.random_plies.unwrap_or(DEFAULT_RANDOM_PLIES);
    Openings::random(start, plies, seed).context("--random-plies")
}

/// The openings in the order asked for, from the one asked for.
fn arranged(openings: Openings, args: &Args, seed: u64) -> anyhow::Result<Openings> {
    let start = args.openings_start.unwrap_or(1);
    let Openings::List(mut list) = openings else {
        ensure!(
            start == 1 && !args.openings_shuffled,
            "--openings-start and --openings-shuffled need --openings"
        );
        return Ok(openings);
    };
    ensure!(
        (1..=list.len()).contains(&start),
        "--openings-start {start}: expected 1 to {}, the number of openings",
        list.len()
    );
    if args.openings_shuffled {
        shuffle(&mut list, seed);
    }
    list.rotate_left(start - 1);
    Ok(Openings::List(list))
}

/// An order that follows from the seed (Fisher and Yates).
fn shuffle<T>(list: &mut [T], seed: u64) {
    for last in (1..list.len()).rev() {
        let other = mix(&[seed, SHUFFLE, last as u64]) % (last as u64 + 1);
        list.swap(last, other as usize);
    }
}

/// The openings of a file of games, in any format.
#[cfg(feature = "replay")]
fn openings_of(path: &Path, start: Position) -> anyhow::Result<Openings> {
    use crate::formats;
    use crate::game::FoundGame;
    use crate::game::move_list::StartChoice;
    let (_, found) =
        match formats::read(path, &crate::commands::games::bytes(path)?, StartChoice::Only(start)) {
            // A text of nothing but comments is an empty list of moves.
            Err(formats::ReadError::Empty) => return Ok(Openings::parse("", start)?),
            other => other?,
        };
    let games = found.into_iter().map(|FoundGame { line, game }| match game {
        Ok(game) => Ok((line, game)),
        Err(error) => Err(anyhow!("line {line}: {error}")),
    });
    Ok(Openings::of(&games.collect::<anyhow::Result<Vec<_>>>()?)?)
}

#[cfg(not(feature = "replay"))]
fn openings_of(path: &Path, start: Position) -> anyhow::Result<Openings> {
    Ok(Openings::parse(&files::read_text(path)?, start)?)
}

/// Sees that no opening is on another board than the one that the user named.
fn check_sizes(args: &Args, openings: &Openings) -> anyhow::Result<()> {
    if args.board.source == ValueSource::DefaultValue {
        return Ok(());
    }
    let board = Size::square(args.board.board)?;
    let other = openings.starts().into_iter().find(|start| start.size() != board);
    let Some(other) = other else { return Ok(()) };
    bail!("an opening begins on {}, at {}: expected {board}, as --board says", other.size(), Fen(other))
}

/// Sees that everybody can be told how games begin.
fn check_starts(args: &Args, entrants: &[Entrant], openings: &Openings) -> anyhow::Result<()> {
    let standard = |start: &Position| Start::Formula.position(start.size()) == Ok(*start);
    let odd = openings.starts().into_iter().find(|start| !standard(start));
    let Some(odd) = odd else { return Ok(()) };
    let odd = Fen(odd);
    if let Some(entrant) = entrants.iter().find(|entrant| entrant.needs_history()) {
        bail!(
            "{} cannot be told to begin at {odd}: expected openings of moves from a start position",
            entrant.name
        );
    }
    ensure!(
        args.botzone_log.is_none(),
        "--botzone-log cannot say that a game began at {odd}: expected openings of moves from a start position"
    );
    Ok(())
}

/// What is no error and yet may not be what was meant.
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

/// Reads a file that the user named.
fn read(option: &str, path: &Path) -> anyhow::Result<String> {
    files::read_text(path).with_context(|| format!("{option} {}", path.display()))
}
