//! The shape of a position: what it consists of, for people and for collections of positions, and
//! its waste, for the evaluator.
//!
//! The evaluator counts each square that only one side reaches as a move. In narrow rooms some of
//! these squares can never be moves. Their number, as far as the solver can prove it, is a term of
//! its own.

use super::bounds::{MOVES, Prospects};
use super::filling::Room;
use super::region::Region;
use super::solver::Solver;
use crate::game::{Bitboard, Position, Side, Square};

/// The parts of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Regions whose worth is not settled.
    pub contested: u32,
    /// Private regions, in which only one side has amazons.
    pub private: u32,
    /// Empty squares of private regions that cannot become moves of their owner.
    pub wasted: u32,
}

impl Solver {
    /// The shape of a position.
    pub fn shape(&mut self, position: &Position) -> Shape {
        let mut shape = Shape::default();
        for region in Region::whole(position).parts() {
            let value = self.assessor.value(&region, region.key());
            shape.contested += u32::from(value.least != value.most);
            if let Some(owner) = region.owner() {
                shape.private += 1;
                let (_, most) = self.assessor.filler.count(&Room::owned(&region, owner), MOVES);
                shape.wasted += region.empty.count().saturating_sub(most.unsigned_abs());
            }
        }
        shape
    }

    /// Of the squares that one side alone reaches, how many are not certain to become moves: the
    /// mover's less the opponent's. Amazons of the mover, then of the opponent.
    ///
    /// `None` if neither has two such squares. Exact for private regions that are small or simple;
    /// elsewhere each side's waste is an upper bound, which may be lower where the solver remembers
    /// more.
    pub fn waste(&mut self, empty: Bitboard, amazons: [&[Square]; 2]) -> Option<i16> {
        // The sides here are those of the view, which the filler does not mind.
        let region = Region::new(empty, amazons);
        let reach = Prospects::of(&region);
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

    #[test]
    fn regions_are_told_apart_by_who_is_in_them() {
        let shape = |fen: &str| Solver::new(1 << 16).shape(&fen.parse::<Fen>().unwrap().0);
        assert_eq!(shape("Q4*q2 w"), Shape { contested: 0, private: 2, wasted: 0 });
        assert_eq!(shape("*****/*Q***/1*1**/*****/****q w"), Shape { contested: 0, private: 1, wasted: 1 });
        assert_eq!(shape("1qq1/q2q/Q2Q/1QQ1 w"), Shape { contested: 1, private: 0, wasted: 0 });
        assert_eq!(shape("Q2q*Q/4*1 w").contested, 1);
    }

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
