//! The main loop: deliver answers, wait for requests, search, and repeat.
//!
//! The runner polls the site only while no request is being searched, as the site's sample client
//! does. So no answer waits for a poll that waits for another match, and no poll is abandoned while
//! the site replies to it. During a poll the engines may ponder.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use super::engines::{Engines, Event};
use super::matches::{MatchState, MatchStore};
use super::reply::{CallError, Poll, SiteId};
use super::site::{Call, MatchOrder, Site};
use crate::botzone::Log;
use crate::messages::counted;

const ATTEMPTS: u32 = 5;

pub(crate) struct Options {
    pub(crate) orders: VecDeque<MatchOrder>,
    pub(crate) at_once: usize,
    pub(crate) stay: bool,
    pub(crate) abort_lost: bool,
    /// The wait after 502, 504 or a lost connection: 5 s by the site's rules.
    pub(crate) retry_wait: Duration,
    pub(crate) trouble_wait: Duration,
    pub(crate) quiet_wait: Duration,
    pub(crate) grace: Duration,
}

pub(crate) struct Runner<'a> {
    options: Options,
    matches: MatchStore,
    engines: Engines,
    calls: Sender<Call>,
    sender: Sender<Event>,
    events: Receiver<Event>,
    log: &'a mut Log,
    tally: BTreeMap<&'static str, u32>,
    /// The time to leave unfinished work, once the user wants to stop.
    leave_at: Option<Instant>,
    /// True once the site has spoken as documented.
    spoken: bool,
    refused: bool,
    failures: u32,
    last_trouble: String,
    /// Matches of ours that the site has started, and that go on.
    started: BTreeSet<SiteId>,
    given_up: BTreeSet<SiteId>,
    ended: BTreeSet<SiteId>,
}

impl<'a> Runner<'a> {
    pub(crate) fn new(
        site: Site,
        engines: Engines,
        options: Options,
        matches: MatchStore,
        log: &'a mut Log,
    ) -> io::Result<Runner<'a>> {
        let (sender, events) = mpsc::channel();
        let calls = site.start(sender.clone())?;
        Ok(Runner {
            options,
            matches,
            engines,
            calls,
            sender,
            events,
            log,
            tally: BTreeMap::new(),
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
    pub(crate) fn run(mut self) -> Result<bool, CallError> {
        self.log.tell("本地AI is ready; Ctrl-C ends it");
        let ends = !self.options.orders.is_empty() && !self.options.stay;
        self.think();
        loop {
            self.matches.save(self.log);
            self.start_matches()?;
            self.abort_lost()?;
            let done = match self.leave_at {
                Some(leave_at) => self.matches.answers().is_empty() || leave_at <= Instant::now(),
                None => {
                    let played = self.options.orders.is_empty() && self.started.is_empty();
                    ends && played && self.matches.plays.values().all(MatchState::is_lost)
                }
            };
            if done {
                break;
            }
            self.poll()?;
        }
        let (sent, asked) = (self.matches.answers().len(), self.matches.questions().len());
        if sent + asked > 0 {
            let (sent, asked) = (counted(sent, "answer", "answers"), counted(asked, "request", "requests"));
            self.log.tell(&format!("stopped with {sent} sent but not confirmed and {asked} not answered"));
        }
        if !self.tally.is_empty() {
            self.log.result(&summary(&self.tally));
        }
        Ok(!self.refused)
    }

    /// Ends matches on the site, and does nothing else. Returns whether the site ended all of them.
    pub(crate) fn abort(mut self, ids: &[SiteId]) -> Result<bool, CallError> {
        ids.iter().try_for_each(|id| self.abort_match(id))?;
        Ok(!self.refused)
    }

    /// Delivers the answers there are, waits for what the site has to say, and thinks about it.
    fn poll(&mut self) -> Result<(), CallError> {
        let answers = self.matches.answers();
        let began = Instant::now();
        let poll = self.exchange(Call::poll(&answers), &Poll::parse);
        // The site has the answers, even if its own message cannot be read.
        if matches!(poll, Ok(_) | Err(CallError::Unreadable(_))) {
            for (id, _) in answers {
                self.matches.plays.entry(id).and_modify(|play| play.confirmed = true);
            }
            // Before any wait: a process that begins anew must not send an old answer again.
            self.matches.save(self.log);
        }
        let poll = match poll {
            Ok(poll) => poll,
            Err(error) => return self.failed(error),
        };
        if !(self.take(poll) | self.think()) {
            // A site that goes on to tell the same is not asked as fast as it answers.
            self.wait(self.options.quiet_wait.saturating_sub(began.elapsed()));
        }
        Ok(())
    }

    /// Takes what a poll has brought. Returns whether a match has ended.
    fn take(&mut self, poll: Poll) -> bool {
        for (id, line) in poll.requests {
            self.log.read(&format!("match {id}: asked {line}"));
            self.matches.receive(&id, &line, self.log);
        }
        let mut news = false;
        for result in poll.results {
            self.matches.plays.remove(&result.id);
            self.started.remove(&result.id);
            // The site may tell a result again, as it does requests.
            if self.ended.insert(result.id.clone()) {
                news = true;
                *self.tally.entry(result.word).or_default() += 1;
                self.log.result(&result.line);
            }
        }
        let live = self.matches.plays.iter().filter(|(_, play)| !play.is_lost());
        self.engines.keep(&live.map(|(id, _)| id).collect());
        news
    }

    /// Answers all requests there are, as many at once as there are threads. Returns whether there
    /// is an answer to deliver.
    fn think(&mut self) -> bool {
        let questions = self.matches.questions();
        if questions.is_empty() || self.leave_at.is_some() {
            return false;
        }
        self.matches.save(self.log);
        let mut open = questions.len();
        let mut answered = false;
        self.engines.answer(questions, &self.sender);
        while open > 0 {
            let Some(event) = self.next_event(None) else { break };
            let Event::Searched(id, result) = event else { continue };
            open -= 1;
            match result {
                Ok(answer) => {
                    answered = true;
                    self.matches.plays.entry(id.clone()).and_modify(|play| play.answer(answer.full));
                    let (turn, full, about) = (answer.turn, answer.full, answer.debug());
                    self.log.answered(&format!("match {id}: turn {turn}, {full}, {about}"));
                }
                Err(why) => self.matches.lose(&id, why, self.log),
            }
        }
        answered
    }

    fn start_matches(&mut self) -> Result<(), CallError> {
        while self.leave_at.is_none()
            && self.started.len() < self.options.at_once
            && let Some(order) = self.options.orders.pop_front()
        {
            let MatchOrder { bot, side, .. } = &order;
            let id = |body: &str| body.trim().trim_matches('"').parse().map_err(CallError::Unreadable);
            match self.persist(Call::run(&order), id, &format!("no match against {bot}"))? {
                Some(id) => {
                    self.log.result(&format!("match {id}: started against {bot}, as the {side} player"));
                    self.started.insert(id);
                }
                None => *self.tally.entry("not started").or_default() += 1,
            }
        }
        Ok(())
    }

    fn abort_lost(&mut self) -> Result<(), CallError> {
        let lost = self.matches.plays.iter().filter(|(_, play)| self.options.abort_lost && play.is_lost());
        for id in lost.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            if self.leave_at.is_none() && self.given_up.insert(id.clone()) {
                self.abort_match(&id)?;
            }
        }
        Ok(())
    }

    fn abort_match(&mut self, id: &SiteId) -> Result<(), CallError> {
        let ended = self.persist(Call::abort(id), |_| Ok(()), &format!("match {id}: not ended"))?;
        if ended.is_some() {
            self.log.result(&format!("match {id}: ended on request"));
        }
        Ok(())
    }

    /// Makes a call that does something, a few times if need be. If the site does not do it, tells
    /// the user why, after `failure`, and returns nothing.
    fn persist<T>(
        &mut self,
        call: Call,
        read: impl Fn(&str) -> Result<T, CallError>,
        failure: &str,
    ) -> Result<Option<T>, CallError> {
        for attempt in 1.. {
            let error = match self.exchange(call.clone(), &read) {
                Ok(done) => return Ok(Some(done)),
                Err(error) => error,
            };
            let why = error.to_string();
            let stays =
                matches!(error, CallError::Refused(_) | CallError::Unreadable(_) | CallError::Silence);
            if !stays && self.leave_at.is_none() && attempt < ATTEMPTS {
                self.failed(error)?;
                // The user may have stopped the wait: then the call is not made again.
                if self.leave_at.is_none() {
                    continue;
                }
            }
            self.refused = true;
            self.log.tell(&format!("{failure}: {why}"));
            break;
        }
        Ok(None)
    }

    /// Makes a call, waits for what the site says, and reads it.
    fn exchange<T>(
        &mut self,
        call: Call,
        read: &impl Fn(&str) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        let idle = call.headers.is_empty();
        // The thread lives as long as this sender does.
        let _ = self.calls.send(call);
        let reply = loop {
            match self.next_event(None) {
                Some(Event::Reply(reply)) => break reply?,
                Some(Event::Interrupt) if idle => return Err(CallError::Silence),
                Some(_) => {}
                None => return Err(CallError::Silence),
            }
        };
        let read = read(&reply)?;
        self.spoken = true;
        if self.failures > 0 {
            let failures = counted(self.failures, "failure", "failures");
            self.log.tell(&format!("the site answers again after {failures}"));
            self.failures = 0;
            self.last_trouble.clear();
        }
        Ok(read)
    }

    /// Waits before the next try, and says why unless that was the last thing said; the error if
    /// there is to be none.
    fn failed(&mut self, error: CallError) -> Result<(), CallError> {
        let wait = match error {
            CallError::Silence => return Ok(()),
            CallError::Lost(_) | CallError::Unreadable(_) => self.options.retry_wait,
            CallError::Trouble(_) => self.options.trouble_wait,
            CallError::Strange(_) if self.spoken => self.options.trouble_wait,
            _ => return Err(error),
        };
        self.failures += 1;
        let why = error.to_string();
        if why != self.last_trouble {
            self.log.tell(&format!("{why}; again in {} s", wait.as_secs_f64()));
            self.last_trouble = why;
        }
        self.wait(wait);
        Ok(())
    }

    /// Waits, at most until the user wants to stop.
    fn wait(&mut self, duration: Duration) {
        let end = Instant::now() + duration;
        while !matches!(self.next_event(Some(end)), None | Some(Event::Interrupt)) {}
    }

    /// Waits for the next event; `None` once `until` or the time to leave has come. An interrupt
    /// sets the time to leave.
    fn next_event(&mut self, until: Option<Instant>) -> Option<Event> {
        // This runner holds a sender itself, so the channel never closes.
        let event = match until.into_iter().chain(self.leave_at).min() {
            None => self.events.recv().ok(),
            Some(until) => self.events.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
        };
        if matches!(event, Some(Event::Interrupt)) {
            self.leave_at = Some(Instant::now() + self.options.grace);
            let open = self.matches.answers().len() + self.matches.questions().len();
            let answers = counted(open, "answer", "answers");
            self.log.tell(&match open {
                0 => String::from("stopping"),
                _ => format!("stopping: {answers} to finish and deliver first; Ctrl-C again ends at once"),
            });
        }
        event
    }
}

fn summary(tally: &BTreeMap<&str, u32>) -> String {
    let count = |result| tally.get(result).copied().unwrap_or_default();
    let other = |result: &&str| tally.get(*result).map(|count| format!(", {count} {result}"));
    let others: String = ["drawn", "aborted", "not started"].iter().filter_map(other).collect();
    format!("finished: {} won, {} lost{others}", count("won"), count("lost"))
}
