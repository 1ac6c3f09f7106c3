//! The territory map: the evaluator's distances of both sides to every square.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use amazons::{Bitboard, Position, Square, queen_reach};
use quiver_engine::simd::Kernel;
use quiver_engine::territory::{Distances, View};
use serde::Serialize;

use super::BySide;

/// The distances, amazons and regions of a position. Lists of squares go row by row from `a1`:
/// square (x, y) of a board `w` wide is at `w * y + x`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TerritoryMap {
    /// Squares by the side that is nearer.
    pub nearer: Nearer,
    /// Queen distances to every square, at most 15; `None` where a side cannot get or stay.
    pub queen: BySide<Vec<Option<usize>>>,
    /// King distances, at most 24.
    king: BySide<Vec<Option<usize>>>,
    /// Each amazon with the number of squares that it can go to now.
    pub freedom: BySide<BTreeMap<Square, u32>>,
    /// The parts that the burnt squares have cut the board into, largest first.
    pub regions: Vec<TerritoryRegion>,
}

/// Squares that a side is nearer to by queen distance, or none is, of those that an amazon can get
/// to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Nearer {
    /// Squares that the first player is nearer to.
    pub first: usize,
    /// Squares that the second player is nearer to.
    pub second: usize,
    /// Squares that both are equally near to.
    pub even: usize,
}

/// Squares that are connected, corners included, by squares that are not burnt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TerritoryRegion {
    /// The squares, those of amazons included.
    pub squares: Vec<Square>,
    /// Number of the empty ones.
    pub empty: u32,
    /// Number of amazons among them.
    pub amazons: BySide<u32>,
}

impl TerritoryMap {
    /// The map of a position.
    pub fn of(position: &Position) -> TerritoryMap {
        let distances = Distances::of(&View::from(position), Kernel::best());
        let squares = position.size().mask();
        // Distances are the mover's and the opponent's; here they are by who moved first.
        let index = |side| usize::from(side != position.to_move());
        let every = |distance: fn(&Distances, usize, Square) -> Option<usize>| {
            let of = |side| squares.iter().map(|square| distance(&distances, index(side), square)).collect();
            BySide::<Vec<_>>::of(of)
        };
        let queen = every(Distances::queen);
        // A side that cannot get there is farther than any.
        let far = |distance: &Option<usize>| distance.unwrap_or(usize::MAX);
        let both =
            queen.first.iter().zip(&queen.second).filter(|(first, second)| first.or(**second).is_some());
        let order: Vec<Ordering> = both.map(|(first, second)| far(first).cmp(&far(second))).collect();
        let nearer = |which| order.iter().filter(|&&order| order == which).count();
        let count = |&from: &Square| (from, queen_reach(from, position.empty()).count());
        TerritoryMap {
            nearer: Nearer {
                first: nearer(Ordering::Less),
                second: nearer(Ordering::Greater),
                even: nearer(Ordering::Equal),
            },
            queen,
            king: every(Distances::king),
            freedom: BySide::of(|side| position.amazons(side).iter().map(count).collect()),
            regions: regions(position),
        }
    }
}

fn regions(position: &Position) -> Vec<TerritoryRegion> {
    let open = position.size().mask() - position.burnt();
    let mut left = open;
    let mut regions = Vec::new();
    while let Some(seed) = left.select(0) {
        let squares = Bitboard::of(seed).flood(open);
        left -= squares;
        let inside =
            |side| position.amazons(side).iter().filter(|&&square| squares.contains(square)).count() as u32;
        regions.push(TerritoryRegion {
            empty: (squares & position.empty()).count(),
            amazons: BySide::of(inside),
            squares: squares.iter().collect(),
        });
    }
    // A stable sort: equals stay in the order of their first squares.
    regions.sort_by_key(|region| std::cmp::Reverse(region.squares.len()));
    regions
}
