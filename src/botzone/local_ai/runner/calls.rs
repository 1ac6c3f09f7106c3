//! Calls to the site and waits, during which searches end and the user may want to stop.

use std::time::{Duration, Instant};

use super::Runner;
use crate::botzone::local_ai::engines::Event;
use crate::botzone::local_ai::play::Phase;
use crate::botzone::local_ai::site::{Call, CallFailure, CallOutcome, Refusal};
use crate::messages::counted;

/// How often a call that does something is made before it is given up.
const ATTEMPTS: u32 = 5;

impl Runner<'_> {
    /// Makes a call, a few times if need be. The inner error says what the site will not do.
    pub(super) fn persist(&mut self, call: &Call) -> Result<Result<Vec<u8>, String>, Refusal> {
        let mut why = String::from("stopped before it was asked for");
        for _ in 0..ATTEMPTS {
            let Some(outcome) = self.exchange(call.clone()) else { break };
            match outcome {
                CallOutcome::Done(body) => {
                    self.recover();
                    return Ok(Ok(body));
                }
                CallOutcome::Cut(said) | CallOutcome::Refused(said) => return Ok(Err(said)),
                CallOutcome::NoAccount(said) => return Err(Refusal::Account(said)),
                CallOutcome::NoNews => return Ok(Err(String::from("the site did not answer in time"))),
                CallOutcome::Failed(failure, reason) => {
                    why.clone_from(&reason);
                    self.failed(failure, reason)?;
                }
            }
            if self.leave_at.is_some() {
                break;
            }
        }
        Ok(Err(why))
    }

    /// Makes a call and waits for what comes of it; `None` if that is not waited for any longer.
    pub(super) fn exchange(&mut self, call: Call) -> Option<CallOutcome> {
        let carries_something = call.carries_something();
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

    /// Waits before the next try, and says why unless that was the last thing said.
    pub(super) fn failed(&mut self, failure: CallFailure, why: String) -> Result<(), Refusal> {
        let wait = match failure {
            CallFailure::Strange if !self.spoken => return Err(Refusal::Address(why)),
            CallFailure::Lost => self.options.waits.retry,
            CallFailure::Trouble | CallFailure::Strange => self.options.waits.trouble,
        };
        self.failures += 1;
        if why != self.last_trouble {
            self.teller.tell(&format!("{why}; again in {} s", wait.as_secs_f64()));
            self.last_trouble = why;
        }
        self.wait(wait);
        Ok(())
    }

    pub(super) fn recover(&mut self) {
        self.spoken = true;
        if self.failures > 0 {
            let failures = counted(self.failures, "failure", "failures");
            self.teller.tell(&format!("the site answers again after {failures}"));
            self.failures = 0;
            self.last_trouble.clear();
        }
    }

    /// Waits, unless the user wants to stop.
    pub(super) fn wait(&mut self, duration: Duration) {
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
    pub(super) fn stop(&mut self) {
        if self.leave_at.is_none() {
            self.leave_at = Some(Instant::now() + self.options.waits.grace);
            let open = self.matches.answers().len() + self.matches.in_phase(Phase::Asked).len();
            let answers = counted(open, "answer", "answers");
            self.teller.tell(&match open {
                0 => String::from("stopping"),
                _ => format!("stopping: {answers} to finish and deliver first; Ctrl-C again ends at once"),
            });
        }
    }

    /// Time left before everything is left as it is.
    pub(super) fn remaining(&self) -> Duration {
        self.leave_at.map_or(Duration::MAX, |leave| leave.saturating_duration_since(Instant::now()))
    }

    /// The next event; `None` once `until` has come.
    pub(super) fn next_event(&self, until: Option<Instant>) -> Option<Event> {
        // This runner holds a sender itself, so the channel never closes.
        match until {
            None => self.events.recv().ok(),
            Some(until) => self.events.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
        }
    }
}
