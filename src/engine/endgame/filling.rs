//! Counts the moves of a filling: one side's moves on squares that the other side never reaches.
//!
//! Every move burns one square, so a filling has at most as many moves as its region has reachable
//! empty squares. The dead squares of a region are those that its longest filling cuts off from
//! every amazon. Their number is the region's defect (Müller and Tegos, "Experiments in Computer
//! Amazons", 2002). The search looks for a filling with no dead square, then with one, and so on.
//! The number of moves is exact when the search has excluded every smaller number of dead squares.

use amazons::{Bitboard, Move, Side, Square, queen_reach};

use super::region::{Region, hash};
use super::table::AlwaysReplaceTable;

/// A set of squares that only one side can fill, with the amazons of that side.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrivateRegion {
    pub(super) empty: Bitboard,
    pub(super) free: Bitboard,
    /// The amazons that keep the other side out. A pinned amazon must burn the square that it
    /// leaves. After this move it is free.
    pub(super) pinned: Bitboard,
}

/// In a region with at most this number of empty squares, the search examines every move.
const EXHAUSTIVE_SQUARES: u32 = 20;

impl PrivateRegion {
    /// A region in which only `owner` has amazons.
    #[inline]
    pub(super) fn owned(region: &Region, owner: Side) -> PrivateRegion {
        PrivateRegion { empty: region.empty, free: region.amazons[owner.index()], pinned: Bitboard::EMPTY }
    }

    #[inline]
    fn parts(&self) -> impl Iterator<Item = PrivateRegion> {
        let PrivateRegion { empty, free, pinned } = *self;
        let parts = Region { empty, amazons: [free, pinned] }.parts();
        parts.map(|Region { empty, amazons: [free, pinned] }| PrivateRegion { empty, free, pinned })
    }

    #[inline]
    fn reachable_squares(&self) -> i32 {
        let from = self.free | self.pinned;
        if from.is_empty() || self.empty.is_empty() {
            return 0;
        }
        (from.flood(self.empty | self.free) & self.empty).count() as i32
    }

    #[inline]
    fn is_large(&self) -> bool {
        self.empty.count() > EXHAUSTIVE_SQUARES
    }

    #[inline]
    fn key(&self) -> u64 {
        hash([self.pinned, self.free, self.empty], 0x1405_7b7e_f767_814f)
    }

    /// Calls `visit` with every move and the region after the move. In a large region, visits only
    /// moves in which both the amazon and the arrow go one step. These one-step moves are a tenth
    /// of all moves, and are enough to find long fillings.
    #[inline]
    fn each_move(&self, mut visit: impl FnMut(Move, PrivateRegion)) {
        let (near, PrivateRegion { free, pinned, .. }) = (self.is_large(), *self);
        let reach = |square: Square, empty: Bitboard| {
            if near { Bitboard::of(square).king_reach() & empty } else { queen_reach(square, empty) }
        };
        for from in free {
            let without = free - Bitboard::of(from);
            let empty = self.empty.with(from);
            for to in reach(from, self.empty) {
                let (open, free) = (empty - Bitboard::of(to), without.with(to));
                for arrow in reach(to, open) {
                    let empty = open - Bitboard::of(arrow);
                    visit(Move { from, to, arrow }, PrivateRegion { empty, free, pinned });
                }
            }
        }
        for from in pinned {
            let pinned = pinned - Bitboard::of(from);
            for to in reach(from, self.empty) {
                let (empty, free) = (self.empty - Bitboard::of(to), free.with(to));
                visit(Move { from, to, arrow: from }, PrivateRegion { empty, free, pinned });
            }
        }
    }
}

/// The number of king steps from `from` to the farthest square, if all steps stay in `through`.
/// An amazon that burns each square it leaves can make this number of moves.
#[inline]
fn steps_to_farthest(from: Bitboard, through: Bitboard) -> u32 {
    let mut steps = 0;
    let mut reached = from.king_reach() & through;
    let mut before = Bitboard::EMPTY;
    while reached != before {
        steps += 1;
        before = reached;
        reached = reached.king_reach() & through;
    }
    steps
}

#[derive(Debug)]
pub(super) struct FillingSearch {
    /// Bounds of the number of dead squares of connected regions, by their key.
    known: AlwaysReplaceTable<(i32, i32)>,
    /// The moves of each level of the search, as a score and the region after the move. In a level,
    /// the search tries the moves with the lowest scores first.
    stack: Vec<(i32, PrivateRegion)>,
    /// The number of moves that the search may still examine before it gives up.
    moves_left: u32,
}

/// The result of a search that found no filling with few enough dead squares. It is larger than any
/// true number of dead squares.
const ABOVE_LIMIT: i32 = 255;

impl FillingSearch {
    pub(super) fn new(slots: usize) -> FillingSearch {
        FillingSearch { known: AlwaysReplaceTable::new(slots), stack: Vec::new(), moves_left: 0 }
    }

    /// A lower and an upper bound of the number of moves that a region allows. They are equal if
    /// the number is exact. The search examines about `budget` moves in each connected part.
    pub(super) fn move_count_bounds(&mut self, region: &PrivateRegion, budget: u32) -> (i32, i32) {
        let mut count = (0, 0);
        for part in region.parts() {
            let most = part.reachable_squares();
            if most == 0 {
                continue;
            }
            let (least_dead, most_dead) = self.dead_square_bounds(&part, most, budget);
            count = (count.0 + most - most_dead, count.1 + most - least_dead);
        }
        count
    }

    /// The first move of the longest filling found; `None` if the region allows no move.
    ///
    /// For each first move, examines about `budget` moves to bound the number of moves that can
    /// follow. Returns the first move with the largest lower bound. If `late` returns true, this
    /// function ends early, but not before it has examined one first move.
    pub(super) fn best_move(
        &mut self,
        region: &PrivateRegion,
        budget: u32,
        late: &dyn Fn() -> bool,
    ) -> Option<Move> {
        let mut best: Option<((i32, i32), Move)> = None;
        let mut moves = Vec::new();
        region.each_move(|fill, next| moves.push((fill, next)));
        let (_, most) = self.move_count_bounds(region, budget);
        for (fill, next) in moves {
            let count = self.move_count_bounds(&next, budget);
            if best.is_none_or(|(known, _)| count > known) {
                best = Some((count, fill));
                if count.0 + 1 >= most {
                    break;
                }
            }
            if late() {
                break;
            }
        }
        best.map(|(_, fill)| fill)
    }

    /// Bounds of a connected region's number of dead squares: reachable squares that the longest
    /// filling does not use. `reached` is the number of reachable squares.
    fn dead_square_bounds(&mut self, region: &PrivateRegion, reached: i32, budget: u32) -> (i32, i32) {
        if reached <= 1 {
            return (0, 0);
        }
        let known = self.known.get(region.key());
        if let Some((least, most)) = known.filter(|(least, most)| least == most) {
            return (least, most);
        }
        self.moves_left = budget;
        let mut least = known.map_or(0, |(least, _)| least);
        // The number of dead squares if one amazon goes step by step to the farthest square and
        // burns each square that it leaves.
        let path_dead_squares = reached - steps_to_farthest(region.free | region.pinned, region.empty) as i32;
        let mut most = known.map_or(path_dead_squares, |(_, most)| most).min(path_dead_squares);
        while least < most {
            let found = self.dead_squares_within(region, reached, least);
            if found <= least {
                most = found;
            } else if self.moves_left == 0 || region.is_large() {
                // The search may have stored a smaller upper bound before it gave up.
                most = most.min(self.known.get(region.key()).map_or(most, |(_, most)| most));
                break;
            } else {
                least += 1;
            }
        }
        (least, most)
    }

    /// Returns the number of dead squares of a connected region: those that its longest filling
    /// does not use. Returns a number above `limit` if there are more, or if the search gave up.
    fn dead_squares_within(&mut self, region: &PrivateRegion, reached: i32, limit: i32) -> i32 {
        if reached <= 1 {
            return 0;
        }
        let key = region.key();
        let (mut least, mut most) = self.known.get(key).unwrap_or((0, ABOVE_LIMIT));
        if least == most || least > limit {
            return least;
        }
        if self.moves_left == 0 {
            return ABOVE_LIMIT;
        }
        let base = self.stack.len();
        self.push_sorted_moves(region);
        self.moves_left = self.moves_left.saturating_sub((self.stack.len() - base) as u32);
        let mut best = ABOVE_LIMIT;
        for index in base..self.stack.len() {
            let (_, next) = self.stack[index];
            let after = next.reachable_squares();
            let dead_squares = reached - 1 - after;
            if dead_squares > limit || dead_squares >= best {
                continue;
            }
            let limit_after = limit.min(best - 1) - dead_squares;
            best = best.min(dead_squares + self.dead_squares_of_parts(&next, limit_after));
            if best <= least || self.moves_left == 0 {
                break;
            }
        }
        self.stack.truncate(base);
        if best < ABOVE_LIMIT {
            most = most.min(best);
        }
        if self.moves_left > 0 && !region.is_large() {
            // The search tried all moves. So the region has exactly `best` dead squares if `best`
            // is at most `limit`, and otherwise more than `limit`.
            least = least.max(best.min(limit + 1));
        }
        self.known.insert(key, (least, most));
        best
    }

    fn dead_squares_of_parts(&mut self, region: &PrivateRegion, limit: i32) -> i32 {
        let mut total = 0;
        for part in region.parts() {
            total += self.dead_squares_within(&part, part.reachable_squares(), limit - total);
            if total > limit {
                return ABOVE_LIMIT;
            }
        }
        total
    }

    /// Pushes the moves of a region in the order in which the search tries them. The first moves
    /// burn a square with few empty neighbours, and leave their amazon an empty neighbour.
    fn push_sorted_moves(&mut self, region: &PrivateRegion) {
        let base = self.stack.len();
        let stack = &mut self.stack;
        region.each_move(|fill, next| {
            let around = |square| (Bitboard::of(square).king_reach() & next.empty).count() as i32;
            let score = 2 * around(fill.arrow) + i32::from(around(fill.to) == 0) * 16;
            stack.push((score, next));
        });
        stack[base..].sort_by_key(|(score, _)| *score);
    }
}
