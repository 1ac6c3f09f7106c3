//! Examples for the policy network, as rows for the program that trains it. Distances and legal
//! moves are computed here alone; `tuning/tuning/policy/samples.py` arranges them as
//! `src/engine/policy/planes.rs` does.
//!
//! A file of rows is one line of JSON, filled up with spaces to a multiple of 64 bytes, and then
//! rows of one length, little endian. The line names every field of a row with its numpy type.
//! Squares are `N * y + x` on a board of N x N.
//!
//! | field | what |
//! |---|---|
//! | `game`, `ply` | the game's number in its library, plies played before |
//! | `half` | 1 for a half ply: its arrows are the moves |
//! | `empties`, `value` | empty squares; the chance that the acting side wins (65,535: certain) |
//! | `from` | the squares of the acting side's four amazons; in a half ply the shooter and 0s |
//! | `legal` | for each of these squares a bit a square that a move from it may end on |
//! | `moves`, `shares` | 16 pairs (place in `from`, square reached), their shares of the visits |
//! | `content` | a byte a square: 0 burnt; bits 0 to 3: own, opponent's amazon, empty, shooter |
//! | `queen`, `king` | a byte an empty square: class of queen distance, king moves |
//!
//! The most visited moves come first; a share of 0 is no move. A class of queen distance is 0 to 4,
//! king moves are 1 to 7, and the opponent's are in the high half of the byte.

use std::io;

use serde_json::{Value, json};

use super::features::write_rows;
use super::folder::Library;
use super::game::{MOST_SHARES, PlyKind, value};
use crate::files::Replacement;
use crate::game::{Bitboard, Game, Square, TurnFacts};
use crate::policy::planes::{KING_MOVE, Planes};
use crate::territory::View;

const AMAZONS: usize = 4;

/// Writes a row for every position and half ply whose visits are known, game by game, and returns
/// their number. The board must be square.
pub(crate) fn write(library: &Library, file: Replacement) -> io::Result<u64> {
    let size = library.size();
    if size.width() != size.height() {
        let what = format!("games on a board of {size}; expected a square board");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let mut writer = RowWriter { side: size.width(), planes: Planes::default(), row: Vec::new() };
    write_rows(
        file,
        |rows| header(library, rows),
        |add| library.games().try_for_each(|(number, game)| writer.game(add, number, game)),
    )
}

struct RowSource<'a> {
    number: u32,
    ply: u16,
    facts: &'a TurnFacts,
    view: View<'a>,
    shooter: Option<Square>,
    from: &'a [Square],
    targets: Vec<Bitboard>,
    shares: Vec<(Square, Square, u16)>,
}

struct RowWriter {
    side: u8,
    planes: Planes,
    row: Vec<u8>,
}

impl RowWriter {
    fn game(
        &mut self,
        add: &mut dyn FnMut(&[u8]) -> io::Result<()>,
        number: u32,
        game: &Game,
    ) -> io::Result<()> {
        let mut position = *game.start();
        for (ply, played) in (0..).zip(game.plies()) {
            let (facts, full) = (&played.facts, played.full);
            let half = position.move_queen_unchecked(full.queen());
            if !facts.queen_shares.is_empty() {
                let from = position.amazons(position.to_move());
                let targets = from.iter().map(|&from| position.queen_targets(from)).collect();
                let shares = facts.queen_shares.iter().map(|&(queen, share)| (queen.from, queen.to, share));
                let (view, shares) = (View::from(&position), shares.collect());
                add(self.row(&RowSource { number, ply, facts, view, shooter: None, from, targets, shares }))?;
            }
            if PlyKind::of(played) == PlyKind::Best && !facts.arrow_shares.is_empty() {
                let (shooter, targets) = (Some(half.shooter()), vec![half.arrows()]);
                let from = &[half.shooter()];
                let shares = facts.arrow_shares.iter().map(|&(arrow, share)| (from[0], arrow, share));
                let (view, shares) = (View::from(&half), shares.collect());
                add(self.row(&RowSource { number, ply, facts, view, shooter, from, targets, shares }))?;
            }
            position = half.shoot_unchecked(full.arrow);
        }
        Ok(())
    }

    fn row(&mut self, moment: &RowSource<'_>) -> &[u8] {
        let side = usize::from(self.side);
        let index = |square: Square| square.y() * self.side + square.x();
        self.row.clear();
        self.row.extend(moment.number.to_le_bytes());
        let numbers = [
            moment.ply,
            u16::from(moment.shooter.is_some()),
            moment.view.empty.count() as u16,
            value(moment.facts),
        ];
        self.row.extend(numbers.map(u16::to_le_bytes).as_flattened());
        self.row.extend((0..AMAZONS).map(|slot| moment.from.get(slot).map_or(0, |&square| index(square))));
        let bits = (side * side).div_ceil(8);
        let mut legal = vec![0u8; AMAZONS * bits];
        for (slot, targets) in moment.targets.iter().enumerate() {
            for square in targets.iter() {
                let at = usize::from(index(square));
                legal[slot * bits + at / 8] |= 1 << (at % 8);
            }
        }
        self.row.extend(legal);
        let mut moves = [[0; 2]; MOST_SHARES];
        let mut shares = [[0; 2]; MOST_SHARES];
        for (at, &(from, to, share)) in moment.shares.iter().enumerate() {
            let slot = moment.from.iter().position(|&square| square == from).expect("checked games only");
            moves[at] = [slot as u8, index(to)];
            shares[at] = share.to_le_bytes();
        }
        self.row.extend(moves.as_flattened());
        self.row.extend(shares.as_flattened());
        self.planes.read(&moment.view, moment.shooter);
        let mut grids = vec![0u8; 3 * side * side];
        for (&square, bytes) in self.planes.squares().iter().zip(self.planes.bytes()) {
            let at = usize::from(index(square));
            grids[at] = (0..4).map(|bit| u8::from(bytes[bit] != 0) << bit).sum();
            let class =
                |first: usize| bytes[first..first + 5].iter().position(|&one| one != 0).unwrap_or(0) as u8;
            grids[side * side + at] = class(6) | class(11) << 4;
            let king = |byte: u8| byte / KING_MOVE;
            grids[2 * side * side + at] = king(bytes[16]) | king(bytes[17]) << 4;
        }
        self.row.extend(grids);
        &self.row
    }
}

fn header(library: &Library, rows: u64) -> Value {
    let size = library.size();
    let squares = usize::from(size.width()) * usize::from(size.height());
    let field = |name: &str, kind: &str, shape: &[usize]| json!([name, kind, shape]);
    let fields: Vec<Value> = vec![
        field("game", "<u4", &[]),
        field("ply", "<u2", &[]),
        field("half", "<u2", &[]),
        field("empties", "<u2", &[]),
        field("value", "<u2", &[]),
        field("from", "u1", &[AMAZONS]),
        field("legal", "u1", &[AMAZONS, squares.div_ceil(8)]),
        field("moves", "u1", &[MOST_SHARES, 2]),
        field("shares", "<u2", &[MOST_SHARES]),
        field("content", "u1", &[squares]),
        field("queen", "u1", &[squares]),
        field("king", "u1", &[squares]),
    ];
    json!({"policy_rows": {
        "format": 1,
        "quiver": env!("CARGO_PKG_VERSION"),
        "board": size.width(),
        "rows": rows,
        "fields": fields,
        "games": library.provenance(),
    }})
}

#[cfg(test)]
mod tests {
    use super::super::folder;
    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn rows_say_what_was_on_the_board() {
        let scratch = Scratch::new("policy-rows");
        folder::tests::write(&scratch, &quick(), &[0]);
        let game = quick().play(0);
        let library = Library::open(&[scratch.to_path_buf()]).unwrap();
        let path = scratch.join("rows");
        let rows = write(&library, Replacement::create(&path).unwrap()).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let line = bytes.iter().position(|&byte| byte == b'\n').unwrap();
        assert_eq!((line + 1) % 64, 0);
        let about: Value = serde_json::from_slice(&bytes[..line]).unwrap();
        assert_eq!(about["policy_rows"]["rows"], rows);
        // game, four numbers, four origins, four sets of 36 bits, moves and shares, three grids
        const ROW: usize = 4 + 8 + 4 + 4 * 5 + 32 + 32 + 3 * 36;
        assert_eq!(bytes.len(), line + 1 + rows as usize * ROW);
        let facts = || game.plies().iter().map(|ply| &ply.facts);
        let searched = facts().filter(|facts| !facts.queen_shares.is_empty()).count();
        let halves = facts().filter(|facts| !facts.arrow_shares.is_empty()).count();
        assert_eq!(rows as usize, searched + halves);
        let first = &bytes[line + 1..][..ROW];
        let ply = facts().position(|facts| !facts.queen_shares.is_empty()).unwrap();
        let start = game.position_after(ply);
        assert_eq!((first[4], first[6], u32::from(first[8])), (ply as u8, 0, start.empty().count()));
        let from: Vec<u8> =
            start.amazons(start.to_move()).iter().map(|square| 6 * square.y() + square.x()).collect();
        assert_eq!(first[12..16], from);
        let (queen, share) = game.plies()[ply].facts.queen_shares[0];
        assert_eq!(from[usize::from(first[36])], 6 * queen.from.y() + queen.from.x());
        assert_eq!(first[37], 6 * queen.to.y() + queen.to.x());
        assert_eq!(first[68..70], share.to_le_bytes());
        let content = &first[100..136];
        assert_eq!(content.iter().filter(|&&bits| bits == 0).count() as u32, start.burnt().count());
        assert!(from.iter().all(|&square| content[usize::from(square)] == 1));
    }
}
