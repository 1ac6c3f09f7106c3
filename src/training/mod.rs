//! Self-play games as training data, the evaluator measured on labelled positions, and test positions.
//!
//! A `SelfPlayRecipe` says how games are played and plays them; their [`record`](crate::contest::record)
//! goes on where it was cut short. A [`Library`] reads records, of matches as well, and gives the
//! positions and half plies of their games with labels. A `Measure` says how well the evaluator
//! predicts such labels; `features` writes what the evaluator sees as rows that a fitting program
//! reads, and `Searches` makes rows by searches of its own. A `BookRecipe` makes opening books.
//! [`positions`] scores players. Users above: `quiver selfplay`, `quiver evaluate`, `quiver features`,
//! `quiver book`, `quiver suite` and `quiver bench`.

mod book;
pub(crate) mod features;
mod library;
mod measure;
pub(crate) mod policy_rows;
pub(crate) mod positions;
mod searches;
mod selfplay;

use std::collections::BTreeMap;
use std::time::Duration;

use amazons::Size;
use serde_json::{Value, json};

pub(crate) use book::{BYTES_A_PLAYOUT, BookRecipe};
pub use library::{Library, Sample};
pub(crate) use measure::{Bin, Measure, Proofs, Scores, labelled};
pub(crate) use searches::Searches;
pub use selfplay::SelfPlayRecipe;
pub(crate) use selfplay::checksums;

use crate::contest::record::MATCH;
use crate::files::JournalKind;
use crate::search::EngineOptions;

/// The journal of self-play: a match record, in words of its own.
static KIND: JournalKind = JournalKind {
    writer: "selfplay",
    records: "games",
    record: "a line of a match record",
    patience: Duration::ZERO,
    ..MATCH
};

/// All that a search of an engine depends on, beside its position and its limit.
fn settings(engine: &EngineOptions, size: Size) -> Value {
    let [network, weights] = checksums(engine, size);
    json!({
        "seed": engine.seed,
        "memory": engine.memory,
        "threads": engine.threads,
        "parameters": engine.values(size).collect::<BTreeMap<_, _>>(),
        "version": env!("CARGO_PKG_VERSION"),
        "network": network,
        "weights": weights,
    })
}
