//! The matches that we ask the site to start.

use std::collections::{BTreeSet, VecDeque};

use super::poll::SiteId;
use super::site::MatchOrder;

/// Matches to start, a few at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    orders: VecDeque<MatchOrder>,
    /// How many go on at once.
    at_once: usize,
    going_on: BTreeSet<SiteId>,
    asked_for: bool,
}

impl Series {
    /// These matches, so many of them at once.
    pub(crate) fn new(orders: Vec<MatchOrder>, at_once: usize) -> Series {
        let asked_for = !orders.is_empty();
        Series { orders: orders.into(), at_once, asked_for, ..Series::default() }
    }

    /// The next match to start now.
    pub(crate) fn next_order(&mut self) -> Option<MatchOrder> {
        if self.going_on.len() < self.at_once { self.orders.pop_front() } else { None }
    }

    /// The site has started one.
    pub(crate) fn started(&mut self, id: &SiteId) {
        self.going_on.insert(id.clone());
    }

    /// A match, of this series or not, is over.
    pub(crate) fn finished(&mut self, id: &SiteId) {
        self.going_on.remove(id);
    }

    /// Whether there was a series and all of it has been played.
    pub(crate) fn is_over(&self) -> bool {
        self.asked_for && self.orders.is_empty() && self.going_on.is_empty()
    }
}
