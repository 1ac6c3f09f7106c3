//! Time management: turns a time control into two time bounds for each turn.
//!
//! The hard bound is the time that the control allows, minus a margin; a search never exceeds it on
//! purpose. The soft bound is a fair share of a game clock. A search ends before the soft bound if
//! its leading move is far ahead, and after the soft bound if the leading move has just changed or
//! the value has dropped. A time control that does not carry unused time over to later moves has no
//! soft bound.

use std::time::Duration;

use amazons::Move;

use super::limits::{Limits, Time};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeBounds {
    /// The time by which the search must end; `None` without a clock.
    pub(super) hard: Option<Duration>,
    /// The time at which a search usually ends; `None` if unused time is not carried over.
    pub(super) soft: Option<Duration>,
}

/// Measures the delays that the margin must cover: the delays between two clock checks of a search,
/// and the delay between the hard bound and the end of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DelayTracker {
    /// The two largest delays, the larger first. The margin covers the second largest, because a
    /// single delay may be an exception.
    delays: [Duration; 2],
    /// The fraction of a move's time limit that the search may use.
    time_fraction: f64,
    /// The number of searches since the last search that ended after its limit.
    since_late: u32,
}

const MIN_TIME_FRACTION: f64 = 1.0 / 16.0;

/// A search that exceeds its limit halves `time_fraction` only if one of the `LATE_WINDOW` searches
/// before it also exceeded its limit.
const LATE_WINDOW: u32 = 32;

impl Default for DelayTracker {
    fn default() -> DelayTracker {
        DelayTracker { delays: [Duration::ZERO; 2], time_fraction: 1.0, since_late: LATE_WINDOW }
    }
}

impl DelayTracker {
    /// Records the time between two clock checks of a search. Returns true if later bounds must
    /// reserve more time.
    pub(super) fn record_delay(&mut self, delay: Duration) -> bool {
        let [first, second] = self.delays;
        self.delays = [first.max(delay), second.max(first.min(delay))];
        self.delays[1] > second
    }

    /// Records that a search with the hard bound `bound` ended at `ended`. Recorded delays shrink
    /// by a tenth with each search.
    ///
    /// If only wall time counts, also adapts the fraction of the limit that later searches use. A
    /// late search halves the fraction if one of the 32 searches before it was late; a search that
    /// ends in time raises the fraction by 5 %.
    pub(super) fn record_search(&mut self, limits: &Limits, bound: Duration, ended: Duration) {
        self.delays = self.delays.map(|delay| delay.mul_f64(0.9));
        self.record_delay(ended.saturating_sub(bound));
        if let Some(Time::PerMove(limit)) =
            limits.time.filter(|_| limits.stopwatch.is_none_or(|stopwatch| stopwatch.is_wall()))
        {
            let late = ended > limit;
            let factor = match late {
                false => 1.05,
                true if self.since_late < LATE_WINDOW => 0.5,
                true => 1.0,
            };
            self.since_late = if late { 0 } else { self.since_late.saturating_add(1) };
            self.time_fraction = (self.time_fraction * factor).clamp(MIN_TIME_FRACTION, 1.0);
        }
    }
}

impl TimeBounds {
    /// The bounds of a turn under a time control, on a board with `empty` empty squares.
    ///
    /// Reserves the larger of two times at the end of the turn's limit. The first is `margin`, but
    /// at most a tenth of the limit. The second is 1.5 times the second largest delay, but at most
    /// half of the limit.
    pub(super) fn new(limits: &Limits, margin: Duration, tracker: DelayTracker, empty: u32) -> TimeBounds {
        let keep_back = |limit: Duration| {
            let late = tracker.delays[1].mul_f64(1.5).min(limit / 2);
            limit.saturating_sub(margin.min(limit / 10).max(late))
        };
        match limits.time {
            None => TimeBounds { hard: None, soft: None },
            Some(Time::PerMove(limit)) => {
                TimeBounds { hard: Some(keep_back(limit).mul_f64(tracker.time_fraction)), soft: None }
            }
            Some(Time::Game { remaining, increment }) => {
                // The mover makes at most `empty / 2` moves. The time is divided by about half of
                // this number: games end with squares left, and the last moves need little time.
                let moves = f64::from(empty) / 4.0 + 2.0;
                let spread = remaining.div_f64(moves) + increment.mul_f64(0.8);
                let hard = keep_back(remaining.mul_f64(0.5).min(4 * spread));
                TimeBounds { hard: Some(hard), soft: Some(spread.min(hard)) }
            }
        }
    }
}

/// The time at which a player without time management must end its search: its fair share of a game
/// clock, or its limit minus `margin`. `None` without a clock.
pub(crate) fn deadline(limits: &Limits, margin: Duration, empty: u32) -> Option<Duration> {
    let TimeBounds { hard, soft } = TimeBounds::new(limits, margin, DelayTracker::default(), empty);
    soft.or(hard)
}

/// Decides when a running search under a game clock ends.
#[derive(Debug)]
pub(super) struct EarlyStop {
    soft: Duration,
    leader: Option<(Move, Duration)>,
    /// The value that the last search predicted for the side to move; `None` without a prediction.
    expected: Option<f64>,
    /// When the playouts began. The solver may have used the time before.
    begun: Duration,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RootState {
    pub(super) leader: Move,
    /// The value of the leading move for the side to move, in [0,1].
    pub(super) value: f64,
    pub(super) lead: u64,
    pub(super) playouts: u64,
}

impl EarlyStop {
    pub(super) fn new(soft: Duration, expected: Option<f64>, begun: Duration) -> EarlyStop {
        EarlyStop { soft, leader: None, expected, begun }
    }

    /// True if the search should end at `elapsed`. A search ends early if the leading move's lead
    /// in visits exceeds the fraction `catch_up` of the playouts that the remaining time allows. A
    /// search never ends early if `catch_up` is 0 (Baier and Winands, "Time Management for Monte
    /// Carlo Tree Search", 2016). A recent change of the leading move, and a value more than 0.05
    /// below the predicted value, each lengthen the search by half the soft bound.
    pub(super) fn is_due(&mut self, root: &RootState, elapsed: Duration, catch_up: f64) -> bool {
        // The first leading move of a search does not count as a change of the leading move.
        let (leader, since) = self.leader.get_or_insert((root.leader, Duration::ZERO));
        if *leader != root.leader {
            (*leader, *since) = (root.leader, elapsed);
        }
        let since = *since;
        let mut bound = self.soft;
        if elapsed.saturating_sub(since) < self.soft / 2 && since > Duration::ZERO {
            bound += self.soft / 2;
        }
        if self.expected.is_some_and(|expected| root.value < expected - 0.05) {
            bound += self.soft / 2;
        }
        if elapsed >= bound {
            return true;
        }
        let searched = elapsed.saturating_sub(self.begun);
        let left = (bound - elapsed).as_secs_f64() / searched.as_secs_f64().max(1e-6);
        let to_come = left * root.playouts as f64;
        catch_up > 0.0 && searched > self.soft / 8 && root.lead as f64 > catch_up * to_come
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Cpu;
    use crate::search::limits::Stopwatch;

    const MARGIN: Duration = Duration::from_millis(50);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn game(remaining: u64, increment: u64) -> Limits {
        let time = Time::Game { remaining: ms(remaining), increment: ms(increment) };
        Limits { time: Some(time), ..Limits::default() }
    }

    #[test]
    fn margin_is_at_most_a_tenth_of_the_limit() {
        let hard = |limit| TimeBounds::new(&Limits::per_move(ms(limit)), MARGIN, DelayTracker::default(), 50);
        assert_eq!(hard(1000), TimeBounds { hard: Some(ms(950)), soft: None });
        assert_eq!(hard(100), TimeBounds { hard: Some(ms(90)), soft: None });
        let none = TimeBounds { hard: None, soft: None };
        assert_eq!(TimeBounds::new(&Limits::playouts(9), MARGIN, DelayTracker::default(), 50), none);
    }

    fn by_cpu(limit: u64) -> Limits {
        Limits { stopwatch: Some(Stopwatch::cpu(Cpu::Thread)), ..Limits::per_move(ms(limit)) }
    }

    #[test]
    fn delays_are_reserved_and_fade() {
        let mut tracker = DelayTracker::default();
        let limits = by_cpu(100);
        let hard = |tracker| TimeBounds::new(&limits, MARGIN, tracker, 50).hard.unwrap();
        tracker.record_search(&limits, ms(90), ms(112));
        assert_eq!(hard(tracker), ms(90), "one late turn may be an exception");
        tracker.record_search(&limits, ms(90), ms(110));
        assert!(hard(tracker) > ms(69) && hard(tracker) < ms(71), "{:?}", hard(tracker));
        for _ in 0..20 {
            tracker.record_search(&limits, ms(90), ms(90));
        }
        assert_eq!(hard(tracker), ms(90));
        tracker.record_search(&limits, ms(90), ms(90_000));
        tracker.record_search(&limits, ms(90), ms(90_000));
        assert_eq!(hard(tracker), ms(50));
    }

    #[test]
    fn one_search_learns_how_busy_the_machine_is() {
        let limits = Limits {
            stopwatch: Some(Stopwatch { cpu: Some((Cpu::Process, ms(0))), ..Stopwatch::wall() }),
            ..by_cpu(60)
        };
        let hard = |tracker| TimeBounds::new(&limits, MARGIN, tracker, 50).hard.unwrap();
        let mut tracker = DelayTracker::default();
        // On an idle machine, delays are short. A page fault causes one longer delay.
        tracker.record_delay(ms(1) / 5);
        assert!(tracker.record_delay(ms(1) / 5) && !tracker.record_delay(ms(1) / 5));
        assert_eq!(hard(tracker), ms(54));
        assert!(!tracker.record_delay(ms(1)));
        assert_eq!(hard(tracker), ms(54), "one page fault");
        // The system interrupts one search twice.
        assert!(tracker.record_delay(ms(12)) && tracker.record_delay(ms(8)));
        assert_eq!(hard(tracker), ms(48));
    }

    /// Simulates 300 searches on a machine that interrupts each search for 75 ms after its first 4
    /// ms. Returns the number of late searches, and the hard bound after the last search.
    fn late_on_a_busy_machine(limits: &Limits) -> (usize, Duration) {
        let Some(Time::PerMove(limit)) = limits.time else { panic!("a time for each move") };
        let mut tracker = DelayTracker::default();
        let bound = |tracker| TimeBounds::new(limits, MARGIN, tracker, 50).hard.unwrap();
        let late = (0..300).filter(|_| {
            let hard = bound(tracker);
            let ended = if hard > ms(4) { hard + ms(75) } else { hard };
            tracker.record_search(limits, hard, ended);
            ended > limit
        });
        (late.count(), bound(tracker))
    }

    #[test]
    fn wall_time_is_left_unused_where_searches_end_late() {
        for limit in [10, 50] {
            let (late, hard) = late_on_a_busy_machine(&Limits::per_move(ms(limit)));
            assert!(late < 30 && hard > ms(1), "{limit} ms: {late} of 300 late, {hard:?}");
            // CPU time does not run during an interruption, so the fraction of the limit stays 1.
            // The recorded delays reserve half of the limit, which is the most they may reserve.
            assert_eq!(late_on_a_busy_machine(&by_cpu(limit)).1, ms(limit / 2));
        }
        // Once the machine is idle again, searches use the whole limit again.
        let limits = Limits::per_move(ms(1000));
        let mut tracker = DelayTracker::default();
        tracker.record_search(&limits, ms(950), ms(1100));
        assert_eq!(tracker.time_fraction, 1.0, "one late turn may be an exception");
        tracker.record_search(&limits, ms(950), ms(1100));
        assert_eq!(tracker.time_fraction, 0.5);
        (0..30).for_each(|_| tracker.record_search(&limits, ms(500), ms(500)));
        assert_eq!(TimeBounds::new(&limits, MARGIN, tracker, 50).hard, Some(ms(950)));
    }

    #[test]
    fn bank_lasts_for_the_game() {
        for increment in [0, 5_000] {
            let mut bank = ms(300_000);
            let mut last = ms(0);
            // Every search takes 1.5 times its soft bound, as if its leading move had just changed.
            for empty in (0..92).rev().step_by(2) {
                let limits = game(bank.as_millis() as u64, increment);
                let TimeBounds { hard, soft } =
                    TimeBounds::new(&limits, MARGIN, DelayTracker::default(), empty);
                let (hard, soft) = (hard.unwrap(), soft.unwrap());
                assert!(soft <= hard && hard <= bank / 2, "{empty}: {soft:?} {hard:?} of {bank:?}");
                last = (soft + soft / 2).min(hard);
                bank = bank - last + ms(increment);
            }
            assert!(last > ms(10), "the clock ran out: {last:?}");
        }
        let empty_bank = TimeBounds::new(&game(0, 0), MARGIN, DelayTracker::default(), 40);
        assert_eq!(empty_bank.hard, Some(ms(0)));
    }

    #[test]
    fn clear_leader_ends_early_and_new_leader_late() {
        let leaders = ["a1-a2/a1", "a1-a3/a1"].map(|text| text.parse::<Move>().unwrap());
        let root = |number: usize, lead| RootState {
            leader: leaders[number - 1],
            value: 0.5,
            lead,
            playouts: 1_000,
        };
        // At 200 ms, the remaining time allows 500 more playouts. The lead is 600 visits.
        let stop = |expected| EarlyStop::new(ms(300), expected, ms(0));
        let mut decided = stop(None);
        assert!(!decided.is_due(&root(1, 600), ms(20), 1.0));
        assert!(decided.is_due(&root(1, 600), ms(200), 1.0));
        assert!(!decided.is_due(&root(1, 600), ms(200), 0.0));
        assert!(!decided.is_due(&root(1, 400), ms(200), 1.0));
        assert!(decided.is_due(&root(1, 0), ms(300), 1.0));
        let mut changed = stop(None);
        assert!(!changed.is_due(&root(1, 0), ms(200), 1.0));
        assert!(!changed.is_due(&root(2, 0), ms(290), 1.0));
        assert!(!changed.is_due(&root(2, 0), ms(310), 1.0));
        assert!(changed.is_due(&root(2, 0), ms(441), 1.0));
        let mut dropped = stop(Some(0.6));
        assert!(!dropped.is_due(&root(1, 0), ms(440), 1.0));
        assert!(dropped.is_due(&root(1, 0), ms(450), 1.0));
        // The solver used 120 ms before the first playout, so 1,250 more playouts are to come.
        let mut after_solver = EarlyStop::new(ms(300), None, ms(120));
        assert!(!after_solver.is_due(&root(1, 600), ms(200), 1.0));
        assert!(after_solver.is_due(&root(1, 1_300), ms(200), 1.0));
    }
}
