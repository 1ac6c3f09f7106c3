//! The main loop: deliver answers, wait for requests, search, and repeat.
//!
//! The runner polls the site only while no request is being searched, as the site's sample client does. So no
//! answer waits for a poll that waits for another match, and no poll is abandoned while the site replies to it.
//! During a poll the engines may ponder.

use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use std::{io, thread};

use super::engines::{Engines, Event, SearchError, Searched};
use super::matches::Matches;
use super::notice::{Notice, Tally};
use super::options::{Options, Waits};
use super::poll::{Poll, PollError, SiteId};
use super::site::{Call, CallOutcome, MatchOrder, NoReply, Refusal, Site};
use crate::botzone::conversation::Conversation;
use crate::botzone::request::{Request, TimeLimit};
use crate::botzone::response::debug_text;

/// How often a match is asked for before it is given up.
const START_ATTEMPTS: u32 = 5;

/// Asks a [`Runner`] to stop, from any thread.
#[derive(Clone)]
pub(crate) struct Interrupter(Sender<Event>);

impl Interrupter {
    /// Has the answers that are under way delivered, and ends.
    pub(crate) fn interrupt(&self) {
        // A runner that is gone has stopped.
        let _ = self.0.send(Event::Interrupt);
    }
}

/// Plays matches until it is told to stop.
pub(crate) struct Runner<'a> {
    options: Options,
    matches: Matches,
    engines: Engines,
    /// Requests being searched or waiting for a thread.
    searches: usize,
    calls: Sender<Call>,
    events: Receiver<Event>,
    interrupter: Interrupter,
    notify: &'a mut dyn FnMut(Notice),
    tally: Tally,
    /// When to leave unfinished work: set once the user wants to stop.
    leave_at: Option<Instant>,
    /// Whether the site has ever spoken as documented.
    spoken: bool,
    failures: u32,
    last_trouble: String,
    /// Lost matches that were asked to be aborted.
    given_up: BTreeSet<SiteId>,
    /// Matches whose end is known.
    ended: BTreeSet<SiteId>,
}

impl<'a> Runner<'a> {
    /// A runner that plays `matches` and whatever the site brings, and tells `notify` what happens. `build` makes
    /// a conversation with a new player.
    pub(crate) fn new(
        site: impl Site + 'static,
        build: impl Fn() -> Conversation + Send + Sync + 'static,
        options: Options,
        matches: Matches,
        notify: &'a mut dyn FnMut(Notice),
    ) -> io::Result<Runner<'a>> {
        let (sender, events) = mpsc::channel();
        let (calls, queue) = mpsc::channel::<Call>();
        let replies = sender.clone();
        // A poll can last minutes, and nothing ends it from outside: this thread is left alone at the end.
        thread::Builder::new().name("site".into()).spawn(move || {
            for call in queue {
                // A fault in a library must not leave the loop waiting for a thread that is no more.
                let result =
                    panic::catch_unwind(AssertUnwindSafe(|| site.call(&call))).unwrap_or_else(|_| {
                        Err(NoReply::Lost(String::from("the call broke down in this program")))
                    });
                if replies.send(Event::Reply(CallOutcome::of(result))).is_err() {
                    return;
                }
            }
        })?;
        let Options { seats, threads, ponder, .. } = options;
        let engines = Engines::new(seats, threads, ponder, build, sender.clone())?;
        Ok(Runner {
            options,
            matches,
            engines,
            searches: 0,
            calls,
            events,
            interrupter: Interrupter(sender),
            notify,
            tally: Tally::default(),
            leave_at: None,
            spoken: false,
            failures: 0,
            last_trouble: String::new(),
            given_up: BTreeSet::new(),
            ended: BTreeSet::new(),
        })
    }

    /// What stops this runner.
    pub(crate) fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    /// Plays until the user stops it or the series is over.
    pub(crate) fn run(mut self) -> Result<Tally, Refusal> {
        let Options { threads, seats, .. } = self.options;
        (self.notify)(Notice::Ready { threads, engines: seats });
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
                if self.options.series.is_over() && !self.options.stay && self.matches.is_idle() {
                    break;
                }
            }
            self.poll()?;
        }
        let (unconfirmed, unanswered) = (self.matches.answers().len(), self.matches.asked().len());
        if unconfirmed + unanswered > 0 {
            (self.notify)(Notice::Left { unconfirmed, unanswered });
        }
        Ok(self.tally)
    }

    /// Delivers the answers there are, waits for what the site has to say, and thinks about it.
    fn poll(&mut self) -> Result<(), Refusal> {
        let answers = self.matches.answers();
        let sent: Vec<SiteId> = answers.iter().map(|(id, _)| id.clone()).collect();
        let began = Instant::now();
        let outcome = self.exchange(Call::Poll(answers));
        let Some(outcome) = outcome else { return Ok(()) };
        let Waits { retry, trouble, quiet, .. } = self.options.waits;
        match outcome {
            CallOutcome::Done(body) => match Poll::parse(&body) {
                Ok(poll) => {
                    self.recover();
                    self.confirm(&sent);
                    if self.take(poll) {
                        self.think();
                    } else {
                        // A site that goes on to tell the same is not asked as fast as it answers.
                        self.wait(quiet.saturating_sub(began.elapsed()));
                    }
                }
                // Some machine in between: the site has not seen the answers.
                Err(error @ PollError::Foreign { .. }) => {
                    let why = format!("this is not the site speaking: {error}");
                    self.strange(why, trouble)?;
                }
                Err(error) => {
                    self.confirm(&sent);
                    (self.notify)(Notice::Unreadable(error.to_string()));
                    self.trouble("its message is left alone".into(), retry);
                }
            },
            CallOutcome::Cut(why) => {
                // Status 200 has come, so the answers have arrived; the requests are to come again.
                self.confirm(&sent);
                self.trouble(format!("the site's message did not come whole: {why}"), retry);
            }
            CallOutcome::NoNews => {}
            CallOutcome::Again(why) => self.trouble(why, retry),
            CallOutcome::Later(why) => self.trouble(why, trouble),
            CallOutcome::Strange(why) => self.strange(why, trouble)?,
            CallOutcome::Refused(refusal) => return Err(refusal),
        }
        Ok(())
    }

    /// Takes what a poll has brought. Returns whether anything of it is new.
    fn take(&mut self, poll: Poll) -> bool {
        let mut news = false;
        for (id, line) in poll.requests {
            self.ended.remove(&id);
            (self.notify)(Notice::Request(id.clone(), line.clone()));
            news |= self.matches.receive(&id, &line, self.notify);
        }
        for finished in poll.finished {
            // The site may tell a result again, as it does requests.
            if !self.ended.insert(finished.id.clone()) {
                continue;
            }
            news = true;
            self.matches.finish(&finished.id, self.notify);
            self.engines.discard(&finished.id);
            self.options.series.finished(&finished.id);
            self.given_up.remove(&finished.id);
            self.tally.add(finished.ending());
            (self.notify)(Notice::Finished(finished));
        }
        for id in self.matches.lost() {
            self.engines.discard(&id);
        }
        news
    }

    fn confirm(&mut self, sent: &[SiteId]) {
        for id in sent {
            self.matches.confirm(id, self.notify);
        }
    }

    /// Answers all requests there are, as many at once as there are threads.
    fn think(&mut self) {
        if self.leave_at.is_some() {
            return;
        }
        let asked = self.matches.asked();
        let rounds = rounds(asked.len(), self.options.threads);
        let share = self.options.time.map(|time| TimeLimit { time: time / rounds, in_seconds: false });
        let question = |id: SiteId| {
            let mut question = self.matches.question(&id)?;
            question.time_limit = question.time_limit.into_iter().chain(share).min();
            Some((id, question))
        };
        let questions: Vec<(SiteId, Request)> = asked.into_iter().filter_map(question).collect();
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
                self.matches.answer(&id, answer.full, self.notify);
                let about = debug_text(answer.report.as_ref());
                (self.notify)(Notice::Answered { id, turn: answer.turn, full: answer.full, about });
            }
            Err(error) => {
                self.matches.lose(&id, self.notify);
                (self.notify)(match error {
                    SearchError::NoAnswer(error) => Notice::NoAnswer(id, error),
                    SearchError::Fault(message) => Notice::Fault(id, message),
                });
            }
        }
    }

    /// Makes a call and waits for what comes of it; `None` if that is not waited for any longer.
    fn exchange(&mut self, call: Call) -> Option<CallOutcome> {
        let carries_something = match &call {
            Call::Poll(answers) => !answers.is_empty(),
            Call::Run(_) | Call::Abort(_) => true,
        };
        // The thread lives as long as this sender does.
        let _ = self.calls.send(call);
        loop {
            match self.next_event(self.leave_at) {
                Some(Event::Reply(outcome)) => return Some(outcome),
                Some(Event::Searched(searched)) => self.searched(*searched),
                Some(Event::Interrupt) => {
                    self.stop();
                    if !carries_something {
                        return None;
                    }
                }
                None => return None,
            }
        }
    }

    /// Starts matches of the series, as many as may go on at once.
    fn start_matches(&mut self) -> Result<(), Refusal> {
        while self.leave_at.is_none()
            && let Some(order) = self.options.series.next_order()
        {
            match self.persist(Call::Run(order.clone()))? {
                Ok(body) => match String::from_utf8_lossy(&body).trim().trim_matches('"').parse::<SiteId>() {
                    Ok(id) => {
                        self.options.series.started(&id);
                        (self.notify)(Notice::Started(id, order));
                    }
                    Err(error) => self.not_started(order, error.to_string()),
                },
                Err(why) => self.not_started(order, why),
            }
        }
        Ok(())
    }

    fn not_started(&mut self, order: MatchOrder, why: String) {
        self.tally.refused += 1;
        (self.notify)(Notice::NotStarted(order, why));
    }

    /// Ends the matches that cannot go on, if that is wanted.
    fn abort_lost(&mut self) -> Result<(), Refusal> {
        if !self.options.abort_lost {
            return Ok(());
        }
        for id in self.matches.lost() {
            if self.leave_at.is_none() && self.given_up.insert(id.clone()) {
                match self.persist(Call::Abort(id.clone()))? {
                    Ok(_) => (self.notify)(Notice::Aborted(id)),
                    Err(why) => (self.notify)(Notice::NotAborted(id, why)),
                }
            }
        }
        Ok(())
    }

    /// Makes a call, a few times if need be. What the site will not do is said in the inner error.
    fn persist(&mut self, call: Call) -> Result<Result<Vec<u8>, String>, Refusal> {
        let Waits { retry, trouble, .. } = self.options.waits;
        let mut why = String::from("stopped before it was asked for");
        for _ in 0..START_ATTEMPTS {
            let Some(outcome) = self.exchange(call.clone()) else { break };
            let (reason, wait) = match outcome {
                CallOutcome::Done(body) => {
                    self.recover();
                    return Ok(Ok(body));
                }
                CallOutcome::Refused(Refusal::Call { said }) => return Ok(Err(said)),
                CallOutcome::Refused(refusal) => return Err(refusal),
                CallOutcome::Cut(reason) => return Ok(Err(reason)),
                CallOutcome::NoNews => return Ok(Err(String::from("the site did not answer in time"))),
                CallOutcome::Strange(said) if !self.spoken => return Err(Refusal::Address { said }),
                CallOutcome::Again(reason) => (reason, retry),
                CallOutcome::Later(reason) | CallOutcome::Strange(reason) => (reason, trouble),
            };
            why.clone_from(&reason);
            self.trouble(reason, wait);
            if self.leave_at.is_some() {
                break;
            }
        }
        Ok(Err(why))
    }

    /// Something that no documented site says: the end if it has never said anything else.
    fn strange(&mut self, said: String, wait: Duration) -> Result<(), Refusal> {
        if !self.spoken {
            return Err(Refusal::Address { said });
        }
        self.trouble(said, wait);
        Ok(())
    }

    /// Waits before the next try, and says why unless that was the last thing said.
    fn trouble(&mut self, why: String, wait: Duration) {
        self.failures += 1;
        if why != self.last_trouble {
            (self.notify)(Notice::Trouble(why.clone(), wait));
            self.last_trouble = why;
        }
        self.wait(wait);
    }

    fn recover(&mut self) {
        self.spoken = true;
        if self.failures > 0 {
            (self.notify)(Notice::Recovered(self.failures));
            self.failures = 0;
            self.last_trouble.clear();
        }
    }

    /// Waits, unless the user wants to stop.
    fn wait(&mut self, duration: Duration) {
        let end = Instant::now() + duration;
        while let Some(event) = self.next_event(Some(self.leave_at.map_or(end, |leave| leave.min(end)))) {
            match event {
                Event::Interrupt => {
                    let was_stopping = self.leave_at.is_some();
                    self.stop();
                    if !was_stopping {
                        return;
                    }
                }
                Event::Searched(searched) => self.searched(*searched),
                Event::Reply(_) => {}
            }
        }
    }

    /// The user wants to stop.
    fn stop(&mut self) {
        if self.leave_at.is_none() {
            self.leave_at = Some(Instant::now() + self.options.waits.grace);
            let open = self.matches.answers().len() + self.matches.asked().len();
            (self.notify)(Notice::Stopping(open));
        }
    }

    /// Time left before everything is left as it is.
    fn remaining(&self) -> Duration {
        self.leave_at.map_or(Duration::MAX, |leave| leave.saturating_duration_since(Instant::now()))
    }

    /// The next event; `None` once `until` has come.
    fn next_event(&self, until: Option<Instant>) -> Option<Event> {
        let received = match until {
            None => self.events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(until) => self.events.recv_timeout(until.saturating_duration_since(Instant::now())),
        };
        // This runner holds a sender itself, so the channel never closes.
        received.ok()
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
