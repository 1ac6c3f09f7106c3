//! A thread that searches while its session reads on.

use std::panic::resume_unwind;
use std::thread::{self, JoinHandle};

use crate::search::{Engine, EngineOptions, StopHandle};
use amazons::Position;

use crate::games::Game;

/// One engine and at most one search of it, whose result is a `T`.
pub(super) struct SearchThread<T> {
    options: EngineOptions,
    /// Made when it is first needed, and again after an option has changed. The thread has it while it
    /// searches.
    engine: Option<Engine>,
    running: Option<(JoinHandle<(Engine, T)>, StopHandle)>,
}

impl<T: Send + 'static> SearchThread<T> {
    pub(super) fn new(options: EngineOptions) -> SearchThread<T> {
        SearchThread { options, engine: None, running: None }
    }

    /// Drops the engine, whose successor has these options.
    pub(super) fn reset(&mut self, options: &EngineOptions) {
        (self.options, self.engine) = (options.clone(), None);
    }

    /// Makes an engine before the clock of its first turn runs.
    pub(super) fn warm_up(&mut self, position: &Position) {
        if self.engine.is_none() && self.running.is_none() {
            self.engine.insert(Engine::new(&self.options, position)).warm_up();
        }
    }

    /// The engine at the game's last position, while no search runs. If moves lead there from its last
    /// position, it keeps its tree.
    pub(super) fn engine(&mut self, game: &Game) -> &mut Engine {
        let engine = self.engine.get_or_insert_with(|| Engine::new(&self.options, game.position()));
        // No position comes twice: each has another number of burnt squares.
        match game.positions().iter().position(|position| position == engine.position()) {
            Some(ply) => game.plies()[ply..].iter().for_each(|ply| engine.advance_unchecked(ply.played)),
            None => engine.set_position(game.position()),
        }
        engine
    }

    /// Ends the search that runs, and begins another one in this game. `stop` must end `work`.
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

    /// Ends the search that runs, and returns its result; `None` if there is none.
    pub(super) fn stop(&mut self) -> Option<T> {
        self.running.as_ref()?.1.stop();
        self.wait()
    }

    /// Waits until the search ends by itself, and returns its result; `None` if there is none.
    ///
    /// # Panics
    /// If the search panicked.
    pub(super) fn wait(&mut self) -> Option<T> {
        let (thread, _) = self.running.take()?;
        let (engine, result) = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        self.engine = Some(engine);
        Some(result)
    }

    /// True if a search was started whose result has not been taken.
    pub(super) fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// True while a search runs.
    #[cfg(test)]
    pub(super) fn is_searching(&self) -> bool {
        self.running.as_ref().is_some_and(|(thread, _)| !thread.is_finished())
    }
}
