//! Time management: turns a time control into two bounds for each turn.
//!
//! The hard bound is what the control allows, less a margin; a search never passes it on purpose.
//! The soft bound is a fair share of a bank of time: a search whose leader is far ahead ends before
//! it, one whose leader has just changed goes on past it. A control that does not carry unused time
//! over has no soft bound.

use std::time::Duration;

use amazons::Move;

use super::limits::{Limits, Time};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// When to answer at the latest; `None` without a clock.
    pub(super) hard: Option<Duration>,
    /// When to answer in the usual case, where unused time is carried over.
    pub(super) soft: Option<Duration>,
}

/// Delays that a margin has to cover besides what was asked for, learnt from the looks of searches
/// at their clock and from searches that ended by it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lateness {
    /// The two largest delays, the larger first. The second is kept back: one alone is no rule.
    delays: [Duration; 2],
    /// The share of a move's time that is used.
    share: f64,
    /// Searches since the last one that ended after its limit.
    since_late: u32,
}

/// The smallest share of a move's time that is used, however late searches are.
const LEAST_SHARE: f64 = 1.0 / 16.0;

/// A search that ends after its limit counts if another did so in this many searches before it.
const LATE_AGAIN: u32 = 32;

impl Default for Lateness {
    fn default() -> Lateness {
        Lateness { delays: [Duration::ZERO; 2], share: 1.0, since_late: LATE_AGAIN }
    }
}

impl Lateness {
    /// Notes the time between two looks of a search at its clock. On a quiet machine it is far
    /// below any margin. On a busy one the system takes the core away in between, many times a
    /// search, so that the first search already learns for how long. Returns true if more is to be
    /// kept back.
    pub(super) fn saw(&mut self, delay: Duration) -> bool {
        let [first, second] = self.delays;
        self.delays = [first.max(delay), second.max(first.min(delay))];
        self.delays[1] > second
    }

    /// Notes that a search has ended at `ended` for a bound at `bound`. Delays fade over some
    /// twenty searches.
    ///
    /// By the wall clock alone, a search that ends after its limit, soon after another, halves the
    /// share of the limit that the next ones use: on a busy machine only a search that ends before
    /// the system takes its core away is in time. Each search in time raises the share by a
    /// twentieth.
    pub(super) fn note(&mut self, limits: &Limits, bound: Duration, ended: Duration) {
        self.delays = self.delays.map(|delay| delay.mul_f64(0.9));
        self.saw(ended.saturating_sub(bound));
        if let Some(Time::PerMove(limit)) =
            limits.time.filter(|_| limits.stopwatch.is_none_or(|stopwatch| stopwatch.is_wall()))
        {
            let late = ended > limit;
            let factor = match late {
                false => 1.05,
                true if self.since_late < LATE_AGAIN => 0.5,
                true => 1.0,
            };
            self.since_late = if late { 0 } else { self.since_late.saturating_add(1) };
            self.share = (self.share * factor).clamp(LEAST_SHARE, 1.0);
        }
    }
}

impl Bounds {
    /// The bounds that follow from a time control with `empty` squares on the board.
    ///
    /// Keeps back `margin`, at most a tenth of the limit; or one and a half times the second largest
    /// delay, at most half of the limit, if that is more.
    pub(super) fn new(limits: &Limits, margin: Duration, lateness: Lateness, empty: u32) -> Bounds {
        let keep_back = |limit: Duration| {
            let late = lateness.delays[1].mul_f64(1.5).min(limit / 2);
            limit.saturating_sub(margin.min(limit / 10).max(late))
        };
        match limits.time {
            None => Bounds { hard: None, soft: None },
            Some(Time::PerMove(limit)) => {
                Bounds { hard: Some(keep_back(limit).mul_f64(lateness.share)), soft: None }
            }
            Some(Time::Game { remaining, increment }) => {
                // The mover makes at most half as many moves as there are empty squares. Half of
                // these count: games end with squares left, and the last moves need little time.
                let moves = f64::from(empty) / 4.0 + 2.0;
                let spread = remaining.div_f64(moves) + increment.mul_f64(0.8);
                // A bank is never spent on one move, nor more than a few moves' worth of it.
                let hard = keep_back(remaining.mul_f64(0.5).min(4 * spread));
                Bounds { hard: Some(hard), soft: Some(spread.min(hard)) }
            }
        }
    }
}

impl Limits {
    /// When a search that cannot judge how sure it is must answer, `margin` kept back; `None`
    /// without a clock.
    pub(crate) fn deadline(&self, margin: Duration, empty: u32) -> Option<Duration> {
        let Bounds { hard, soft } = Bounds::new(self, margin, Lateness::default(), empty);
        soft.or(hard)
    }
}

/// Decides, while a search runs, whether to spend more of a bank of time on it.
#[derive(Debug)]
pub(super) struct Patience {
    soft: Duration,
    leader: Option<(Move, Duration)>,
    /// The value expected for the side to move when the search began, if known.
    expected: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RootState {
    pub(super) leader: Move,
    /// Its value, in [0,1].
    pub(super) value: f64,
    pub(super) lead: u64,
    pub(super) playouts: u64,
}

impl Patience {
    pub(super) fn new(soft: Duration, expected: Option<f64>) -> Patience {
        Patience { soft, leader: None, expected }
    }

    /// True if the search should end at `elapsed`. It ends early if the closest rival could not
    /// catch up with `catch_up` of the playouts to come, at the speed so far; never if that is 0
    /// (Baier and Winands, "Time Management for Monte Carlo Tree Search", 2016).
    pub(super) fn is_at_end(&mut self, standing: &RootState, elapsed: Duration, catch_up: f64) -> bool {
        // The first leader is no change of mind.
        let (leader, since) = self.leader.get_or_insert((standing.leader, Duration::ZERO));
        if *leader != standing.leader {
            (*leader, *since) = (standing.leader, elapsed);
        }
        let since = *since;
        let mut bound = self.soft;
        if elapsed.saturating_sub(since) < self.soft / 2 && since > Duration::ZERO {
            bound += self.soft / 2;
        }
        if self.expected.is_some_and(|expected| standing.value < expected - 0.05) {
            bound += self.soft / 2;
        }
        if elapsed >= bound {
            return true;
        }
        let left = (bound - elapsed).as_secs_f64() / elapsed.as_secs_f64().max(1e-6);
        let to_come = left * standing.playouts as f64;
        catch_up > 0.0 && elapsed > self.soft / 8 && standing.lead as f64 > catch_up * to_come
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Cpu;
    use crate::search::stopwatch::Stopwatch;

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
        let hard = |limit| Bounds::new(&Limits::per_move(ms(limit)), MARGIN, Lateness::default(), 50);
        assert_eq!(hard(1000), Bounds { hard: Some(ms(950)), soft: None });
        assert_eq!(hard(100), Bounds { hard: Some(ms(90)), soft: None });
        let none = Bounds { hard: None, soft: None };
        assert_eq!(Bounds::new(&Limits::playouts(9), MARGIN, Lateness::default(), 50), none);
    }

    fn by_cpu(limit: u64) -> Limits {
        Limits { stopwatch: Some(Stopwatch::cpu(Cpu::Thread)), ..Limits::per_move(ms(limit)) }
    }

    #[test]
    fn lateness_is_kept_back_and_fades() {
        let mut lateness = Lateness::default();
        let limits = by_cpu(100);
        let hard = |lateness| Bounds::new(&limits, MARGIN, lateness, 50).hard.unwrap();
        lateness.note(&limits, ms(90), ms(112));
        assert_eq!(hard(lateness), ms(90), "one late turn is no rule");
        lateness.note(&limits, ms(90), ms(110));
        assert!(hard(lateness) > ms(69) && hard(lateness) < ms(71), "{:?}", hard(lateness));
        for _ in 0..20 {
            lateness.note(&limits, ms(90), ms(90));
        }
        assert_eq!(hard(lateness), ms(90));
        lateness.note(&limits, ms(90), ms(90_000));
        lateness.note(&limits, ms(90), ms(90_000));
        assert_eq!(hard(lateness), ms(50));
    }

    #[test]
    fn one_search_learns_how_busy_the_machine_is() {
        let limits = Limits {
            stopwatch: Some(Stopwatch { cpu: Some((Cpu::Process, ms(0))), ..Stopwatch::wall() }),
            ..by_cpu(60)
        };
        let hard = |lateness| Bounds::new(&limits, MARGIN, lateness, 50).hard.unwrap();
        let mut lateness = Lateness::default();
        // A quiet machine, and one page fault in it.
        lateness.saw(ms(1) / 5);
        assert!(lateness.saw(ms(1) / 5) && !lateness.saw(ms(1) / 5));
        assert_eq!(hard(lateness), ms(54));
        assert!(!lateness.saw(ms(1)));
        assert_eq!(hard(lateness), ms(54), "one page fault");
        // The system takes the core away, in the middle of the same search.
        assert!(lateness.saw(ms(12)) && lateness.saw(ms(8)));
        assert_eq!(hard(lateness), ms(48));
    }

    /// Searches that end late, of 300 on a machine that takes the core away for 75 ms after each 4
    /// ms, and the last bound.
    fn late_on_a_busy_machine(limits: &Limits) -> (usize, Duration) {
        let Some(Time::PerMove(limit)) = limits.time else { panic!("a time for each move") };
        let mut lateness = Lateness::default();
        let bound = |lateness| Bounds::new(limits, MARGIN, lateness, 50).hard.unwrap();
        let late = (0..300).filter(|_| {
            let hard = bound(lateness);
            let ended = if hard > ms(4) { hard + ms(75) } else { hard };
            lateness.note(limits, hard, ended);
            ended > limit
        });
        (late.count(), bound(lateness))
    }

    #[test]
    fn wall_time_is_left_unused_where_searches_end_late() {
        for limit in [10, 50] {
            let (late, hard) = late_on_a_busy_machine(&Limits::per_move(ms(limit)));
            assert!(late < 30 && hard > ms(1), "{limit} ms: {late} of 300 late, {hard:?}");
            // By CPU time the share stays: the core is taken away at no cost.
            assert_eq!(late_on_a_busy_machine(&by_cpu(limit)).1, ms(limit / 2));
        }
        // Once the machine is free again, the whole time is used.
        let limits = Limits::per_move(ms(1000));
        let mut lateness = Lateness::default();
        lateness.note(&limits, ms(950), ms(1100));
        assert_eq!(lateness.share, 1.0, "one late turn is no rule");
        lateness.note(&limits, ms(950), ms(1100));
        assert_eq!(lateness.share, 0.5);
        (0..30).for_each(|_| lateness.note(&limits, ms(500), ms(500)));
        assert_eq!(Bounds::new(&limits, MARGIN, lateness, 50).hard, Some(ms(950)));
    }

    #[test]
    fn bank_lasts_for_the_game() {
        for increment in [0, 5_000] {
            let mut bank = ms(300_000);
            let mut last = ms(0);
            // Every search half again as long as its soft bound, which only the undecided are.
            for empty in (0..92).rev().step_by(2) {
                let limits = game(bank.as_millis() as u64, increment);
                let Bounds { hard, soft } = Bounds::new(&limits, MARGIN, Lateness::default(), empty);
                let (hard, soft) = (hard.unwrap(), soft.unwrap());
                assert!(soft <= hard && hard <= bank / 2, "{empty}: {soft:?} {hard:?} of {bank:?}");
                last = (soft + soft / 2).min(hard);
                bank = bank - last + ms(increment);
            }
            assert!(last > ms(10), "nothing was left: {last:?}");
        }
        let empty_bank = Bounds::new(&game(0, 0), MARGIN, Lateness::default(), 40);
        assert_eq!(empty_bank.hard, Some(ms(0)));
    }

    #[test]
    fn clear_leader_ends_early_and_new_leader_late() {
        let leaders = ["a1-a2/a1", "a1-a3/a1"].map(|text| text.parse::<Move>().unwrap());
        let standing = |number: usize, lead| RootState {
            leader: leaders[number - 1],
            value: 0.5,
            lead,
            playouts: 1_000,
        };
        // 500 more playouts to come at the same speed; the rival is 600 behind.
        let mut sure = Patience::new(ms(300), None);
        assert!(!sure.is_at_end(&standing(1, 600), ms(20), 1.0));
        assert!(sure.is_at_end(&standing(1, 600), ms(200), 1.0));
        assert!(!sure.is_at_end(&standing(1, 600), ms(200), 0.0));
        assert!(!sure.is_at_end(&standing(1, 400), ms(200), 1.0));
        assert!(sure.is_at_end(&standing(1, 0), ms(300), 1.0));
        // The leader has just changed.
        let mut torn = Patience::new(ms(300), None);
        assert!(!torn.is_at_end(&standing(1, 0), ms(200), 1.0));
        assert!(!torn.is_at_end(&standing(2, 0), ms(290), 1.0));
        assert!(!torn.is_at_end(&standing(2, 0), ms(310), 1.0));
        assert!(torn.is_at_end(&standing(2, 0), ms(441), 1.0));
        // The value has dropped.
        let mut worried = Patience::new(ms(300), Some(0.6));
        assert!(!worried.is_at_end(&standing(1, 0), ms(440), 1.0));
        assert!(worried.is_at_end(&standing(1, 0), ms(450), 1.0));
    }
}
