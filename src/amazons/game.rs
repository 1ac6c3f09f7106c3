//! A game from its start to its end with its variations, in no particular notation.

use super::end::GameEnd;
use super::input_error::InputError;
use super::moves::Move;
use super::played_move::{PlayedMove, TurnFacts};
use super::position::Position;
use super::side::Side;

/// A game: its start, its moves with the facts of each turn, its players, its end and its comments.
///
/// Its moves are always legal. Every format of games is read into it and written from it:
/// [`sgf`](super::sgf), [`ggf`](super::ggf) and [`move_list`](super::move_list) here, the others in
/// the rooms that own them. The example `read_sgf` shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    lines: Vec<Line>,
    /// The names of the players, by turn order.
    pub players: [Option<String>; 2],
    /// The end; `None` if the game goes on or its end is unknown.
    pub end: Option<GameEnd>,
    /// The date, as the source writes it.
    pub date: Option<String>,
    /// The event or the match it belongs to.
    pub event: Option<String>,
    /// The comment before the first move; may be empty.
    pub comment: String,
}

/// Time and memory of one side over a game.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SideTimes {
    /// Turns whose time is known.
    pub turns: usize,
    /// The mean time of a turn, in milliseconds.
    pub mean_ms: f64,
    /// The time of the slowest turn, in milliseconds.
    pub worst_ms: f64,
    /// The ply of the slowest turn, from 1.
    pub worst_ply: usize,
    /// The most memory of any turn in megabytes, if known.
    pub peak_mb: Option<f64>,
}

/// A line of a game: the game itself, or moves that might have been played from some point of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The point where it leaves a line before it; the start for the game itself.
    pub from: Point,
    /// Its moves with what is known of them, at least one of a variation.
    pub plies: Vec<PlayedMove>,
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
pub struct FoundGame<G = Game> {
    /// The line it begins on, from 1.
    pub line: usize,
    /// The game, or the error of an unreadable one.
    pub game: Result<G, InputError>,
}

/// Unreadable games after which a file is given up, so that hostile ones take no memory.
const MAX_UNREADABLE: usize = 100;

impl<G> FoundGame<G> {
    /// The games of a file, and instead of those after a hundred unreadable ones an error.
    pub fn until_given_up(found: impl IntoIterator<Item = FoundGame<G>>) -> Vec<FoundGame<G>> {
        let (mut games, mut unreadable) = (Vec::new(), 0);
        for one in found {
            if unreadable == MAX_UNREADABLE {
                let error = format!("given up after {unreadable} games that cannot be read: expected fewer");
                games.push(FoundGame { line: one.line, game: Err(InputError(error)) });
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

impl Game {
    /// A game without moves.
    pub fn new(start: Position) -> Game {
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
    pub fn of(start: Position, moves: &[Move]) -> Result<Game, InputError> {
        let mut game = Game::new(start);
        game.extend(moves.iter().map(|&full| full.into()))?;
        Ok(game)
    }

    /// Adds a move, maybe with what is known of it. The error is the broken rule.
    pub fn play(&mut self, ply: impl Into<PlayedMove>) -> Result<(), InputError> {
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
    pub fn extend(&mut self, plies: impl IntoIterator<Item = PlayedMove>) -> Result<(), InputError> {
        let mut last = Point { line: 0, ply: self.plies().len() };
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
    pub fn play_at(&mut self, mut at: Point, ply: PlayedMove) -> Result<Point, InputError> {
        while at.line > 0 && at.ply == 0 {
            at = self.lines[at.line].from;
        }
        let before = self.position_at(at);
        let place = || format!("move {}, {}", self.path(at).len() + 1, ply.full);
        let after = before.play(ply.full).map_err(|why| why.at(place()))?;
        if at.ply < self.lines[at.line].plies.len() {
            self.lines.push(Line { from: at, plies: Vec::new(), positions: vec![before] });
            at = Point { line: self.lines.len() - 1, ply: 0 };
        }
        self.lines[at.line].plies.push(ply);
        self.lines[at.line].positions.push(after);
        Ok(Point { ply: at.ply + 1, ..at })
    }

    /// The plies from the start to a point, whatever lines they are of.
    ///
    /// # Panics
    /// If the game has no such point.
    pub fn path(&self, mut at: Point) -> Vec<&PlayedMove> {
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
    pub fn lines(&self) -> &[Line] {
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
        &self.positions()[self.plies().len()]
    }

    /// The plies, first to last.
    pub fn plies(&self) -> &[PlayedMove] {
        &self.lines[0].plies
    }

    /// The moves alone.
    pub fn moves(&self) -> Vec<Move> {
        self.plies().iter().map(|ply| ply.full).collect()
    }

    /// The move that led to the position after this many plies; `None` at the start.
    pub fn move_to(&self, ply: usize) -> Option<Move> {
        self.plies().get(ply.checked_sub(1)?).map(|ply| ply.full)
    }

    /// The winner, if the end is known.
    pub fn winner(&self) -> Option<Side> {
        self.end.as_ref().map(|end| end.winner)
    }

    /// Time and memory of a side over the game, the turn included in which it lost without a legal
    /// move; `None` if the game has no times of it.
    pub fn times(&self, side: Side) -> Option<SideTimes> {
        let lost = self.end.as_ref().map(|end| &end.turn);
        let facts = (1..).zip(self.plies().iter().map(|ply| &ply.facts).chain(lost));
        // Turns alternate, so the other side's begin with the second ply.
        let own: Vec<(usize, &TurnFacts)> =
            facts.skip(usize::from(side != self.start().to_move())).step_by(2).collect();
        let times = own.iter().filter_map(|&(ply, facts)| Some((ply, facts.milliseconds()?)));
        let times: Vec<(usize, f64)> = times.collect();
        // Of equals the first.
        let (worst_ply, worst_ms) = times.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        let mean_ms = times.iter().map(|(_, time)| time).sum::<f64>() / times.len() as f64;
        let peak_mb = own.iter().filter_map(|(_, facts)| facts.megabytes).reduce(f64::max);
        Some(SideTimes { turns: times.len(), mean_ms, worst_ms, worst_ply, peak_mb })
    }

    pub(super) fn ply_at(&mut self, at: Point) -> Option<&mut PlayedMove> {
        self.lines[at.line].plies[..at.ply].last_mut()
    }

    /// The position at a point.
    ///
    /// # Panics
    /// If the game has no such point.
    pub fn position_at(&self, at: Point) -> Position {
        self.lines[at.line].positions[at.ply]
    }
}
