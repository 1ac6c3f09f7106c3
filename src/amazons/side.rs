//! The two players, in the order of their turns.

use core::fmt;
use core::ops::Not;

/// The largest number of amazons that a side can have.
pub const MAX_AMAZONS: usize = 4;

/// A player, named by the order of turns. The colour of a player depends on the notation: the first
/// player is black in SGF, and white in FEN and in the literature.
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
    /// The player who moves first from a start position.
    First = 0,
    /// The player who moves second from a start position.
    Second = 1,
}

impl Side {
    /// Both players, the first player first.
    pub const BOTH: [Side; 2] = [Side::First, Side::Second];

    /// The index of the player in arrays of two: 0 for the first player, 1 for the second.
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
