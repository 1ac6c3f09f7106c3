//! Self-play games as training data, and the evaluator measured on labelled positions.
//!
//! A `SelfPlayRecipe` says how games are played and plays them; each becomes a record of a
//! [`GamesFile`], a `Folder` of which goes on where it was cut short. A [`Library`] reads folders
//! back; [`samples`] gives a game's positions and half plies with their labels. A `Measure` says
//! how well the evaluator predicts such labels; `features` writes what the evaluator sees as rows
//! that a fitting program reads. A `BookRecipe` makes opening books. Users above: `quiver selfplay`,
//! `quiver evaluate`, `quiver features` and `quiver book`.

mod book;
pub(crate) mod features;
mod file;
mod folder;
mod game;
mod measure;
pub(crate) mod policy_rows;
mod sample;
mod selfplay;

pub(crate) use book::{BYTES_A_PLAYOUT, BookRecipe, likeness};
pub use file::GamesFile;
pub(crate) use file::file_of;
pub(crate) use folder::Folder;
pub use folder::Library;
pub use game::PlyKind;
pub(crate) use measure::{Measure, Proofs, Scores, labelled};
pub use sample::samples;
pub(crate) use selfplay::{SelfPlayRecipe, checksums};
