//! The engines of all matches: each answers the requests of one match, and ponders in it.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use super::poll::SiteId;
use super::site::CallOutcome;
use crate::botzone::conversation::{Conversation, MatchError, TurnAnswer};
use crate::botzone::request::Request;
use crate::players::{Ended, EnginePool, JobControl, Pondered, Pondering, PooledEngine, SearchJob};
use crate::search::{Limits, StopHandle, StopReason, Stopwatch};

/// How long one match ponders before it is the next one's turn.
const SLICE: Duration = Duration::from_millis(500);

/// Slices that a match ponders after each of its answers: its opponent may have left.
const SLICES: u32 = 120;

/// What wakes the runner.
pub(super) enum Event {
    /// The outcome of the call to the site.
    Reply(CallOutcome),
    /// A search has ended.
    Searched(Box<Searched>),
    /// The user wants to stop.
    Interrupt,
}

/// A request whose search has ended.
pub(super) struct Searched {
    pub(super) id: SiteId,
    /// The answer, or why the search brought no answer.
    pub(super) result: Result<TurnAnswer, String>,
}

/// Makes a conversation with a new player.
type Build = dyn Fn() -> Conversation + Send + Sync;

/// The engines of all matches, and the threads that search.
///
/// A match whose engine was dropped loses its tree and nothing else: every request is searched with
/// the whole history.
pub(super) struct Engines {
    pool: EnginePool<Question>,
    build: Arc<Build>,
    events: Sender<Event>,
}

/// A request to answer.
struct Question {
    id: SiteId,
    request: Request,
    build: Arc<Build>,
    events: Sender<Event>,
}

/// The engine of a match.
struct MatchEngine {
    id: SiteId,
    conversation: Conversation,
}

impl Engines {
    /// At most `engines` engines, which `build` makes, and `threads` searches at a time.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub(super) fn new(
        engines: usize,
        threads: usize,
        ponder: bool,
        build: impl Fn() -> Conversation + Send + Sync + 'static,
        events: Sender<Event>,
    ) -> io::Result<Engines> {
        let pondering = if ponder { Pondering::InTurn(SLICES) } else { Pondering::Off };
        Ok(Engines { pool: EnginePool::new(threads, engines, pondering)?, build: Arc::new(build), events })
    }

    /// Searches for an answer to each request. Each ends by one [`Event::Searched`].
    pub(super) fn answer(&self, requests: impl IntoIterator<Item = (SiteId, Request)>) {
        let question = |(id, request)| {
            let (build, events) = (Arc::clone(&self.build), self.events.clone());
            Question { id, request, build, events }
        };
        self.pool.submit(self.pool.ticket(), 0, requests.into_iter().map(question));
    }

    /// Drops the engine of a match that is over or cannot go on.
    pub(super) fn discard(&self, id: &SiteId) {
        let id = id.clone();
        self.pool.discard(move |engine| engine.id == id);
    }
}

impl SearchJob for Question {
    type Engine = MatchEngine;
    type Outcome = Result<TurnAnswer, MatchError>;

    fn fit(&self, engine: &MatchEngine) -> Option<usize> {
        (engine.id == self.id).then_some(0)
    }

    fn run(
        &self,
        engine: Option<MatchEngine>,
        control: &JobControl<'_, Question>,
    ) -> (Option<MatchEngine>, Self::Outcome) {
        let new = || MatchEngine { id: self.id.clone(), conversation: (self.build)() };
        let mut engine = engine.unwrap_or_else(new);
        if let Some(handle) = engine.conversation.stop_handle() {
            control.begin(&handle);
        }
        let answer = engine.conversation.answer(&self.request, Stopwatch::wall());
        (answer.is_ok().then_some(engine), answer)
    }

    fn finish(self, ended: Ended<Self::Outcome>) -> bool {
        let result = match ended {
            Ended::Done(answer) => answer.map_err(|error| error.to_string()),
            // The match loses its move, and the others lose nothing.
            Ended::Panicked(message) => Err(format!("this program is at fault: {message}")),
            // Only the end of the runner terminates, and it takes no more answers.
            Ended::Terminated => return false,
        };
        self.events.send(Event::Searched(Box::new(Searched { id: self.id, result }))).is_ok()
    }
}

impl PooledEngine for MatchEngine {
    fn stop_handle(&self) -> Option<StopHandle> {
        self.conversation.stop_handle()
    }

    fn may_ponder(&self) -> bool {
        true
    }

    fn ponder(&mut self) -> Pondered {
        let report = self.conversation.ponder(&Limits::per_move(SLICE));
        let more = |stop| matches!(stop, StopReason::Time | StopReason::Stopped);
        Pondered {
            playouts: report.as_ref().map_or(0, |report| report.playouts),
            more: report.is_some_and(|report| more(report.stop)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver};

    use super::*;
    use crate::botzone::clock::TurnLimits;
    use crate::botzone::request::{Content, Form};
    use crate::botzone::starts::{StartChoice, Starts};
    use crate::game::{Coordinates, Size};
    use crate::players::{EngineOptions, PlayerKind};
    use crate::search::Report;

    const PLAYOUTS: u64 = 60;

    fn starts() -> Starts {
        Starts::new(Size::square(8).unwrap(), false, StartChoice::Formula).unwrap()
    }

    fn conversation() -> Conversation {
        let options = EngineOptions { memory: 32 << 20, seed: 1, ..EngineOptions::default() };
        let player = PlayerKind::Quiver.build(&options, starts().usual());
        Conversation::new(player, starts(), TurnLimits { first: None, time: None, playouts: Some(PLAYOUTS) })
    }

    fn question(entries: &[Coordinates]) -> Request {
        Request { form: Form::Text, content: Content::History(entries.to_vec()), time_limit: None }
    }

    fn answered(events: &Receiver<Event>) -> TurnAnswer {
        let Event::Searched(searched) = events.recv().unwrap() else { panic!("not a search") };
        let Ok(answer) = searched.result else { panic!("no answer") };
        answer
    }

    #[test]
    fn what_was_found_on_the_opponents_time_is_there_when_he_has_moved() {
        let now = crate::search::Stopwatch::wall;
        let mut conversation = conversation();
        let ours = conversation.answer(&question(&[Coordinates::NONE]), now()).unwrap().full.into();
        let theirs = conversation.ponder(&Limits::playouts(20_000)).unwrap().best.into();
        let entries = [Coordinates::NONE, ours, theirs];
        let Report { reused, playouts, .. } =
            conversation.answer(&question(&entries), now()).unwrap().report.unwrap();
        assert!(reused > PLAYOUTS && playouts == PLAYOUTS, "{reused} reused, {playouts} playouts");
    }

    #[test]
    fn pondering_never_cuts_an_answer_short() {
        let (sender, events) = mpsc::channel();
        let engines = Engines::new(2, 2, true, conversation, sender).unwrap();
        let ids: Vec<SiteId> = ["a", "b", "c"].map(|id| id.parse().unwrap()).to_vec();
        for round in 0..8u32 {
            for id in &ids {
                engines.answer([(id.clone(), question(&[Coordinates::NONE]))]);
                let report = answered(&events).report.unwrap();
                assert_eq!((report.playouts, report.stop), (PLAYOUTS, StopReason::Playouts));
                // The third match takes the place of the one longest unused.
                assert!(engines.pool.idle() <= 2);
            }
            if round < 5 {
                // Until a slice has begun and been stopped by the next request.
                let before = engines.pool.pondered();
                engines.pool.wait_until(EnginePool::is_pondering);
                std::thread::sleep(Duration::from_millis(u64::from(round)));
                engines.answer([(ids[0].clone(), question(&[Coordinates::NONE]))]);
                answered(&events);
                // A slice that is stopped before its first playout is not the last one.
                engines.pool.wait_until(|pool| pool.pondered() > before);
            }
        }
    }

    #[test]
    fn without_pondering_engines_rest() {
        let (sender, events) = mpsc::channel();
        let engines = Engines::new(1, 1, false, conversation, sender).unwrap();
        engines.answer([("a".parse().unwrap(), question(&[Coordinates::NONE]))]);
        answered(&events);
        assert!(!engines.pool.is_pondering() && engines.pool.pondered() == 0);
        engines.discard(&"a".parse().unwrap());
        assert_eq!(engines.pool.idle(), 0);
    }
}
