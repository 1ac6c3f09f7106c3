use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::bitboard::Bitboard;
use crate::game::{Game, Point};
use crate::moves::Move;
use crate::outcome::{Cause, Outcome};
use crate::position::Position;
use crate::properties::write_property;
use crate::side::Side;
use crate::size::Size;
use crate::square::Square;

/// Writes games as one SGF collection. A game from the usual 10x10 start has no setup properties.
pub fn write<'a>(games: impl IntoIterator<Item = &'a Game>) -> String {
    games.into_iter().map(write_game).collect()
}

fn write_game(game: &Game) -> String {
    let (mut text, size) = (String::new(), game.start().size());
    let out = &mut text;
    // Writing to a string cannot fail, so this file ignores the results of `write!`.
    out.push_str("(;FF[4]GM[18]CA[UTF-8]");
    let _ = if size.width() == size.height() {
        write!(out, "SZ[{}]", size.width())
    } else {
        write!(out, "SZ[{}:{}]", size.width(), size.height())
    };
    let [black, white] = &game.players;
    for (name, value) in [("PB", black), ("PW", white), ("DT", &game.date), ("EV", &game.event)] {
        if let Some(value) = value {
            write_property(out, name, &value.replace('\n', " "));
        }
    }
    if let Some(end) = game.outcome() {
        write_property(out, "RE", &result(&end));
    }
    write_setup(out, game.start());
    if !game.comment.is_empty() {
        write_property(out, "C", &game.comment);
    }
    out.push('\n');
    let mut branchings: BTreeMap<Point, Vec<usize>> = BTreeMap::new();
    for (line, variation) in game.lines().iter().enumerate().skip(1) {
        branchings.entry(variation.from).or_default().push(line);
    }
    write_line(out, game, &branchings, 0);
    out.push_str(")\n");
    text
}

/// Writes a line and its variations. `branchings` maps a point to the variations that begin there.
fn write_line(out: &mut String, game: &Game, branchings: &BTreeMap<Point, Vec<usize>>, line: usize) {
    let mut begun = out.len();
    // Where variations begin, the rest of the line and each variation are put in brackets.
    let mut open = Vec::new();
    for (ply, played) in game.lines()[line].plies.iter().enumerate() {
        if let Some(variations) = branchings.get(&Point { line, ply }) {
            open.push(variations);
            out.push_str("\n(");
            begun = out.len();
        }
        let before = game.position_at(Point { line, ply });
        let name = if before.to_move() == Side::First { "B" } else { "W" };
        let Move { from, to, arrow } = played.played;
        let squares = [from, to, arrow].map(|square| point_name(square, before.size()));
        let _ = write!(out, ";{name}[{}]", squares.concat());
        for (name, number) in [("QV", played.facts.value), ("QT", played.facts.seconds)] {
            if let Some(number) = number {
                let _ = write!(out, "{name}[{number}]");
            }
        }
        if !played.facts.comment.is_empty() {
            write_property(out, "C", &played.facts.comment);
        }
        if out.len() - begun > 68 {
            out.push('\n');
            begun = out.len();
        }
    }
    for variations in open.into_iter().rev() {
        out.push(')');
        for &variation in variations {
            out.push_str("\n(");
            write_line(out, game, branchings, variation);
            out.push(')');
        }
    }
}

fn write_setup(out: &mut String, start: &Position) {
    if start.size().width() == 10 && start.is_start() {
        return;
    }
    let [black, white]: [Bitboard; 2] = Side::BOTH.map(|side| start.amazons(side).iter().copied().collect());
    for (name, squares) in [("AB", black), ("AW", white), ("AA", start.burnt())] {
        if !squares.is_empty() {
            let points = squares.iter().map(|square| format!("[{}]", point_name(square, start.size())));
            let _ = write!(out, "{name}{}", points.collect::<String>());
        }
    }
    if (black | white | start.burnt()).is_empty() {
        // An empty board needs a setup property, or a reader would set up the usual start position.
        out.push_str("AE[aa]");
    }
    out.push_str(if start.to_move() == Side::First { "PL[B]" } else { "PL[W]" });
}

fn point_name(square: Square, size: Size) -> String {
    let letter = |index: u8| char::from(b'a' + index);
    [letter(square.x()), letter(size.height() - 1 - square.y())].iter().collect()
}

fn result(end: &Outcome) -> String {
    let winner = if end.winner == Side::First { "B" } else { "W" };
    match (end.cause, end.margin) {
        (Cause::Resignation, _) => format!("{winner}+R"),
        (Cause::Time, _) => format!("{winner}+T"),
        (Cause::Forfeit, _) => format!("{winner}+F"),
        (_, Some(margin)) => format!("{winner}+{margin}"),
        (_, None) => format!("{winner}+"),
    }
}
