//! The schedule of a contest: the players, openings and order of its games.

/// A game of a contest that is still to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScheduledGame {
    /// The number of the game, from 0. A resumed contest skips the numbers that are in the record.
    pub game: usize,
    /// The number that users see for this game: its position in the schedule, from 1.
    pub place: usize,
    pub opening: usize,
    /// The indices of the two players. The first of them moves first.
    pub players: [usize; 2],
}

/// Two players that meet in a contest, and the number of games between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pairing {
    /// The indices of the two players, in ascending order.
    pub players: [usize; 2],
    pub games: usize,
}

/// The largest number of games in a contest. It is limited because the whole schedule is in memory.
pub(crate) const MAX_GAMES: usize = 10_000_000;

/// The number of consecutive game numbers that are reserved for each pairing of two players.
///
/// A game's number decides its players, opening, colours and seeds. Because each pairing has its
/// own range of numbers, games keep their numbers if players or games are added to a contest.
const NUMBERS_PER_PAIRING: usize = 100_000;

impl Pairing {
    pub(crate) fn max_games(entrants: usize) -> usize {
        if entrants > 2 { NUMBERS_PER_PAIRING } else { MAX_GAMES }
    }

    pub(crate) fn first_pair(&self) -> usize {
        let [a, b] = self.players;
        (b * (b - 1) / 2 + a) * NUMBERS_PER_PAIRING / 2
    }
}

/// Lists all games of the pairings in the order of play. All pairings play their first opening,
/// then all play their second opening, and so on. So an interrupted contest is fair to all players.
pub(crate) fn schedule(pairings: &[Pairing]) -> Vec<ScheduledGame> {
    let most = pairings.iter().map(|pairing| pairing.games).max().unwrap_or(0);
    let pairs =
        (0..most.div_ceil(2)).flat_map(|opening| pairings.iter().map(move |pairing| (opening, pairing)));
    let games = pairs.flat_map(|(opening, pairing)| {
        let ([a, b], first) = (pairing.players, 2 * (pairing.first_pair() + opening));
        let colours = (first..).zip([[a, b], [b, a]]).take(pairing.games.saturating_sub(2 * opening));
        colours.map(move |(game, players)| (game, opening, players))
    });
    let scheduled = |(place, (game, opening, players))| ScheduledGame { game, place, opening, players };
    (1..).zip(games).map(scheduled).collect()
}
