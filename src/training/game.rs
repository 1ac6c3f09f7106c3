//! A self-play game and its bytes, which `schema.md` describes.

use crate::game::{FullMove, InputError, Position, QueenMove, Side, Square};

/// Bytes before the first ply.
const HEAD: usize = 6;
/// Bytes of a ply before its visit shares.
const PLY: usize = 6;
/// The flag of a proven value.
const PROVEN: u8 = 4;
/// The most queen moves, and the most arrows, whose visits a ply records.
pub(super) const MOST_SHARES: usize = 16;

/// A game of the engine with itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainingGame {
    /// Its number in the recipe that it was played by.
    pub number: u32,
    /// Who won.
    pub winner: Side,
    /// Every ply, the random ones of the opening included.
    pub plies: Vec<TrainingPly>,
}

/// A ply and what the search made of the position before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainingPly {
    /// The move played.
    pub full: FullMove,
    /// Who chose it.
    pub kind: PlyKind,
    /// The mover's chance of winning by the search, in units of 1 / 65,535; 0 in the opening, where
    /// none was made.
    pub value: u16,
    /// Whether the value is proven.
    pub proven: bool,
    /// The most visited queen moves, each with its share of the root's visits in units of 1 /
    /// 65,535.
    pub queen_shares: Vec<(QueenMove, u16)>,
    /// The same for the arrows after the queen move played.
    pub arrow_shares: Vec<(Square, u16)>,
}

/// Who chose a ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlyKind {
    /// The search: its best move.
    Best,
    /// Chance, before the first search.
    Opening,
    /// Chance, against the search's advice.
    Blunder,
}

impl TrainingPly {
    /// A ply that no search valued.
    pub(super) fn unvalued(full: FullMove, kind: PlyKind) -> TrainingPly {
        let (queen_shares, arrow_shares) = (Vec::new(), Vec::new());
        TrainingPly { full, kind, value: 0, proven: false, queen_shares, arrow_shares }
    }

    /// The position after the ply, whose move and visited moves must be legal.
    fn check(&self, position: &Position) -> Result<Position, InputError> {
        for &(queen, _) in &self.queen_shares {
            position.move_queen(queen)?;
        }
        let half = position.move_queen(self.full.queen())?;
        for &(arrow, _) in &self.arrow_shares {
            half.shoot(arrow)?;
        }
        half.shoot(self.full.arrow)
    }

    /// The mover's chance of winning by the search, from 0 to 1.
    #[must_use]
    pub fn chance(&self) -> f64 {
        f64::from(self.value) / f64::from(u16::MAX)
    }
}

impl TrainingGame {
    /// The game as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + PLY * self.plies.len());
        bytes.extend(self.number.to_le_bytes());
        // No board has more than a hundred squares to burn.
        bytes.extend([self.winner.index() as u8, self.plies.len() as u8]);
        for ply in &self.plies {
            let kind = match ply.kind {
                PlyKind::Best => 0,
                PlyKind::Opening => 1,
                PlyKind::Blunder => 2,
            };
            let FullMove { from, to, arrow } = ply.full;
            let flags = kind | if ply.proven { PROVEN } else { 0 };
            bytes.extend([from.to_byte(), to.to_byte(), arrow.to_byte(), flags]);
            bytes.extend(ply.value.to_le_bytes());
            bytes.push(ply.queen_shares.len() as u8);
            for (queen, share) in &ply.queen_shares {
                bytes.extend([queen.from.to_byte(), queen.to.to_byte()]);
                bytes.extend(share.to_le_bytes());
            }
            bytes.push(ply.arrow_shares.len() as u8);
            for (arrow, share) in &ply.arrow_shares {
                bytes.push(arrow.to_byte());
                bytes.extend(share.to_le_bytes());
            }
        }
        bytes
    }

    /// Reads a game from its bytes. Whether its moves are legal, [`TrainingGame::check`] decides.
    ///
    /// # Errors
    /// If the bytes are not a game.
    pub fn from_bytes(bytes: &[u8]) -> Result<TrainingGame, String> {
        let mut reader = Reader { ply: 0, rest: bytes };
        let number = u32::from_le_bytes(reader.take()?);
        let [winner, count] = reader.take()?;
        let winner = *Side::BOTH
            .get(usize::from(winner))
            .ok_or_else(|| reader.error(winner, "the winner", "0 or 1"))?;
        let mut plies = Vec::with_capacity(usize::from(count));
        for ply in 1..=count {
            reader.ply = ply;
            plies.push(reader.ply()?);
        }
        match reader.rest.len() {
            0 => Ok(TrainingGame { number, winner, plies }),
            left => Err(format!("{left} bytes after ply {count}, the last: expected none")),
        }
    }

    /// Checks that the game can be played from `start` to the end that it claims.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check(&self, start: &Position) -> Result<(), String> {
        let mut position = *start;
        for (index, ply) in self.plies.iter().enumerate() {
            position = ply
                .check(&position)
                .map_err(|cause| format!("game {}, ply {}: {cause}", self.number, index + 1))?;
        }
        if position.winner() == Some(self.winner) {
            return Ok(());
        }
        let (side, loser) = (position.to_move(), !self.winner);
        let state = if position.can_move(side) { "has a move" } else { "has none" };
        let end = format!("ends with the {side} player to move, who {state}");
        Err(format!("game {} {end}: expected a loss of the {loser} player", self.number))
    }
}

/// Takes a game's plies from the front of its bytes.
struct Reader<'a> {
    /// The ply being read, from 1.
    ply: u8,
    rest: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let split = self.rest.split_first_chunk::<N>();
        let (bytes, rest) =
            split.ok_or_else(|| format!("ply {}: the bytes end inside: expected whole plies", self.ply))?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn ply(&mut self) -> Result<TrainingPly, String> {
        let [from, to, arrow, flags] = self.take()?;
        let kind = match flags & !PROVEN {
            0 => PlyKind::Best,
            1 => PlyKind::Opening,
            2 => PlyKind::Blunder,
            _ => return Err(self.error(flags, "flags", "0 to 2 or 4 to 6")),
        };
        let full = FullMove {
            from: self.square(from, "the square left")?,
            to: self.square(to, "the square reached")?,
            arrow: self.square(arrow, "the square burnt")?,
        };
        let value = u16::from_le_bytes(self.take()?);
        let queen_shares = self.shares(|reader, [from, to]: [u8; 2]| {
            let from = reader.square(from, "the square left by a visited queen move")?;
            Ok(QueenMove { from, to: reader.square(to, "the square reached by a visited queen move")? })
        })?;
        let arrow_shares =
            self.shares(|reader, [arrow]: [u8; 1]| reader.square(arrow, "the square of a visited arrow"))?;
        Ok(TrainingPly { full, kind, value, proven: flags & PROVEN != 0, queen_shares, arrow_shares })
    }

    fn shares<const N: usize, T>(
        &mut self,
        parse: impl Fn(&Self, [u8; N]) -> Result<T, String>,
    ) -> Result<Vec<(T, u16)>, String> {
        let [count] = self.take()?;
        if usize::from(count) > MOST_SHARES {
            return Err(self.error(count, "a number of visited moves", "0 to 16"));
        }
        let one =
            |_| Ok((self.take().and_then(|bytes| parse(self, bytes))?, u16::from_le_bytes(self.take()?)));
        (0..count).map(one).collect()
    }

    fn square(&self, got: u8, what: &str) -> Result<Square, String> {
        Square::from_byte(got).ok_or_else(|| self.error(got, what, "16 * y + x with x and y below 10"))
    }

    fn error(&self, got: u8, what: &str, expected: &str) -> String {
        format!("ply {}: {got} as {what}, expected {expected}", self.ply)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::game::Fen;

    /// A start with two moves to play, and a game from it.
    pub(in crate::training) fn tiny() -> (Position, TrainingGame) {
        let start = "Q1*/**1/*1q w".parse::<Fen>().unwrap().0;
        let ply = |text: &str, kind, value| TrainingPly {
            value,
            proven: value == u16::MAX,
            ..TrainingPly::unvalued(text.parse().unwrap(), kind)
        };
        let mut plies = vec![
            ply("a3-b3/a3", PlyKind::Opening, 0),
            ply("c1-b1/c1", PlyKind::Blunder, 40_000),
            ply("b3-c2/b3", PlyKind::Best, u16::MAX),
        ];
        plies[2].queen_shares = vec![(plies[2].full.queen(), u16::MAX)];
        plies[2].arrow_shares = vec![(plies[2].full.arrow, 65_000)];
        (start, TrainingGame { number: 7, winner: Side::First, plies })
    }

    #[test]
    fn game_survives_its_bytes() {
        let (start, game) = tiny();
        let bytes = game.to_bytes();
        assert_eq!(bytes.len(), HEAD + 3 * (PLY + 2) + 4 + 3);
        assert_eq!(TrainingGame::from_bytes(&bytes), Ok(game.clone()));
        for length in 0..bytes.len() {
            TrainingGame::from_bytes(&bytes[..length]).unwrap_err();
        }
        TrainingGame::from_bytes(&[&bytes[..], &[0]].concat()).unwrap_err();
        assert!((game.plies[1].chance() - 0.610_36).abs() < 1e-5);
        assert_eq!(game.check(&start), Ok(()));
    }

    #[test]
    fn rejects_a_game_with_another_end_or_an_illegal_move() {
        let (start, game) = tiny();
        let refused = |game: &TrainingGame| game.check(&start).unwrap_err();
        let short = TrainingGame { plies: game.plies[..1].to_vec(), ..game.clone() };
        assert!(refused(&short).contains("the second player to move, who has a move"), "{}", refused(&short));
        let other = TrainingGame { winner: Side::Second, ..game.clone() };
        assert!(refused(&other).contains("who has none: expected a loss of the first player"));
        let mut jump = game.clone();
        jump.plies[1].full = jump.plies[0].full;
        assert!(refused(&jump).contains("game 7, ply 2: a3 holds an arrow"), "{}", refused(&jump));
        let mut visited = game.clone();
        visited.plies[2].queen_shares[0].0.to = "a3".parse().unwrap();
        assert!(refused(&visited).contains("game 7, ply 3: "), "{}", refused(&visited));
        let mut shot = game;
        shot.plies[2].arrow_shares[0].0 = "a3".parse().unwrap();
        assert!(refused(&shot).contains("game 7, ply 3: "), "{}", refused(&shot));
    }

    #[test]
    fn names_bytes_without_a_meaning() {
        let bytes = tiny().1.to_bytes();
        for (place, value, expected) in [
            (4, 2, "ply 0: 2 as the winner, expected 0 or 1"),
            (5, 4, "ply 4: the bytes end inside: expected whole plies"),
            (5, 2, "15 bytes after ply 2, the last: expected none"),
            (6, 0x0a, "ply 1: 10 as the square left"),
            (12, 17, "ply 1: 17 as a number of visited moves, expected 0 to 16"),
            (16, 0xa0, "ply 2: 160 as the square burnt"),
            (25, 8, "ply 3: 8 as flags"),
            (25, 3, "ply 3: 3 as flags"),
            (29, 0xfa, "ply 3: 250 as the square left by a visited queen move"),
            (34, 0xff, "ply 3: 255 as the square of a visited arrow"),
        ] {
            let mut bad = bytes.clone();
            bad[place] = value;
            let error = TrainingGame::from_bytes(&bad).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
