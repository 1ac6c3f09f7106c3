//! The networks, weights and books in the library: for boards up to 8x8, and for larger boards,
//! by the features `boards-8` and `boards-10`.

#[cfg(not(any(feature = "boards-8", feature = "boards-10")))]
compile_error!("quiver-engine has no network: expected the feature boards-8, boards-10 or both");

pub(crate) struct Shipped {
    pub(crate) network: &'static [u8],
    pub(crate) weights: &'static str,
    /// The side of a board, and its opening book.
    pub(crate) book: (usize, &'static str),
}

/// The files for boards up to 8x8, then those for larger boards, unless left out.
pub(crate) const SHIPPED: &[Shipped] = &[
    #[cfg(feature = "boards-8")]
    Shipped {
        network: include_bytes!("policy/nets/8.net"),
        weights: include_str!("territory/weights/8.json"),
        book: (8, include_str!("players/books/8.txt")),
    },
    #[cfg(feature = "boards-10")]
    Shipped {
        network: include_bytes!("policy/nets/10.net"),
        weights: include_str!("territory/weights/10.json"),
        book: (10, include_str!("players/books/10.txt")),
    },
];

pub(crate) fn place(large: bool) -> usize {
    usize::from(large).min(SHIPPED.len() - 1)
}
