//! Runs jobs on several threads, such as the games of a match or of self-play.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::search::StopHandle;

/// Calls `work` for each job, `concurrency` at a time, and passes each result to `take` on the
/// calling thread. Jobs begin in order, but may end in any order.
///
/// No further job begins after `take` fails, after a job returns `None` or panics, or after
/// `interrupt` is signalled. Jobs in progress run to their end. Their results are passed to
/// `take` unless it has failed.
///
/// # Panics
/// If a job panicked, after the jobs in progress have ended.
pub(crate) fn run<J: Sync, T: Send, E>(
    concurrency: usize,
    interrupt: &StopHandle,
    jobs: &[J],
    work: impl Fn(&J) -> Option<T> + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let (next, closing) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, results) = crossbeam_channel::unbounded();
    // `Relaxed` is enough for the job counter and `closing`: a channel carries the results.
    thread::scope(|scope| {
        for _ in 0..concurrency.clamp(1, jobs.len().max(1)) {
            let sender = sender.clone();
            let (next, closing, work) = (&next, &closing, &work);
            scope.spawn(move || {
                let _end = CloseOnDrop(closing);
                while !closing.load(Ordering::Relaxed) && !interrupt.is_stopped() {
                    let job = jobs.get(next.fetch_add(1, Ordering::Relaxed));
                    let Some(result) = job.and_then(work) else { break };
                    if sender.send(result).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut outcome = Ok(());
        for result in results {
            if outcome.is_ok() {
                outcome = take(result);
            }
            if outcome.is_err() {
                closing.store(true, Ordering::Relaxed);
            }
        }
        outcome
    })
}

/// When dropped, even by a panic, sets the flag that prevents the start of further jobs.
struct CloseOnDrop<'a>(&'a AtomicBool);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    use super::*;

    /// The event at job 5 of the test, after which no further job may begin.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Ending {
        Error,
        NoResult,
        Panic,
    }

    #[test]
    fn no_job_begins_after_end() {
        for ending in [Ending::Error, Ending::NoResult, Ending::Panic] {
            let (never, begun, mut taken) = (StopHandle::default(), AtomicUsize::new(0), 0);
            let (jobs, mut failed): (Vec<usize>, _) = ((0..1_000_000).collect(), false);
            let work = |&job: &usize| {
                begun.fetch_add(1, Ordering::Relaxed);
                thread::sleep(Duration::from_millis(1));
                assert!(job != 5 || ending != Ending::Panic, "as asked");
                (job != 5 || ending != Ending::NoResult).then_some(job)
            };
            let take = |job| {
                assert!(!failed, "no result is taken after an error");
                taken += 1;
                failed = job == 5 && ending == Ending::Error;
                if failed { Err("full") } else { Ok(()) }
            };
            let outcome = catch_unwind(AssertUnwindSafe(|| run(3, &never, &jobs, work, take))).ok();
            let expected = if ending == Ending::Error { Err("full") } else { Ok(()) };
            assert_eq!(outcome, (ending != Ending::Panic).then_some(expected));
            let begun = begun.into_inner();
            assert!(begun < jobs.len(), "{ending:?}: {begun}");
            // `take` gets the results of all jobs that have begun, unless `take` itself has failed.
            let without_result = usize::from(matches!(ending, Ending::NoResult | Ending::Panic));
            assert!(
                taken + without_result == begun || ending == Ending::Error,
                "{ending:?}: {taken} of {begun}"
            );
        }
    }
}
