//! The games of a contest: players, order and openings.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fixture {
    /// Its number, from 0; what a record is resumed by.
    pub game: usize,
    pub opening: usize,
    /// The entrants, by number, first player first.
    pub players: [usize; 2],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TournamentFormat {
    #[default]
    RoundRobin,
    /// The first player meets every other.
    Gauntlet,
    /// Each player meets the next ones of the list: a ladder.
    Neighbours,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pairing {
    /// The entrants, by number, the smaller one first.
    pub players: [usize; 2],
    pub games: usize,
}

/// Most games of a contest: all are drawn up before the first begins.
pub(crate) const MOST_GAMES: usize = 10_000_000;

/// The numbers that each pairing has for its games.
///
/// A game's number says its pairing, its opening and its colours. It stays the same when players or
/// games are added, and so do the seeds that follow from it.
pub(crate) const NUMBERS: usize = 100_000;

impl Pairing {
    pub(crate) fn first_pair(&self) -> usize {
        let [a, b] = self.players;
        (b * (b - 1) / 2 + a) * NUMBERS / 2
    }
}

/// All games of these pairings: opening by opening, so that a contest cut short is fair to all.
pub(crate) fn fixtures(pairings: &[Pairing]) -> Vec<Fixture> {
    let most = pairings.iter().map(|pairing| pairing.games).max().unwrap_or(0);
    let mut fixtures = Vec::with_capacity(pairings.iter().map(|pairing| pairing.games).sum());
    for opening in 0..most.div_ceil(2) {
        for pairing in pairings {
            let [a, b] = pairing.players;
            let pair = pairing.first_pair() + opening;
            for (colour, players) in [[a, b], [b, a]].into_iter().enumerate() {
                if 2 * opening + colour < pairing.games {
                    fixtures.push(Fixture { game: 2 * pair + colour, opening, players });
                }
            }
        }
    }
    fixtures
}
