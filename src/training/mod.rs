//! Training data from self-play, the evaluator's scores on labelled positions, and test positions.
//!
//! A `SelfPlayRecipe` has the settings of games and plays them; their
//! [`record`](crate::contest::record) can be continued after an interrupt. A [`Library`] reads
//! records, also those of matches, and returns the positions and half plies of their games with
//! labels. A `Measure` scores the evaluator on such labels. `features` writes the evaluator's input
//! as rows for a fitting program, and `Searches` makes rows by its own searches. A `BookRecipe`
//! makes opening books. [`positions`] scores players. The users are `quiver selfplay`, `quiver
//! evaluate`, `quiver features`, `quiver book`, `quiver suite` and `quiver bench`.

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

pub(crate) use book::{BYTES_PER_PLAYOUT, BookRecipe};
pub use library::{Library, Sample};
pub(crate) use measure::{Bin, Measure, Proofs, Scores, labelled};
pub(crate) use searches::Searches;
pub use selfplay::SelfPlayRecipe;
pub(crate) use selfplay::checksums;

use crate::contest::record::MATCH;
use crate::files::JournalKind;
use crate::search::EngineOptions;

/// The journal of self-play: a match record with its own messages.
static KIND: JournalKind = JournalKind {
    writer: "selfplay",
    records: "games",
    record: "a line of a match record",
    patience: Duration::ZERO,
    ..MATCH
};

/// The settings that a search depends on, besides its position and its limit.
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
