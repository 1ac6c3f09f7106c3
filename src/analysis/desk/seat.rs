//! Engines between two searches, and what each still knows.

use crate::analysis::query::Query;
use crate::game::{FullMove, Position};
use crate::players::EngineOptions;
use crate::search::Engine;

/// An engine and the game that its tree belongs to.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) engine: Engine,
    start: Position,
    moves: Vec<FullMove>,
    options: EngineOptions,
    /// Whether there is more to find on the time of others, for a query that may use it.
    pub(super) ponders: bool,
}

/// Idle engines, the one used last at the end.
#[derive(Debug, Default)]
pub(super) struct Seats(Vec<Seat>);

impl Seats {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn put_back(&mut self, seat: Option<Seat>) {
        self.0.extend(seat);
    }

    /// The engine that was used last, if it is one to ponder.
    pub(super) fn take_to_ponder(&mut self) -> Option<Seat> {
        self.0.pop_if(|seat| seat.ponders)
    }

    /// The engine that has come furthest on the way to a position, if the query may use it; any, if `some` is to be
    /// taken.
    pub(super) fn take(&mut self, query: &Query, turn: usize, some: bool) -> Option<Seat> {
        let known = (0..self.0.len()).filter(|&index| self.0[index].leads_to(query, turn));
        let best = known.max_by_key(|&index| self.0[index].moves.len());
        let index = best.or(Some(0).filter(|_| some && !self.0.is_empty()))?;
        Some(self.0.remove(index))
    }
}

impl Seat {
    /// Whether the tree is of use for a position, and may be used.
    fn leads_to(&self, query: &Query, turn: usize) -> bool {
        query.reuse
            && self.options.searches_like(&query.engine)
            && self.start == query.line.positions()[0]
            && query.line.moves()[..turn].starts_with(&self.moves)
    }

    /// An engine about to search a position of the query: this one if it knows something, otherwise a new one, so that
    /// what it finds depends on nothing that was asked before.
    pub(super) fn ready(seat: Option<Seat>, query: &Query, turn: usize, memory: usize) -> Seat {
        let moves = &query.line.moves()[..turn];
        let position = &query.line.positions()[turn];
        match seat.filter(|seat| seat.leads_to(query, turn)) {
            Some(mut seat) => {
                for &full in &moves[seat.moves.len()..] {
                    seat.engine.advance(full);
                }
                Seat { moves: moves.to_vec(), ponders: true, ..seat }
            }
            None => {
                let options = EngineOptions { memory, ..query.engine.clone() };
                let engine = Engine::new(&options, position);
                let start = query.line.positions()[0];
                Seat { engine, start, moves: moves.to_vec(), options, ponders: query.reuse }
            }
        }
    }
}
