//! The shape of a position: what it consists of, for people and for collections of positions.

use super::filling::Room;
use super::region::Region;
use super::solver::{MOVES, Solver};
use crate::game::Position;

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
                let (_, most) = self.assessor.filler.count(&Room::private(&region, owner), MOVES);
                shape.wasted += region.empty.count().saturating_sub(most.unsigned_abs());
            }
        }
        shape
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
}
