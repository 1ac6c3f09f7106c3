//! Rows for the policy network from searches of positions that are drawn from the trees of others.
//!
//! The search asks the network about the nodes of its tree, most of which no good game reaches. So a
//! short search of each position of a game makes a tree, and a position drawn from it is searched
//! for longer. Every node of that tree with many visits makes a row.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::features::write_header;
use super::library::Library;
use super::policy_rows::{self, row};
use super::sample::short;
use super::selfplay::shares;
use super::settings;
use crate::files::{Journal, JournalError, JournalKind, Replacement};
use crate::game::Position;
use crate::game::random::mix;
use crate::jobs;
use crate::policy::planes::Planes;
use crate::search::{Engine, EngineOptions, Limits, StopHandle};

static KIND: JournalKind = JournalKind {
    key: "searches",
    record_key: "game",
    headless: false,
    writer: "features --policy",
    records: "searches",
    record: "a line of a search",
    remedy: "it to end first, or another --out",
    patience: Duration::ZERO,
};

/// The playouts of a search over those of the short search before it, and over the visits that a node
/// needs to make a row.
const PART: u64 = 8;

/// The most rows of a search.
const MOST_ROWS: usize = 128;

/// The number of a game, and the plies before a position of it.
type Place = (u32, u16);

/// A search: a line of the journal.
#[derive(Serialize, Deserialize)]
struct SearchLine {
    game: u32,
    ply: u16,
    /// Its rows, as base64.
    rows: String,
}

/// How the positions of games are searched.
#[derive(Clone, Debug)]
pub(crate) struct Searches {
    /// Playouts of the search of a drawn position.
    pub playouts: u64,
    pub engine: EngineOptions,
}

/// Searches of the games of a library, and their journal.
pub(crate) struct SearchRun<'a> {
    searches: Searches,
    /// All that the searches depend on but the games.
    settings: Value,
    library: &'a Library,
    journal: Journal,
    /// The rows of each search that was made.
    done: BTreeMap<Place, Vec<u8>>,
    /// All positions to begin with: those that the games' own searches did not prove.
    positions: Vec<(Place, Position)>,
}

impl Searches {
    /// Goes on from a journal of these searches, of as many files of games or fewer, or begins one.
    pub(crate) fn resume<'a>(
        self,
        library: &'a Library,
        journal: &Path,
    ) -> Result<SearchRun<'a>, JournalError> {
        let mut settings = settings(&self.engine, library.size());
        settings["playouts"] = self.playouts.into();
        let mut header = json!({"searches": settings});
        header["searches"]["games"] = library.provenance().into();
        let mut done = BTreeMap::new();
        let mut journal = Journal::resume(&KIND, journal, &header, |line| {
            let line = serde_json::from_str(line).map_err(|error| error.to_string())?;
            let SearchLine { game, ply, rows } = line;
            done.insert((game, ply), STANDARD.decode(rows).map_err(|error| error.to_string())?);
            Ok(())
        })?;
        journal.begin()?;
        let searched = library.games().flat_map(|(number, game)| {
            let plies = (0..).zip(game.plies()).zip(game.positions());
            let open = plies.filter(|((_, it), _)| it.facts.value.is_some() && !it.facts.proven);
            open.map(move |((ply, _), position)| ((number, ply), position))
        });
        let positions = searched.collect();
        Ok(SearchRun { searches: self, settings, library, journal, done, positions })
    }

    /// The rows of the search that begins with this position.
    fn rows(&self, place: Place, position: &Position) -> Vec<u8> {
        let seed = mix(&[self.engine.seed, place.0.into(), place.1.into()]);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut engine = Engine::new(&EngineOptions { seed, ..self.engine.clone() }, position);
        let is_open = |engine: &mut Engine, playouts| {
            engine.search(&Limits::playouts(playouts)).is_some_and(|report| !report.proven)
        };
        let part = self.playouts.div_ceil(PART);
        let drawn = is_open(&mut engine, part).then(|| engine.draw(&mut rng)).flatten();
        let Some(drawn) = drawn else { return Vec::new() };
        engine.set_position(&drawn);
        if !is_open(&mut engine, self.playouts) {
            return Vec::new();
        }
        let mut planes = Planes::default();
        let found = engine.findings(u32::try_from(part).unwrap_or(u32::MAX)).into_iter().take(MOST_ROWS);
        let rows = found.map(|it| row(&mut planes, &it.moment, place, short(it.value), &shares(&it.visits)));
        rows.flatten().collect()
    }
}

impl SearchRun<'_> {
    /// Searches in all, and those that were made.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.positions.len(), self.done.len()]
    }

    /// Makes the searches that are left, until an interrupt. Calls `tell` after each.
    pub(crate) fn run(
        &mut self,
        concurrency: usize,
        interrupt: &StopHandle,
        tell: impl Fn(),
    ) -> Result<(), JournalError> {
        let SearchRun { searches, journal, done, positions, .. } = self;
        let left: Vec<_> = positions.iter().filter(|(place, _)| !done.contains_key(place)).collect();
        let work =
            |_, &(place, position): &&(Place, Position)| Some((*place, searches.rows(*place, position)));
        let take = |(place, rows): (Place, Vec<u8>)| {
            let line = SearchLine { game: place.0, ply: place.1, rows: STANDARD.encode(&rows) };
            journal.append(&serde_json::to_string(&line).expect("numbers and a text"))?;
            done.insert(place, rows);
            tell();
            Ok(ControlFlow::Continue(()))
        };
        jobs::run(concurrency, interrupt, &left, work, take)
    }

    /// Writes the rows of all searches, in the order of the games, and returns their number. `about`
    /// is what [`policy_rows::about`] says of the games; the header also has the settings of the searches.
    pub(crate) fn write(&self, mut about: Value, mut file: Replacement) -> io::Result<u64> {
        let bytes: usize = self.done.values().map(Vec::len).sum();
        let rows = (bytes / policy_rows::row_bytes(self.library.size().width().into())) as u64;
        about["searches"] = self.settings.clone();
        write_header(&mut file, self.library, policy_rows::KIND, about, rows)?;
        self.done.values().try_for_each(|rows| file.write_all(rows))?;
        file.finish()?;
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::library;
    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn makes_the_same_rows_in_parts() {
        let scratch = Scratch::new("searches");
        let games = scratch.join("games");
        library::tests::write(&games, &quick(), &[0, 1]);
        let library = Library::open(std::slice::from_ref(&games)).unwrap();
        let searches = Searches { playouts: 80, engine: quick().engine };
        let make = |name: &str, concurrency, interrupted| {
            let mut run = searches.clone().resume(&library, &scratch.join(name)).unwrap();
            let begun = run.counts()[1];
            let interrupt = StopHandle::default();
            if interrupted {
                interrupt.stop();
            }
            run.run(concurrency, &interrupt, || ()).unwrap();
            (begun, run)
        };
        let (_, whole) = make("whole", 1, false);
        let [total, done] = whole.counts();
        assert!(total == done && done > 10, "{total}, {done}");
        assert_eq!(make("parts", 2, true).1.counts(), [total, 0]);
        make("parts", 2, false);
        // A process was killed in the middle of a record.
        let bytes = fs::read(scratch.join("parts")).unwrap();
        fs::write(scratch.join("parts"), &bytes[..bytes.len() * 2 / 3]).unwrap();
        let (begun, parts) = make("parts", 2, false);
        assert!((1..total).contains(&begun), "{begun} of {total}");
        assert_eq!(parts.done, whole.done);
        drop(parts);
        // Games of another file are searched as well.
        let more = scratch.join("more");
        library::tests::write(&more, &quick(), &[2]);
        let longer = Library::open(&[games, more]).unwrap();
        let [of_both, done] = searches.clone().resume(&longer, &scratch.join("parts")).unwrap().counts();
        assert!(of_both > total && done == total, "{done} of {of_both}");

        let path = scratch.join("rows");
        let rows =
            whole.write(policy_rows::about(&library).unwrap(), Replacement::create(&path).unwrap()).unwrap();
        let bytes: usize = whole.done.values().map(Vec::len).sum();
        assert_eq!(bytes, rows as usize * policy_rows::row_bytes(6));
        assert!(rows > total as u64, "{rows} rows of {total} searches");
        assert!(
            fs::read(&path).unwrap().ends_with(&whole.done.values().flatten().copied().collect::<Vec<_>>())
        );

        let other = Searches { playouts: 81, ..searches.clone() };
        for (searches, library, expected) in [
            (other, &longer, "searches.playouts is 80 there and 81 here"),
            (searches, &library, "searches.games has 2 entries there and 1 here"),
        ] {
            let error = searches.resume(library, &scratch.join("parts")).err().unwrap().to_string();
            assert!(error.contains(&format!("of another features --policy: {expected}; ")), "{error}");
        }
    }
}
