//! Waste: the private squares of a side that do not become moves.
//!
//! The evaluator counts each square that only one side reaches as a move. In narrow rooms some of
//! these squares can never be moves. Their number, as far as the solver can prove it, is a term of
//! its own.

use super::bounds::Reach;
use super::region::Region;
use super::solver::{MOVES, Solver};
use crate::game::{Bitboard, Side, Square};

impl Solver {
    /// Of the squares that one side alone reaches, how many are not certain to become moves: the
    /// mover's less the opponent's. Amazons of the mover, then of the opponent.
    ///
    /// `None` if neither has two such squares. Exact for private regions that are small or simple;
    /// elsewhere each side's waste is an upper bound, which may be lower where the solver remembers
    /// more.
    pub fn waste(&mut self, empty: Bitboard, amazons: [&[Square]; 2]) -> Option<i16> {
        // The sides here are those of the view, which the filler does not mind.
        let region = Region::new(empty, amazons);
        let reach = Reach::of(&region);
        let squares = reach.exclusive.map(|squares| squares.count() as i32);
        // One square is always a move.
        if squares[0].max(squares[1]) < 2 {
            return None;
        }
        let [own, other] = Side::BOTH.map(|side| {
            squares[side.index()] - self.assessor.filler.count(&reach.own_room(&region, side), MOVES).0
        });
        Some((own - other) as i16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Fen;

    fn waste(fen: &str) -> Option<i16> {
        let position = fen.parse::<Fen>().unwrap().0;
        let sides = [position.to_move(), !position.to_move()];
        Solver::new(1 << 16).waste(position.empty(), sides.map(|side| position.amazons(side)))
    }

    #[test]
    fn squares_that_make_no_move_are_counted_for_the_side_that_has_them() {
        // Two squares across a corner from one another are one move; three in a row are three.
        assert_eq!(waste("Q3/4/4/3q w"), None);
        assert_eq!(waste("*****/*Q***/1*1**/*****/****q w"), Some(1));
        assert_eq!(waste("*****/*Q***/1*1**/*****/****q b"), Some(-1));
        assert_eq!(waste("Q3/****/****/***q w"), Some(0));
        // Both have two squares, and the first player's are defective.
        assert_eq!(waste("**2q/*****/*Q***/1*1**/***** b"), Some(-1));
    }
}
