//! A game that the engine played against itself, and its bytes.
//!
//! The form, little endian: the game's number (u32), the winner (u8: 0 first player, 1 second), the number of plies
//! (u8), and six bytes a ply: from, to, arrow (a square is `16 * y + x`), flags (bits 0 and 1: 0 the search's choice,
//! 1 a random ply of the opening, 2 a blunder made on purpose; bit 2: the value is proven), and the value (u16: the
//! mover's chance of winning by the search, in units of 1 / 65,535; 0 where nothing was searched). The position
//! before the first ply is the file's: see [`GamesFile`](super::GamesFile).

use crate::game::{FullMove, IllegalMove, Position, Side, Square};

/// Bytes before the first ply.
const HEAD: usize = 6;
/// Bytes of a ply.
const PLY: usize = 6;
/// The flag of a proven value.
const PROVEN: u8 = 4;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrainingPly {
    /// The move played.
    pub full: FullMove,
    /// Who chose it.
    pub kind: PlyKind,
    /// The mover's chance of winning by the search, in units of 1 / 65,535; 0 in the opening, where none was made.
    pub value: u16,
    /// Whether the value is proven.
    pub proven: bool,
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

/// Bytes that are no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// There are too few or too many.
    #[error("{got} bytes of a game of {plies} plies: expected {expected}", expected = HEAD + PLY * plies)]
    Length {
        /// How many there are.
        got: usize,
        /// The plies that they announce.
        plies: usize,
    },
    /// A byte has no meaning where it stands.
    #[error("ply {ply}: {got} as {what}, expected {expected}")]
    Byte {
        /// The ply, from 1; 0 for what stands before the plies.
        ply: usize,
        /// The byte.
        got: u8,
        /// What it stands for.
        what: &'static str,
        /// What it may be.
        expected: &'static str,
    },
    /// A ply cannot be played.
    #[error("game {game}, ply {ply}: {cause}")]
    Illegal {
        /// The game's number.
        game: u32,
        /// The ply, from 1.
        ply: usize,
        /// Why not.
        cause: IllegalMove,
    },
    /// The game goes on, or somebody else won it.
    #[error(
        "game {game} ends with the {side} player to move, who {state}: expected a loss of the {loser} player"
    )]
    End {
        /// The game's number.
        game: u32,
        /// Who is to move at its end.
        side: Side,
        /// Whether it has a move.
        state: &'static str,
        /// Who should have lost.
        loser: Side,
    },
}

impl TrainingPly {
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
            bytes.extend([from.index(), to.index(), arrow.index(), flags]);
            bytes.extend(ply.value.to_le_bytes());
        }
        bytes
    }

    /// The game that these bytes are; whether it can be played is [`TrainingGame::check`]'s business.
    ///
    /// # Errors
    /// If they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<TrainingGame, GameError> {
        let &[a, b, c, d, winner, count, ref rest @ ..] = bytes else {
            return Err(GameError::Length { got: bytes.len(), plies: 0 });
        };
        let plies = usize::from(count);
        if rest.len() != PLY * plies {
            return Err(GameError::Length { got: bytes.len(), plies });
        }
        let winner = match winner {
            0 => Side::First,
            1 => Side::Second,
            got => return Err(GameError::Byte { ply: 0, got, what: "the winner", expected: "0 or 1" }),
        };
        let plies = rest.chunks_exact(PLY).enumerate();
        let plies = plies.map(|(index, bytes)| ply_from_bytes(index + 1, bytes)).collect::<Result<_, _>>()?;
        Ok(TrainingGame { number: u32::from_le_bytes([a, b, c, d]), winner, plies })
    }

    /// Sees that the game can be played from `start` to the end that it claims.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check(&self, start: &Position) -> Result<(), GameError> {
        let mut position = *start;
        for (index, ply) in self.plies.iter().enumerate() {
            position = position.play(ply.full).map_err(|cause| GameError::Illegal {
                game: self.number,
                ply: index + 1,
                cause,
            })?;
        }
        if position.winner() == Some(self.winner) {
            return Ok(());
        }
        let (side, loser) = (position.to_move(), !self.winner);
        let state = if position.can_move(side) { "has a move" } else { "has none" };
        Err(GameError::End { game: self.number, side, state, loser })
    }
}

fn ply_from_bytes(ply: usize, bytes: &[u8]) -> Result<TrainingPly, GameError> {
    let square = |got: u8, what| {
        let found = Square::new(got & 15, got >> 4);
        found.ok_or(GameError::Byte { ply, got, what, expected: "16 * y + x with x and y below 10" })
    };
    let flags = bytes[3];
    let kind = match flags & !PROVEN {
        0 => PlyKind::Best,
        1 => PlyKind::Opening,
        2 => PlyKind::Blunder,
        _ => return Err(GameError::Byte { ply, got: flags, what: "flags", expected: "0 to 2 or 4 to 6" }),
    };
    Ok(TrainingPly {
        full: FullMove {
            from: square(bytes[0], "the square left")?,
            to: square(bytes[1], "the square reached")?,
            arrow: square(bytes[2], "the square burnt")?,
        },
        kind,
        value: u16::from_le_bytes([bytes[4], bytes[5]]),
        proven: flags & PROVEN != 0,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::game::Fen;

    /// A start with two moves to play, and a game from it.
    pub(in crate::training) fn tiny() -> (Position, TrainingGame) {
        let start = "Q1*/**1/*1q w".parse::<Fen>().unwrap().0;
        let ply = |text: &str, kind, value| TrainingPly {
            full: text.parse().unwrap(),
            kind,
            value,
            proven: value == u16::MAX,
        };
        let plies = vec![
            ply("a3-b3/a3", PlyKind::Opening, 0),
            ply("c1-b1/c1", PlyKind::Blunder, 40_000),
            ply("b3-c2/b3", PlyKind::Best, u16::MAX),
        ];
        (start, TrainingGame { number: 7, winner: Side::First, plies })
    }

    #[test]
    fn a_game_survives_its_bytes() {
        let (start, game) = tiny();
        let bytes = game.to_bytes();
        assert_eq!(bytes.len(), HEAD + 3 * PLY);
        assert_eq!(TrainingGame::from_bytes(&bytes), Ok(game.clone()));
        for length in 0..bytes.len() {
            TrainingGame::from_bytes(&bytes[..length]).unwrap_err();
        }
        assert!((game.plies[1].chance() - 0.610_36).abs() < 1e-5);
        assert_eq!(game.check(&start), Ok(()));
    }

    #[test]
    fn a_game_that_did_not_end_so_is_refused() {
        let (start, game) = tiny();
        let refused = |game: &TrainingGame| game.check(&start).unwrap_err().to_string();
        let short = TrainingGame { plies: game.plies[..1].to_vec(), ..game.clone() };
        assert!(refused(&short).contains("the second player to move, who has a move"), "{}", refused(&short));
        let other = TrainingGame { winner: Side::Second, ..game.clone() };
        assert!(refused(&other).contains("who has none: expected a loss of the first player"));
        let mut jump = game;
        jump.plies[1].full = jump.plies[0].full;
        assert!(refused(&jump).contains("game 7, ply 2: a3 holds an arrow"), "{}", refused(&jump));
    }

    #[test]
    fn bytes_without_meaning_are_named() {
        let bytes = tiny().1.to_bytes();
        for (place, value, expected) in [
            (4, 2, "ply 0: 2 as the winner, expected 0 or 1"),
            (5, 4, "24 bytes of a game of 4 plies: expected 30"),
            (6, 0x0a, "ply 1: 10 as the square left"),
            (14, 0xa0, "ply 2: 160 as the square burnt"),
            (21, 8, "ply 3: 8 as flags"),
            (21, 3, "ply 3: 3 as flags"),
        ] {
            let mut bad = bytes.clone();
            bad[place] = value;
            let error = TrainingGame::from_bytes(&bad).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
