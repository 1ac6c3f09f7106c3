//! The territory map: the evaluator's distances of both sides to every square.

use crate::game::{Bitboard, Position, Side, Square};
use crate::territory::{Distances, Kernel, View};

/// The distances, amazons and regions of a position. Lists of squares go row by row from `a1`:
/// square (x, y) of a board `w` wide is at `w * y + x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerritoryMap {
    /// Queen distances of both sides to every square, at most 15; `None` where it cannot get, or
    /// may not stay.
    pub queen: [Vec<Option<usize>>; 2],
    /// King distances of both sides, at most 24.
    pub king: [Vec<Option<usize>>; 2],
    /// Both sides' amazons, each with the number of squares that it can go to now.
    pub freedom: [Vec<(Square, u32)>; 2],
    /// The parts that the burnt squares have cut the board into, largest first.
    pub regions: Vec<TerritoryRegion>,
}

/// Squares that are connected, corners included, by squares that are not burnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerritoryRegion {
    /// The squares, those of amazons included.
    pub squares: Bitboard,
    /// How many of them are empty.
    pub empty: u32,
    /// Amazons of both sides in it.
    pub amazons: [u32; 2],
}

impl TerritoryMap {
    /// The map of a position.
    #[must_use]
    pub fn of(position: &Position) -> TerritoryMap {
        let distances = Distances::of(&View::from(position), Kernel::best());
        let amazons = Side::BOTH.map(|side| position.amazons(side).iter().copied().collect::<Bitboard>());
        // Distances are the mover's and the opponent's; here they are by who moved first.
        let sides = Side::BOTH.map(|side| usize::from(side != position.to_move()));
        let squares = position.size().mask();
        let count = |from: Square| (from, position.queen_targets(from).count());
        TerritoryMap {
            queen: sides.map(|side| squares.iter().map(|square| distances.queen(side, square)).collect()),
            king: sides.map(|side| squares.iter().map(|square| distances.king(side, square)).collect()),
            freedom: Side::BOTH.map(|side| position.amazons(side).iter().copied().map(count).collect()),
            regions: regions(position, &amazons),
        }
    }

    /// How many squares the first player, the second and neither is nearer to by queen distance, of
    /// those that an amazon can get to.
    #[must_use]
    pub fn nearer(&self) -> [u32; 3] {
        let mut counts = [0; 3];
        for pair in self.queen[0].iter().zip(&self.queen[1]) {
            let index = match pair {
                (None, None) => continue,
                (Some(_), None) => 0,
                (None, Some(_)) => 1,
                (Some(first), Some(second)) => match first.cmp(second) {
                    std::cmp::Ordering::Less => 0,
                    std::cmp::Ordering::Greater => 1,
                    std::cmp::Ordering::Equal => 2,
                },
            };
            counts[index] += 1;
        }
        counts
    }
}

fn regions(position: &Position, amazons: &[Bitboard; 2]) -> Vec<TerritoryRegion> {
    let open = position.size().mask() - position.burnt();
    let mut left = open;
    let mut regions = Vec::new();
    while let Some(seed) = left.select(0) {
        let squares = Bitboard::of(seed).flood(open);
        left = left - squares;
        let empty = (squares & position.empty()).count();
        regions.push(TerritoryRegion {
            squares,
            empty,
            amazons: amazons.map(|amazons| (squares & amazons).count()),
        });
    }
    // A stable sort: equals stay in the order of their first squares.
    regions.sort_by_key(|region| std::cmp::Reverse(region.squares.count()));
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Fen;

    fn map(fen: &str) -> TerritoryMap {
        TerritoryMap::of(&fen.parse::<Fen>().unwrap().0)
    }

    #[test]
    fn distances_are_laid_out_row_by_row() {
        // a1 is Q, c3 is q; the middle row is burnt but for its end.
        let map = map("2q/**1/Q2 w");
        let first = [None, Some(1), Some(1), None, None, Some(2), Some(4), Some(3), None];
        let second = [None, Some(2), Some(1), None, None, Some(1), Some(1), Some(1), None];
        // An amazon's own square is not empty.
        assert_eq!(map.queen, [first, second]);
        assert_eq!(map.king[0][5], Some(2));
        assert_eq!(map.nearer(), [1, 3, 1]);
        assert_eq!(map.freedom[0], [("a1".parse().unwrap(), 2)]);
    }

    #[test]
    fn regions_are_cut_by_fire_alone_and_count_who_is_in_them() {
        let map = map("Q1*1q/1**1*/**2q/Q*3 w");
        let seen: Vec<_> =
            map.regions.iter().map(|region| (region.squares.count(), region.empty, region.amazons)).collect();
        assert_eq!(seen, [(9, 7, [0, 2]), (3, 2, [1, 0]), (1, 0, [1, 0])]);
        assert_eq!(TerritoryMap::of(&"1/1 w".parse::<Fen>().unwrap().0).regions.len(), 1);
    }
}
