//! A game from its start to its end with its variations, in no particular notation.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;
use core::ops::RangeInclusive;

use crate::moves::Move;
use crate::outcome::Outcome;
use crate::play_error::PlayError;
use crate::position::Position;
use crate::side::Side;

/// A game: its start, its moves with variations, its players, its end and its comments. The moves
/// are always legal.
///
/// A program that knows more of a move or of an end than the notations hold uses types of its own
/// for `A` and `O`, and turns one kind of game into the other by [`Game::map`].
///
/// ```
/// use amazons::{Game, Move, Position};
///
/// let mut game: Game = Game::new(Position::default());
/// let full: Move = "d1-d7/g7".parse()?;
/// game.play(full)?;
/// assert!(game.play(full).is_err());
/// assert_eq!((game.len(), game.position().to_move()), (1, amazons::Side::Second));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Game<A = Annotation, O = Outcome> {
    lines: Vec<Line<A>>,
    /// The names of the players, by turn order.
    pub players: [Option<String>; 2],
    /// The end, as the source has it; `None` if the game goes on, its end is unknown, or nobody has set
    /// it yet. [`Game::outcome`] also knows the end by the rules.
    pub end: Option<O>,
    /// The date, as the source writes it.
    pub date: Option<String>,
    /// The event or the match it belongs to.
    pub event: Option<String>,
    /// The comment before the first move; may be empty.
    pub comment: String,
}

/// A line of a game: the game itself, or moves that might have been played from some point of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<A = Annotation> {
    /// The point where it leaves a line before it; the start for the game itself.
    pub from: Point,
    /// Its moves with what is known of them, at least one of a variation.
    pub plies: Vec<PlayedMove<A>>,
    /// The position where it begins, and the position after each ply.
    positions: Vec<Position>,
}

/// A point of a game: the position after this many moves of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// 0 for the game itself, else the number of a variation, from 1.
    pub line: usize,
    /// Moves of that line that are played.
    pub ply: usize,
}

/// A game that was looked for in a text.
#[derive(Clone, Debug)]
pub struct FoundGame<G, E> {
    /// The line it begins on, from 1.
    pub line: usize,
    /// The game, or the error of an unreadable one.
    pub game: Result<G, E>,
}

/// Unreadable games after which a file is given up, so that hostile ones take no memory.
const MAX_UNREADABLE: usize = 100;

impl<G, E: From<GivenUp>> FoundGame<G, E> {
    /// The games of a file, and instead of those after a hundred unreadable ones an error.
    pub fn until_given_up(found: impl IntoIterator<Item = FoundGame<G, E>>) -> Vec<FoundGame<G, E>> {
        let (mut games, mut unreadable) = (Vec::new(), 0);
        for one in found {
            if unreadable == MAX_UNREADABLE {
                games.push(FoundGame { line: one.line, game: Err(GivenUp { unreadable }.into()) });
                break;
            }
            unreadable += usize::from(one.game.is_err());
            games.push(one);
        }
        games
    }
}

impl Point {
    /// The start of a game.
    pub const START: Point = Point { line: 0, ply: 0 };
}

impl<A, O> Game<A, O> {
    /// A game without moves.
    pub fn new(start: Position) -> Game<A, O> {
        Game {
            lines: vec![Line { from: Point::START, plies: Vec::new(), positions: vec![start] }],
            players: [None, None],
            end: None,
            date: None,
            event: None,
            comment: String::new(),
        }
    }

    /// A game of these moves.
    ///
    /// # Errors
    /// If one is illegal, by its number and the broken rule.
    pub fn of(start: Position, moves: &[Move]) -> Result<Game<A, O>, GameError>
    where
        A: Default,
    {
        let mut game = Game::new(start);
        game.extend(moves.iter().copied())?;
        Ok(game)
    }

    /// Adds a move, maybe with what is known of it.
    ///
    /// # Errors
    /// If the move is illegal; the game is unchanged.
    pub fn play(&mut self, ply: impl Into<PlayedMove<A>>) -> Result<(), PlayError> {
        let ply = ply.into();
        let after = self.position().play(ply.full)?;
        self.lines[0].plies.push(ply);
        self.lines[0].positions.push(after);
        Ok(())
    }

    /// Adds moves with what is known of them.
    ///
    /// # Errors
    /// If one is illegal, by its number and the broken rule; the game holds the moves before it.
    pub fn extend(
        &mut self,
        plies: impl IntoIterator<Item = impl Into<PlayedMove<A>>>,
    ) -> Result<(), GameError> {
        let mut last = Point { line: 0, ply: self.len() };
        plies.into_iter().try_for_each(|ply| self.play_at(last, ply).map(|after| last = after))
    }

    /// Adds a move at a point: it continues the line that ends there, or begins a variation.
    /// Returns the point after it.
    ///
    /// # Errors
    /// If it is illegal, by its number and the broken rule; the game is unchanged.
    ///
    /// # Panics
    /// If the game has no such point.
    pub fn play_at(&mut self, mut at: Point, ply: impl Into<PlayedMove<A>>) -> Result<Point, GameError> {
        let ply = ply.into();
        while at.line > 0 && at.ply == 0 {
            at = self.lines[at.line].from;
        }
        let before = self.position_at(at);
        let number = self.path(at).len() + 1;
        let after = before.play(ply.full);
        let after = after.map_err(|error| GameError { number, full: ply.full, error })?;
        if at.ply < self.lines[at.line].plies.len() {
            self.lines.push(Line { from: at, plies: Vec::new(), positions: vec![before] });
            at = Point { line: self.lines.len() - 1, ply: 0 };
        }
        self.lines[at.line].plies.push(ply);
        self.lines[at.line].positions.push(after);
        Ok(Point { ply: at.ply + 1, ..at })
    }

    /// Takes back the last move of the game and forgets its end and the variations in place of that
    /// move. Returns the move; `None` at the start.
    pub fn undo(&mut self) -> Option<PlayedMove<A>> {
        let last = self.lines[0].plies.pop()?;
        self.lines[0].positions.pop();
        self.end = None;
        let here = Point { line: 0, ply: self.len() };
        // The number that each line gets, if it stays. A line leaves one before it, so one pass does.
        let mut numbers: Vec<Option<usize>> = Vec::with_capacity(self.lines.len());
        let mut stay = 0;
        self.lines.retain_mut(|line| {
            let number = if numbers.is_empty() { Some(0) } else { numbers[line.from.line] };
            let number = number.filter(|_| numbers.is_empty() || line.from != here);
            line.from.line = number.unwrap_or(0);
            numbers.push(number.map(|_| stay));
            stay += usize::from(number.is_some());
            number.is_some()
        });
        Some(last)
    }

    /// The plies from the start to a point, whatever lines they are of.
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

    /// The lines: the game itself, then its variations, each of which leaves a line before it.
    pub fn lines(&self) -> &[Line<A>] {
        &self.lines
    }

    /// The position before the first move.
    pub fn start(&self) -> &Position {
        &self.positions()[0]
    }

    /// The start and the position after each ply: one more than there are plies.
    pub fn positions(&self) -> &[Position] {
        &self.lines[0].positions
    }

    /// The position after the last ply.
    pub fn position(&self) -> &Position {
        &self.positions()[self.len()]
    }

    /// The plies, first to last.
    pub fn plies(&self) -> &[PlayedMove<A>] {
        &self.lines[0].plies
    }

    /// The number of plies.
    pub fn len(&self) -> usize {
        self.plies().len()
    }

    /// True if no move is played.
    pub fn is_empty(&self) -> bool {
        self.plies().is_empty()
    }

    /// The moves alone.
    pub fn moves(&self) -> Vec<Move> {
        self.plies().iter().map(|ply| ply.full).collect()
    }

    /// The move that led to the position after this many plies; `None` at the start.
    pub fn move_to(&self, ply: usize) -> Option<Move> {
        self.plies().get(ply.checked_sub(1)?).map(|ply| ply.full)
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

    /// The same game with annotations and an end of other types.
    pub fn map<B, P>(self, facts: impl Fn(A) -> B, end: impl FnOnce(O) -> P) -> Game<B, P> {
        let ply = |ply: PlayedMove<A>| PlayedMove { full: ply.full, facts: facts(ply.facts) };
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
        }
    }
}

impl<A> Game<A> {
    /// The end that the game was given, or else that of the rules, if the side to move has no move.
    pub fn outcome(&self) -> Option<Outcome> {
        self.end.clone().or_else(|| Outcome::of(self.position()))
    }

    /// The winner, if the game has an outcome.
    pub fn winner(&self) -> Option<Side> {
        self.outcome().map(|outcome| outcome.winner)
    }
}

/// A move of a game, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedMove<A = Annotation> {
    /// The move.
    pub full: Move,
    /// The annotation of the move.
    pub facts: A,
}

impl<A: Default> From<Move> for PlayedMove<A> {
    fn from(full: Move) -> PlayedMove<A> {
        PlayedMove { full, facts: A::default() }
    }
}

/// The annotation of a move that notations keep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotation {
    /// The comment after the move; may be empty.
    pub comment: String,
    /// The mover's own estimate of its winning chance, in [`Annotation::CHANCES`].
    pub value: Option<f64>,
    /// Seconds that the mover used, in [`Annotation::SECONDS`].
    pub seconds: Option<f64>,
}

impl Annotation {
    /// The range of seconds that a source may give.
    pub const SECONDS: RangeInclusive<f64> = 0.0..=1e9;

    /// The range of chances that a source may give.
    pub const CHANCES: RangeInclusive<f64> = 0.0..=1.0;
}

/// The error of an illegal move in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameError {
    /// The number of the move, from 1.
    pub number: usize,
    /// The move.
    pub full: Move,
    /// The broken rule.
    pub error: PlayError,
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "move {}, {}: {}", self.number, self.full, self.error)
    }
}

impl Error for GameError {}

/// The error of a file with too many unreadable games: the rest of the file is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// The number of games that cannot be read.
    pub unreadable: usize,
}

impl fmt::Display for GivenUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "given up after {} games that cannot be read: expected fewer", self.unreadable)
    }
}

impl Error for GivenUp {}
