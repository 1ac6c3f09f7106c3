//! Self-play games as training data, and the evaluator measured on labelled positions.
//!
//! A [`SelfPlayRecipe`] says how games are played and plays them; each [`TrainingGame`] becomes a
//! record of a [`GamesFile`], a [`Folder`] of which goes on where it was cut short. A [`Library`]
//! reads folders back and gives the [`Sample`]s of every game: its positions and half plies with
//! their labels. A [`Measure`] says how well the evaluator predicts such labels; [`features`]
//! writes what the evaluator sees as rows that a fitting program reads. Users above: `quiver
//! selfplay`, `quiver evaluate` and `quiver features`.

pub mod conversion;
pub mod features;
mod file;
mod folder;
mod game;
mod labelled;
mod library;
mod measure;
pub mod policy_rows;
mod sample;
mod selfplay;

pub use file::GamesFile;
pub use folder::Folder;
pub use game::{PlyKind, TrainingGame, TrainingPly};
pub use labelled::Labelled;
pub use library::{Library, LibraryError};
pub use measure::{Measure, Scores};
pub use sample::Sample;
pub use selfplay::SelfPlayRecipe;
