//! Games as they are played, for people who watch a contest.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use super::game_record::GameRecord;

/// The games in progress, each as far as it has been played.
#[derive(Debug, Default)]
pub struct LiveGames(Mutex<BTreeMap<usize, GameRecord>>);

impl LiveGames {
    /// The games in progress, by their number.
    #[must_use]
    pub fn snapshot(&self) -> Vec<GameRecord> {
        self.0.lock().values().cloned().collect()
    }

    /// Shows a game that begins, until the entry is dropped.
    pub(super) fn begin(&self, game: &GameRecord) -> LiveGame<'_> {
        let entry = LiveGame { games: self, game: game.number };
        entry.update(game);
        entry
    }
}

/// The entry of a game in progress. It is removed when this is dropped, however the game ended.
#[derive(Debug)]
pub(super) struct LiveGame<'a> {
    games: &'a LiveGames,
    game: usize,
}

impl LiveGame<'_> {
    /// Takes the game as far as it has been played.
    pub(super) fn update(&self, game: &GameRecord) {
        self.games.0.lock().insert(self.game, game.clone());
    }
}

impl Drop for LiveGame<'_> {
    fn drop(&mut self) {
        self.games.0.lock().remove(&self.game);
    }
}
