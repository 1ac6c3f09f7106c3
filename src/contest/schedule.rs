//! The schedule of a contest: the players, openings and order of its games.

/// A game of a contest that is still to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScheduledGame {
    /// The number of the game, from 0, by which a record is resumed.
    pub game: usize,
    /// The place of the game among the games to play, from 1, which is shown to people.
    pub place: usize,
    pub opening: usize,
    /// The numbers of the entrants; the first one moves first.
    pub players: [usize; 2],
}

/// Two entrants that meet, and the number of their games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pairing {
    /// The numbers of the entrants, in ascending order.
    pub players: [usize; 2],
    pub games: usize,
}

/// The most games of a contest. The whole schedule is made before the first game.
pub(crate) const MAX_GAMES: usize = 10_000_000;

/// The count of game numbers that are reserved for each pairing.
///
/// A game's number determines its pairing, opening and colours. The number, and so the seeds of the
/// game, stay the same if players or games are added.
const NUMBERS_PER_PAIRING: usize = 100_000;

impl Pairing {
    /// The largest number of games of one pairing in a contest with `entrants` players.
    pub(crate) fn max_games(entrants: usize) -> usize {
        if entrants > 2 { NUMBERS_PER_PAIRING } else { MAX_GAMES }
    }

    /// The number of the first pair of games of this pairing.
    pub(crate) fn first_pair(&self) -> usize {
        let [a, b] = self.players;
        (b * (b - 1) / 2 + a) * NUMBERS_PER_PAIRING / 2
    }
}

/// The schedule of all games of these pairings. Every pairing plays an opening before the next
/// opening begins, so that an interrupted contest is fair to all players.
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
