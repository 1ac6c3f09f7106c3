//! Filling: how many moves one side can make on squares that the other never reaches.
//!
//! Every move burns one square, so that a region is worth at most its reachable empty squares; what
//! falls short of that is waste, squares cut off from every amazon. The search asks for the least
//! waste, first none, then one, and so on: good fillings waste nothing and are found at once, and a
//! count is exact when no smaller waste is left to try. Dead ends and parity (two empty squares
//! beside one amazon are not always two moves) need no rules of their own.
//!
//! [`bounds`](super::bounds) asks for whole private regions and, with pinned amazons, for what lies
//! behind a wall.

use amazons::{Bitboard, Move, Side, Square, queen_reach};

use super::region::{Region, hash};
use super::table::NewestTable;

/// Squares to be filled by one side alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) empty: Bitboard,
    /// Amazons that move as they like within the room.
    pub(super) free: Bitboard,
    /// Amazons that hold a wall: each must burn the square it leaves, and is free from then on.
    pub(super) pinned: Bitboard,
}

/// Empty squares of a room up to which every move in it is looked at.
const LARGE: u32 = 20;

impl Room {
    /// The region of a side that alone has amazons there.
    #[inline]
    pub(super) fn owned(region: &Region, owner: Side) -> Room {
        Room { empty: region.empty, free: region.amazons[owner.index()], pinned: Bitboard::EMPTY }
    }

    /// The connected parts in which a move is left.
    #[inline]
    fn parts(&self) -> impl Iterator<Item = Room> {
        let Room { empty, free, pinned } = *self;
        let parts = Region { empty, amazons: [free, pinned] }.parts();
        parts.map(|Region { empty, amazons: [free, pinned] }| Room { empty, free, pinned })
    }

    /// The empty squares that an amazon can get to.
    #[inline]
    fn reached(&self) -> i32 {
        let from = self.free | self.pinned;
        if from.is_empty() || self.empty.is_empty() {
            return 0;
        }
        (from.flood(self.empty | self.free) & self.empty).count() as i32
    }

    /// True if not all moves are looked at.
    #[inline]
    fn is_large(&self) -> bool {
        self.empty.count() > LARGE
    }

    #[inline]
    fn key(&self) -> u64 {
        hash([self.pinned, self.free, self.empty], 0x1405_7b7e_f767_814f)
    }

    /// Every move with the room after it; in a room of many squares only those of a king that
    /// shoots beside itself: a good filling needs no others, and there are ten times as many.
    #[inline]
    fn each_move(&self, mut visit: impl FnMut(Move, Room)) {
        let (near, Room { free, pinned, .. }) = (self.is_large(), *self);
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
                    visit(Move { from, to, arrow }, Room { empty, free, pinned });
                }
            }
        }
        for from in pinned {
            let pinned = pinned - Bitboard::of(from);
            for to in reach(from, self.empty) {
                let (empty, free) = (self.empty - Bitboard::of(to), free.with(to));
                visit(Move { from, to, arrow: from }, Room { empty, free, pinned });
            }
        }
    }
}

/// The king's steps from `from` to the farthest square of `through` over them: one amazon
/// can burn the square it leaves as often.
#[inline]
fn walk(from: Bitboard, through: Bitboard) -> u32 {
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
pub(super) struct Filler {
    /// The bounds of the waste of connected rooms.
    known: NewestTable<(i32, i32)>,
    /// Moves to be tried, of all rooms on the way down: how promising, and the room after the move.
    stack: Vec<(i32, Room)>,
    /// Moves that may still be looked at before the search gives up.
    left: u32,
}

/// A waste that no room has.
const HOPELESS: i32 = 255;

impl Filler {
    /// A filler that remembers `slots` rooms, rounded up to a power of two; 16 bytes each.
    pub(super) fn new(slots: usize) -> Filler {
        Filler { known: NewestTable::new(slots), stack: Vec::new(), left: 0 }
    }

    /// The least and the most moves that a room is worth, found by looking at some `budget` moves in
    /// each of its parts; equal if the count is exact.
    pub(super) fn count(&mut self, room: &Room, budget: u32) -> (i32, i32) {
        let mut count = (0, 0);
        for part in room.parts() {
            let most = part.reached();
            if most == 0 {
                continue;
            }
            let (least_defect, most_defect) = self.defect(&part, most, budget);
            count = (count.0 + most - most_defect, count.1 + most - least_defect);
        }
        count
    }

    /// A move that begins a best filling, as far as `budget` moves reach for each way to begin;
    /// `None` if there is no move. The first is looked at in any case, the others until it is
    /// `late`.
    ///
    /// Moves that keep the exact count come first, then those that keep the most certain moves.
    pub(super) fn best_move(&mut self, room: &Room, budget: u32, late: &dyn Fn() -> bool) -> Option<Move> {
        let mut best: Option<((i32, i32), Move)> = None;
        let mut moves = Vec::new();
        room.each_move(|fill, next| moves.push((fill, next)));
        let (_, most) = self.count(room, budget);
        for (fill, next) in moves {
            let count = self.count(&next, budget);
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

    /// Bounds of the waste of a connected room that `reached` squares can be got to in: tries none,
    /// then one, and so on.
    fn defect(&mut self, room: &Room, reached: i32, budget: u32) -> (i32, i32) {
        if reached <= 1 {
            return (0, 0);
        }
        let known = self.known.get(room.key());
        if let Some((least, most)) = known.filter(|(least, most)| least == most) {
            return (least, most);
        }
        self.left = budget;
        let mut least = known.map_or(0, |(least, _)| least);
        // Whatever the budget, one amazon can walk away.
        let walked = reached - walk(room.free | room.pinned, room.empty) as i32;
        let mut most = known.map_or(walked, |(_, most)| most).min(walked);
        while least < most {
            let found = self.search(room, reached, least);
            if found <= least {
                most = found;
            } else if self.left == 0 || room.is_large() {
                // What was found on the way is a filling all the same.
                most = most.min(self.known.get(room.key()).map_or(most, |(_, most)| most));
                break;
            } else {
                least += 1;
            }
        }
        (least, most)
    }

    /// The least waste of a connected room if it is at most `limit`; otherwise, or if the search
    /// was given up, more than `limit`.
    fn search(&mut self, room: &Room, reached: i32, limit: i32) -> i32 {
        if reached <= 1 {
            return 0;
        }
        let key = room.key();
        let (mut least, mut most) = self.known.get(key).unwrap_or((0, HOPELESS));
        if least == most || least > limit {
            return least;
        }
        if self.left == 0 {
            return HOPELESS;
        }
        let base = self.stack.len();
        self.expand(room);
        self.left = self.left.saturating_sub((self.stack.len() - base) as u32);
        let mut best = HOPELESS;
        for index in base..self.stack.len() {
            let (_, next) = self.stack[index];
            let after = next.reached();
            let defect = reached - 1 - after;
            if defect > limit || defect >= best {
                continue;
            }
            best = best.min(defect + self.search_parts(&next, limit.min(best - 1) - defect));
            if best <= least || self.left == 0 {
                break;
            }
        }
        self.stack.truncate(base);
        if best < HOPELESS {
            most = most.min(best);
        }
        if self.left > 0 && !room.is_large() {
            // Everything was tried: the waste is what was found, or more than was allowed.
            least = least.max(best.min(limit + 1));
        }
        self.known.keep(key, (least, most));
        best
    }

    /// The waste of a room that may be in parts; more than `limit` if it exceeds that.
    fn search_parts(&mut self, room: &Room, limit: i32) -> i32 {
        let mut total = 0;
        for part in room.parts() {
            total += self.search(&part, part.reached(), limit - total);
            if total > limit {
                return HOPELESS;
            }
        }
        total
    }

    /// Puts the moves of a room on the stack, the most promising first: those that burn dead ends,
    /// and of these the ones that leave the amazon room.
    fn expand(&mut self, room: &Room) {
        let base = self.stack.len();
        let stack = &mut self.stack;
        room.each_move(|fill, next| {
            let around = |square| (Bitboard::of(square).king_reach() & next.empty).count() as i32;
            let score = 2 * around(fill.arrow) + i32::from(around(fill.to) == 0) * 16;
            stack.push((score, next));
        });
        stack[base..].sort_by_key(|(score, _)| *score);
    }
}
