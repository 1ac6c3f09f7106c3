//! The networks, weights and opening books that are compiled into the library. The features
//! `boards-8` and `boards-10` include the files for boards up to 8x8 and for larger boards.

#[cfg(not(any(feature = "boards-8", feature = "boards-10")))]
compile_error!("quiver-engine has no network: expected the feature boards-8, boards-10 or both");

pub(crate) struct ShippedFiles {
    pub(crate) network: &'static [u8],
    pub(crate) weights: &'static str,
    /// The side length of the board for which the opening book was made, and the text of the book.
    pub(crate) book: (usize, &'static str),
}

pub(crate) const SHIPPED: &[ShippedFiles] = &[
    #[cfg(feature = "boards-8")]
    ShippedFiles {
        network: include_bytes!("policy/nets/8.net"),
        weights: include_str!("territory/weights/8.json"),
        book: (8, include_str!("players/books/8.txt")),
    },
    #[cfg(feature = "boards-10")]
    ShippedFiles {
        network: include_bytes!("policy/nets/10.net"),
        weights: include_str!("territory/weights/10.json"),
        book: (10, include_str!("players/books/10.txt")),
    },
];

pub(crate) fn index(large: bool) -> usize {
    usize::from(large).min(SHIPPED.len() - 1)
}
