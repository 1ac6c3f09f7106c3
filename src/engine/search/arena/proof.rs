/// The proven result of a move, for the side that chooses the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Proof {
    Unknown,
    Win,
    Loss,
}

impl From<u8> for Proof {
    #[inline]
    fn from(bits: u8) -> Proof {
        match bits & 3 {
            1 => Proof::Win,
            2 => Proof::Loss,
            _ => Proof::Unknown,
        }
    }
}

impl Proof {
    pub(crate) fn reversed(self) -> Proof {
        match self {
            Proof::Unknown => Proof::Unknown,
            Proof::Win => Proof::Loss,
            Proof::Loss => Proof::Win,
        }
    }

    #[inline]
    pub(crate) fn value(self) -> Option<f64> {
        match self {
            Proof::Unknown => None,
            Proof::Win => Some(1.0),
            Proof::Loss => Some(0.0),
        }
    }

    /// A node's proof for the side that acts: a win if an edge wins, a loss if all edges lose.
    pub(crate) fn of_node(edges: impl IntoIterator<Item = Proof>) -> Proof {
        let mut all_lost = true;
        for proof in edges {
            match proof {
                Proof::Win => return Proof::Win,
                Proof::Unknown => all_lost = false,
                Proof::Loss => {}
            }
        }
        if all_lost { Proof::Loss } else { Proof::Unknown }
    }
}
