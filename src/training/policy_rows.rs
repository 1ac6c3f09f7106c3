//! Writes training examples for the policy network as rows. For training, the Python module
//! `tuning/tuning/policy/samples.py` reads the rows without knowing the rules of the game.
//!
//! The JSON header of a file of rows names every field of a row with its numpy type. A square
//! is stored as the number `N * y + x` on a board of N x N.
//!
//! | field | contents |
//! |---|---|
//! | `game` | the number of the game in its library |
//! | `ply` | the number of plies before the game position from which the row comes |
//! | `half` | 1 for a half ply, whose moves are arrows |
//! | `empties` | the number of empty squares |
//! | `value` | the winning chance of the acting side, in units of 1 / 65,535 |
//! | `from` | squares of the side's four amazons; in a half ply the shooter's square and zeros |
//! | `legal` | for each square of `from`, a bit for each board square: 1 if a move leads there |
//! | `moves` | the 16 most visited moves: an index in `from` and the square that the move reaches |
//! | `shares` | the share of all visits for each of these moves; 0 in unused entries |
//! | `planes` | three bytes for each square, as [`packed`] makes them; 0 for a burnt square |

use std::io;

use amazons::{AnyPosition, Bitboard, Square, queen_reach};
use serde_json::{Value, json};

use super::features::{to_units, write_rows};
use super::library::{Library, Sample};
use crate::files::Replacement;
use crate::policy::planes::{Planes, packed};
use crate::territory::View;

const AMAZON_SLOTS: usize = 4;

pub(super) const MAX_SHARES: usize = 16;

/// Writes a row for each position and half ply whose moves have recorded visits, game by game.
/// Returns the number of rows.
///
/// # Errors
/// If the board is not square, or if the file cannot be written.
pub(crate) fn write(library: &Library, file: Replacement) -> io::Result<usize> {
    let about = rows_header(library)?;
    let visits = |Sample { state, facts, .. }: &Sample<'_>| -> Vec<([Square; 2], u16)> {
        match state {
            AnyPosition::Position(_) => {
                facts.queen_shares.iter().map(|&(queen, share)| ([queen.from, queen.to], share)).collect()
            }
            AnyPosition::HalfPly(half) => {
                facts.arrow_shares.iter().map(|&(arrow, share)| ([half.shooter(), arrow], share)).collect()
            }
        }
    };
    let visited = || library.samples().filter(|(_, sample)| !visits(sample).is_empty());
    let mut planes = Planes::default();
    let rows = visited().map(|(number, sample)| {
        let place = (number, sample.ply);
        let value = sample.facts.value.unwrap_or_default();
        row(&mut planes, &sample.state, place, value, &visits(&sample))
    });
    write_rows(file, library, HEADER_KEY, about, visited().count(), rows)
}

pub(super) const HEADER_KEY: &str = "policy_rows";

/// The fields of a row on a board of `side` x `side`, each with its numpy type and its shape.
fn fields(side: usize) -> [(&'static str, &'static str, Vec<usize>); 10] {
    let squares = side * side;
    [
        ("game", "<u4", vec![]),
        ("ply", "<u2", vec![]),
        ("half", "<u2", vec![]),
        ("empties", "<u2", vec![]),
        ("value", "<u2", vec![]),
        ("from", "u1", vec![AMAZON_SLOTS]),
        ("legal", "u1", vec![AMAZON_SLOTS, squares.div_ceil(8)]),
        ("moves", "u1", vec![MAX_SHARES, 2]),
        ("shares", "<u2", vec![MAX_SHARES]),
        ("planes", "u1", vec![squares, 3]),
    ]
}

pub(super) fn row_bytes(side: usize) -> usize {
    // The last character of a numpy type is its number of bytes.
    let width = |kind: &str| usize::from(kind.as_bytes()[kind.len() - 1] - b'0');
    fields(side).iter().map(|(_, kind, shape)| width(kind) * shape.iter().product::<usize>()).sum()
}

/// The header of a file of rows: the board and the fields of a row.
///
/// # Errors
/// If the board is not square.
pub(crate) fn rows_header(library: &Library) -> io::Result<Value> {
    let size = library.size();
    if size.width() != size.height() {
        let what = format!("games on a board of {size}: expected a square board");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    Ok(json!({"board": size.width(), "fields": fields(size.width().into())}))
}

/// The row of a position or half ply. `visits` has each move's origin, target and share of visits.
pub(super) fn row(
    planes: &mut Planes,
    state: &AnyPosition,
    (game, ply): (u32, u16),
    value: f64,
    visits: &[([Square; 2], u16)],
) -> Vec<u8> {
    let (from, targets): (Vec<Square>, Vec<Bitboard>) = match state {
        AnyPosition::Position(position) => {
            let from = position.amazons(position.to_move());
            (from.to_vec(), from.iter().map(|&from| queen_reach(from, position.empty())).collect())
        }
        AnyPosition::HalfPly(half) => (vec![half.shooter()], vec![half.arrows()]),
    };
    let view = View::from(state);
    let side = view.size.width();
    let index = |square: Square| square.y() * side + square.x();
    let squares = usize::from(side) * usize::from(side);
    let mut row = game.to_le_bytes().to_vec();
    let empties = state.empty_squares() as u16;
    let numbers = [ply, u16::from(view.shooter.is_some()), empties, to_units(value)];
    row.extend(numbers.map(u16::to_le_bytes).as_flattened());
    row.extend((0..AMAZON_SLOTS).map(|slot| from.get(slot).map_or(0, |&square| index(square))));
    let bits = squares.div_ceil(8);
    let mut legal = vec![0u8; AMAZON_SLOTS * bits];
    for (slot, targets) in targets.iter().enumerate() {
        for square in targets.iter() {
            let at = usize::from(index(square));
            legal[slot * bits + at / 8] |= 1 << (at % 8);
        }
    }
    row.extend(legal);
    let mut moves = [[0; 2]; MAX_SHARES];
    let mut shares = [[0; 2]; MAX_SHARES];
    for (at, &([origin, to], share)) in visits.iter().take(MAX_SHARES).enumerate() {
        let slot = from.iter().position(|&square| square == origin).expect("a legal move");
        moves[at] = [slot as u8, index(to)];
        shares[at] = share.to_le_bytes();
    }
    row.extend(moves.as_flattened());
    row.extend(shares.as_flattened());
    planes.read(&view);
    let mut cells = vec![[0; 3]; squares];
    for (&square, bytes) in planes.squares().iter().zip(planes.bytes()) {
        cells[usize::from(index(square))] = packed(bytes);
    }
    row.extend(cells.as_flattened());
    row
}
