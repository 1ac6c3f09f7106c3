//! The territory map: the distance of each side's amazons to every square, and the regions.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use amazons::{Bitboard, Position, Square, queen_reach};
use quiver_engine::simd::Kernel;
use quiver_engine::territory::{Distances, View};
use serde::Serialize;

use super::BySide;

/// The distances, amazons and regions of a position. Lists of squares go row by row from `a1`:
/// square (x, y) of a board of width `w` has index `w * y + x`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TerritoryMap {
    /// The number of squares that each side reaches in fewer queen moves than its opponent.
    pub nearer: NearerCounts,
    /// Each side's distance to every square in queen moves; 15 stands for 15 or more. `None` for a
    /// square that is not empty or cannot be reached.
    pub queen: BySide<Vec<Option<usize>>>,
    /// Like `queen`, but the distance in king moves; 24 stands for 24 or more.
    king: BySide<Vec<Option<usize>>>,
    /// Each amazon with the number of squares that it can move to.
    pub freedom: BySide<BTreeMap<Square, u32>>,
    /// The regions into which burnt squares divide the board, largest first.
    pub regions: Vec<TerritoryRegion>,
}

/// Counts the reachable squares by the side that reaches them in fewer queen moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NearerCounts {
    /// The number of squares that the first player is nearer to.
    pub first: usize,
    /// The number of squares that the second player is nearer to.
    pub second: usize,
    /// The number of squares that both players are equally near to.
    pub even: usize,
}

/// A connected set of unburnt squares. Diagonal neighbours are connected too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TerritoryRegion {
    /// The squares, including those of amazons.
    pub squares: Vec<Square>,
    /// The number of empty squares.
    pub empty: u32,
    /// The number of amazons of each side.
    pub amazons: BySide<u32>,
}

impl TerritoryMap {
    /// Builds the map of a position.
    pub fn of(position: &Position) -> TerritoryMap {
        let distances = Distances::of(&View::from(position), Kernel::best());
        let squares = position.size().mask();
        // In `Distances`, index 0 stands for the side to move.
        let index = |side| usize::from(side != position.to_move());
        let every = |distance: fn(&Distances, usize, Square) -> Option<usize>| {
            let of = |side| squares.iter().map(|square| distance(&distances, index(side), square)).collect();
            BySide::<Vec<_>>::of(of)
        };
        let queen = every(Distances::queen);
        let far = |distance: &Option<usize>| distance.unwrap_or(usize::MAX);
        let both =
            queen.first.iter().zip(&queen.second).filter(|(first, second)| first.or(**second).is_some());
        let order: Vec<Ordering> = both.map(|(first, second)| far(first).cmp(&far(second))).collect();
        let nearer = |which| order.iter().filter(|&&order| order == which).count();
        let count = |&from: &Square| (from, queen_reach(from, position.empty()).count());
        TerritoryMap {
            nearer: NearerCounts {
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
    regions.sort_by_key(|region| std::cmp::Reverse(region.squares.len()));
    regions
}
