//! A position as an SVG picture. The pages draw the pieces of later positions by the symbols in it.
//!
//! `a1` is at the bottom left, so that the first player sits below. The first player's amazons are
//! dark tokens with a crown of three points, the second's light ones with a crown of two, burnt
//! squares are dark with a cross: nothing depends on hue. The last move is drawn from square to
//! square, its arrow dotted.

use std::fmt::Write as _;

use amazons::{Move, Position, Side, Size, Square};

use crate::messages::counted;

/// The style sheet of the pictures.
pub(super) const STYLE: &str = include_str!("assets/app/board.css");

/// Side of a square, in the picture's units.
const CELL: u32 = 10;

/// Room for the coordinates, left and below.
const MARGIN: u32 = 5;

/// Room on the other two sides.
const BORDER: u32 = 1;

/// The tokens and the burnt square, each drawn in a square from (0,0) to (10,10).
const SYMBOLS: &str = concat!(
    "<defs>",
    "<g id=\"board-q0\"><circle class=\"board-shade\" cx=\"5\" cy=\"5.4\" r=\"4.2\"/><circle class=\"board-token-0\" cx=\"5\" cy=\"5\" r=\"4.1\"/>",
    "<path class=\"board-crown-0\" d=\"M2.1 3.3 3.5 4.9 5 1.9 6.5 4.9 7.9 3.3 7.1 6.8H2.9ZM2.9 7.2H7.1V8H2.9Z\"/></g>",
    "<g id=\"board-q1\"><circle class=\"board-shade\" cx=\"5\" cy=\"5.4\" r=\"4.2\"/><circle class=\"board-token-1\" cx=\"5\" cy=\"5\" r=\"4.1\"/>",
    "<path class=\"board-crown-1\" d=\"M2.7 2.6 5 5.3 7.3 2.6 7.1 6.8H2.9ZM2.9 7.2H7.1V8H2.9Z\"/></g>",
    "<g id=\"board-x\"><rect class=\"board-ash\" x=\".5\" y=\".5\" width=\"9\" height=\"9\" rx=\"1.4\"/>",
    "<path class=\"board-ember\" d=\"M3.2 3.2 6.8 6.8M6.8 3.2 3.2 6.8\"/></g>",
    "</defs>",
);

/// A position and, if given, the move that led to it, for a page that has [`STYLE`] in its own style
/// sheet.
pub(super) fn frame(position: &Position, last: Option<Move>) -> String {
    let (size, label, pieces) = (position.size(), describe(position, last), pieces(position, last));
    let (width, height) = (u32::from(size.width()) * CELL, u32::from(size.height()) * CELL);
    // a1 is a dark square, as on a chessboard.
    let dark = size.mask().into_iter().filter(|square| (square.x() + square.y()) % 2 == 0);
    let dark = dark.map(|square| {
        let [x, y] = corner(size, square);
        format!("M{x} {y}h{CELL}v{CELL}h-{CELL}z")
    });
    let letters = (0..size.width()).map(|x| {
        let (middle, letter) = (middle(x), char::from(b'a' + x));
        format!("<text class=\"board-name\" x=\"{middle}\" y=\"{height}\" dy=\"3.6\">{letter}</text>")
    });
    let numbers = (0..size.height()).map(|y| {
        let (middle, number) = (middle(y) + 1, size.height() - y);
        format!("<text class=\"board-name\" x=\"-2.6\" y=\"{middle}.2\">{number}</text>")
    });
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"board\" viewBox=\"{x} {y} {w} {h}\" role=\"img\" \
         aria-label=\"{label}\">{SYMBOLS}<path class=\"board-pale\" d=\"M0 0H{width}V{height}H0Z\"/>\
         <path class=\"board-deep\" d=\"{}\"/><path class=\"board-rim\" d=\"M0 0H{width}V{height}H0Z\"/>{}\
         <g class=\"board-pieces\">{pieces}</g></svg>",
        dark.collect::<String>(),
        letters.chain(numbers).collect::<String>(),
        x = -i64::from(MARGIN),
        y = -i64::from(BORDER),
        w = width + MARGIN + BORDER,
        h = height + MARGIN + BORDER,
    )
}

/// The part that changes from ply to ply, which `assets/app/pieces.js` draws in the same way.
fn pieces(position: &Position, last: Option<Move>) -> String {
    let size = position.size();
    let put = |symbol: &str, square: Square| {
        let [x, y] = corner(size, square);
        format!("<use href=\"#board-{symbol}\" x=\"{x}\" y=\"{y}\"/>")
    };
    // Below the burnt squares: an arrow may burn the square that its queen left.
    let left = last.map(|last| {
        let [x, y] = corner(size, last.from);
        format!("<rect class=\"board-left\" x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\"/>")
    });
    let burnt = position.burnt().into_iter().map(|square| put("x", square));
    let amazons = Side::BOTH.into_iter().zip(["q0", "q1"]);
    let amazons = amazons.flat_map(|(side, symbol)| position.amazons(side).iter().map(|&at| put(symbol, at)));
    let mark = last.map(|last| mark(size, last));
    left.into_iter().chain(burnt).chain(mark).chain(amazons).collect()
}

/// The picture in words, for those who cannot see it.
fn describe(position: &Position, last: Option<Move>) -> String {
    let names = |squares: &[Square]| squares.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let mut text = format!(
        "Board of {}. First player on {}. Second player on {}. {} burnt.",
        position.size(),
        names(position.amazons(Side::First)),
        names(position.amazons(Side::Second)),
        counted(position.burnt().count(), "square", "squares"),
    );
    if let Some(last) = last {
        let _ = write!(text, " Last move {last}.");
    }
    text
}

fn corner(size: Size, square: Square) -> [u32; 2] {
    [u32::from(square.x()) * CELL, u32::from(size.height() - 1 - square.y()) * CELL]
}

/// The last move: its way, its arrow's way and the square it burnt.
fn mark(size: Size, Move { from, to, arrow }: Move) -> String {
    let [x, y] = corner(size, arrow).map(|at| at + 1);
    let fresh =
        format!("<rect class=\"board-fresh\" x=\"{x}\" y=\"{y}\" width=\"8\" height=\"8\" rx=\"1.2\"/>");
    let way = |class, start, end| {
        let [[x0, y0], [x1, y1]] = [start, end].map(|square| corner(size, square).map(|at| at + CELL / 2));
        format!("<path class=\"board-{class}\" d=\"M{x0} {y0}L{x1} {y1}\"/>")
    };
    fresh + &way("path", from, to) + &way("shot", to, arrow)
}

fn middle(index: u8) -> u32 {
    u32::from(index) * CELL + CELL / 2
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::*;
    use crate::games::Game;

    /// `QUIVER_WRITE_PICTURES=1 cargo test --lib board` draws the picture of the bot's guide anew.
    #[test]
    fn draws_the_picture_of_the_guide() {
        let moves = ["5 0 3 2 6 5", "0 5 4 5 3 4", "0 2 0 3 3 0", "2 7 2 5 1 4"];
        let start = Position::start(Size::square(8).unwrap()).unwrap();
        let game = Game::of(start, &moves.map(|text| text.parse().unwrap())).unwrap();
        // A picture that is a document of its own.
        let styled = format!("><style>{STYLE}</style>");
        let drawn = frame(game.position(), game.move_to(moves.len())).replacen('>', &styled, 1);
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pictures/real-opening.svg");
        if env::var_os("QUIVER_WRITE_PICTURES").is_some() {
            fs::write(path, &drawn).unwrap();
        }
        assert!(fs::read_to_string(path).unwrap() == drawn, "{path} is out of date");
        // Inside the style sheet an angle bracket would open a tag: pages forgive it, pictures of
        // their own do not.
        assert!(!STYLE.contains(['<', '>', '&']));
    }
}
