//! Reads and writes the files of a graphical program for GTP engines of the KataGo family. Its SGF
//! has `GM[1]` and three nodes of one colour for each turn. Its JSON files end in `.amazons.json`.
//!
//! The graphical program draws the first player's side at the top. The top row is row 0, and
//! contains the square that this crate names `a1`.

use std::fmt::Write as _;
use std::mem;
use std::str::Chars;

use amazons::{Move, Position, QueenMove, Side, Size, Square, sgf};
use quiver_bot::InputError;
use serde::{Deserialize, Serialize};

use crate::games::{FoundGame, Game, MatchGame, found_from_notation};

/// The name of an SGF property, and its values, in which backslashes still escape characters.
type Property = (String, Vec<String>);

/// True if a text begins like SGF with three nodes for each turn. `compact` is the text without
/// white space. The SGF of a game of Go also has `GM[1]`, but sets up no white stones.
pub(super) fn is_staged_sgf(compact: &str) -> bool {
    ["GM[1]", "AB[", "AW["].iter().all(|mark| compact.contains(mark))
}

pub(super) fn read_sgf(text: &str) -> Vec<FoundGame> {
    let games = text.match_indices("(;").filter_map(|(begin, _)| {
        let nodes = main_line(&text[begin..]);
        // Only the root node of a game has the property `GM`. No node of a variation has it.
        let is_root = nodes.first()?.iter().any(|(name, _)| name == "GM");
        is_root.then(|| FoundGame {
            line: text[..begin].matches('\n').count() + 1,
            game: game_from_nodes(nodes),
        })
    });
    games.collect()
}

fn main_line(text: &str) -> Vec<Vec<Property>> {
    let mut nodes: Vec<Vec<Property>> = Vec::new();
    let mut name = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next().filter(|&letter| letter != ')') {
        match (letter, nodes.last_mut()) {
            (';', _) => nodes.push(Vec::new()),
            ('[', Some(node)) => {
                if !name.is_empty() {
                    node.push((mem::take(&mut name), Vec::new()));
                }
                if let Some((_, values)) = node.last_mut() {
                    values.push(read_property_value(&mut letters));
                }
            }
            _ if letter.is_ascii_uppercase() => name.push(letter),
            _ => {}
        }
    }
    nodes
}

fn read_property_value(letters: &mut Chars<'_>) -> String {
    let mut value = String::new();
    while let Some(letter) = letters.next().filter(|&letter| letter != ']') {
        value.push(letter);
        if letter == '\\' {
            value.extend(letters.next());
        }
    }
    value
}

/// Converts the nodes to SGF with `GM[18]`, one node a turn and flipped rows, and reads this SGF.
fn game_from_nodes(nodes: Vec<Vec<Property>>) -> Result<Game, InputError> {
    let height = nodes[0].iter().find(|(name, _)| name == "SZ");
    let height = height.and_then(|(_, values)| values[0].trim().parse().ok()).unwrap_or(10);
    let mut text = String::from("(;GM[18]");
    let (mut colour, mut turn) = (String::new(), Vec::new());
    for (name, values) in nodes.into_iter().flatten() {
        match name.as_str() {
            "GM" => {}
            "AB" | "AW" | "AA" | "AE" => {
                let points: Vec<String> = values.iter().map(|point| flip_rows(point, height)).collect();
                let _ = write!(text, "{name}[{}]", points.join("]["));
            }
            // An empty move is a pass, by which the player loses the game.
            "B" | "W" if values[0].trim().is_empty() => {
                let _ = write!(text, "RE[{}+]", if name == "B" { "W" } else { "B" });
            }
            "B" | "W" => {
                if turn.is_empty() {
                    colour = name;
                }
                turn.push(flip_rows(&values[0], height));
                if turn.len() == 3 {
                    let _ = write!(text, ";{colour}[{}]", mem::take(&mut turn).concat());
                }
            }
            _ => {
                let _ = write!(text, "{name}[{}]", values.join("]["));
            }
        }
    }
    if !turn.is_empty() {
        let _ = write!(text, ";{colour}[{}]", turn.concat());
    }
    found_from_notation(sgf::read(&(text + ")"))?.remove(0)).game
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
pub(super) fn write_sgf(game: &Game) -> String {
    let start = game.start();
    let letter = |index: u8| char::from(b'a' + index);
    let point = |square: &Square| format!("{}{}", letter(square.x()), letter(square.y()));
    let mut text = format!("(;FF[4]GM[1]CA[UTF-8]SZ[{}]", start.size().width());
    let field = |text: &str| text.replace('\\', "\\\\").replace(']', "\\]");
    let [black, white] = &game.players;
    for (name, value) in [("PB", black), ("PW", white), ("DT", &game.date), ("EV", &game.event)] {
        if let Some(value) = value {
            let _ = write!(text, "{name}[{}]", field(value));
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
    text + ")\n"
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
        let [found] = read_sgf(SGF).try_into().unwrap();
        let game = found.game.unwrap();
        let moves = ["d1-d7/g7", "a7-b7/a7"].map(|text| text.parse::<Move>().unwrap());
        assert!(game.start().is_start());
        assert_eq!((game.moves(), game.winner()), (moves.to_vec(), Some(Side::Second)));
        assert_eq!(game.players[0].as_deref(), Some("a ] b"));
        let again = read_sgf(&write_sgf(&game)).remove(0).game.unwrap();
        assert_eq!(
            (again.moves(), again.winner(), again.players),
            (game.moves(), game.winner(), game.players)
        );
        let unfinished = read_sgf(&SGF.replace(";W[ag];B[])", ")")).remove(0).game.unwrap();
        assert_eq!((unfinished.moves(), unfinished.notes.len()), (moves[..1].to_vec(), 1));
        let plain = read_json(JSON).unwrap();
        assert_eq!(plain.moves(), moves);
        assert_eq!(write_json(&plain).unwrap().trim(), JSON);
    }
}
