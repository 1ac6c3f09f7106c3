//! Games as they are played, for people who watch a contest.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use super::record::GameRecord;

/// The games in progress, each as far as it has been played.
#[derive(Debug, Default)]
pub struct LiveGames(Mutex<BTreeMap<usize, GameRecord>>);

impl LiveGames {
    /// The games in progress, by their number.
    #[must_use]
    pub fn snapshot(&self) -> Vec<GameRecord> {
        self.0.lock().values().cloned().collect()
    }

    /// Takes a game as far as it has been played.
    pub(super) fn update(&self, game: &GameRecord) {
        self.0.lock().insert(game.game, game.clone());
    }

    /// Drops a game that has ended.
    pub(super) fn end(&self, game: usize) {
        self.0.lock().remove(&game);
    }
}
