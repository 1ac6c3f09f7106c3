//! The games of a contest: players, order and openings.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fixture {
    /// Its number, from 0; what a record is resumed by.
    pub game: usize,
    /// Its place among the games to play, from 1; the number that people see.
    pub place: usize,
    pub opening: usize,
    /// The entrants, by number, first player first.
    pub players: [usize; 2],
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
const NUMBERS_PER_PAIRING: usize = 100_000;

impl Pairing {
    /// Most games of a pairing among `entrants` players.
    pub(crate) fn most_games(entrants: usize) -> usize {
        if entrants > 2 { NUMBERS_PER_PAIRING } else { MOST_GAMES }
    }

    pub(crate) fn first_pair(&self) -> usize {
        let [a, b] = self.players;
        (b * (b - 1) / 2 + a) * NUMBERS_PER_PAIRING / 2
    }
}

/// All games of these pairings: opening by opening, so that a contest cut short is fair to all.
pub(crate) fn fixtures(pairings: &[Pairing]) -> Vec<Fixture> {
    let most = pairings.iter().map(|pairing| pairing.games).max().unwrap_or(0);
    let pairs =
        (0..most.div_ceil(2)).flat_map(|opening| pairings.iter().map(move |pairing| (opening, pairing)));
    let games = pairs.flat_map(|(opening, pairing)| {
        let ([a, b], first) = (pairing.players, 2 * (pairing.first_pair() + opening));
        let colours = (first..).zip([[a, b], [b, a]]).take(pairing.games.saturating_sub(2 * opening));
        colours.map(move |(game, players)| (game, opening, players))
    });
    let fixture = |(place, (game, opening, players))| Fixture { game, place, opening, players };
    (1..).zip(games).map(fixture).collect()
}
