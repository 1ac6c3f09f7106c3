//! Games with variations, independent of the notation in which they were written.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use thiserror::Error;

use crate::moves::Move;
use crate::outcome::Outcome;
use crate::play_error::PlayError;
use crate::position::Position;
use crate::side::Side;

/// A game: start position, legal moves with variations, players, end and comments.
///
/// `A` is the type of a move's annotation, and `O` is the type of the game's end. A program can
/// define types that store more facts, and convert a game to these types by [`Game::map`].
///
/// ```
/// use amazons::{Game, Move, Position};
///
/// let mut game: Game = Game::new(Position::default());
/// let opening: Move = "d1-d7/g7".parse()?;
/// game.play(opening)?;
/// assert!(game.play(opening).is_err());
/// assert_eq!((game.len(), game.position().to_move()), (1, amazons::Side::Second));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Game<A = Annotation, O = Outcome> {
    lines: Vec<Line<A>>,
    /// The names of the players: the first player, then the second.
    pub players: [Option<String>; 2],
    /// The end of the game, if a reader or a caller has set it. `None` does not mean that the game
    /// goes on: [`Game::outcome`] also finds an end by the rules.
    pub end: Option<O>,
    /// The date of the game, as written in the file from which the game was read.
    pub date: Option<String>,
    /// The event or match in which the game was played.
    pub event: Option<String>,
    /// The comment before the first move, or an empty string.
    pub comment: String,
    /// Sentences that tell the user what the parser of the file changed in the game or left out.
    pub notes: Vec<String>,
}

/// A line of moves: the main line of a game, or a variation.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<A = Annotation> {
    /// The point where this variation leaves an earlier line; [`Point::START`] for the main line.
    pub from: Point,
    /// The moves of the line with their annotations. A variation has at least one move.
    pub plies: Vec<PlayedMove<A>>,
    /// The position before the first ply of the line, and the position after each of its plies.
    positions: Vec<Position>,
}

/// A place in a game: a line of moves, and how many of its moves have been played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// The index of the line: 0 for the main line, from 1 for the variations.
    pub line: usize,
    /// The number of moves of the line that have been played.
    pub ply: usize,
}

/// A game found in a text, or the error of a game that cannot be read.
#[derive(Clone, Debug)]
pub struct FoundGame<G, E> {
    /// The number of the text line on which the game begins, from 1.
    pub line: usize,
    /// The game, or the reason why it cannot be read.
    pub game: Result<G, E>,
}

/// The number of unreadable games after which the reader skips the rest of a file, so that a
/// malicious file takes little memory.
const MAX_UNREADABLE: usize = 100;

impl<G, E: From<TooManyErrors>> FoundGame<G, E> {
    /// Collects the games of a file. After 100 unreadable games, an error replaces all later games.
    pub fn collect_limited(found: impl IntoIterator<Item = FoundGame<G, E>>) -> Vec<FoundGame<G, E>> {
        let (mut games, mut unreadable) = (Vec::new(), 0);
        for game in found {
            if unreadable == MAX_UNREADABLE {
                games.push(FoundGame { line: game.line, game: Err(TooManyErrors(unreadable).into()) });
                break;
            }
            unreadable += usize::from(game.game.is_err());
            games.push(game);
        }
        games
    }
}

impl Point {
    /// The start of the game, which is on the main line.
    pub const START: Point = Point { line: 0, ply: 0 };
}

impl<A, O> Game<A, O> {
    /// A game without moves from this start position.
    pub fn new(start: Position) -> Game<A, O> {
        Game {
            lines: vec![Line { from: Point::START, plies: Vec::new(), positions: vec![start] }],
            players: [None, None],
            end: None,
            date: None,
            event: None,
            comment: String::new(),
            notes: Vec::new(),
        }
    }

    /// A game with these moves from this start position.
    ///
    /// # Errors
    /// If a move is illegal.
    pub fn of(start: Position, moves: &[Move]) -> Result<Game<A, O>, GameError>
    where
        A: Default,
    {
        let mut game = Game::new(start);
        game.extend(moves.iter().copied())?;
        Ok(game)
    }

    /// Adds a move to the end of the main line, with or without an annotation.
    ///
    /// # Errors
    /// If the move is illegal. The game is then unchanged.
    pub fn play(&mut self, ply: impl Into<PlayedMove<A>>) -> Result<(), PlayError> {
        let end = Point { line: 0, ply: self.len() };
        self.play_at(end, ply).map(|_| ()).map_err(|error| error.error)
    }

    /// Adds moves to the end of the main line, with or without annotations.
    ///
    /// # Errors
    /// If a move is illegal. The game then holds the moves before the illegal move.
    pub fn extend(
        &mut self,
        plies: impl IntoIterator<Item = impl Into<PlayedMove<A>>>,
    ) -> Result<(), GameError> {
        let mut last = Point { line: 0, ply: self.len() };
        plies.into_iter().try_for_each(|ply| self.play_at(last, ply).map(|after| last = after))
    }

    /// Adds a move at a point of the game. If a line ends at this point, the move extends the line.
    /// Otherwise the move begins a variation. Returns the point after the move.
    ///
    /// # Errors
    /// If the move is illegal. The game is then unchanged.
    ///
    /// # Panics
    /// If the game has no such point.
    pub fn play_at(&mut self, mut at: Point, ply: impl Into<PlayedMove<A>>) -> Result<Point, GameError> {
        let ply = ply.into();
        while at.line > 0 && at.ply == 0 {
            at = self.lines[at.line].from;
        }
        let before = self.position_at(at);
        let number = || self.path(at).len() + 1;
        let after = before.play(ply.played);
        let after = after.map_err(|error| GameError { number: number(), illegal: ply.played, error })?;
        if at.ply < self.lines[at.line].plies.len() {
            self.lines.push(Line { from: at, plies: Vec::new(), positions: vec![before] });
            at = Point { line: self.lines.len() - 1, ply: 0 };
        }
        self.lines[at.line].plies.push(ply);
        self.lines[at.line].positions.push(after);
        Ok(Point { ply: at.ply + 1, ..at })
    }

    /// Removes the last move of the main line and returns it; `None` if no move has been played.
    /// Also clears the field `end`, and removes the variations that are alternatives to this move.
    pub fn undo(&mut self) -> Option<PlayedMove<A>> {
        let last = self.lines[0].plies.pop()?;
        self.lines[0].positions.pop();
        self.end = None;
        let here = Point { line: 0, ply: self.len() };
        // Maps the old index of each line to its new index, or to `None` if the line is removed. A
        // line comes before its variations, so the loop looks up only indices already in the list.
        let mut indices = vec![Some(0)];
        for mut line in self.lines.split_off(1) {
            let left = indices[line.from.line].filter(|_| line.from != here);
            indices.push(left.map(|_| self.lines.len()));
            if let Some(left) = left {
                line.from.line = left;
                self.lines.push(line);
            }
        }
        Some(last)
    }

    /// All plies that lead from the start of the game to a point, in the order of play.
    ///
    /// # Panics
    /// If the game has no such point.
    pub fn path(&self, mut at: Point) -> Vec<&PlayedMove<A>> {
        let mut path = Vec::new();
        loop {
            let line = &self.lines[at.line];
            path.extend(line.plies[..at.ply].iter().rev());
            if at.line == 0 {
                path.reverse();
                return path;
            }
            at = line.from;
        }
    }

    /// The main line, then the variations. Each variation comes after the line that it leaves.
    pub fn lines(&self) -> &[Line<A>] {
        &self.lines
    }

    /// The position before the first move.
    pub fn start(&self) -> &Position {
        &self.positions()[0]
    }

    /// The start position, and the position after each ply of the main line.
    pub fn positions(&self) -> &[Position] {
        &self.lines[0].positions
    }

    /// The position after the last ply of the main line.
    pub fn position(&self) -> &Position {
        &self.positions()[self.len()]
    }

    /// The plies of the main line.
    pub fn plies(&self) -> &[PlayedMove<A>] {
        &self.lines[0].plies
    }

    /// The number of plies of the main line.
    pub fn len(&self) -> usize {
        self.plies().len()
    }

    /// True if no move has been played.
    pub fn is_empty(&self) -> bool {
        self.plies().is_empty()
    }

    /// The moves of the main line without annotations.
    pub fn moves(&self) -> Vec<Move> {
        self.plies().iter().map(|ply| ply.played).collect()
    }

    /// The move with number `ply` in the main line, from 1; `None` if `ply` is 0 or too large.
    pub fn move_to(&self, ply: usize) -> Option<Move> {
        self.plies().get(ply.checked_sub(1)?).map(|ply| ply.played)
    }

    pub(super) fn ply_at(&mut self, at: Point) -> Option<&mut PlayedMove<A>> {
        self.lines[at.line].plies[..at.ply].last_mut()
    }

    /// The position at a point.
    ///
    /// # Panics
    /// If the game has no such point.
    pub fn position_at(&self, at: Point) -> Position {
        self.lines[at.line].positions[at.ply]
    }

    /// Converts each annotation with the function `facts`, and the end of the game with `end`.
    pub fn map<B, P>(self, facts: impl Fn(A) -> B, end: impl FnOnce(O) -> P) -> Game<B, P> {
        let ply = |ply: PlayedMove<A>| PlayedMove { played: ply.played, facts: facts(ply.facts) };
        let line = |Line { from, plies, positions }: Line<A>| {
            let plies = plies.into_iter().map(ply).collect();
            Line { from, plies, positions }
        };
        Game {
            lines: self.lines.into_iter().map(line).collect(),
            players: self.players,
            end: self.end.map(end),
            date: self.date,
            event: self.event,
            comment: self.comment,
            notes: self.notes,
        }
    }
}

impl<A> Game<A> {
    /// The field `end` if it is set, otherwise the end by the rules at [`Game::position`], if any.
    pub fn outcome(&self) -> Option<Outcome> {
        self.end.clone().or_else(|| Outcome::of(self.position()))
    }

    /// The winner, if the game has an outcome.
    pub fn winner(&self) -> Option<Side> {
        self.outcome().map(|outcome| outcome.winner)
    }
}

/// A played move with its annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedMove<A = Annotation> {
    /// The move.
    pub played: Move,
    /// The annotation of the move.
    pub facts: A,
}

impl<A: Default> From<Move> for PlayedMove<A> {
    fn from(played: Move) -> PlayedMove<A> {
        PlayedMove { played, facts: A::default() }
    }
}

/// The facts about a move that the notations of this crate can store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotation {
    /// The comment after the move, or an empty string.
    pub comment: String,
    /// The mover's own estimate of its winning chance, within [`Annotation::CHANCES`].
    pub value: Option<f64>,
    /// The seconds that the mover used, within [`Annotation::SECONDS`].
    pub seconds: Option<f64>,
}

impl Annotation {
    /// The allowed range of `seconds`.
    pub const SECONDS: RangeInclusive<f64> = 0.0..=1e9;

    /// The allowed range of `value`.
    pub const CHANCES: RangeInclusive<f64> = 0.0..=1.0;
}

/// The error of an illegal move within a game.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("move {number}, {illegal}: {error}")]
pub struct GameError {
    /// The number of the illegal move, from 1.
    pub number: usize,
    /// The illegal move.
    pub illegal: Move,
    /// The rule that the move breaks.
    pub error: PlayError,
}

/// The error of a file with too many unreadable games. Holds the number of unreadable games after
/// which the reader skips the rest of the file.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("stopped after {0} games that cannot be read: expected fewer")]
pub struct TooManyErrors(pub usize);
