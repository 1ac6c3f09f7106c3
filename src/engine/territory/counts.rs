//! The counts of the evaluator: floods from the amazons of both sides, and the sizes of their
//! intersections.

use super::pair::{Lanes, Pair, Slots};
use super::view::View;
use crate::game::{MAX_AMAZONS, Square};

/// Distance classes of a square by queen moves: 1, 2, 3, 4 and more, out of reach.
const CLASSES: usize = 5;

/// The board as a kernel holds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<P: Pair> {
    /// The squares that may be entered.
    pub(super) empty: P,
    pub(super) amazons: P,
    /// The neighbours of every amazon.
    pub(super) surroundings: P::Surroundings,
    /// [`View::waste`] in its lane of [`Counts::queens`], and 0 in the others.
    pub(super) waste: P::Lanes,
}

/// The counts of a position or half ply, as lanes of registers. [`COUNTED`](super::terms::COUNTED)
/// names the lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts<P: Pair> {
    /// By queen distance.
    pub(super) queens: P::Lanes,
    /// By king distance.
    pub(super) kings: P::Lanes,
    /// As [`Pair::freedom`] says. An amazon that a side does not have counts 0.
    pub(super) freedom: P::Lanes,
    /// [`Terms::contest`](super::Terms::contest).
    pub(super) contest: i16,
    /// Whether the mover reaches no square.
    pub(super) stuck: bool,
}

/// Each amazon in a place of its own.
#[inline(always)]
pub(super) fn slots(amazons: &[Square]) -> Slots {
    let mut slots = [None; MAX_AMAZONS];
    for (slot, &square) in slots.iter_mut().zip(amazons) {
        *slot = Some(square);
    }
    slots
}

/// What every square of a queens' lane adds to the contest of its side, in sixteenths. Ties count
/// for both sides, half each.
const CONTEST: [i16; 16] = [8, 4, 2, 0, 8, 4, 0, 8, 0, 0, 8, 8, 8, 8, 8, 0];

/// All bits of the lanes that are one side's less the other's. The other lanes are the same for
/// both sides.
const QUEEN_DIFFERENCES: [i16; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0];
const KING_DIFFERENCES: [i16; 16] = [-1, -1, -1, -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1];

impl<P: Pair> Scene<P> {
    /// The scene of a view.
    #[inline(always)]
    pub(super) fn new(cpu: P::CpuFeatures, view: &View<'_>) -> Scene<P> {
        let [own, other] = [slots(view.amazons[0]), slots(view.amazons[1])];
        Scene {
            empty: P::same(cpu, view.empty),
            amazons: P::of(cpu, view.amazons),
            surroundings: P::surroundings(cpu, [&own, &other]),
            waste: waste::<P>(cpu, view.waste),
        }
    }

    /// Floods the board and counts.
    // No closures and no `map` over pairs here and below: they would not be compiled for the
    // kernel.
    #[inline(always)]
    pub(super) fn count(&self) -> Counts<P> {
        let (cpu, empty) = (self.empty.cpu(), self.empty);
        let queens = Queens::flood(self.amazons, empty);
        let kings = Kings::flood(self.amazons, queens.reached);
        let freedom = P::freedom(self.surroundings, empty, queens.reached.exchanged());

        let [a1, a2, a3, a4, an] = queens.classes;
        let [b1, b2, b3] = [a1.exchanged(), a2.exchanged(), a3.exchanged()];
        let [b4, bn] = [a4.exchanged(), an.exchanged()];
        let [d12, d13, d14, d1n] = [a1 & b2, a1 & b3, a1 & b4, a1 & bn];
        let [d23, d24, d2n, d34] = [a2 & b3, a2 & b4, a2 & bn, a3 & b4];
        let [d3n, d4n, d44] = [a3 & bn, a4 & bn, queens.nearer_far];
        let [tie1, tie2, tie3] = [a1 & b1, a2 & b2, a3 & b3];
        let tie4 = (a4 & b4) - d44 - d44.exchanged();
        let nothing = P::nothing(cpu);
        let [own, other] = P::tally([
            d12, d13, d14, d1n, d23, d24, d2n, d34, d3n, d4n, d44, tie1, tie2, tie3, tie4, nothing,
        ]);
        let contest = (own + other).weighted_sum(&CONTEST) as i16;
        let by_queen = own - (other & P::Lanes::new(cpu, &QUEEN_DIFFERENCES));

        // Nearer by one queen move and by more.
        let one = d12 | d23 | d34 | d44;
        let more = (d13 | d14 | d1n | d24) | (d2n | d3n | d4n);
        let [k1, k2, k3, k4, k5, k6] = kings.sooner;
        let further = ((k2 | k3) | (k4 | k5)) | (k6 | kings.only);
        let later = k1.exchanged();
        let [own, other] = P::tally([
            k1,
            k2,
            k3,
            k4,
            k5,
            k6,
            kings.only,
            kings.tied,
            more & further,
            more & k1,
            more & kings.tied,
            more & later,
            one & further,
            one & k1,
            one & kings.tied,
            one & later,
        ]);
        let by_king = own - (other & P::Lanes::new(cpu, &KING_DIFFERENCES));

        // An amazon that can move at all reaches some square in one move.
        let stuck = a1.is_empty_for_mover();
        Counts { queens: by_queen | self.waste, kings: by_king, freedom, contest, stuck }
    }
}

/// The waste in its lane.
#[inline(always)]
pub(super) fn waste<P: Pair>(cpu: P::CpuFeatures, waste: i16) -> P::Lanes {
    let mut lanes = [0; 16];
    lanes[15] = waste;
    P::Lanes::new(cpu, &lanes)
}

/// Queen distances by class.
struct Queens<P> {
    classes: [P; CLASSES],
    /// Of the squares at distance 4 and more from both sides, those that each is nearer to.
    nearer_far: P,
    reached: P,
}

impl<P: Pair> Queens<P> {
    #[inline(always)]
    fn flood(amazons: P, empty: P) -> Queens<P> {
        let lines = empty.lines();
        let nothing = P::nothing(empty.cpu());
        let one = amazons.queen_step(&lines) & empty;
        let two = (one.queen_step(&lines) & empty) - one;
        let mut seen = one | two;
        let mut rest = empty - seen;
        if rest.is_empty() {
            let classes = [one, two, nothing, nothing, nothing];
            return Queens { classes, nearer_far: nothing, reached: seen };
        }
        let three = two.queen_step(&lines) & rest;
        seen = seen | three;
        rest = rest - three;
        // What is out of reach of queens is out of reach of kings, whose floods are cheaper.
        let mut reached = seen;
        loop {
            let further = reached | (reached.king_step() & rest);
            if further == reached {
                break;
            }
            reached = further;
        }
        let four = reached - seen;
        // Beyond the third level only squares that are far from both sides are worth telling apart.
        let open = four & four.exchanged();
        let mut nearer_far = nothing;
        let mut frontier = three;
        let mut undecided = open;
        while !undecided.is_empty() {
            frontier = (frontier.queen_step(&lines) & empty) - seen;
            seen = seen | frontier;
            let new = frontier & undecided;
            nearer_far = nearer_far | (new - new.exchanged());
            undecided = undecided - new - new.exchanged();
        }
        Queens { classes: [one, two, three, four, rest - four], nearer_far, reached }
    }
}

/// King distances by their difference.
struct Kings<P> {
    /// Squares that both sides reach, and each 1, 2, 3, 4, 5, 6 or more steps sooner.
    sooner: [P; 6],
    /// Squares that both reach at once.
    tied: P,
    /// Squares that each alone reaches.
    only: P,
}

impl<P: Pair> Kings<P> {
    /// Distances are held as binary numbers, a digit a plane, and subtracted as such; from 15 on
    /// they count as 15.
    #[inline(always)]
    fn flood(amazons: P, reached: P) -> Kings<P> {
        let nothing = P::nothing(reached.cpu());
        let mut planes = [nothing; 4];
        let mut rest = reached;
        let mut frontier = amazons;
        for distance in 1..=15 {
            if rest.is_empty() {
                break;
            }
            frontier = frontier.king_step() & rest;
            // The fifteenth step takes all that is left.
            let here = if distance < 15 { frontier } else { rest };
            rest = rest - frontier;
            for (digit, plane) in planes.iter_mut().enumerate() {
                if distance >> digit & 1 != 0 {
                    *plane = *plane | here;
                }
            }
        }
        // The other side's distance less one's own.
        let mut borrow = nothing;
        let both = reached & reached.exchanged();
        for plane in &mut planes {
            let (own, other) = (*plane, plane.exchanged());
            *plane = (own ^ other ^ borrow) & both;
            borrow = (own & borrow) | ((own | borrow) - other);
        }
        let [ones, twos, fours, eights] = planes;
        let any = ones | twos | fours | eights;
        let sooner = any - borrow;
        let six = eights | (fours & twos);
        let low = sooner - six;
        let [small, four] = [low - fours, low & fours];
        let sooner = [
            (small & ones) - twos,
            (small & twos) - ones,
            small & twos & ones,
            four - ones,
            four & ones,
            sooner & six,
        ];
        Kings { sooner, tied: both - any, only: reached - reached.exchanged() }
    }
}
