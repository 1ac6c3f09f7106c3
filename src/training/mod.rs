//! Plays training games, writes their positions for training programs, makes opening books, and
//! scores the evaluator and players on known positions.

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
pub(crate) use measure::{Bin, BinnedScores, ProofCounts, Scores, parse_labelled_position};
pub(crate) use searches::Searches;
pub use selfplay::SelfPlayRecipe;
pub(crate) use selfplay::checksums;

use crate::contest::record::MATCH;
use crate::files::JournalKind;
use crate::search::EngineOptions;

static SELFPLAY_JOURNAL: JournalKind = JournalKind {
    writer: "selfplay",
    records: "games",
    record: "a line of a match record",
    patience: Duration::ZERO,
    ..MATCH
};

/// The settings on which a search's result depends, except the position and the limit.
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
