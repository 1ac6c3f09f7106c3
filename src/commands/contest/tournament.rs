//! The file of a tournament: who meets whom, in how many games, and whose rating is given.

use std::path::Path;

use anyhow::{Context, bail, ensure};

use super::args::Args;
use crate::contest::fixtures::{self, MOST_GAMES};
use crate::contest::tournament::{self, Tournament, TournamentPlayer};
use crate::contest::{Entrant, Pairing, Record, TournamentFormat};
use crate::files;

/// The name under which `--tournament` finds the ladder that is shipped; a file of that name is
/// `./ladder`.
const LADDER: &str = "ladder";

/// The tournament that the user names, if it is one.
pub(super) fn tournament(args: &Args) -> anyhow::Result<Option<Tournament>> {
    let Some(path) = args.tournament.as_deref() else { return Ok(None) };
    let text = if path.as_os_str() == LADDER {
        let side = args.board.board;
        let shipped = tournament::shipped(side).map(str::to_owned);
        shipped.with_context(|| format!("{}: none is shipped for {side}x{side}", file(args)))?
    } else {
        files::read_text(path).with_context(|| file(args))?
    };
    let tournament: Tournament = toml::from_str(&text).with_context(|| file(args))?;
    let players = tournament.player.len();
    ensure!(players >= 2, "{}: {players} players, expected at least 2 [[player]] tables", file(args));
    Ok(Some(tournament))
}

/// The option that names the tournament's file, for messages.
pub(super) fn file(args: &Args) -> String {
    let path = args.tournament.as_deref().unwrap_or(Path::new(""));
    format!("--tournament {}", path.display())
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
pub(super) fn numbered(args: &Args, entrants: &mut Vec<Entrant>) -> anyhow::Result<Vec<usize>> {
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
pub(super) fn pairings(
    args: &Args,
    tournament: Option<&Tournament>,
    numbers: &[usize],
) -> anyhow::Result<Vec<Pairing>> {
    let format = tournament.map_or(TournamentFormat::RoundRobin, |tournament| tournament.format);
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
    ensure!(!pairings.is_empty(), "{}: no two players meet, expected a reach of at least 1", file(args));
    let all = pairings.iter().map(|pairing| pairing.games).fold(0, usize::saturating_add);
    ensure!(all <= MOST_GAMES, "{all} games in all: expected at most {MOST_GAMES}");
    Ok(pairings)
}
