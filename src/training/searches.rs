//! Makes training rows for the policy network by searches of positions drawn from search trees.
//!
//! In play the network evaluates nodes of a search tree, and most of them never occur in good
//! games. Therefore a short search of each position of a game builds a tree, from which a position
//! is drawn. A longer search of the drawn position builds a second tree, whose nodes with many
//! visits become rows.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use amazons::Position;
use amazons::hash::mix;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::features::write_rows;
use super::library::Library;
use super::policy_rows::{self, row};
use super::selfplay::shares;
use super::settings;
use crate::files::{Journal, JournalError, JournalKind, Replacement};
use crate::jobs;
use crate::policy::planes::Planes;
use crate::search::{Engine, EngineOptions, Limits, StopHandle};

static SEARCH_JOURNAL: JournalKind = JournalKind {
    key: "searches",
    record_key: "game",
    writer: "features --policy",
    records: "searches",
    record: "a line of a search",
    ..super::SELFPLAY_JOURNAL
};

/// The playouts of the longer search divided by the playouts of the short search. A node of the
/// longer search becomes a row if it has at least as many visits as the short search has playouts.
const SHORT_SEARCH_DIVISOR: u64 = 8;

const MAX_ROWS_PER_SEARCH: usize = 128;

/// Identifies a position: the number of its game, and the number of plies before it.
type GamePly = (u32, u16);

#[derive(Serialize, Deserialize)]
struct SearchLine {
    game: u32,
    ply: u16,
    rows: Vec<u8>,
}

/// Searches the positions of a library's games. The file `journal` stores the resulting rows.
pub(crate) struct Searches<'a> {
    playouts: u64,
    engine: EngineOptions,
    settings: Value,
    library: &'a Library,
    journal: Journal,
    done: BTreeMap<GamePly, Vec<u8>>,
    /// The positions to search: those whose search during the game did not prove the winner.
    positions: Vec<(GamePly, Position)>,
}

impl<'a> Searches<'a> {
    /// Continues the searches that the file `journal` stores, or begins a new file. An earlier run
    /// may have written the journal for only the first record files of this library.
    pub(crate) fn resume(
        playouts: u64,
        engine: EngineOptions,
        library: &'a Library,
        journal: &Path,
    ) -> Result<Searches<'a>, JournalError> {
        let mut settings = settings(&engine, library.size());
        settings["playouts"] = playouts.into();
        let mut header = json!({"searches": settings});
        header["searches"]["games"] = library.provenance().into();
        let mut done = BTreeMap::new();
        let mut journal = Journal::resume(&SEARCH_JOURNAL, journal, &header, |line| {
            let line = serde_json::from_str(line).map_err(|error| error.to_string())?;
            let SearchLine { game, ply, rows } = line;
            done.insert((game, ply), rows);
            Ok(())
        })?;
        journal.ensure_header()?;
        let searched = library.games().flat_map(|(number, game)| {
            let plies = (0..).zip(game.plies()).zip(game.positions().iter().copied());
            let open = plies.filter(|((_, it), _)| it.facts.value.is_some() && !it.facts.proven);
            open.map(move |((ply, _), position)| ((number, ply), position))
        });
        let positions = searched.collect();
        Ok(Searches { playouts, engine, settings, library, journal, done, positions })
    }

    /// The number of all searches, and the number of finished searches.
    pub(crate) fn total_and_done(&self) -> [usize; 2] {
        [self.positions.len(), self.done.len()]
    }

    pub(crate) fn run(
        &mut self,
        concurrency: usize,
        interrupt: &StopHandle,
        tell: impl Fn(),
    ) -> Result<(), JournalError> {
        let Searches { playouts, engine, journal, done, positions, .. } = self;
        let left: Vec<_> = positions.iter().filter(|(place, _)| !done.contains_key(place)).collect();
        let work = |(place, position): &&(GamePly, Position)| {
            Some((*place, drawn_node_rows(engine, *playouts, *place, position)))
        };
        let take = |(place, rows): (GamePly, Vec<u8>)| {
            let line = SearchLine { game: place.0, ply: place.1, rows };
            journal.append(&serde_json::to_string(&line).expect("numbers serialise"))?;
            done.insert(place, line.rows);
            tell();
            Ok(())
        };
        jobs::run(concurrency, interrupt, &left, work, take)
    }

    /// Writes the rows of all searches in the order of the games. Returns the number of rows.
    pub(crate) fn write(&self, mut about: Value, file: Replacement) -> io::Result<usize> {
        let bytes: usize = self.done.values().map(Vec::len).sum();
        let count = bytes / policy_rows::row_bytes(self.library.size().width().into());
        about["searches"] = self.settings.clone();
        write_rows(file, self.library, policy_rows::HEADER_KEY, about, count, self.done.values())
    }
}

/// Runs a short search of a game's position, and a longer search of a position drawn from its tree.
/// Returns the longer search's rows: none if a search proves the winner or no position is drawn.
fn drawn_node_rows(engine: &EngineOptions, playouts: u64, place: GamePly, position: &Position) -> Vec<u8> {
    let seed = mix(&[engine.seed, place.0.into(), place.1.into()]);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut engine = Engine::new(&EngineOptions { seed, ..engine.clone() }, position);
    let is_open = |engine: &mut Engine, playouts| {
        engine.search(&Limits::playouts(playouts)).is_some_and(|report| !report.proven)
    };
    let short = playouts.div_ceil(SHORT_SEARCH_DIVISOR);
    let drawn = is_open(&mut engine, short).then(|| engine.draw_position(&mut rng)).flatten();
    let Some(drawn) = drawn else { return Vec::new() };
    engine.set_position(&drawn);
    if !is_open(&mut engine, playouts) {
        return Vec::new();
    }
    let mut planes = Planes::default();
    let found = engine
        .policy_examples(u32::try_from(short).unwrap_or(u32::MAX))
        .into_iter()
        .take(MAX_ROWS_PER_SEARCH);
    found.flat_map(|it| row(&mut planes, &it.state, place, it.value, &shares(&it.visits))).collect()
}
