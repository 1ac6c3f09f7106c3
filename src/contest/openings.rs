//! Where games begin: a file, or random plies.

use std::collections::BTreeSet;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::seeds;
use crate::game::{Fen, FullMove, IllegalMove, ParseMoveError, Position};

/// An opening: a start and moves from it, after which somebody still has a move to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The position before any move.
    pub start: Position,
    /// The moves to play before the players take over.
    pub moves: Vec<FullMove>,
}

/// Openings for a whole contest, by number.
#[derive(Clone, Debug)]
pub enum Openings {
    /// A list, gone through in order and then again.
    List(Vec<Opening>),
    /// So many random plies from a start, another game each time.
    Random {
        /// The position before any move.
        start: Position,
        /// How many plies.
        plies: usize,
        /// What they follow from.
        seed: u64,
    },
}

/// Why a line is no opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// A line that is neither a FEN nor moves.
    #[error("line {line}: {cause}")]
    Move {
        /// The line, from 1.
        line: usize,
        /// Why it is no move.
        cause: ParseMoveError,
    },
    /// A line that starts like a FEN and is none.
    #[error("line {line}: {cause}")]
    Fen {
        /// The line, from 1.
        line: usize,
        /// Why it is no FEN.
        cause: crate::game::FenError,
    },
    /// A move that cannot be played.
    #[error("line {line}, ply {ply} ({full}): {cause}")]
    Illegal {
        /// The line, from 1.
        line: usize,
        /// The ply, from 1.
        ply: usize,
        /// The move.
        full: FullMove,
        /// What is wrong with it.
        cause: IllegalMove,
    },
    /// Nobody can move any more.
    #[error("line {line}: the side to move has no move after this opening, expected a game to play")]
    Over {
        /// The line, from 1.
        line: usize,
    },
    /// Nothing but blank lines and comments.
    #[error("no openings: expected moves or a FEN a line, # before comments")]
    Empty,
    /// Random plies that end every game.
    #[error("{plies} random plies from here end the game almost always: expected fewer")]
    TooManyPlies {
        /// How many were asked for.
        plies: usize,
    },
}

impl Opening {
    /// The start itself, no move played.
    #[must_use]
    pub fn bare(start: Position) -> Opening {
        Opening { start, moves: Vec::new() }
    }

    /// The position in which the players take over.
    #[must_use]
    pub fn position(&self) -> Position {
        self.moves.iter().fold(self.start, |position, &full| position.play_unchecked(full))
    }
}

impl Openings {
    /// Reads a list: moves from `start`, or a FEN with moves or without, a line; `#` begins a comment.
    ///
    /// # Errors
    /// If a line is no opening, or there is none.
    pub fn parse(text: &str, start: Position) -> Result<Openings, OpeningError> {
        let mut list = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                list.push(parse_line(line, index + 1, start)?);
            }
        }
        if list.is_empty() { Err(OpeningError::Empty) } else { Ok(Openings::List(list)) }
    }

    /// So many random plies from `start`, followed from `seed`.
    ///
    /// # Errors
    /// If hardly any game goes on so long.
    pub fn random(start: Position, plies: usize, seed: u64) -> Result<Openings, OpeningError> {
        if plies == 0 {
            return Ok(Openings::List(vec![Opening::bare(start)]));
        }
        // Where one game in a hundred goes on so long, none of the many tries of a number will come to nothing.
        random_opening(start, plies, seed, 0, 100).ok_or(OpeningError::TooManyPlies { plies })?;
        Ok(Openings::Random { start, plies, seed })
    }

    /// The opening with this number.
    #[must_use]
    pub fn get(&self, number: usize) -> Opening {
        match self {
            Openings::List(list) => list[number % list.len()].clone(),
            Openings::Random { start, plies, seed } => {
                let found = random_opening(*start, *plies, *seed, number as u64, 10_000);
                found.unwrap_or(Opening::bare(*start))
            }
        }
    }

    /// The boards that they start on.
    #[must_use]
    pub fn starts(&self) -> Vec<Position> {
        match self {
            Openings::List(list) => list.iter().map(|opening| opening.start).collect(),
            Openings::Random { start, .. } => vec![*start],
        }
    }

    /// How many different ones there are, where that is known.
    #[must_use]
    pub fn distinct(&self) -> Option<usize> {
        match self {
            Openings::List(list) => {
                let lines = list.iter().map(|opening| {
                    let moves: Vec<String> = opening.moves.iter().map(ToString::to_string).collect();
                    (Fen(opening.start).to_string(), moves)
                });
                Some(lines.collect::<BTreeSet<_>>().len())
            }
            Openings::Random { .. } => None,
        }
    }
}

/// The first game of this number's own that goes on after so many random plies.
fn random_opening(start: Position, plies: usize, seed: u64, number: u64, tries: u64) -> Option<Opening> {
    (0..tries).find_map(|attempt| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seeds::mix(&[seed, seeds::OPENING, number, attempt]));
        start.random_line(plies, &mut rng).map(|(moves, _)| Opening { start, moves })
    })
}

fn parse_line(line: &str, number: usize, start: Position) -> Result<Opening, OpeningError> {
    let mut words = line.split_ascii_whitespace().peekable();
    let mut opening = Opening::bare(start);
    if line.contains('/') && words.clone().nth(1).is_some_and(|word| matches!(word, "w" | "b")) {
        // A FEN has two fields or six; whatever comes after them are moves.
        let six = words.clone().nth(2) == Some("-");
        let fields: Vec<&str> = words.by_ref().take(if six { 6 } else { 2 }).collect();
        let fen: Fen = fields.join(" ").parse().map_err(|cause| OpeningError::Fen { line: number, cause })?;
        opening.start = fen.0;
    }
    let mut position = opening.start;
    // Six numbers are one move; whatever else, a word is.
    let digits = words.peek().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let rest: Vec<&str> = words.collect();
    for (ply, group) in rest.chunks(if digits { 6 } else { 1 }).enumerate() {
        let full: FullMove =
            group.join(" ").parse().map_err(|cause| OpeningError::Move { line: number, cause })?;
        position = position.play(full).map_err(|cause| OpeningError::Illegal {
            line: number,
            ply: ply + 1,
            full,
            cause,
        })?;
        opening.moves.push(full);
    }
    if position.winner().is_some() {
        return Err(OpeningError::Over { line: number });
    }
    Ok(opening)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Size, Start};

    fn start() -> Position {
        Start::Formula.position(Size::square(10).unwrap()).unwrap()
    }

    #[test]
    fn moves_numbers_and_fens_are_openings() {
        let text = "# a suite\n\nd1-d7/g7 d10-d9/a9   # the usual\n3 0 3 6 6 6 3 9 3 8 0 8\n\
                    q2/3/2Q w - - 0 1\nq2/3/2Q w c1-b1/c1\n3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w\n";
        let Openings::List(list) = Openings::parse(text, start()).unwrap() else { panic!("a list") };
        assert_eq!(list.len(), 5);
        assert_eq!(list[0], list[1]);
        assert_eq!(list[0].position(), list[0].moves.iter().fold(start(), |p, &m| p.play(m).unwrap()));
        assert_eq!((list[2].start.size(), list[2].moves.len()), (Size::square(3).unwrap(), 0));
        assert_eq!((list[3].start, list[3].moves.len()), (list[2].start, 1));
        assert_eq!(list[4], Opening::bare(start()));
        assert_eq!(Openings::List(list).distinct(), Some(4));
    }

    #[test]
    fn every_fault_names_its_line() {
        let cases = [
            ("", "no openings"),
            ("# only\n\n", "no openings"),
            ("d1-d7/g7\nd1-d7/g7 d1-d8/d9", "line 2, ply 2 (d1-d8/d9): d1 holds nothing"),
            ("d1-d7", "line 1: 'd1-d7' is no full move"),
            ("3 0 3 6 6", "line 1: '3 0 3 6 6' is no full move"),
            ("q2/4/2Q w", "line 1: row 2 of the FEN has 4 squares"),
            ("Q*/*q w", "line 1: the side to move has no move"),
        ];
        for (text, expected) in cases {
            let error = Openings::parse(text, start()).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn random_openings_follow_from_their_seed_and_number() {
        let openings = Openings::random(start(), 6, 4).unwrap();
        let again = Openings::random(start(), 6, 4).unwrap();
        let other = Openings::random(start(), 6, 5).unwrap();
        for number in 0..20 {
            let opening = openings.get(number);
            assert_eq!(opening, again.get(number));
            assert_ne!(opening, other.get(number));
            assert_ne!(opening, openings.get(number + 1));
            let end = opening.moves.iter().try_fold(start(), |position, &full| position.play(full));
            assert_eq!(end.map(|end| end.winner()), Ok(None));
        }
        assert!(matches!(Openings::random(start(), 93, 1), Err(OpeningError::TooManyPlies { plies: 93 })));
    }
}
