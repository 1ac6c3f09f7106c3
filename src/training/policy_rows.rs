//! What the policy network learns from, as rows for the program that trains it. Distances and legal
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

use std::io::{self, Seek, SeekFrom, Write};

use serde_json::{Value, json};

use super::game::{MOST_SHARES, PlyKind, TrainingGame, TrainingPly};
use super::library::Library;
use crate::files::Replacement;
use crate::game::{Bitboard, Position, Square};
use crate::policy::planes::{KING_MOVE, Planes};
use crate::territory::View;

/// Amazons of a side in a row.
const AMAZONS: usize = 4;

/// Writes a row for every position and half ply whose visits are known, game by game, and returns
/// their number.
///
/// # Errors
/// If they cannot be written, or if the board is no square.
pub fn write(library: &Library, mut file: Replacement) -> io::Result<u64> {
    let size = library.size();
    if size.width() != size.height() {
        let what = format!("games on a board of {size}; expected a square board");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    // With its line break as long as it may become; the number of rows is known only at the end.
    let space = (header(library, u64::MAX).len() + 1).next_multiple_of(64);
    let line = |rows| format!("{:width$}\n", header(library, rows), width = space - 1);
    file.write_all(line(u64::MAX).as_bytes())?;
    let mut writer = RowWriter { side: size.width(), planes: Planes::default(), row: Vec::new(), rows: 0 };
    for (number, start, game) in library.games() {
        writer.game(&mut file, number, start, game)?;
    }
    file.seek(SeekFrom::Start(0))?;
    file.write_all(line(writer.rows).as_bytes())?;
    file.finish()?;
    Ok(writer.rows)
}

/// A position or half ply with its moves.
struct RowSource<'a> {
    ply: u16,
    known: &'a TrainingPly,
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
    rows: u64,
}

impl RowWriter {
    fn game(
        &mut self,
        file: &mut impl Write,
        number: u32,
        start: &Position,
        game: &TrainingGame,
    ) -> io::Result<()> {
        let mut position = *start;
        for (ply, known) in (0..).zip(&game.plies) {
            let half = position.move_queen_unchecked(known.full.queen());
            if !known.queen_shares.is_empty() {
                let from = position.amazons(position.to_move());
                let shares = known.queen_shares.iter().map(|&(queen, share)| (queen.from, queen.to, share));
                let moment = RowSource {
                    ply,
                    known,
                    view: View::from(&position),
                    shooter: None,
                    from,
                    targets: from.iter().map(|&from| position.queen_targets(from)).collect(),
                    shares: shares.collect(),
                };
                self.write(file, number, &moment)?;
            }
            if known.kind == PlyKind::Best && !known.arrow_shares.is_empty() {
                let shooter = half.shooter();
                let shares = known.arrow_shares.iter().map(|&(arrow, share)| (shooter, arrow, share));
                let moment = RowSource {
                    ply,
                    known,
                    view: View::from(&half),
                    shooter: Some(shooter),
                    from: &[shooter],
                    targets: vec![half.arrows()],
                    shares: shares.collect(),
                };
                self.write(file, number, &moment)?;
            }
            position = half.shoot_unchecked(known.full.arrow);
        }
        Ok(())
    }

    fn write(&mut self, file: &mut impl Write, number: u32, moment: &RowSource<'_>) -> io::Result<()> {
        let side = usize::from(self.side);
        let index = |square: Square| square.y() * self.side + square.x();
        self.row.clear();
        self.row.extend(number.to_le_bytes());
        let numbers = [
            moment.ply,
            u16::from(moment.shooter.is_some()),
            moment.view.empty.count() as u16,
            moment.known.value,
        ];
        self.row.extend(numbers.map(u16::to_le_bytes).as_flattened());
        let mut from = [0; AMAZONS];
        from.iter_mut().zip(moment.from).for_each(|(from, &square)| *from = index(square));
        self.row.extend(from);
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
        self.rows += 1;
        file.write_all(&self.row)
    }
}

/// The line that a file of rows begins with, without its end.
fn header(library: &Library, rows: u64) -> String {
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
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::super::folder::Folder;
    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn rows_say_what_was_on_the_board() {
        let scratch = Scratch::new("policy-rows");
        let recipe = quick();
        let mut folder = Folder::resume(&scratch, &recipe.header(), 1).unwrap();
        let game = recipe.play(0);
        folder.add(0, &game).unwrap();
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
        let searched = game.plies.iter().filter(|ply| !ply.queen_shares.is_empty());
        let halves = game.plies.iter().filter(|ply| !ply.arrow_shares.is_empty()).count();
        assert_eq!(rows as usize, searched.count() + halves);
        let first = &bytes[line + 1..][..ROW];
        let ply = game.plies.iter().position(|ply| !ply.queen_shares.is_empty()).unwrap();
        let start = game.plies[..ply].iter().fold(recipe.start, |at, ply| at.play(ply.full).unwrap());
        assert_eq!((first[4], first[6], u32::from(first[8])), (ply as u8, 0, start.empty().count()));
        let from: Vec<u8> =
            start.amazons(start.to_move()).iter().map(|square| 6 * square.y() + square.x()).collect();
        assert_eq!(first[12..16], from);
        let (queen, share) = game.plies[ply].queen_shares[0];
        assert_eq!(from[usize::from(first[36])], 6 * queen.from.y() + queen.from.x());
        assert_eq!(first[37], 6 * queen.to.y() + queen.to.x());
        assert_eq!(first[68..70], share.to_le_bytes());
        let content = &first[100..136];
        assert_eq!(content.iter().filter(|&&bits| bits == 0).count() as u32, start.burnt().count());
        assert!(from.iter().all(|&square| content[usize::from(square)] == 1));
    }
}
