//! The players of a match: from `--a` and `--b`, `--player` or the file of a tournament to entrants
//! and pairings.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};

use super::args::Args;
use crate::commands::options::{parse_seconds, parse_threads};
use crate::contest::fixtures::{self, MOST_GAMES};
use crate::contest::tournament::{self, PlayerSettings, Tournament};
use crate::contest::{Allowance, Clock, Entrant, Pairing, PlayerSpec, Protocol, Record, TournamentFormat};
use crate::files;
use crate::players::EngineOptions;

/// The name under which `--tournament` finds the ladder that is shipped; a file of that name is
/// `./ladder`.
const LADDER: &str = "ladder";

/// The players of a match and their meetings.
pub(super) struct Lineup {
    pub(super) entrants: Vec<Entrant>,
    pub(super) pairings: Vec<Pairing>,
    /// The number of the player whose rating is given, and that rating.
    pub(super) anchor: Option<(usize, f64)>,
    /// The number of the player that sequential tests are about.
    pub(super) tested: usize,
    /// On the ladder, the ratings of the players after the first, and the games to play.
    pub(super) ladder: Option<(Vec<f64>, usize)>,
}

/// Games of a placement, by default.
const LADDER_GAMES: usize = 40;

/// Resolves the players that the command line or a tournament's file describes.
pub(super) fn lineup(args: &Args, engine: &EngineOptions) -> anyhow::Result<Lineup> {
    let resolve = |player: &PlayerSettings, place: &str| {
        entrant(player, engine, args.clock, place)
            .map(|entrant| Entrant { memory_limit: args.memory_limit.map(|bytes| bytes as u64), ..entrant })
    };
    if let Some(spec) = &args.ladder {
        let player = PlayerSettings { spec: Some(spec.clone()), ..common(args) };
        let games = player.games.unwrap_or(LADDER_GAMES);
        ensure!((1..=100_000).contains(&games), "--games {games}: expected 1 to 100000");
        let (mut entrants, elos) = ladder(args.board.board)?;
        entrants.insert(0, resolve(&player, "--ladder")?);
        let (ladder, pairings) = (Some((elos, games)), Vec::new());
        return Ok(Lineup { entrants, pairings, anchor: None, tested: 0, ladder });
    }
    let tournament = described(args)?;
    let players = &tournament.player;
    let resolved = players.iter().enumerate().map(|(number, player)| resolve(player, &place(args, number)));
    let mut entrants = resolved.collect::<anyhow::Result<Vec<Entrant>>>()?;
    tell_apart(&mut entrants, players)?;
    let numbers = numbered(args, &mut entrants)?;
    let anchor = anchor(args, &tournament, &entrants)?;
    ensure!(
        args.sprt.is_none() || players.len() == 2 || tournament.format == TournamentFormat::Gauntlet,
        "--sprt tests one player against each other one: expected format = \"gauntlet\" in {}",
        file(args)
    );
    let (tested, pairings) = (numbers[0], pairings(args, &tournament, &numbers)?);
    Ok(Lineup { entrants, pairings, anchor, tested, ladder: None })
}

/// The players of the board's shipped ladder, weakest first, and their ratings. They were measured
/// with the engine's defaults.
pub(in crate::commands) fn ladder(side: usize) -> anyhow::Result<(Vec<Entrant>, Vec<f64>)> {
    let text = tournament::shipped(side)
        .with_context(|| format!("no ladder is shipped for {side}x{side}: expected --board 8 or 10"))?;
    let ladder: Tournament = toml::from_str(text).context("the shipped ladder")?;
    let rung = |rung: &PlayerSettings| {
        let elo = rung.elo.context("the shipped ladder: a player without a rating")?;
        Ok((entrant(rung, &EngineOptions::default(), Clock::Wall, "the shipped ladder")?, elo))
    };
    ladder.player.iter().map(rung).collect()
}

/// The number of the player whose rating the tournament gives, and that rating.
fn anchor(
    args: &Args,
    tournament: &Tournament,
    entrants: &[Entrant],
) -> anyhow::Result<Option<(usize, f64)>> {
    let Some(anchor) = &tournament.anchor else { return Ok(None) };
    let number = entrants.iter().position(|entrant| entrant.name == *anchor);
    let number = number
        .with_context(|| format!("{}: anchor = '{anchor}', expected the name of a player", file(args)))?;
    let elo = tournament.anchor_elo;
    ensure!(elo.is_finite(), "{}: anchor_elo = {elo}, expected a number", file(args));
    Ok(Some((number, elo)))
}

/// The tournament that the user describes, with all its settings in each player.
fn described(args: &Args) -> anyhow::Result<Tournament> {
    let mut tournament = match (args.tournament.as_deref(), &args.a, &args.b) {
        (Some(path), ..) => read(args, path)?,
        (None, Some(a), Some(b)) => {
            let player =
                |spec: &String| PlayerSettings { spec: Some(spec.clone()), ..PlayerSettings::default() };
            Tournament { player: vec![player(a), player(b)], ..Tournament::default() }
        }
        _ => Tournament { player: args.player.clone(), ..Tournament::default() },
    };
    let players = tournament.player.len();
    match &args.tournament {
        Some(_) => {
            ensure!(players >= 2, "{}: {players} players, expected at least 2 [[player]] tables", file(args))
        }
        None => ensure!(
            players >= 2,
            "{players} players: expected --a SPEC and --b SPEC, --player \"SPEC ...\" at least twice, or --tournament FILE"
        ),
    }
    let of_all = [("--each".to_owned(), args.each.as_ref()), (file(args), Some(&tournament.each))];
    for (place, each) in of_all {
        let named = each.is_some_and(|each| each.spec.is_some() || each.name.is_some());
        ensure!(!named, "{place}: spec and name are those of one player, expected settings of all players");
    }
    let each = tournament.each.clone().or(&common(args));
    tournament.player = tournament.player.into_iter().map(|player| player.or(&each)).collect();
    Ok(tournament)
}

/// The settings that the command line has for all players.
fn common(args: &Args) -> PlayerSettings {
    let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
    let common = PlayerSettings {
        time: seconds(args.limits.time),
        first_time: seconds(args.first_time),
        tc: args.tc,
        playouts: args.limits.playouts,
        games: args.games,
        ..PlayerSettings::default()
    };
    args.each.clone().unwrap_or_default().or(&common)
}

/// Reads the tournament's file, or the shipped ladder.
fn read(args: &Args, path: &Path) -> anyhow::Result<Tournament> {
    let text = if path.as_os_str() == LADDER {
        let side = args.board.board;
        let shipped = tournament::shipped(side).map(str::to_owned);
        shipped.with_context(|| format!("{}: none is shipped for {side}x{side}", file(args)))?
    } else {
        files::read_text(path).with_context(|| file(args))?
    };
    toml::from_str(&text).with_context(|| file(args))
}

/// The option that names the tournament's file, for messages.
fn file(args: &Args) -> String {
    let path = args.tournament.as_deref().unwrap_or(Path::new(""));
    format!("--tournament {}", path.display())
}

/// The option or the table that describes this player, for messages.
fn place(args: &Args, number: usize) -> String {
    match (&args.tournament, &args.a) {
        (Some(_), _) => format!("{}, player {}", file(args), number + 1),
        (None, Some(_)) => ["--a", "--b"][number].to_owned(),
        (None, None) => format!("--player {}", number + 1),
    }
}

/// Checks and resolves a player; `place` begins the messages.
pub(in crate::commands) fn entrant(
    player: &PlayerSettings,
    engine: &EngineOptions,
    clock: Clock,
    place: &str,
) -> anyhow::Result<Entrant> {
    let text = player.spec.as_deref().with_context(|| format!("{place}: expected a SPEC"))?;
    let spec: PlayerSpec = text.parse().with_context(|| place.to_owned())?;
    let seconds = |time: Option<f64>| {
        let checked = time.map(|time| parse_seconds(&time.to_string())).transpose();
        checked.map_err(|error| anyhow!("{place}: time {error}"))
    };
    let (time, control) = (seconds(player.time)?, player.tc);
    ensure!(time.is_none() || control.is_none(), "{place}: time and tc, expected one of them");
    let playouts = player.playouts;
    ensure!(playouts != Some(0), "{place}: playouts 0, expected at least 1");
    let (searches, botzone, uci) = match &spec {
        PlayerSpec::BuiltIn { kind, .. } => (kind.searches(), false, false),
        PlayerSpec::Program { protocol: Protocol::Uci, .. } => (true, false, true),
        PlayerSpec::Program { .. } => (false, true, false),
    };
    ensure!(
        !searches || time.is_some() || control.is_some() || playouts.is_some(),
        "{place}: '{text}' would search without end, expected a limit, as --time or --playouts"
    );
    ensure!(uci || player.options.is_empty(), "{place}: '{text}' takes no options, expected a uci: player");
    let threads = player.threads.map(|threads| parse_threads(&threads.to_string())).transpose();
    let threads = threads.map_err(|error| anyhow!("{place}: threads {error}"))?.unwrap_or(engine.threads);
    // In one process each player's time is that of the thread that asks; its helpers' would be
    // free.
    ensure!(
        threads == 1 || !searches || uci || clock == Clock::Wall,
        "{place}: {threads} threads by --clock cpu: expected 1, or --clock wall"
    );
    let options = player.options.iter().map(|pair| {
        let (name, value) =
            pair.split_once('=').with_context(|| format!("{place}: option '{pair}', expected NAME=VALUE"))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    });
    ensure!(
        !botzone || control.is_none(),
        "{place}: '{text}' cannot be told of a game clock, which Botzone's forms do not have; expected a time for each move"
    );
    let first_time = seconds(player.first_time)?;
    ensure!(
        control.is_none() || first_time.is_none(),
        "{place}: a time for the first move does not go with a game clock"
    );
    Ok(Entrant {
        name: player.name.clone().unwrap_or_else(|| text.to_owned()),
        allowance: Allowance {
            time,
            // The site gives a bot's first turn twice the time: starting costs most there.
            first_time: first_time.or(time.filter(|_| botzone).map(|time| 2 * time)),
            control,
            // Botzone's forms cannot say how many playouts a bot may make.
            playouts: playouts.filter(|_| !botzone),
        },
        options: options.collect::<anyhow::Result<_>>()?,
        ..Entrant::new(spec, &EngineOptions { threads, ..engine.clone() })
    })
}

/// Gives players of one SPEC different names; names that the user gave must differ as they are.
fn tell_apart(entrants: &mut [Entrant], players: &[PlayerSettings]) -> anyhow::Result<()> {
    for (number, player) in players.iter().enumerate().filter(|(_, player)| player.name.is_none()) {
        let earlier = || players[..number].iter().filter(|other| other.spec == player.spec);
        if earlier().any(|other| other.name.is_none()) {
            entrants[number].name += &format!(" ({})", earlier().count() + 1);
        }
    }
    let mut names = BTreeSet::new();
    for Entrant { name, .. } in entrants.iter() {
        ensure!(names.insert(name), "two players are called '{name}': expected different names");
    }
    Ok(())
}

/// Puts the entrants of a tournament that is resumed in the order of its record, new ones after them.
/// Returns the entrant's number for each place in the tournament's list.
fn numbered(args: &Args, entrants: &mut Vec<Entrant>) -> anyhow::Result<Vec<usize>> {
    let record = args.record.as_deref().filter(|_| args.resume && args.a.is_none());
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

/// The players that meet, and in how many games; `numbers` are the entrants' by their place in the
/// tournament's list.
fn pairings(args: &Args, tournament: &Tournament, numbers: &[usize]) -> anyhow::Result<Vec<Pairing>> {
    let file = file(args);
    let most = Pairing::most_games(numbers.len());
    let mut pairings = Vec::new();
    for places in fixtures::pairs(numbers.len()) {
        let players = places.map(|place| &tournament.player[place]);
        let smaller = |of: fn(&PlayerSettings) -> Option<usize>| Some(of(players[0])?.min(of(players[1])?));
        if !tournament.format.meets(places, smaller(|player| player.reach).unwrap_or(1)) {
            continue;
        }
        let games = smaller(|player| player.games).context("no number of games: expected --games N")?;
        let place = || match args.tournament {
            Some(_) => format!("{file}: games = {games}"),
            None => format!("--games {games}"),
        };
        ensure!(games > 0, "{}: expected at least one game", place());
        ensure!(games <= most, "{}: expected at most {most}", place());
        let [a, b] = places.map(|place| numbers[place]);
        pairings.push(Pairing { players: [a.min(b), a.max(b)], games });
    }
    ensure!(!pairings.is_empty(), "{file}: no two players meet, expected a reach of at least 1");
    let all = pairings.iter().map(|pairing| pairing.games).fold(0, usize::saturating_add);
    ensure!(all <= MOST_GAMES, "{all} games in all: expected at most {MOST_GAMES}");
    Ok(pairings)
}
