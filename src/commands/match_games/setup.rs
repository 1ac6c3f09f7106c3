//! Builds the contest that a command line or a tournament's file describes.

use std::collections::BTreeSet;

use amazons::hash::mix;
use amazons::{Position, Size};
use anyhow::{Context, anyhow, bail, ensure};
use quiver_bot::Start;
use std::path::Path;

use super::args::Args;
use super::players::entrant;
use crate::commands::games;
use crate::contest::openings;
use crate::contest::{
    Clock, Contest, ContestResults, ContestSpec, Entrant, GameConditions, MAX_GAMES, Openings, Pairing,
    Protocol, RunningSprt, ScheduledGame, TournamentFormat, record, schedule,
};
use crate::formats;
use crate::games::{FoundGame, Game};
use crate::search::EngineOptions;

/// The default number of games of `--ladder`.
const LADDER_GAMES: usize = 40;

/// The value of `--openings` that means the shipped openings, and not a file with this name.
const SHIPPED_SUITE: &str = "suite";

const DEFAULT_RANDOM_PLIES: usize = 4;

/// A number mixed into the seed, so that shuffling openings is independent of other random choices.
const SHUFFLE_STREAM: u64 = 3;

pub(in crate::commands) fn setup(args: &Args) -> anyhow::Result<Contest> {
    let engine = args.engine.options()?;
    let mut spec = args.contest_spec()?;
    let (entrants, schedule, results) = if args.ladder.is_some() {
        let player = entrant(spec.player.remove(0), &engine, args.clock.clock).context("--ladder")?;
        let games = player.games.unwrap_or(LADDER_GAMES);
        ensure!((1..=100_000).contains(&games), "--games {games}: expected 1 to 100000");
        ladder_setup(player, spec, games)?
    } else {
        tournament_setup(args, spec, &engine)?
    };
    let openings = openings(args, &entrants, engine.seed)?;
    let conditions = GameConditions {
        clock: args.clock.clock,
        grace: args.clock.grace,
        patience: args.patience,
        adjudicate: args.adjudicate,
        restarts: args.restart,
        default_memory_limit: None,
    };
    Ok(Contest { entrants, schedule, openings, conditions, seed: engine.seed, results })
}

/// Reads the openings, and checks that the protocol of every player can describe them.
fn openings(args: &Args, entrants: &[Entrant], seed: u64) -> anyhow::Result<Openings> {
    let start = args.board.start();
    let openings = match &args.openings {
        Some(path) => {
            let list =
                read_openings(path, start.ok()).with_context(|| format!("--openings {}", path.display()))?;
            Openings { list: arrange_openings(list, args, seed)?, random_plies: 0 }
        }
        None => {
            let plies = args.random_plies.unwrap_or(DEFAULT_RANDOM_PLIES);
            Openings::random(start?, plies, seed).context("--random-plies")?
        }
    };
    let bot = entrants.iter().find(|entrant| entrant.is_botzone_bot());
    let contest = entrants.iter().find(|entrant| entrant.spec.protocol() == Some(Protocol::Contest));
    for start in openings.list.iter().map(Game::start) {
        let (size, board) = (start.size(), Size::square(args.board.board)?);
        ensure!(
            size == board || !args.board.is_from_command_line(),
            "an opening begins on {size}, at {start}: expected {board}, as --board says"
        );
        let is_usual = Start::Formula.position(size) == Ok(*start);
        if let Some(Entrant { name, .. }) = bot.filter(|_| !is_usual) {
            bail!(
                "{name} cannot be told to begin at {start}: expected openings of moves from a start position"
            );
        }
    }
    if let Some(Entrant { name, .. }) = contest {
        let is_plain = |opening: &Game| opening.plies().is_empty() && opening.start().is_start();
        ensure!(
            openings.random_plies == 0 && openings.list.iter().all(is_plain),
            "{name} cannot be told of an opening: expected --random-plies 0"
        );
    }
    Ok(openings)
}

fn read_openings(path: &Path, start: Option<Position>) -> anyhow::Result<Vec<Game>> {
    let bytes = if path.as_os_str() == SHIPPED_SUITE {
        let text = start.and_then(|start| openings::shipped_openings(start.size().width()));
        text.context("no openings are shipped for this board")?.into()
    } else {
        games::read_bytes(path)?
    };
    // If boards of this size have no start position, the reader tries every known start position
    // for each list of moves without a FEN, beginning with the start positions on 10x10.
    let all = || Start::positions_preferring(usize::from(Size::MAX));
    let starts = start.map_or_else(all, |start| vec![start]);
    let found: Vec<FoundGame> = formats::reject_disagreements(formats::read(&bytes, &starts)?).collect();
    games::warn_of_notes(path, found.iter().filter_map(|found| found.game.as_ref().ok()));
    Ok(Openings::games_as_openings(found)?)
}

fn arrange_openings(mut list: Vec<Game>, args: &Args, seed: u64) -> anyhow::Result<Vec<Game>> {
    let (first, count) = (args.openings_start.unwrap_or(1), list.len());
    ensure!(
        (1..=count).contains(&first),
        "--openings-start {first}: expected 1 to {count}, the number of openings"
    );
    // This is the Fisher-Yates shuffle, seeded by the seed of the contest.
    for last in (1..count).rev().filter(|_| args.openings_shuffled) {
        let other = mix(&[seed, SHUFFLE_STREAM, last as u64]) % (last as u64 + 1);
        list.swap(last, other as usize);
    }
    list.rotate_left(first - 1);
    Ok(list)
}

/// A contest before its first game: its players, the games to play, and empty results.
type ContestSetup = (Vec<Entrant>, Vec<ScheduledGame>, ContestResults);

fn tournament_setup(args: &Args, spec: ContestSpec, engine: &EngineOptions) -> anyhow::Result<ContestSetup> {
    let ContestSpec { format, anchor, anchor_elo: elo, player, .. } = spec;
    let (file, count) = (args.tournament_option(), player.len());
    let mut entrants: Vec<Entrant> = Vec::new();
    for (number, player) in player.into_iter().enumerate() {
        let place = match (&args.tournament, &args.a) {
            (Some(_), _) => format!("{file}, player {}", number + 1),
            (None, Some(_)) => ["--a", "--b"][number].to_owned(),
            (None, None) => format!("--player {}", number + 1),
        };
        entrants.push(entrant(player, engine, args.clock.clock).context(place)?);
    }
    let mut names = BTreeSet::new();
    for Entrant { name, .. } in &entrants {
        ensure!(names.insert(name), "two players are called '{name}': expected different names");
    }
    let numbers = order_as_in_record(args, &mut entrants)?;
    let anchored = |name: String| {
        let number = entrants.iter().position(|entrant| entrant.name == name);
        let number =
            number.with_context(|| format!("{file}: anchor = '{name}', expected the name of a player"))?;
        ensure!(elo.is_finite(), "{file}: anchor_elo = {elo}, expected a number");
        Ok((number, elo))
    };
    let anchor = anchor.map(anchored).transpose()?;
    ensure!(
        args.sprt.is_none() || count == 2 || format == TournamentFormat::Gauntlet,
        "--sprt tests one player against each of the other players: expected {}",
        if args.tournament.is_some() {
            format!("format = \"gauntlet\" in {file}")
        } else {
            "--format gauntlet".into()
        }
    );
    let pairings = pairings(&file, format, &entrants, &numbers)?;
    let tested = pairings.iter().filter_map(|pairing| Some((pairing, args.sprt?)));
    let tests = tested.map(|(pairing, test)| RunningSprt::new(test, pairing, numbers[0], &entrants));
    let mut results = ContestResults::new(&entrants, tests.collect());
    results.anchor = anchor;
    results.is_tournament = count > 2 || args.tournament.is_some();
    Ok((entrants, schedule(&pairings), results))
}

/// The players, games and empty results for rating `player` by `games` games on the shipped ladder.
/// The ladder's players have the engine's default settings, with which their ratings were measured.
pub(in crate::commands) fn ladder_setup(
    player: Entrant,
    shipped: ContestSpec,
    games: usize,
) -> anyhow::Result<ContestSetup> {
    let (mut entrants, mut ladder) = (vec![player], Vec::new());
    for rival in shipped.player {
        ladder.push(rival.elo.context("a player of the shipped ladder has no rating")?);
        let mut rival =
            entrant(rival, &EngineOptions::default(), Clock::Wall).context("the shipped ladder")?;
        if rival.name == entrants[0].name {
            rival.name += " (2)";
        }
        entrants.push(rival);
    }
    let mut results = ContestResults::new(&entrants, Vec::new());
    results.ladder = ladder;
    Ok((entrants, schedule(&[Pairing { players: [0, 1], games }]), results))
}

/// Sorts the entrants of a resumed tournament into the order of its record, with new entrants at
/// the end. Returns the new index of each entrant, in the order in which the user named them.
fn order_as_in_record(args: &Args, entrants: &mut [Entrant]) -> anyhow::Result<Vec<usize>> {
    let record = args.record.as_deref().filter(|_| args.resume && args.a.is_none());
    let known = record.map_or(Vec::new(), record::players);
    let names: Vec<String> = entrants.iter().map(|entrant| entrant.name.clone()).collect();
    if let (Some(missing), Some(path)) = (known.iter().find(|name| !names.contains(name)), record) {
        let path = path.display();
        return Err(anyhow!("{path} has games of '{missing}': expected a tournament with this player"));
    }
    let place = |name: &String| known.iter().position(|known| known == name).unwrap_or(known.len());
    entrants.sort_by_key(|entrant| place(&entrant.name));
    let number = |name: &String| entrants.iter().position(|entrant| entrant.name == *name);
    Ok(names.iter().filter_map(number).collect())
}

/// The pairings of a tournament. `numbers` lists the entrants in the order in which the user named
/// them, each as an index into `entrants`.
fn pairings(
    file: &str,
    format: TournamentFormat,
    entrants: &[Entrant],
    numbers: &[usize],
) -> anyhow::Result<Vec<Pairing>> {
    let count = numbers.len();
    let most = Pairing::max_games(count);
    let mut pairings = Vec::new();
    for places @ [earlier, later] in (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])) {
        let mut players = places.map(|place| numbers[place]);
        let [a, b] = players.map(|number| &entrants[number]);
        let meet = match format {
            TournamentFormat::RoundRobin => true,
            TournamentFormat::Gauntlet => earlier == 0,
            TournamentFormat::Neighbours => later - earlier <= a.reach.min(b.reach),
        };
        if !meet {
            continue;
        }
        let games = a.games.zip(b.games).map(|(a, b)| a.min(b));
        let games = games.context("no number of games: expected --games N")?;
        ensure!((1..=most).contains(&games), "{games} games for each pairing: expected 1 to {most}");
        players.sort_unstable();
        pairings.push(Pairing { players, games });
    }
    ensure!(!pairings.is_empty(), "{file}: no two players meet: expected a \"reach\" of at least 1");
    let all = pairings.iter().map(|pairing| pairing.games).fold(0, usize::saturating_add);
    ensure!(all <= MAX_GAMES, "{all} games in all: expected at most {MAX_GAMES}");
    Ok(pairings)
}
