//! A thread that searches while the session reads further lines from the controlling program.

use std::panic::resume_unwind;
use std::thread::{self, JoinHandle};

use crate::search::{Engine, EngineOptions, StopHandle};
use amazons::Position;

use crate::games::Game;

/// An engine, and the thread of its search while a search runs. `T` is the result of a search.
pub(super) struct SearchThread<T> {
    options: EngineOptions,
    /// The engine, or `None` before the first search, after an option has changed, and while the
    /// search thread owns the engine.
    engine: Option<Engine>,
    running: Option<(JoinHandle<(Engine, T)>, StopHandle)>,
}

impl<T: Send + 'static> SearchThread<T> {
    pub(super) fn new(options: EngineOptions) -> SearchThread<T> {
        SearchThread { options, engine: None, running: None }
    }

    pub(super) fn reset(&mut self, options: &EngineOptions) {
        (self.options, self.engine) = (options.clone(), None);
    }

    /// Creates the engine in advance, so that its creation takes no time of the first turn.
    pub(super) fn warm_up(&mut self, position: &Position) {
        if self.engine.is_none() && self.running.is_none() {
            self.engine.insert(Engine::new(&self.options, position)).warm_up();
        }
    }

    /// Returns the engine, set to the current position of the game. No search may be running. If
    /// the engine's previous position occurs in the game, the engine keeps its tree.
    pub(super) fn engine(&mut self, game: &Game) -> &mut Engine {
        let engine = self.engine.get_or_insert_with(|| Engine::new(&self.options, game.position()));
        // No position occurs twice in a game, because every ply burns a square.
        match game.positions().iter().position(|position| position == engine.position()) {
            Some(ply) => game.plies()[ply..].iter().for_each(|ply| engine.advance_unchecked(ply.played)),
            None => engine.set_position(game.position()),
        }
        engine
    }

    /// Ends the running search, if any. Then calls `work` on a thread, with the engine set to the
    /// current position of the game. `work` must return soon after `stop` is triggered.
    pub(super) fn start(
        &mut self,
        game: &Game,
        stop: StopHandle,
        work: impl FnOnce(&mut Engine) -> T + Send + 'static,
    ) {
        self.stop();
        self.engine(game);
        if let Some(mut engine) = self.engine.take() {
            let thread = thread::spawn(move || {
                let result = work(&mut engine);
                (engine, result)
            });
            self.running = Some((thread, stop));
        }
    }

    /// Ends the running search and returns its result; `None` if no search was started.
    pub(super) fn stop(&mut self) -> Option<T> {
        self.running.as_ref()?.1.stop();
        self.wait()
    }

    /// Waits until the search ends and returns its result; `None` if no search was started.
    ///
    /// # Panics
    /// If the search panicked.
    pub(super) fn wait(&mut self) -> Option<T> {
        let (thread, _) = self.running.take()?;
        let (engine, result) = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        self.engine = Some(engine);
        Some(result)
    }

    #[cfg(test)]
    pub(super) fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|(thread, _)| !thread.is_finished())
    }
}
