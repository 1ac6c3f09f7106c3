//! The openings of a match, from the command line.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use clap::parser::ValueSource;

use super::args::Args;
use crate::commands::options::BoardOptions;
use crate::contest::opening_suite;
use crate::contest::{Entrant, Openings};
use crate::game::random::mix;
use crate::game::{Fen, Position, Size, Start};

/// Random plies of each pair, by default.
const DEFAULT_RANDOM_PLIES: usize = 4;

/// The name under which `--openings` finds the suite that is shipped; a file of that name is
/// `./suite`.
const SUITE: &str = "suite";

/// Marks the choices of an order of openings.
const SHUFFLE: u64 = 3;

/// The openings in the order asked for; every player can be told to begin with them.
pub(super) fn openings(args: &Args, entrants: &[Entrant], seed: u64) -> anyhow::Result<Openings> {
    let openings = arranged(listed(args, seed)?, args, seed)?;
    check_sizes(args, &openings)?;
    check_starts(args, entrants, &openings)?;
    Ok(openings)
}

fn listed(args: &Args, seed: u64) -> anyhow::Result<Openings> {
    let start = BoardOptions { board: args.board.board }.start()?;
    let Some(path) = &args.openings else {
        let plies = args.random_plies.unwrap_or(DEFAULT_RANDOM_PLIES);
        return Openings::random(start, plies, seed).context("--random-plies");
    };
    let place = || format!("--openings {}", path.display());
    if path.as_os_str() == SUITE {
        let text = opening_suite::shipped(start.size().width());
        let text = text.with_context(|| format!("{}: none is shipped for {}", place(), start.size()))?;
        return Openings::parse(text, start).with_context(place);
    }
    openings_of(path, start).with_context(place)
}

/// The openings from the one asked for.
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
fn openings_of(path: &Path, start: Position) -> anyhow::Result<Openings> {
    use crate::formats;
    use crate::game::FoundGame;
    use crate::game::move_list::MoveListStart;
    let (_, found) =
        match formats::read(path, &crate::commands::games::bytes(path)?, MoveListStart::Only(start)) {
            // A text of nothing but comments is an empty list of moves.
            Err(error) if error == formats::empty() => return Ok(Openings::parse("", start)?),
            other => other?,
        };
    let games = found.into_iter().map(|FoundGame { line, game }| match game {
        Ok(game) => Ok((line, game)),
        Err(error) => Err(anyhow::anyhow!("line {line}: {error}")),
    });
    Ok(Openings::of(&games.collect::<anyhow::Result<Vec<_>>>()?)?)
}

/// Checks that every opening is on the board that the user named.
fn check_sizes(args: &Args, openings: &Openings) -> anyhow::Result<()> {
    if args.board.source == ValueSource::DefaultValue {
        return Ok(());
    }
    let board = Size::square(args.board.board)?;
    let other = openings.starts().into_iter().find(|start| start.size() != board);
    let Some(other) = other else { return Ok(()) };
    bail!("an opening begins on {}, at {}: expected {board}, as --board says", other.size(), Fen(other))
}

/// Checks that the protocol of each player can express how its games begin.
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
