//! `quiver suite --make`: makes test positions, one game at a time, and goes on where it was ended.

use std::time::Duration;

use anyhow::{Context, bail, ensure};

use super::{Args, Kind};
use crate::commands::Failed;
use crate::contest::positions::{Recipe, RecipeKind, TestPosition};
use crate::files::Records;
use crate::game::Size;
use crate::messages::excerpt;

/// What a line begins with.
const LINE: &str = "{\"id\":\"";

/// Makes positions until the file has as many as asked for.
pub(super) fn make(args: &Args, kind: Kind) -> anyhow::Result<()> {
    let path = args.out.as_deref().context("--make needs --out FILE")?;
    let place = || format!("--out {}", path.display());
    let board = args.board.board;
    let boards: &[usize] = match kind {
        Kind::Proven => &[4, 5, 6, 8, 10],
        Kind::Best => &[6, 8, 10],
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
    // A process that was killed leaves at most a last line without its end.
    let torn = &text[whole..];
    ensure!(
        torn.starts_with(LINE) || LINE.starts_with(torn),
        "{}: ends with {:?}, expected lines that --make wrote",
        place(),
        excerpt(torn, 40)
    );
    file.truncate(whole as u64)?;
    let recipe = Recipe {
        size,
        kind: match kind {
            Kind::Proven => RecipeKind::Proven,
            Kind::Best => RecipeKind::Agreed { playouts: args.long_playouts },
        },
        options: args.engine.options()?,
        // Small boards have few themes, and best moves are not proven by theme.
        most_of_theme: match kind {
            Kind::Proven if board >= 8 => args.count.div_ceil(3),
            _ => args.count,
        },
    };
    // The id ends with the number of the game.
    let last = known.last().and_then(|known| known.id.rsplit('-').next()?.parse::<u64>().ok());
    let next = last.map_or(args.first_game, |last| last + 1);
    let mut found = known.len();
    for (number, position) in (next..).zip(recipe.positions(&known, next)) {
        if found >= args.count {
            break;
        }
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
