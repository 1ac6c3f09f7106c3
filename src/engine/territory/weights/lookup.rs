//! The worth of single amazons and of the tempo, looked up by what was counted.

use crate::territory::terms::{TermGroup, Terms};

/// The worth of single amazons and of the tempo at the four knots around a phase: the lower and
/// upper knot of the contest, then of the empty squares.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Lookup {
    /// For positions, then for half plies.
    tempo: [[i32; 4]; 2],
    /// By the number of squares near an amazon.
    near: [[i32; 4]; 32],
    /// By the number of squares within three steps.
    far: [[i32; 4]; 64],
}

impl Lookup {
    /// The table for four rows of a weight file.
    pub(super) fn new(rows: [&[i16]; 4]) -> Lookup {
        let at = |column: usize| rows.map(|row| i32::from(row[column]));
        let [still, shooting] = [TermGroup::Tempo.first(), TermGroup::Tempo.first() + 1].map(at);
        Lookup {
            tempo: [still, std::array::from_fn(|row| still[row] + shooting[row])],
            near: std::array::from_fn(|squares| at(Terms::near(squares))),
            far: std::array::from_fn(|squares| at(Terms::far(squares))),
        }
    }

    /// The worth of the tempo and of the amazons that
    /// [`Counts::freedom`](crate::territory::counts::Counts::freedom) counts. `more_amazons` is the
    /// mover's number of amazons less the opponent's.
    #[inline(always)]
    pub(super) fn sums(&self, half: bool, freedom: [i16; 16], more_amazons: i32) -> [i32; 4] {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = freedom;
        let own = self.amazons([a, b, c, d, e, f, g, h]);
        let other = self.amazons([i, j, k, l, m, n, o, p]);
        let sums = plus(self.tempo[usize::from(half)], minus(own, other));
        if more_amazons == 0 {
            return sums;
        }
        // Places without an amazon count no squares: those that only one side has are taken back.
        plus(sums, plus(self.near[0], self.far[0]).map(|worth| more_amazons * worth))
    }

    /// The worth of the amazons of one side.
    #[inline(always)]
    fn amazons(&self, [a, b, c, d, e, f, g, h]: [i16; 8]) -> [i32; 4] {
        let first = plus(plus(self.near(a), self.near(b)), plus(self.far(c), self.far(d)));
        plus(first, plus(plus(self.near(e), self.near(f)), plus(self.far(g), self.far(h))))
    }

    #[inline(always)]
    fn near(&self, squares: i16) -> [i32; 4] {
        self.near[squares as usize & 31]
    }

    #[inline(always)]
    fn far(&self, squares: i16) -> [i32; 4] {
        self.far[squares as usize & 63]
    }
}

#[inline(always)]
pub(super) fn plus([a, b, c, d]: [i32; 4], [e, f, g, h]: [i32; 4]) -> [i32; 4] {
    [a + e, b + f, c + g, d + h]
}

#[inline(always)]
fn minus([a, b, c, d]: [i32; 4], [e, f, g, h]: [i32; 4]) -> [i32; 4] {
    [a - e, b - f, c - g, d - h]
}
