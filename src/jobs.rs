//! Numbered jobs on several threads, the games of a match and of self-play, and their interrupt.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::{self, ThreadId};

use parking_lot::Mutex;

use crate::search::StopHandle;

/// An interrupt of long work: no job begins once it is set, and the searches that threads have listed end.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    is_set: AtomicBool,
    /// The last search of each thread.
    searches: Mutex<HashMap<ThreadId, StopHandle>>,
}

impl Interrupt {
    pub(crate) fn is_set(&self) -> bool {
        // Nothing else is published with the flag: it only has to be seen soon.
        self.is_set.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self) {
        self.is_set.store(true, Ordering::Relaxed);
        self.searches.lock().values().for_each(StopHandle::stop);
    }

    /// Ends the search that this thread begins now, once the interrupt is set.
    pub(crate) fn end_with(&self, search: StopHandle) {
        let mut searches = self.searches.lock();
        // The lock publishes the flag of a `set` that has missed this search.
        if self.is_set() {
            search.stop();
        }
        searches.insert(thread::current().id(), search);
    }
}

pub(crate) struct Jobs<'a> {
    pub(crate) concurrency: usize,
    pub(crate) interrupt: &'a Interrupt,
}

impl Jobs<'_> {
    /// Does `work(worker, job)` for each job, in order of their beginnings, and gives each result
    /// to `take` on the calling thread as it comes.
    ///
    /// No job begins once `take` breaks or fails, once a job has no result or panics, or once the
    /// interrupt is set. Jobs in progress run to their end; `take` gets their results too, unless
    /// it has failed.
    ///
    /// # Panics
    /// If a job panicked, after the jobs in progress have ended.
    pub(crate) fn run<J: Sync, T: Send, E>(
        &self,
        jobs: &[J],
        work: impl Fn(usize, &J) -> Option<T> + Sync,
        mut take: impl FnMut(T) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let (next, closing) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, results) = mpsc::channel();
        // Relaxed throughout: the counter hands out numbers, and the flag need only be seen soon.
        // Results travel through the channel.
        thread::scope(|scope| {
            for worker in 0..self.concurrency.clamp(1, jobs.len().max(1)) {
                let sender = sender.clone();
                let (next, closing, work) = (&next, &closing, &work);
                scope.spawn(move || {
                    // A worker ends after the last job, or because no job is to begin.
                    let _end = Closing(closing);
                    while !closing.load(Ordering::Relaxed) && !self.interrupt.is_set() {
                        let job = jobs.get(next.fetch_add(1, Ordering::Relaxed));
                        let Some(result) = job.and_then(|job| work(worker, job)) else { break };
                        if sender.send(result).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            let mut outcome = Ok(());
            for result in results {
                if outcome.is_err() {
                    continue;
                }
                match take(result) {
                    Ok(ControlFlow::Continue(())) => continue,
                    Ok(ControlFlow::Break(())) => {}
                    Err(error) => outcome = Err(error),
                }
                closing.store(true, Ordering::Relaxed);
            }
            outcome
        })
    }
}

/// Lets no job begin once it is dropped, in a panic too.
struct Closing<'a>(&'a AtomicBool);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    use super::*;

    #[test]
    fn no_result_is_taken_after_an_error() {
        let (never, mut taken) = (Interrupt::default(), 0);
        let work = |worker, (): &()| (worker < 4).then_some(());
        let take = |()| {
            taken += 1;
            if taken == 5 { Err("full") } else { Ok(ControlFlow::Continue(())) }
        };
        let outcome = Jobs { concurrency: 4, interrupt: &never }.run(&[(); 1000], work, take);
        assert_eq!((outcome, taken), (Err("full"), 5));
    }

    #[test]
    fn jobs_in_progress_are_taken_after_a_break() {
        let (never, begun, mut taken) = (Interrupt::default(), AtomicUsize::new(0), 0);
        let work = |_: usize, (): &()| {
            begun.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(1));
            Some(())
        };
        let take = |()| {
            taken += 1;
            Ok::<_, ()>(ControlFlow::Break(()))
        };
        let outcome = Jobs { concurrency: 3, interrupt: &never }.run(&[(); 1000], work, take);
        assert_eq!((outcome, taken), (Ok(()), begun.into_inner()));
        assert!(taken < 1000);
    }

    #[test]
    fn no_job_begins_after_one_without_a_result() {
        for panics in [false, true] {
            let (never, failed) = (Interrupt::default(), AtomicBool::new(false));
            let (begun, mut taken) = (AtomicUsize::new(0), 0);
            let work = |_: usize, &job: &usize| {
                begun.fetch_add(1, Ordering::Relaxed);
                if job == 0 {
                    failed.store(true, Ordering::Relaxed);
                    assert!(!panics, "as asked");
                    return None;
                }
                while !failed.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                thread::sleep(Duration::from_millis(10));
                Some(())
            };
            let take = |()| {
                taken += 1;
                Ok::<_, ()>(ControlFlow::Continue(()))
            };
            let jobs: Vec<usize> = (0..1000).collect();
            let runner = Jobs { concurrency: 2, interrupt: &never };
            let outcome = catch_unwind(AssertUnwindSafe(|| runner.run(&jobs, work, take)));
            assert_eq!(outcome.is_err(), panics);
            let begun = begun.into_inner();
            assert!(begun < 1000 && taken == begun - 1, "{begun} begun, {taken} taken");
        }
    }
}
