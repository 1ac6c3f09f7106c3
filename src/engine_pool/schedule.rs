//! The schedule of an engine pool: chooses the next job and its engine, or the engine that ponders.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{SearchJob, Ticket};
use crate::search::StopHandle;

pub(super) struct PoolState<J: SearchJob> {
    /// Higher priority first, then in order of arrival.
    pub(super) waiting: BTreeMap<(Reverse<i64>, u64), (Ticket, J)>,
    pub(super) running: BTreeMap<u64, RunningJob>,
    pub(super) idle: Vec<IdleEngine<J::Engine>>,
    /// Engines that ponder, by the number of their last job.
    pub(super) pondering: BTreeMap<u64, StopHandle>,
    /// Slices that the engines have pondered.
    pub(super) pondered: u64,
    /// The last number of a ticket or a job.
    pub(super) numbers: u64,
    /// True if no more jobs will come.
    pub(super) closed: bool,
}

pub(super) struct RunningJob {
    pub(super) ticket: Ticket,
    pub(super) handle: Option<StopHandle>,
    pub(super) stopped: bool,
}

pub(super) struct IdleEngine<E> {
    pub(super) engine: E,
    /// The number of its last job: larger is later.
    pub(super) used: u64,
    /// Slices that it may still ponder before its next job.
    pub(super) slices: u32,
}

impl<J: SearchJob> PoolState<J> {
    pub(super) fn next_number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    pub(super) fn stop_pondering(&self) {
        self.pondering.values().for_each(StopHandle::stop);
    }

    /// Takes the job that is next.
    ///
    /// If that would drop an engine, jobs of the same ticket that an idle engine fits go first.
    /// Otherwise, with one match more than engines, every match would lose its tree in turn.
    pub(super) fn next_job(&mut self, engines: usize) -> Option<(u64, Ticket, J)> {
        let (&first, (ticket, job)) = self.waiting.first_key_value()?;
        let fits = |job: &J| self.idle.iter().any(|idle| job.fit(&idle.engine).is_some());
        let full = self.running.len() + self.idle.len() >= engines;
        let place = if full && !fits(job) {
            let mut others = self.waiting.iter().filter(|(_, (other, job))| other == ticket && fits(job));
            others.next().map_or(first, |(&place, _)| place)
        } else {
            first
        };
        let (ticket, job) = self.waiting.remove(&place)?;
        Some((place.1, ticket, job))
    }

    /// The engine that fits a job best. If none fits and the pool is full, the engine to drop: the
    /// one unused for the longest time.
    pub(super) fn take(&mut self, job: &J, full: bool) -> (Option<J::Engine>, Option<J::Engine>) {
        let fits = self.idle.iter().enumerate();
        let best = fits.filter_map(|(index, idle)| Some((job.fit(&idle.engine)?, idle.used, index))).max();
        if let Some((_, _, index)) = best {
            return (Some(self.idle.swap_remove(index).engine), None);
        }
        let oldest = (0..self.idle.len()).min_by_key(|&index| self.idle[index].used).filter(|_| full);
        (None, oldest.map(|index| self.idle.swap_remove(index).engine))
    }

    /// The engine to ponder with, while no job runs or waits: the one with most slices left, and of
    /// equals the one last used.
    pub(super) fn next_to_ponder(&mut self) -> Option<IdleEngine<J::Engine>> {
        if self.closed || !self.running.is_empty() || !self.waiting.is_empty() {
            return None;
        }
        let ponders = self.idle.iter().enumerate().filter(|(_, idle)| idle.slices > 0);
        let handles = ponders.filter_map(|(index, idle)| Some((index, J::stop_handle(&idle.engine)?)));
        let (index, handle) =
            handles.max_by_key(|&(index, _)| (self.idle[index].slices, self.idle[index].used))?;
        handle.reset();
        self.pondering.insert(self.idle[index].used, handle);
        Some(self.idle.swap_remove(index))
    }
}
