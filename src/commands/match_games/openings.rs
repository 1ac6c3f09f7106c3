//! The openings that a command line describes.

use std::path::Path;

use anyhow::{Context, anyhow, ensure};

use super::args::Args;
use crate::commands::games;
use crate::contest::{Entrant, Openings, opening_suite};
use crate::formats;
use crate::game::move_list::MoveListStart;
use crate::game::random::mix;
use crate::game::{Game, Position, Size, Start};

/// The name under which `--openings` finds the suite that is shipped; a file of that name is
/// `./suite`.
const SUITE: &str = "suite";

/// Random plies of each pair, by default.
const DEFAULT_RANDOM_PLIES: usize = 4;

/// Marks the choices of an order of openings.
const SHUFFLE: u64 = 3;

/// The openings in the order asked for; every player can be told to begin with them.
pub(super) fn openings(args: &Args, entrants: &[Entrant], seed: u64) -> anyhow::Result<Openings> {
    let start = args.board.start()?;
    let openings = match &args.openings {
        Some(path) => {
            let place = || format!("--openings {}", path.display());
            let list = arranged(listed(path, start).with_context(place)?, args, seed)?;
            Openings { list, random_plies: 0, seed }
        }
        None => {
            let plies = args.random_plies.unwrap_or(DEFAULT_RANDOM_PLIES);
            Openings::random(start, plies, seed).context("--random-plies")?
        }
    };
    let starts = || openings.list.iter().map(Game::start);
    let board = Size::square(args.board.board)?;
    let other = starts().find(|start| start.size() != board);
    if let Some(other) = other.filter(|_| args.board.is_named()) {
        let size = other.size();
        return Err(anyhow!("an opening begins on {size}, at {other}: expected {board}, as --board says"));
    }
    let is_usual = |start: &&Position| Start::Formula.position(start.size()) == Ok(**start);
    let Some(odd) = starts().find(|start| !is_usual(start)) else { return Ok(openings) };
    let expected = "expected openings of moves from a start position";
    if let Some(Entrant { name, .. }) = entrants.iter().find(|entrant| entrant.is_botzone_bot()) {
        return Err(anyhow!("{name} cannot be told to begin at {odd}: {expected}"));
    }
    ensure!(args.botzone_log.is_none(), "--botzone-log cannot say that a game began at {odd}: {expected}");
    Ok(openings)
}

/// The openings of a file of games, in any format, or of the suite that is shipped.
fn listed(path: &Path, start: Position) -> anyhow::Result<Vec<Game>> {
    let bytes = if path.as_os_str() == SUITE {
        let text = opening_suite::shipped(start.size().width());
        text.with_context(|| format!("none is shipped for {}", start.size()))?.into()
    } else {
        games::bytes(path)?
    };
    match formats::read(&bytes, MoveListStart::Only(start)) {
        // A text of nothing but comments is an empty list of moves.
        Err(error) if error == formats::empty() => Ok(Openings::list([])?),
        found => Ok(Openings::list(formats::trusted(found?))?),
    }
}

/// The openings from the one asked for, in the order asked for.
fn arranged<T>(mut list: Vec<T>, args: &Args, seed: u64) -> anyhow::Result<Vec<T>> {
    let (start, count) = (args.openings_start.unwrap_or(1), list.len());
    ensure!(
        (1..=count).contains(&start),
        "--openings-start {start}: expected 1 to {count}, the number of openings"
    );
    // The order of Fisher and Yates that follows from the seed.
    for last in (1..list.len()).rev().filter(|_| args.openings_shuffled) {
        let other = mix(&[seed, SHUFFLE, last as u64]) % (last as u64 + 1);
        list.swap(last, other as usize);
    }
    list.rotate_left(start - 1);
    Ok(list)
}
