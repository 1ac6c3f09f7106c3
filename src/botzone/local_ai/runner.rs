//! The main loop: deliver answers, wait for requests, search, and repeat.
//!
//! The runner polls the site only while no request is being searched, as the site's sample client
//! does. So no answer waits for a poll that waits for another match, and no poll is abandoned while
//! the site replies to it. During a poll the engines may ponder.

mod calls;

use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Instant;
use std::{io, thread};

use super::engines::{Engines, Event, Searched};
use super::matches::Matches;
use super::options::Options;
use super::play::{Phase, Play};
use super::poll::{Poll, PollError, SiteId};
use super::site::{Call, CallFailure, CallOutcome, MatchOrder, Refusal, Site};
use super::tally::{MatchResult, Tally, place};
use super::teller::Teller;
use crate::botzone::conversation::Conversation;
use crate::botzone::request::TimeLimit;
use crate::botzone::response::debug_text;
use crate::messages::counted;

/// Plays matches until it is told to stop.
pub(crate) struct Runner<'a> {
    options: Options,
    matches: Matches,
    engines: Engines,
    /// Requests being searched or waiting for a thread.
    searches: usize,
    calls: Sender<Call>,
    sender: Sender<Event>,
    events: Receiver<Event>,
    teller: &'a mut Teller,
    tally: Tally,
    /// Whether to end once the matches to start have been played.
    ends: bool,
    /// When to leave unfinished work: set once the user wants to stop.
    leave_at: Option<Instant>,
    /// Whether the site has ever spoken as documented.
    spoken: bool,
    /// Whether the site did not do something that was asked of it.
    refused: bool,
    failures: u32,
    last_trouble: String,
    /// Matches of ours that the site has started, and that go on.
    started: BTreeSet<SiteId>,
    /// Lost matches that were asked to be aborted.
    given_up: BTreeSet<SiteId>,
    /// Matches whose end is known.
    ended: BTreeSet<SiteId>,
}

impl<'a> Runner<'a> {
    /// A runner that plays `matches` and those that the site brings. `build` makes a conversation
    /// with a new player.
    pub(crate) fn new(
        site: Site,
        build: impl Fn() -> Conversation + Send + Sync + 'static,
        options: Options,
        matches: Matches,
        teller: &'a mut Teller,
    ) -> io::Result<Runner<'a>> {
        let (sender, events) = mpsc::channel();
        let (calls, queue) = mpsc::channel::<Call>();
        let replies = sender.clone();
        // A poll can last minutes, and nothing ends it from outside: this thread is left alone at
        // the end.
        thread::Builder::new().name("site".into()).spawn(move || {
            for call in queue {
                // A fault in a library must not leave the loop waiting for a thread that is no
                // more.
                let outcome = panic::catch_unwind(AssertUnwindSafe(|| site.call(&call)));
                let broken = || String::from("the call broke down in this program");
                let outcome = outcome.unwrap_or_else(|_| CallOutcome::Failed(CallFailure::Lost, broken()));
                if replies.send(Event::Reply(outcome)).is_err() {
                    return;
                }
            }
        })?;
        let Options { engines, threads, ponder, .. } = options;
        Ok(Runner {
            ends: !options.orders.is_empty() && !options.stay,
            engines: Engines::new(engines, threads, ponder, build, sender.clone())?,
            options,
            matches,
            searches: 0,
            calls,
            sender,
            events,
            teller,
            tally: Tally::default(),
            leave_at: None,
            spoken: false,
            refused: false,
            failures: 0,
            last_trouble: String::new(),
            started: BTreeSet::new(),
            given_up: BTreeSet::new(),
            ended: BTreeSet::new(),
        })
    }

    /// Makes this runner deliver the answers that are under way, and end. To be called from any
    /// thread.
    pub(crate) fn interrupter(&self) -> impl Fn() + Send + use<> {
        let sender = self.sender.clone();
        // A runner that is gone has stopped.
        move || drop(sender.send(Event::Interrupt))
    }

    /// Plays until the user stops it or the matches to start are over. Returns whether the site did
    /// all that was asked of it.
    pub(crate) fn run(mut self) -> Result<bool, Refusal> {
        let threads = counted(self.options.threads, "thread", "threads");
        let engines = counted(self.options.engines, "engine", "engines");
        self.teller.tell(&format!("本地AI is ready: {threads}, {engines}; Ctrl-C ends it"));
        self.think();
        loop {
            if self.leave_at.is_some() {
                if self.matches.answers().is_empty() || self.remaining().is_zero() {
                    break;
                }
            } else {
                self.start_matches()?;
                self.abort_lost()?;
                if self.leave_at.is_some() {
                    continue;
                }
                let played = self.options.orders.is_empty() && self.started.is_empty();
                if self.ends && played && self.matches.is_idle() {
                    break;
                }
            }
            self.poll()?;
        }
        let (sent, asked) = (self.matches.answers().len(), self.matches.in_phase(Phase::Asked).len());
        if sent + asked > 0 {
            let answers = counted(sent, "answer", "answers");
            let requests = counted(asked, "request", "requests");
            self.teller
                .tell(&format!("stopped with {answers} sent but not confirmed and {requests} not answered"));
        }
        if !self.tally.is_empty() {
            self.teller.result(&self.tally.to_string());
        }
        Ok(!self.refused)
    }

    /// Ends matches on the site, and does nothing else. Returns whether the site ended all of them.
    pub(crate) fn abort(mut self, ids: &[SiteId]) -> Result<bool, Refusal> {
        ids.iter().try_for_each(|id| self.abort_match(id))?;
        Ok(!self.refused)
    }

    /// Delivers the answers there are, waits for what the site has to say, and thinks about it.
    fn poll(&mut self) -> Result<(), Refusal> {
        let answers = self.matches.answers();
        let began = Instant::now();
        let Some(outcome) = self.exchange(Call::poll(&answers)) else { return Ok(()) };
        let sent = || answers.iter().map(|(id, _)| id);
        match outcome {
            CallOutcome::Done(body) => match Poll::parse(&body) {
                Ok(poll) => {
                    self.recover();
                    self.confirm(sent());
                    if self.take(poll) {
                        self.think();
                    } else {
                        // A site that goes on to tell the same is not asked as fast as it answers.
                        self.wait(self.options.waits.quiet.saturating_sub(began.elapsed()));
                    }
                }
                // Some machine in between: the site has not seen the answers.
                Err(error @ PollError::Foreign { .. }) => {
                    self.failed(CallFailure::Strange, format!("this is not the site speaking: {error}"))?;
                }
                Err(error) => {
                    self.confirm(sent());
                    let why = format!("the site's message is not as documented: {error}");
                    self.failed(CallFailure::Lost, why)?;
                }
            },
            CallOutcome::Cut(why) => {
                // Status 200 has come, so the answers have arrived; the requests are to come again.
                self.confirm(sent());
                self.failed(CallFailure::Lost, format!("the site's message did not come whole: {why}"))?;
            }
            CallOutcome::NoNews => {}
            CallOutcome::Failed(failure, why) => self.failed(failure, why)?,
            CallOutcome::Refused(said) => return Err(Refusal::Call(said)),
            CallOutcome::NoAccount(said) => return Err(Refusal::Account(said)),
        }
        Ok(())
    }

    /// Takes what a poll has brought. Returns whether anything of it is new.
    fn take(&mut self, poll: Poll) -> bool {
        let mut news = false;
        for (id, line) in poll.requests {
            self.ended.remove(&id);
            self.teller.asked(&format!("match {id}: asked {line}"));
            news |= self.matches.receive(&id, &line, self.teller);
        }
        for finished in poll.finished {
            // The site may tell a result again, as it does requests.
            if !self.ended.insert(finished.id.clone()) {
                continue;
            }
            news = true;
            self.matches.finish(&finished.id, self.teller);
            self.engines.discard(&finished.id);
            self.started.remove(&finished.id);
            self.given_up.remove(&finished.id);
            self.tally.add(finished.result());
            self.teller.result(&finished.to_string());
        }
        for id in self.matches.in_phase(Phase::Lost) {
            self.engines.discard(&id);
        }
        news
    }

    fn confirm<'b>(&mut self, sent: impl Iterator<Item = &'b SiteId>) {
        sent.for_each(|id| self.matches.change(id, Play::confirm, self.teller));
    }

    /// Answers all requests there are, as many at once as there are threads.
    fn think(&mut self) {
        if self.leave_at.is_some() {
            return;
        }
        let mut questions = self.matches.questions();
        let rounds = rounds(questions.len(), self.options.threads);
        let share = self.options.time.map(|time| TimeLimit { time: time / rounds, in_seconds: false });
        for (_, question) in &mut questions {
            question.time_limit = question.time_limit.into_iter().chain(share).min();
        }
        self.searches += questions.len();
        self.engines.answer(questions);
        while self.searches > 0 {
            match self.next_event(self.leave_at) {
                Some(Event::Searched(searched)) => self.searched(*searched),
                Some(Event::Interrupt) => self.stop(),
                // The site is not called meanwhile.
                Some(Event::Reply(_)) => {}
                None => return,
            }
        }
    }

    /// Takes the result of a search.
    fn searched(&mut self, Searched { id, result }: Searched) {
        self.searches -= 1;
        match result {
            Ok(answer) => {
                self.matches.change(&id, |play| play.answer(answer.full), self.teller);
                let about = debug_text(answer.report.as_ref());
                self.teller.answered(&format!("match {id}: turn {}, {}, {about}", answer.turn, answer.full));
            }
            Err(why) => {
                self.matches.change(&id, Play::lose, self.teller);
                self.teller.tell(&format!("match {id}: left unanswered: {why}"));
            }
        }
    }

    /// Starts matches, as many as may go on at once.
    fn start_matches(&mut self) -> Result<(), Refusal> {
        while self.leave_at.is_none()
            && self.started.len() < self.options.at_once
            && let Some(order) = self.options.orders.pop_front()
        {
            let id = self.persist(&Call::run(&order))?.and_then(|body| {
                let text = String::from_utf8_lossy(&body);
                text.trim().trim_matches('"').parse::<SiteId>().map_err(|error| error.to_string())
            });
            let MatchOrder { bot, slot, .. } = order;
            match id {
                Ok(id) => {
                    let place = place(slot);
                    self.teller.result(&format!("match {id}: started against {bot}, as the {place} player"));
                    self.started.insert(id);
                }
                Err(why) => {
                    self.refused = true;
                    self.tally.add(MatchResult::NotStarted);
                    self.teller.tell(&format!("no match against {bot}: {why}"));
                }
            }
        }
        Ok(())
    }

    /// Ends the matches that cannot go on, if that is wanted.
    fn abort_lost(&mut self) -> Result<(), Refusal> {
        if self.options.abort_lost {
            for id in self.matches.in_phase(Phase::Lost) {
                if self.leave_at.is_none() && self.given_up.insert(id.clone()) {
                    self.abort_match(&id)?;
                }
            }
        }
        Ok(())
    }

    fn abort_match(&mut self, id: &SiteId) -> Result<(), Refusal> {
        match self.persist(&Call::abort(id))? {
            Ok(_) => self.teller.result(&format!("match {id}: ended on request")),
            Err(why) => {
                self.refused = true;
                self.teller.tell(&format!("match {id}: not ended: {why}"));
            }
        }
        Ok(())
    }
}

/// How many times the threads must search to answer this many requests.
fn rounds(requests: usize, threads: usize) -> u32 {
    requests.div_ceil(threads.max(1)).max(1).try_into().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::rounds;

    #[test]
    fn rounds_share_the_time_of_the_threads() {
        for (requests, expected) in [(0, 1), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3)] {
            assert_eq!(rounds(requests, 2), expected);
        }
    }
}
