//! When a search answers: a time control becomes two bounds, once, and a search is held to them.
//!
//! The hard bound is never passed: it is what the control allows, less a margin. The soft bound is what the move is worth:
//! a search that is sure ends before it, one that has just changed its mind goes on past it. A control that forgets what a
//! move leaves over has no soft bound.

use std::time::Duration;

use super::limits::{Limits, Time};

/// The bounds of one search, on the turn's stopwatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// When to answer at the latest; `None` without a clock.
    pub(super) hard: Option<Duration>,
    /// When to answer if nothing speaks against it, where time not used now can be used later.
    pub(super) soft: Option<Duration>,
}

/// What a margin has to cover besides what was asked for, learnt from searches that ended by their
/// clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lateness {
    /// How late searches have noticed their bound.
    overrun: Duration,
    /// The share of a move's time that is used.
    share: f64,
}

/// The smallest share of a move's time that is used, however late searches are.
const LEAST_SHARE: f64 = 1.0 / 16.0;

impl Default for Lateness {
    fn default() -> Lateness {
        Lateness { overrun: Duration::ZERO, share: 1.0 }
    }
}

impl Lateness {
    /// A search has ended at `ended` for a bound at `bound`. The worst overrun counts, and fades
    /// over some twenty searches.
    ///
    /// By the wall clock alone, a search that ends after its limit halves the share of the limit
    /// that the next ones use: on a busy machine only a search that ends before the system takes its
    /// core away is in time. Each search in time raises the share by a twentieth.
    pub(super) fn note(&mut self, limits: &Limits, bound: Duration, ended: Duration) {
        self.overrun = ended.saturating_sub(bound).max(self.overrun.mul_f64(0.9));
        if let Some(Time::PerMove(limit)) = limits.time.filter(|_| limits.stopwatch.is_wall()) {
            let factor = if ended > limit { 0.5 } else { 1.05 };
            self.share = (self.share * factor).clamp(LEAST_SHARE, 1.0);
        }
    }
}

impl Bounds {
    /// The bounds that follow from a time control with `empty` squares on the board.
    ///
    /// `margin` is used whole as long as it is at most a tenth of the limit. What searches of this engine have lately
    /// overrun their bound by is kept back too, one and a half times, up to half of the limit.
    pub(super) fn new(limits: &Limits, margin: Duration, lateness: Lateness, empty: u32) -> Bounds {
        let keep_back = |limit: Duration| {
            let late = lateness.overrun.mul_f64(1.5).min(limit / 2);
            limit.saturating_sub(margin.min(limit / 10).max(late))
        };
        match limits.time {
            None => Bounds { hard: None, soft: None },
            Some(Time::PerMove(limit)) => {
                Bounds { hard: Some(keep_back(limit).mul_f64(lateness.share)), soft: None }
            }
            Some(Time::Game { remaining, increment }) => {
                // Games end with a few squares left, and the last moves need little: half of one's own half.
                let moves = f64::from(empty) / 4.0 + 2.0;
                let spread = remaining.div_f64(moves) + increment.mul_f64(0.8);
                // A bank is never spent on one move, nor more than a few moves' worth of it.
                let hard = keep_back(remaining.mul_f64(0.5).min(4 * spread));
                Bounds { hard: Some(hard), soft: Some(spread.min(hard)) }
            }
        }
    }
}

/// Says, again and again while a search runs, whether its move is worth more of a bank of time.
#[derive(Debug)]
pub(super) struct Patience {
    soft: Duration,
    /// The leading full move's handle in words of the caller's, and when it came to lead.
    leader: Option<(u64, Duration)>,
    /// What the side to move could expect when the search began, if anything was known.
    expected: Option<f64>,
}

/// What the root says at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    /// Tells full moves apart.
    pub(super) leader: u64,
    /// Its value, in [0,1].
    pub(super) value: f64,
    /// Playouts that its closest rival would have to have alone to overtake it.
    pub(super) lead: u64,
    /// Playouts of this search so far.
    pub(super) playouts: u64,
}

impl Patience {
    /// For a search with this soft bound.
    pub(super) fn new(soft: Duration, expected: Option<f64>) -> Patience {
        Patience { soft, leader: None, expected }
    }

    /// Whether the search has come to an end at `elapsed`, of playouts that go on as they went so far. A rival is given
    /// `catch_up` of them, 0 for never ending before the soft bound (Baier and Winands, "Time Management for Monte Carlo
    /// Tree Search", 2016).
    pub(super) fn is_at_end(&mut self, standing: &Standing, elapsed: Duration, catch_up: f64) -> bool {
        let since = match self.leader {
            Some((leader, since)) if leader == standing.leader => since,
            _ => {
                // The first leader is no change of mind.
                let since = if self.leader.is_some() { elapsed } else { Duration::ZERO };
                self.leader = Some((standing.leader, since));
                since
            }
        };
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
    use crate::search::stopwatch::{Cpu, Stopwatch};

    const MARGIN: Duration = Duration::from_millis(50);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn game(remaining: u64, increment: u64) -> Limits {
        let time = Time::Game { remaining: ms(remaining), increment: ms(increment) };
        Limits { time: Some(time), ..Limits::per_move(Duration::ZERO) }
    }

    #[test]
    fn a_margin_is_never_more_than_a_tenth() {
        let hard = |limit| Bounds::new(&Limits::per_move(ms(limit)), MARGIN, Lateness::default(), 50);
        assert_eq!(hard(1000), Bounds { hard: Some(ms(950)), soft: None });
        assert_eq!(hard(100), Bounds { hard: Some(ms(90)), soft: None });
        let none = Bounds { hard: None, soft: None };
        assert_eq!(Bounds::new(&Limits::playouts(9), MARGIN, Lateness::default(), 50), none);
    }

    fn by_cpu(limit: u64) -> Limits {
        Limits { stopwatch: Stopwatch::cpu(Cpu::Thread), ..Limits::per_move(ms(limit)) }
    }

    #[test]
    fn lateness_is_kept_back_and_forgiven() {
        let mut lateness = Lateness::default();
        let limits = by_cpu(100);
        lateness.note(&limits, ms(90), ms(110));
        let hard = |lateness| Bounds::new(&limits, MARGIN, lateness, 50).hard.unwrap();
        assert_eq!(hard(lateness), ms(70));
        for _ in 0..20 {
            lateness.note(&limits, ms(90), ms(90));
        }
        assert_eq!(hard(lateness), ms(90));
        lateness.note(&limits, ms(90), ms(90_000));
        assert_eq!(hard(lateness), ms(50));
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
        (0..30).for_each(|_| lateness.note(&limits, ms(500), ms(500)));
        assert_eq!(Bounds::new(&limits, MARGIN, lateness, 50).hard, Some(ms(950)));
    }

    #[test]
    fn a_bank_lasts_for_the_game() {
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
    fn a_sure_search_ends_early_and_an_unsure_one_late() {
        let standing = |leader, lead| Standing { leader, value: 0.5, lead, playouts: 1_000 };
        // 500 more playouts to come at the same speed; the rival is 600 behind.
        let mut sure = Patience::new(ms(300), None);
        assert!(!sure.is_at_end(&standing(1, 600), ms(20), 1.0));
        assert!(sure.is_at_end(&standing(1, 600), ms(200), 1.0));
        assert!(!sure.is_at_end(&standing(1, 600), ms(200), 0.0));
        assert!(!sure.is_at_end(&standing(1, 400), ms(200), 1.0));
        assert!(sure.is_at_end(&standing(1, 0), ms(300), 1.0));
        // It has just changed its mind.
        let mut torn = Patience::new(ms(300), None);
        assert!(!torn.is_at_end(&standing(1, 0), ms(200), 1.0));
        assert!(!torn.is_at_end(&standing(2, 0), ms(290), 1.0));
        assert!(!torn.is_at_end(&standing(2, 0), ms(310), 1.0));
        assert!(torn.is_at_end(&standing(2, 0), ms(441), 1.0));
        // It expected more.
        let mut worried = Patience::new(ms(300), Some(0.6));
        assert!(!worried.is_at_end(&standing(1, 0), ms(440), 1.0));
        assert!(worried.is_at_end(&standing(1, 0), ms(450), 1.0));
    }
}
