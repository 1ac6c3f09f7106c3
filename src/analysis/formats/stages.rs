//! Reads and writes the files of a graphical program for GTP engines of the KataGo family. Its SGF
//! has `GM[1]` and three nodes of one colour for each turn. Its JSON files end in `.amazons.json`.
//!
//! The graphical program draws the first player's side at the top. The top row is row 0, and
//! contains the square that this crate names `a1`.

use std::fmt::Write as _;
use std::mem;

use amazons::properties::{self, Property, PropertyNode};
use amazons::{Move, ParseGameError, Position, QueenMove, Side, Size, Square, sgf};
use quiver_bot::InputError;
use serde::{Deserialize, Serialize};

use crate::games::{FoundGame, Game, MatchGame, found_from_notation};

/// True if a text begins like SGF with three nodes for each turn. `compact` is the text without
/// white space. The SGF of a game of Go also has `GM[1]`, but sets up no white stones.
pub(super) fn is_staged_sgf(compact: &str) -> bool {
    ["GM[1]", "AB[", "AW["].iter().all(|mark| compact.contains(mark))
}

pub(super) fn read_sgf(text: &str) -> Result<Vec<FoundGame>, InputError> {
    let games = properties::read(text, true, |tree| game_from_nodes(properties::main_line(&tree)))?;
    Ok(games.into_iter().map(found_from_notation).collect())
}

/// Converts the nodes to SGF with `GM[18]`, one node a turn and flipped rows, and reads this SGF.
fn game_from_nodes(nodes: &[PropertyNode]) -> Result<amazons::Game, ParseGameError> {
    let height =
        properties::find(nodes, "SZ").and_then(|size| size.first_value().trim().parse().ok()).unwrap_or(10);
    let mut text = String::from("(;GM[18]");
    let (mut colour, mut turn) = ("", Vec::new());
    for property @ Property { name, values } in nodes.iter().flat_map(|node| &node.properties) {
        match name.as_str() {
            "GM" => {}
            "AB" | "AW" | "AA" | "AE" => {
                let points: Vec<String> = values.iter().map(|point| flip_rows(point, height)).collect();
                let _ = write!(text, "{name}[{}]", points.join("]["));
            }
            // An empty move is a pass, by which the player loses the game.
            "B" | "W" if property.first_value().trim().is_empty() => {
                let _ = write!(text, "RE[{}+]", if name == "B" { "W" } else { "B" });
            }
            "B" | "W" => {
                if turn.is_empty() {
                    colour = name;
                }
                turn.push(flip_rows(property.first_value(), height));
                if turn.len() == 3 {
                    let _ = write!(text, ";{colour}[{}]", mem::take(&mut turn).concat());
                }
            }
            _ => {
                properties::write_property(&mut text, name, property.first_value());
            }
        }
    }
    if !turn.is_empty() {
        let _ = write!(text, ";{colour}[{}]", turn.concat());
    }
    sgf::read(&(text + ")"))?.remove(0).game
}

/// Rewrites an SGF point or rectangle with the rows counted from the other side of the board.
fn flip_rows(text: &str, height: u8) -> String {
    let corner = |corner: &str| match *corner.trim().as_bytes() {
        [x, row] if (b'a'..b'a' + height.min(26)).contains(&row) => {
            [x, b'a' + height - 1 - (row - b'a')].map(char::from).iter().collect()
        }
        _ => corner.to_owned(),
    };
    text.split(':').map(corner).collect::<Vec<String>>().join(":")
}

/// Writes a game with three nodes for each turn, and a last node in which the loser passes.
///
/// # Errors
/// If the board is not square, which `SZ` cannot state, or if a side has no amazon at the start.
pub(super) fn write_sgf(game: &Game) -> Result<String, InputError> {
    let start = game.start();
    let size = start.size();
    if size.width() != size.height() || Side::BOTH.iter().any(|&side| start.amazons(side).is_empty()) {
        let expected = "a square board with amazons of both sides";
        return Err(InputError::new(format_args!("the game begins at {start}"), expected));
    }
    let letter = |index: u8| char::from(b'a' + index);
    let point = |square: &Square| format!("{}{}", letter(square.x()), letter(square.y()));
    let mut text = format!("(;FF[4]GM[1]CA[UTF-8]SZ[{}]", size.width());
    let [black, white] = &game.players;
    for (name, value) in [("PB", black), ("PW", white), ("DT", &game.date), ("EV", &game.event)] {
        if let Some(value) = value {
            properties::write_property(&mut text, name, value);
        }
    }
    let burnt: Vec<Square> = start.burnt().iter().collect();
    for (name, squares) in
        [("AB", start.amazons(Side::First)), ("AW", start.amazons(Side::Second)), ("AA", &burnt)]
    {
        if !squares.is_empty() {
            let points: Vec<String> = squares.iter().map(point).collect();
            let _ = write!(text, "{name}[{}]", points.join("]["));
        }
    }
    let colour = |side: Side| ["B", "W"][side.index()];
    let _ = write!(text, "PL[{}]", colour(start.to_move()));
    for (Move { from, to, arrow }, before) in game.moves().into_iter().zip(game.positions()) {
        for square in [from, to, arrow] {
            let _ = write!(text, "\n;{}[{}]", colour(before.to_move()), point(&square));
        }
    }
    if let Some(winner) = game.winner() {
        let _ = write!(text, "\n;{}[]", colour(!winner));
    }
    Ok(text + ")\n")
}

/// The content of `*.amazons.json`. Each square is a pair of row and column, from 0.
#[derive(Serialize, Deserialize)]
struct StagedGame {
    format: String,
    version: u32,
    board_size: usize,
    turns: Vec<Vec<[u8; 2]>>,
}

const FORMAT: &str = "amazons";

/// True if a JSON text is a `*.amazons.json` file, whose turns may still be wrong.
pub(super) fn is_staged_json(json: &str) -> bool {
    #[derive(Deserialize)]
    struct Keys {
        format: String,
    }
    serde_json::from_str::<Keys>(json).is_ok_and(|keys| keys.format == FORMAT)
}

pub(super) fn read_json(text: &str) -> Result<Game, InputError> {
    let StagedGame { board_size, turns, .. } =
        serde_json::from_str(text).map_err(|error| InputError(error.to_string()))?;
    let mut game = Game::new(Size::square(board_size).and_then(Position::start)?);
    for (number, turn) in (1..).zip(turns) {
        let squares: Option<Vec<Square>> = turn.iter().map(|&[row, x]| Square::new(x, row)).collect();
        let Some(&[from, to, arrow]) = squares.as_deref() else {
            return Err(InputError(format!("turn {number}: expected three squares as [row, column]")));
        };
        let played = game.play(Move::new(QueenMove { from, to }, arrow));
        played.map_err(|error| InputError::from(error).at(format_args!("turn {number}")))?;
    }
    Ok(game)
}

/// Writes a game as a `*.amazons.json` file.
///
/// # Errors
/// If the game does not begin at the start position, as every file of this format does.
pub(super) fn write_json(game: &Game) -> Result<String, InputError> {
    let start = game.start();
    if !start.is_start() {
        return Err(InputError(format!(
            "the game begins at {start}: expected the start position of 6x6, 8x8 or 10x10"
        )));
    }
    let turn =
        |played: Move| [played.from, played.to, played.arrow].map(|square| [square.y(), square.x()]).to_vec();
    let staged = StagedGame {
        format: FORMAT.to_owned(),
        version: 1,
        board_size: start.size().width().into(),
        turns: game.moves().into_iter().map(turn).collect(),
    };
    serde_json::to_string(&staged).map(|text| text + "\n").map_err(|error| InputError(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game whose first ply is d1-d7/g7. The graphical program calls this ply D10-D4/G4.
    const SGF: &str = "(;GM[1]FF[4]SZ[10]PB[a \\] b]AB[da][ga][ad][jd]AW[ag][jg][dj][gj]\
                       ;B[da];B[dg];B[gg];W[ag];W[bg];W[ag];B[])\n";
    const JSON: &str = r#"{"format":"amazons","version":1,"board_size":10,"turns":[[[0,3],[6,3],[6,6]],[[6,0],[6,1],[6,0]]]}"#;

    #[test]
    fn reads_back_what_it_writes() {
        let read_one = |text: &str| {
            let [found] = read_sgf(text).unwrap().try_into().unwrap();
            found.game.unwrap()
        };
        let game = read_one(SGF);
        let moves = ["d1-d7/g7", "a7-b7/a7"].map(|text| text.parse::<Move>().unwrap());
        assert!(game.start().is_start());
        assert_eq!((game.moves(), game.winner()), (moves.to_vec(), Some(Side::Second)));
        assert_eq!(game.players[0].as_deref(), Some("a ] b"));
        let again = read_one(&write_sgf(&game).unwrap());
        assert_eq!(
            (again.moves(), again.winner(), again.players),
            (game.moves(), game.winner(), game.players)
        );
        let unfinished = read_one(&SGF.replace(";W[ag];B[])", ")"));
        assert_eq!((unfinished.moves(), unfinished.notes.len()), (moves[..1].to_vec(), 1));
        // What looks like a game within a comment is none.
        assert_eq!(read_one(&SGF.replace("FF[4]", "C[(;GM[1\\])]")).moves(), moves);
        for start in ["4Q/5/q4/5 w", "Q3/4/4/4 w"] {
            assert!(write_sgf(&Game::new(start.parse().unwrap())).is_err(), "{start}");
        }
        let plain = read_json(JSON).unwrap();
        assert_eq!(plain.moves(), moves);
        assert_eq!(write_json(&plain).unwrap().trim(), JSON);
    }
}
