//! Writes games as SGF.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::one_line;
use crate::game::{Bitboard, EndKind, Game, GameEnd, Ply, Point, Position, Side, Size, Square, Start};

/// Writes games as one collection, each with its pieces unless it has the usual start of 10x10.
pub fn write(games: &[Game]) -> String {
    games.iter().map(write_game).collect()
}

fn write_game(game: &Game) -> String {
    let (mut text, size) = (String::new(), game.start().size());
    let out = &mut text;
    // Writing to a string cannot fail, so that nothing is lost with the results here and below.
    let _ = write!(out, "(;FF[4]GM[18]CA[UTF-8]AP[Quiver:{}]", env!("CARGO_PKG_VERSION"));
    let _ = if size.width() == size.height() {
        write!(out, "SZ[{}]", size.width())
    } else {
        write!(out, "SZ[{}:{}]", size.width(), size.height())
    };
    let [black, white] = &game.players;
    for (name, value) in [("PB", black), ("PW", white), ("DT", &game.date), ("EV", &game.event)] {
        if let Some(value) = value {
            property(out, name, &one_line(value));
        }
    }
    if let Some(end) = &game.end {
        property(out, "RE", &result(end));
    }
    setup(out, game.start());
    if !game.comment.is_empty() {
        property(out, "C", &game.comment);
    }
    out.push('\n');
    let mut branchings: BTreeMap<Point, Vec<usize>> = BTreeMap::new();
    for (line, variation) in (1..).zip(game.variations()) {
        branchings.entry(variation.from).or_default().push(line);
    }
    write_line(out, game, &branchings, 0, game.start().to_move());
    out.push_str(")\n");
    text
}

/// Writes a line and the variations that leave it. `branchings` are the variations by the point
/// where they begin.
fn write_line(
    out: &mut String,
    game: &Game,
    branchings: &BTreeMap<Point, Vec<usize>>,
    line: usize,
    mut mover: Side,
) {
    let mut begun = out.len();
    // A branching opens a bracket for the rest of the line. Its variations follow the bracket that
    // closes it.
    let mut open = Vec::new();
    for (ply, played) in game.line(line).unwrap_or_default().iter().enumerate() {
        if let Some(variations) = branchings.get(&Point { line, ply }) {
            open.push((variations, mover));
            out.push_str("\n(");
            begun = out.len();
        }
        write_ply(out, played, mover, game.start().size());
        if out.len() - begun > 68 {
            out.push('\n');
            begun = out.len();
        }
        mover = !mover;
    }
    for (variations, mover) in open.into_iter().rev() {
        out.push(')');
        for &variation in variations {
            out.push_str("\n(");
            write_line(out, game, branchings, variation, mover);
            out.push(')');
        }
    }
}

fn write_ply(out: &mut String, ply: &Ply, mover: Side, size: Size) {
    let name = if mover == Side::First { "B" } else { "W" };
    let squares = [ply.full.from, ply.full.to, ply.full.arrow].map(|square| point_name(square, size));
    let _ = write!(out, ";{name}[{}]", squares.concat());
    for (name, number) in [("QV", ply.facts.value), ("QT", ply.facts.seconds)] {
        if let Some(number) = number {
            let _ = write!(out, "{name}[{number}]");
        }
    }
    if !ply.facts.comment.is_empty() {
        property(out, "C", &ply.facts.comment);
    }
}

fn setup(out: &mut String, start: &Position) {
    if start.size().width() == 10 && Start::of(start) == Some(Start::Formula) {
        return;
    }
    let [black, white]: [Bitboard; 2] = Side::BOTH.map(|side| start.amazons(side).iter().collect());
    for (name, squares) in [("AB", black), ("AW", white), ("AA", start.burnt())] {
        if !squares.is_empty() {
            let points = squares.iter().map(|square| format!("[{}]", point_name(square, start.size())));
            let _ = write!(out, "{name}{}", points.collect::<String>());
        }
    }
    if (black | white | start.burnt()).is_empty() {
        // Says that the board is empty, rather than that it has the usual start.
        out.push_str("AE[aa]");
    }
    out.push_str(if start.to_move() == Side::First { "PL[B]" } else { "PL[W]" });
}

fn point_name(square: Square, size: Size) -> String {
    let letter = |index: u8| char::from(b'a' + index);
    [letter(square.x()), letter(size.height() - 1 - square.y())].iter().collect()
}

fn result(end: &GameEnd) -> String {
    let winner = if end.winner == Side::First { "B" } else { "W" };
    match (end.kind, end.margin) {
        (EndKind::Resignation, _) => format!("{winner}+R"),
        (EndKind::Time | EndKind::Stall, _) => format!("{winner}+T"),
        (kind, _) if kind.is_fault() => format!("{winner}+F"),
        (_, Some(margin)) => format!("{winner}+{margin}"),
        (_, None) => format!("{winner}+"),
    }
}

fn property(out: &mut String, name: &str, value: &str) {
    let _ = write!(out, "{name}[");
    for character in value.chars() {
        if matches!(character, ']' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push(']');
}
