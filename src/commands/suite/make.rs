//! `quiver suite --make`: makes test positions, one game at a time, and resumes an interrupted
//! file.

use std::time::Duration;

use anyhow::{Context, bail, ensure};

use super::{Args, SuiteKind};
use crate::commands::Failed;
use crate::contest::positions::{CollectionKind, CollectionRecipe, SuiteTask, TestPosition};
use crate::files::Records;
use crate::game::Size;
use crate::messages::excerpt;

/// What a line begins with.
const LINE: &str = "{\"id\":\"";

/// The greatest number of a game.
pub(super) const MOST_GAMES: u64 = u64::MAX / 2;

/// Makes positions until the file has as many as asked for.
pub(super) fn make(args: &Args, kind: SuiteKind) -> anyhow::Result<()> {
    let path = args.out.as_deref().context("--make needs --out FILE")?;
    let place = || format!("--out {}", path.display());
    let board = args.board.board;
    let boards: &[usize] = match kind {
        SuiteKind::Proven => &[4, 5, 6, 8, 10],
        SuiteKind::Best => &[6, 8, 10],
    };
    ensure!(boards.contains(&board), "--make: --board {board}, expected one of {boards:?}");
    let size = Size::square(board)?;
    let file = Records::open(path, false, Duration::ZERO).with_context(place)?;
    let mut file = file.with_context(|| format!("{}: another process writes it", place()))?;
    let text = String::from_utf8(file.read()?).with_context(place)?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let known =
        if whole == 0 { Vec::new() } else { TestPosition::parse(&text[..whole]).with_context(place)? };
    if let Some(other) = known.iter().find(|known| known.position().size() != size) {
        bail!("{}: {} is on {}, expected {size}", place(), other.id, other.position().size());
    }
    let is_proven = matches!(kind, SuiteKind::Proven);
    if let Some(other) = known.iter().find(|known| (known.task != SuiteTask::Best) != is_proven) {
        bail!("{}: {} has the task {}, expected positions of --make's kind", place(), other.id, other.task);
    }
    // A process that was killed leaves at most a last line without its end.
    let torn = &text[whole..];
    ensure!(
        torn.starts_with(LINE) || LINE.starts_with(torn),
        "{}: ends with {:?}, expected lines that --make wrote",
        place(),
        excerpt(torn, 40)
    );
    file.truncate(whole as u64)?;
    let recipe = CollectionRecipe {
        size,
        kind: match kind {
            SuiteKind::Proven => CollectionKind::Proven,
            SuiteKind::Best => CollectionKind::Agreed { playouts: args.long_playouts },
        },
        options: args.engine.options()?,
        // Small boards have few themes, and best moves are not proven by theme.
        most_of_theme: match kind {
            SuiteKind::Proven if board >= 8 => args.count.div_ceil(3),
            _ => args.count,
        },
    };
    // The id ends with the number of the game.
    let last = known.last().and_then(|known| known.id.rsplit('-').next()?.parse::<u64>().ok());
    let next = last.map_or(Some(args.first_game), |last| last.checked_add(1));
    let next = next.filter(|&next| next <= MOST_GAMES).with_context(|| {
        format!(
            "{}: the last position is of game {}, expected at most {MOST_GAMES}",
            place(),
            last.unwrap_or(0)
        )
    })?;
    let mut found = known.len();
    let mut positions = (next..).zip(recipe.positions(&known, next));
    // A file that is full costs no game.
    while found < args.count
        && let Some((number, position)) = positions.next()
    {
        if let Some(position) = position {
            file.append((position.to_line() + "\n").as_bytes())
                .map_err(|error| Failed(format!("{}: {error}", path.display())))?;
            found += 1;
            eprintln!("{}: {} {} ({found} of {})", position.id, position.phase, position.theme, args.count);
        } else if number % 10 == 9 {
            eprintln!("{} games", number + 1);
        }
    }
    Ok(())
}
