//! A game from its start to its end with its variations, in no particular notation.

use super::moves::FullMove;
use super::position::{IllegalMove, Position};
use super::side::Side;

/// A game: where it began, its moves, who played, how it ended, and what was remarked.
///
/// Its moves are always legal. [`sgf`](super::sgf) and [`ggf`](super::ggf) read and write it.
///
/// ```
/// use quiver::game::{Game, Size, Start};
///
/// let mut game = Game::new(Start::Formula.position(Size::square(10)?)?);
/// game.play("d1-d7/g7".parse()?)?;
/// assert!(quiver::game::sgf::write(&[game]).contains(";B[djddgd]"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    start: Position,
    plies: Vec<Ply>,
    variations: Vec<Variation>,
    /// The names of the players, by turn order.
    pub players: [Option<String>; 2],
    /// How it ended, if that is known.
    pub outcome: Option<Outcome>,
    /// When it was played, as the source writes it.
    pub date: Option<String>,
    /// The event or the match it belongs to.
    pub event: Option<String>,
    /// The comment before the first move; may be empty.
    pub comment: String,
}

/// A move of a game and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ply {
    /// The move.
    pub full: FullMove,
    /// The comment after it; may be empty.
    pub comment: String,
    /// The mover's chance of winning, from 0 to 1, as the mover saw it.
    pub value: Option<f64>,
    /// Seconds that the mover used.
    pub seconds: Option<f64>,
}

/// Moves that were not played but might have been, from some point of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// Where it leaves the game, or a variation before it in the list.
    pub from: Point,
    /// Its moves, at least one, with what is known of them.
    pub plies: Vec<Ply>,
}

/// A point of a game: the position after this many moves of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// 0 for the game itself, else the number of a variation, from 1.
    pub line: usize,
    /// Moves of that line that are played.
    pub ply: usize,
}

/// Who won, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The winner.
    pub winner: Side,
    /// What ended the game.
    pub manner: Manner,
    /// By how many moves the winner was ahead, from 0, where the source says so.
    pub margin: Option<f64>,
}

/// What ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// The loser had no move left.
    NoMove,
    /// The loser resigned.
    Resignation,
    /// The loser ran out of time.
    Time,
    /// The loser broke the rules or failed to answer.
    Forfeit,
    /// The source names a winner while the loser has moves left, and does not say why.
    Unstated,
}

/// A game that was looked for in a text.
#[derive(Clone, Debug)]
pub struct FoundGame<E> {
    /// The line it begins on, from 1.
    pub line: usize,
    /// The game, or why it cannot be read.
    pub game: Result<Game, E>,
}

/// A move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {number}, {full}: {why}")]
pub struct GameError {
    /// Its number, from 1.
    pub number: usize,
    /// The move.
    pub full: FullMove,
    /// Why it is illegal.
    #[source]
    pub why: IllegalMove,
}

impl Point {
    /// The start of a game.
    pub const START: Point = Point { line: 0, ply: 0 };
}

impl Ply {
    /// A move of which nothing else is known.
    #[must_use]
    pub fn bare(full: FullMove) -> Ply {
        Ply { full, comment: String::new(), value: None, seconds: None }
    }
}

impl From<FullMove> for Ply {
    fn from(full: FullMove) -> Ply {
        Ply::bare(full)
    }
}

impl Outcome {
    /// A win at `end`: by the rules if the loser is to move and has no move, else for a reason
    /// that the source does not state.
    #[must_use]
    pub fn at(end: &Position, winner: Side) -> Outcome {
        let manner = if end.winner() == Some(winner) { Manner::NoMove } else { Manner::Unstated };
        Outcome { winner, manner, margin: None }
    }
}

impl Game {
    /// A game without moves.
    #[must_use]
    pub fn new(start: Position) -> Game {
        Game {
            start,
            plies: Vec::new(),
            variations: Vec::new(),
            players: [None, None],
            outcome: None,
            date: None,
            event: None,
            comment: String::new(),
        }
    }

    /// A game of these moves.
    ///
    /// # Errors
    /// If one is illegal.
    pub fn of(start: Position, moves: &[FullMove]) -> Result<Game, GameError> {
        let mut game = Game::new(start);
        game.extend(moves.iter().map(|&full| full.into()))?;
        Ok(game)
    }

    /// Adds a move.
    ///
    /// # Errors
    /// If it is illegal; the game is unchanged.
    pub fn play(&mut self, full: FullMove) -> Result<(), GameError> {
        self.extend([full.into()])
    }

    /// Adds moves with what is known of them.
    ///
    /// # Errors
    /// If one is illegal; the game holds the moves before it.
    pub fn extend(&mut self, plies: impl IntoIterator<Item = Ply>) -> Result<(), GameError> {
        let mut position = self.end();
        for ply in plies {
            let number = self.plies.len() + 1;
            position = position.play(ply.full).map_err(|why| GameError { number, full: ply.full, why })?;
            self.plies.push(ply);
        }
        Ok(())
    }

    /// Adds a move at a point: it continues the line that ends there, or begins a variation.
    /// Returns the point after it.
    ///
    /// # Errors
    /// If it is illegal; the game is unchanged.
    ///
    /// # Panics
    /// If the game has no such point.
    pub fn play_at(&mut self, mut at: Point, ply: Ply) -> Result<Point, GameError> {
        while at.line > 0 && at.ply == 0 {
            at = self.variations[at.line - 1].from;
        }
        self.position_at(at).play(ply.full).map_err(|why| {
            let number = self.path(at).len() + 1;
            GameError { number, full: ply.full, why }
        })?;
        if at.ply == self.line(at.line).map_or(0, <[Ply]>::len) {
            self.line_mut(at.line).push(ply);
            return Ok(Point { ply: at.ply + 1, ..at });
        }
        self.variations.push(Variation { from: at, plies: vec![ply] });
        Ok(Point { line: self.variations.len(), ply: 1 })
    }

    /// The moves that lead to a point.
    pub(super) fn path(&self, mut at: Point) -> Vec<&Ply> {
        let mut path = Vec::new();
        while at.line > 0 {
            let variation = &self.variations[at.line - 1];
            path.extend(variation.plies[..at.ply].iter().rev());
            at = variation.from;
        }
        path.extend(self.plies[..at.ply].iter().rev());
        path.reverse();
        path
    }

    /// The moves of a line: 0 is the game itself, other numbers are variations from 1.
    #[must_use]
    pub fn line(&self, number: usize) -> Option<&[Ply]> {
        match number.checked_sub(1) {
            None => Some(&self.plies),
            Some(index) => self.variations.get(index).map(|variation| variation.plies.as_slice()),
        }
    }

    fn line_mut(&mut self, number: usize) -> &mut Vec<Ply> {
        match number.checked_sub(1) {
            None => &mut self.plies,
            Some(index) => &mut self.variations[index].plies,
        }
    }

    /// The variations; each leaves the game or one before it.
    #[must_use]
    pub fn variations(&self) -> &[Variation] {
        &self.variations
    }

    /// The position before the first move.
    #[must_use]
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The moves with what is known of them.
    #[must_use]
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The moves alone.
    #[must_use]
    pub fn moves(&self) -> Vec<FullMove> {
        self.plies.iter().map(|ply| ply.full).collect()
    }

    /// The move that leads to a point of the game; `None` for its start.
    pub(super) fn ply_at(&mut self, at: Point) -> Option<&mut Ply> {
        self.line_mut(at.line)[..at.ply].last_mut()
    }

    /// The position after the moves that lead to a point of the game.
    pub(super) fn position_at(&self, at: Point) -> Position {
        self.path(at).iter().fold(self.start, |position, ply| position.play_unchecked(ply.full))
    }

    /// The position after the last move.
    #[must_use]
    pub fn end(&self) -> Position {
        self.plies.iter().fold(self.start, |position, ply| position.play_unchecked(ply.full))
    }
}
