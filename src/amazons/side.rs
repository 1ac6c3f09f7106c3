//! The two players, by turn order.

use core::fmt;
use core::ops::Not;

/// The largest number of amazons of a side.
pub const MAX_AMAZONS: usize = 4;

/// A player, by turn order. Colours depend on the notation: the first player is black in SGF, and
/// white in FEN and in the literature.
///
/// ```
/// use amazons::Side;
///
/// assert_eq!(!Side::First, Side::Second);
/// assert_eq!((Side::First.index(), Side::Second.to_string()), (0, "second".to_owned()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[repr(u8)]
pub enum Side {
    /// Moves first from a start position.
    First = 0,
    /// Moves second from a start position.
    Second = 1,
}

impl Side {
    /// Both sides, first player first.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// 0 for the first player, 1 for the second: an index into pairs.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Not for Side {
    type Output = Side;

    #[inline]
    fn not(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::First => "first",
            Side::Second => "second",
        })
    }
}
