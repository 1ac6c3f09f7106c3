//! Who meets whom, in which order, from which opening.

use serde::Deserialize;

/// One game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its number, from 0; what a record is resumed by.
    pub game: usize,
    /// The pair it belongs to: two games from one opening, between the same two, with colours changed.
    pub pair: usize,
    /// Which opening it starts from.
    pub opening: usize,
    /// The entrants, by number, first player first.
    pub players: [usize; 2],
}

/// How a contest of several is drawn up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Everybody meets everybody.
    #[default]
    RoundRobin,
    /// The first entrant meets everybody else.
    Gauntlet,
}

impl Format {
    /// The pairings among so many entrants.
    fn pairings(self, entrants: usize) -> Vec<[usize; 2]> {
        let leaders = match self {
            Format::RoundRobin => entrants,
            Format::Gauntlet => entrants.min(1),
        };
        (0..leaders).flat_map(|a| (a + 1..entrants).map(move |b| [a, b])).collect()
    }

    /// How many pairings there are among so many entrants.
    #[must_use]
    pub fn meetings(self, entrants: usize) -> usize {
        self.pairings(entrants).len()
    }

    /// All games, `games` for each pairing: opening by opening, so that a contest cut short is fair to all.
    #[must_use]
    pub fn fixtures(self, entrants: usize, games: usize) -> Vec<Fixture> {
        let pairings = self.pairings(entrants);
        let mut fixtures = Vec::with_capacity(pairings.len() * games);
        for opening in 0..games.div_ceil(2) {
            for (index, &[a, b]) in pairings.iter().enumerate() {
                let pair = opening * pairings.len() + index;
                // Games are numbered by their pair, so that asking for more games later changes no number.
                let second = (2 * opening + 1 < games).then_some([b, a]);
                for (colour, players) in [Some([a, b]), second].into_iter().flatten().enumerate() {
                    fixtures.push(Fixture { game: 2 * pair + colour, pair, opening, players });
                }
            }
        }
        fixtures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_share_an_opening_and_change_colours() {
        let fixtures = Format::RoundRobin.fixtures(3, 4);
        assert_eq!(fixtures.len(), 12);
        for two in fixtures.chunks(2) {
            assert_eq!((two[0].pair, two[0].opening), (two[1].pair, two[1].opening));
            assert_eq!(two[0].players, [two[1].players[1], two[1].players[0]]);
            assert_eq!((two[0].game, two[1].game), (2 * two[0].pair, 2 * two[0].pair + 1));
        }
        for meeting in [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]] {
            assert_eq!(fixtures.iter().filter(|fixture| fixture.players == meeting).count(), 2);
        }
    }

    #[test]
    fn a_longer_contest_begins_with_the_shorter_one() {
        for format in [Format::RoundRobin, Format::Gauntlet] {
            let (short, long) = (format.fixtures(4, 3), format.fixtures(4, 10));
            assert!(short.iter().all(|fixture| long.contains(fixture)));
        }
        assert_eq!(Format::Gauntlet.fixtures(4, 3).len(), 9);
        assert_eq!(
            Format::RoundRobin.fixtures(2, 1),
            [Fixture { game: 0, pair: 0, opening: 0, players: [0, 1] }]
        );
        assert!(Format::RoundRobin.fixtures(1, 5).is_empty());
    }
}
