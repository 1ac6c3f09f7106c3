//! The engines of all matches: each answers the requests of one match, and ponders in it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use amazons::InputError;
use anyhow::Context as _;

use super::reply::{CallError, SiteId};
use crate::botzone::BotSettings;
use crate::botzone::conversation::{Conversation, TurnAnswer};
use crate::botzone::request::{Request, TimeLimit};
use crate::engine_pool::{EnginePool, SearchJob};
use crate::search::{Limits, StopHandle, StopReason, Stopwatch};

/// Time that one match ponders before it is the next one's turn.
const SLICE: Duration = Duration::from_millis(500);

/// Slices that a match ponders after each of its answers: its opponent may have left.
const SLICES: u32 = 120;

/// An event that wakes the runner: the site's reply to a call, the answer to a request or why there
/// is none, and the wish of the user to stop.
pub(super) enum Event {
    Reply(Result<String, CallError>),
    Searched(SiteId, Result<Box<TurnAnswer>, String>),
    Interrupt,
}

type Build = dyn Fn() -> Conversation + Send + Sync;

pub(crate) struct Engines {
    pool: EnginePool<Question>,
    build: Arc<Build>,
    threads: usize,
    time: Option<Duration>,
}

/// A request to answer, with the whole history: a match whose engine was dropped loses its tree and
/// nothing else. It ends by one [`Event::Searched`].
struct Question {
    id: SiteId,
    request: Request,
    build: Arc<Build>,
    events: Sender<Event>,
}

struct MatchEngine {
    id: SiteId,
    conversation: Conversation,
}

impl Engines {
    /// At most `engines` engines of this bot, and `threads` searches at a time. Matches that wait for
    /// the same threads share the time of a turn, if it is limited.
    pub(crate) fn new(
        threads: usize,
        engines: usize,
        ponder: bool,
        bot: &BotSettings,
    ) -> anyhow::Result<Engines> {
        let slices = if ponder { SLICES } else { 0 };
        let build = Arc::new(bot.conversations()?);
        let pool = EnginePool::new(threads, engines, slices).context("starting threads")?;
        Ok(Engines { pool, build, threads, time: bot.limits.time })
    }

    pub(super) fn answer(&self, requests: Vec<(SiteId, Request)>, events: &Sender<Event>) {
        let time_limit = share(self.time, &requests, self.threads);
        let question = |(id, request): (SiteId, Request)| {
            let request = Request { time_limit, ..request };
            Question { id, request, build: Arc::clone(&self.build), events: events.clone() }
        };
        self.pool.submit(0, requests.into_iter().map(question));
    }

    pub(super) fn keep(&self, matches: &BTreeSet<&SiteId>) {
        self.pool.keep(|engine| matches.contains(&engine.id));
    }
}

/// The time for each of these requests: a share of the least limit, ours and those of the site,
/// because all answers are delivered together.
fn share(own: Option<Duration>, requests: &[(SiteId, Request)], threads: usize) -> Option<TimeLimit> {
    // The threads search as often as it takes to answer all.
    let rounds = requests.len().div_ceil(threads).max(1) as u32;
    let limits = requests.iter().filter_map(|(_, request)| request.time_limit);
    let least = limits.map(|limit| limit.time).chain(own).min();
    least.map(|time| TimeLimit { time: time / rounds, in_seconds: false })
}

impl SearchJob for Question {
    type Engine = MatchEngine;
    type Outcome = Result<TurnAnswer, InputError>;

    fn ponder(engine: &mut MatchEngine, stop: StopHandle) -> bool {
        let report = engine.conversation.ponder(&Limits { stop, ..Limits::per_move(SLICE) });
        report.is_some_and(|report| matches!(report.stop, StopReason::Time | StopReason::Stopped))
    }

    fn fit(&self, engine: &MatchEngine) -> Option<usize> {
        (engine.id == self.id).then_some(0)
    }

    fn run(&self, kept: Option<MatchEngine>, stop: StopHandle) -> (MatchEngine, Self::Outcome) {
        let new = || MatchEngine { id: self.id.clone(), conversation: (self.build)() };
        let mut engine = kept.unwrap_or_else(new);
        let answer = engine.conversation.answer(&self.request, Stopwatch::wall(), stop);
        (engine, answer)
    }

    fn finish(self, outcome: Option<Self::Outcome>) {
        // After a panic the match loses its move, and the others lose nothing.
        let failed = || Err("the search failed, as standard error says".to_owned());
        let answer = outcome.map_or_else(failed, |answer| answer.map_err(|error| error.to_string()));
        // A runner that ends has terminated the searches, and takes no answer.
        let _ = self.events.send(Event::Searched(self.id, answer.map(Box::new)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_that_wait_share_the_least_limit() {
        let request = |limit: u64| {
            let text = format!(r#"{{"x0":1,"y0":0,"x1":1,"y1":1,"x2":1,"y2":0,"time_limit":{limit}}}"#);
            ("5f0001".parse().unwrap(), text.parse().unwrap())
        };
        for (own, limits, threads, expected) in
            [(3_000, [500; 6], 1, 83), (3_000, [500, 0, 900, 9_000, 0, 0], 2, 166), (300, [500; 6], 3, 150)]
        {
            let shared = share(Some(Duration::from_millis(own)), &limits.map(request), threads);
            assert_eq!(shared.map(|limit| limit.time.as_millis()), Some(expected), "{limits:?}");
        }
    }
}
