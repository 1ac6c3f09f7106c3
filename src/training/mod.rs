//! Self-play games as training data, and the evaluator measured on labelled positions.
//!
//! A `SelfPlayRecipe` says how games are played and plays them; each becomes a record of a
//! [`GamesFile`], a `Folder` of which goes on where it was cut short. A [`Library`] reads folders
//! back; [`samples`] gives a game's positions and half plies with their labels. A `Measure` says
//! how well the evaluator predicts such labels; `features` writes what the evaluator sees as rows
//! that a fitting program reads, and `Searches` makes rows by searches of its own. A `BookRecipe`
//! makes opening books. Users above: `quiver selfplay`, `quiver evaluate`, `quiver features`,
//! `quiver book` and `quiver bench`, and the suites of openings in `contest`.

mod book;
pub(crate) mod features;
mod file;
mod folder;
mod game;
mod measure;
pub(crate) mod policy_rows;
mod sample;
mod searches;
mod selfplay;

use std::collections::BTreeMap;

use serde_json::{Value, json};

pub(crate) use book::{BYTES_A_PLAYOUT, BookRecipe, likeness};
pub use file::GamesFile;
pub(crate) use file::file_of;
pub(crate) use folder::Folder;
pub use folder::Library;
pub use game::PlyKind;
pub(crate) use measure::{Measure, Proofs, Scores, labelled};
pub use sample::samples;
pub(crate) use searches::Searches;
pub(crate) use selfplay::{SelfPlayRecipe, checksums};

use crate::game::Size;
use crate::search::EngineOptions;

/// All that a search of an engine depends on, beside its position and its limit.
fn settings(engine: &EngineOptions, size: Size) -> Value {
    let [network, weights] = checksums(engine, size);
    json!({
        "seed": engine.seed,
        "memory": engine.memory,
        "threads": engine.threads,
        "parameters": engine.parameters.on(size).values().collect::<BTreeMap<_, _>>(),
        "version": env!("CARGO_PKG_VERSION"),
        "network": network,
        "weights": weights,
    })
}
