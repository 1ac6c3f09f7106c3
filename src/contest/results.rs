//! The results of a contest, which do not depend on the order in which games end.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use amazons::Side;
use serde::Serialize;

use super::ladder_rating::{LadderPlayer, LadderRating};
use super::statistics::{
    HeadToHead, PairCounts, Rating, Ratings, Sprt, SprtReport, rating_against, rating_bound_of_losses,
    ratings,
};
use super::{Entrant, GameRecord, Pairing, TimeControl};
use crate::games::EndKind;
use crate::words::end_kinds;

/// The results of a contest so far. The serialised fields are the report of `--json`.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ContestResults {
    pub games: u64,
    pub first_wins: u64,
    /// The mean number of plies in a game, including its opening. Null before the first game.
    pub mean_plies: Option<f64>,
    pub faults: u64,
    /// The number of games in which a player reported a proven win.
    pub proven: u64,
    /// The number of games in which a player reported a proven win and still lost.
    pub refuted: u64,
    /// The number of games with the same players and moves as an earlier game. Deterministic
    /// players repeat a game if its opening is repeated. `elo_error` counts a repeat as a new game.
    pub repeated: u64,
    /// `wins[a][b]` is the number of games that entrant a won against entrant b.
    pub wins: Vec<Vec<u64>>,
    #[serde(rename = "players")]
    pub entrants: Vec<EntrantResults>,
    /// The first player's score in a match of two players. `update_ratings` sets this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<HeadToHead>,
    /// The sequential test (SPRT) in a match of two players, if the user wants one.
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<RunningSprt>,
    /// The sequential tests in a gauntlet, one for each opponent of the first player.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sprts: Vec<RunningSprt>,
    /// The index of the player with a fixed rating, and this rating in Elo.
    #[serde(skip)]
    pub anchor: Option<(usize, f64)>,
    /// The measured ratings of the ladder's players, from the ladder's file. These players are all
    /// entrants except entrant 0. Empty if the contest does not rate entrant 0 on a ladder.
    #[serde(skip)]
    pub ladder: Vec<f64>,
    /// True if the report shows a table of ratings. Otherwise it shows the score of two players.
    #[serde(skip)]
    pub is_tournament: bool,
    #[serde(skip)]
    plies: u64,
    /// Hashes of the players and moves of the games so far, to recognise repeated games.
    #[serde(skip)]
    seen: HashSet<u64>,
    /// Maps the number of each pair of games to the winners of the pair's finished games.
    #[serde(skip)]
    winners: HashMap<usize, Vec<usize>>,
    /// `pairs[a][b]` has the numbers of pairs in which player a won 0, 1 and 2 games against b.
    #[serde(skip)]
    pairs: Vec<Vec<PairCounts>>,
}

/// The results of one entrant. The serialised fields are part of the report of `--json`.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct EntrantResults {
    pub name: String,
    /// The name and version that the player reports. Empty if it reports none.
    pub version: String,
    pub moves: u64,
    /// The mean time of a turn, in seconds. Null before the first move.
    pub mean_time: Option<f64>,
    pub worst_time: f64,
    pub tc: Option<TimeControl>,
    pub restarts: u64,
    /// The shortest time in seconds that the player had left on its game clock after any turn.
    pub least_left: Option<f64>,
    /// The mean speed of the search, over all moves whose number of playouts is known.
    pub playouts_per_second: Option<f64>,
    pub losses: BTreeMap<EndKind, u64>,
    /// The rating of this player in Elo. [`ContestResults::update_ratings`] sets it.
    elo: Option<f64>,
    elo_error: Option<f64>,
    #[serde(skip)]
    seconds: f64,
    #[serde(skip)]
    playouts: u64,
    #[serde(skip)]
    playout_seconds: f64,
}

impl EntrantResults {
    pub(super) fn faults(&self) -> impl Iterator<Item = (EndKind, u64)> {
        let losses = self.losses.iter().map(|(&kind, &count)| (kind, count));
        losses.filter(|&(kind, count)| kind.is_fault() && count > 0)
    }

    /// Subtracts the time of a turn from the game clock. If less time is left than after every
    /// earlier turn, stores the time left in `least_left` and the clock's settings in `tc`.
    fn charge_clock(&mut self, clock: &mut Option<TimeControl>, control: Option<TimeControl>, seconds: f64) {
        let (Some(clock), Some(control)) = (clock, control) else { return };
        let spent = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let left = clock.spend(spent).as_secs_f64();
        if self.least_left.is_none_or(|least| left < least) {
            (self.least_left, self.tc) = (Some(left), Some(control));
        }
    }
}

impl ContestResults {
    pub(crate) fn new(entrants: &[Entrant], mut sprts: Vec<RunningSprt>) -> ContestResults {
        let losses: BTreeMap<EndKind, u64> = end_kinds().map(|kind| (kind, 0)).collect();
        let entrant = |Entrant { name, .. }: &Entrant| EntrantResults {
            name: name.clone(),
            losses: losses.clone(),
            ..EntrantResults::default()
        };
        let entrants: Vec<EntrantResults> = entrants.iter().map(entrant).collect();
        let n = entrants.len();
        let (wins, pairs) = (vec![vec![0; n]; n], vec![vec![[0; 3]; n]; n]);
        let sprt = if n == 2 { sprts.pop() } else { None };
        ContestResults { entrants, wins, pairs, sprt, sprts, ..ContestResults::default() }
    }

    pub(crate) fn add(&mut self, game: &GameRecord) {
        let end = game.end();
        let players = [0, 1].map(|seat: usize| game.players[seat].entrant);
        let (winner, loser) = (players[end.winner.index()], players[(!end.winner).index()]);
        self.games += 1;
        self.plies += game.game.plies().len() as u64;
        self.mean_plies = Some(self.plies as f64 / self.games as f64);
        self.faults += u64::from(end.kind.is_fault());
        self.proven += u64::from(game.proven_win_held().is_some());
        self.refuted += u64::from(game.proven_win_held() == Some(false));
        let mut digest = DefaultHasher::new();
        (players, game.game.start(), game.game.moves()).hash(&mut digest);
        self.repeated += u64::from(!self.seen.insert(digest.finish()));
        self.first_wins += u64::from(end.winner == Side::First);
        self.wins[winner][loser] += 1;
        *self.entrants[loser].losses.entry(end.kind).or_default() += 1;
        let winners = self.winners.entry(game.pair()).or_default();
        winners.push(winner);
        if winners.len() == 2 {
            for (one, other) in [(winner, loser), (loser, winner)] {
                let won = winners.iter().filter(|&&entrant| entrant == one).count();
                self.pairs[one][other][won] += 1;
            }
            let tests = self.sprt.iter_mut().chain(&mut self.sprts);
            tests.for_each(|test| test.add_finished_pairs(&self.winners));
        }
        let mut clocks = game.players.each_ref().map(|player| player.tc);
        for (ply, played) in game.plies_after_opening().iter().enumerate() {
            let seat = game.mover(ply).index();
            let entrant = &mut self.entrants[players[seat]];
            entrant.moves += 1;
            // The time is never missing, because a match records it for every move.
            let seconds = played.facts.seconds.unwrap_or_default();
            entrant.seconds += seconds;
            entrant.mean_time = Some(entrant.seconds / entrant.moves as f64);
            entrant.worst_time = entrant.worst_time.max(seconds);
            entrant.charge_clock(&mut clocks[seat], game.players[seat].tc, seconds);
            if let Some(playouts) = played.facts.playouts {
                entrant.playouts += playouts;
                entrant.playout_seconds += seconds;
                let speed = entrant.playouts as f64 / entrant.playout_seconds;
                entrant.playouts_per_second = Some(speed).filter(|speed| speed.is_finite());
            }
        }
        for &ply in &game.restarts {
            self.entrants[players[game.mover(ply).index()]].restarts += 1;
        }
        if let Some(seconds) = end.turn.seconds {
            let seat = (!end.winner).index();
            self.entrants[players[seat]].charge_clock(&mut clocks[seat], game.players[seat].tc, seconds);
        }
        for seat in &game.players {
            self.entrants[seat.entrant].version.clone_from(&seat.version);
        }
    }

    /// The ratings of all players. `None` if the players form several groups without games between
    /// the groups.
    pub(crate) fn ratings(&self) -> Option<Ratings> {
        ratings(&self.wins, &self.pairs, self.anchor)
    }

    pub(crate) fn update_ratings(&mut self) -> &ContestResults {
        let ratings = self.ratings().map_or(Vec::new(), |rated| rated.players);
        for (entrant, rating) in self.entrants.iter_mut().zip(ratings) {
            (entrant.elo, entrant.elo_error) = (Some(rating.elo), Some(rating.error));
        }
        self.score = (self.entrants.len() == 2).then(|| self.head_to_head(0, 1));
        self
    }

    pub(crate) fn sequential_tests(&self) -> impl Iterator<Item = &RunningSprt> {
        self.sprt.iter().chain(&self.sprts)
    }

    pub(crate) fn head_to_head(&self, a: usize, b: usize) -> HeadToHead {
        HeadToHead::new(self.wins[a][b], self.wins[b][a], self.pairs[a][b])
    }

    pub(crate) fn all_tests_decided(&self) -> bool {
        self.sequential_tests().next().is_some()
            && self.sequential_tests().all(|test| test.report.verdict.is_some())
    }

    /// The two players of each sequential test that has a verdict, as `[a, b]` and as `[b, a]`.
    pub(super) fn decided_pairings(&self) -> BTreeSet<[usize; 2]> {
        let decided = self.sequential_tests().filter(|test| test.report.verdict.is_some());
        decided.flat_map(|&RunningSprt { entrants: [a, b], .. }| [[a, b], [b, a]]).collect()
    }

    /// The rating of the first player on the ladder's scale. `None` if there is no ladder.
    pub(crate) fn ladder_rating(&self) -> Option<LadderRating> {
        let rating = self.estimated_rating()?;
        let mut opponents: Vec<LadderPlayer> = self.ladder_players().collect();
        opponents.retain(|rival| rival.wins + rival.losses > 0);
        let [wins, losses] =
            opponents.iter().fold([0, 0], |[w, l], rival| [w + rival.wins, l + rival.losses]);
        let lost = opponents.iter().map(|rival| (rival.elo, rival.losses));
        // If all ratings are negated, a win against the rating r becomes a loss against -r. So the
        // lower bound of the player's rating is minus the upper bound that these losses give.
        let won = opponents.iter().map(|rival| (-rival.elo, rival.wins));
        let interval = match (wins, losses) {
            (0, 0) => [None, None],
            (0, _) => [None, Some(rating_bound_of_losses(lost))],
            (_, 0) => [Some(-rating_bound_of_losses(won)), None],
            _ => [-rating.error, rating.error].map(|error| Some(rating.elo + error)),
        };
        let rating = Some(rating).filter(|_| interval.iter().all(Option::is_some));
        let [elo, error] = [rating.map(|rating| rating.elo), rating.map(|rating| rating.error)];
        let name = self.entrants[0].name.clone();
        Some(LadderRating { name, elo, error, interval, games: self.games, opponents })
    }

    fn ladder_players(&self) -> impl Iterator<Item = LadderPlayer> {
        (1..).zip(&self.ladder).map(|(number, &elo)| LadderPlayer {
            name: self.entrants[number].name.clone(),
            elo,
            wins: self.wins[0][number],
            losses: self.wins[number][0],
        })
    }

    /// The first player's maximum a posteriori rating. The prior's mean is the rating of the player
    /// an eighth of the way up the ladder. So the first opponents are weak, which suits a weak
    /// player. A strong player meets strong opponents within five pairs of games.
    fn estimated_rating(&self) -> Option<Rating> {
        let expected = *self.ladder.get(self.ladder.len() / 8)?;
        let results: Vec<LadderPlayer> = self.ladder_players().collect();
        Some(rating_against(results.iter().map(|rival| (rival.elo, rival.wins, rival.losses)), expected))
    }

    /// The index of the ladder's player whose rating is nearest to the first player's estimated
    /// rating. A game against this opponent tells most about the first player's rating.
    pub(super) fn nearest_ladder_player(&self) -> Option<usize> {
        let placed = self.estimated_rating()?.elo;
        let distances = (1..).zip(self.ladder.iter().map(|elo| (elo - placed).abs()));
        distances.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(number, _)| number)
    }

    pub(crate) fn ended_by(&self, reason: EndKind) -> u64 {
        self.entrants.iter().filter_map(|entrant| entrant.losses.get(&reason)).sum()
    }
}

/// A running sequential test of one player against another.
///
/// The test counts pairs of games in the order of their numbers. An unfinished pair delays all
/// later pairs. So the verdict does not depend on the number of threads or the order in which games
/// end. The test counts no pairs after the verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RunningSprt {
    #[serde(flatten)]
    pub report: SprtReport,
    /// The names of the tested player and of its opponent.
    pub players: [String; 2],
    #[serde(skip)]
    entrants: [usize; 2],
    #[serde(skip)]
    next: usize,
}

impl RunningSprt {
    /// A test without any games. `tested` is the tested player's number among the entrants.
    pub(crate) fn new(test: Sprt, pairing: &Pairing, tested: usize, entrants: &[Entrant]) -> RunningSprt {
        let [a, b] = pairing.players;
        let both = [tested, if a == tested { b } else { a }];
        let players = both.map(|number| entrants[number].name.clone());
        RunningSprt { report: test.report([0; 3]), players, entrants: both, next: pairing.first_pair() }
    }

    /// Adds the pairs of games that were finished since the last call.
    fn add_finished_pairs(&mut self, winners: &HashMap<usize, Vec<usize>>) {
        while self.report.verdict.is_none() {
            let Some(winners) = winners.get(&self.next).filter(|both| both.len() == 2) else { break };
            self.next += 1;
            let SprtReport { test, mut pairs, .. } = self.report;
            pairs[winners.iter().filter(|&&winner| winner == self.entrants[0]).count()] += 1;
            self.report = test.report(pairs);
        }
    }
}

#[cfg(test)]
mod tests {
    use amazons::{Position, Size};

    use super::*;
    use crate::contest::RecordedPlayer;
    use crate::games::{Game, GameEnd, PlayedMove, TurnFacts};
    use crate::search::EngineOptions;

    /// The results of games between players 0 and 1. Each game has a number, a winner, and the data
    /// of three turns after an opening of one move. Player 0 moves first in games 0 and 2.
    fn results(games: impl IntoIterator<Item = (usize, usize, [TurnFacts; 3])>) -> ContestResults {
        let entrants = ["random", "greedy"].map(|spec| spec.parse().unwrap());
        let entrants = entrants.map(|spec| Entrant::new(spec, &EngineOptions::default()));
        let mut results = ContestResults::new(&entrants, Vec::new());
        let start = Position::start(Size::square(10).unwrap()).unwrap();
        let opening = Game::of(start, &["d1-d7/g7".parse().unwrap()]).unwrap();
        for (number, winner, facts) in games {
            let players = if number.is_multiple_of(2) { [0, 1] } else { [1, 0] };
            let recorded = players.map(|entrant| RecordedPlayer { entrant, ..RecordedPlayer::default() });
            let mut record = GameRecord::new(number, recorded, opening.clone());
            for facts in facts {
                let played = record.game.position().legal_moves_iter().next().unwrap();
                record.game.play(PlayedMove { played, facts }).unwrap();
            }
            let kind = if winner == 0 { EndKind::NoMove } else { EndKind::Crash };
            let turn = TurnFacts { seconds: (winner == 1).then_some(9.0), ..TurnFacts::default() };
            let seat = Side::BOTH[usize::from(players[1] == winner)];
            record.game.end = Some(GameEnd { turn, ..GameEnd::new(seat, kind) });
            results.add(&record);
        }
        results
    }

    #[test]
    fn counts_results_for_each_entrant() {
        let turns = [(1.0, Some(100)), (2.0, None), (4.0, Some(100))].map(|(seconds, playouts)| TurnFacts {
            seconds: Some(seconds),
            playouts,
            ..TurnFacts::default()
        });
        let results = results([(0, 0), (1, 0), (2, 1)].map(|(game, winner)| (game, winner, turns.clone())));
        assert_eq!(results.head_to_head(0, 1), HeadToHead::new(2, 1, [0, 0, 1]));
        assert_eq!(results.head_to_head(1, 0), HeadToHead::new(1, 2, [1, 0, 0]));
        assert_eq!((results.games, results.mean_plies, results.first_wins), (3, Some(4.0), 1));
        let ended = [EndKind::NoMove, EndKind::Crash].map(|kind| results.ended_by(kind));
        assert_eq!((ended, results.faults), ([2, 1], 1));
        // The player that moves first has made the opening move. So its opponent has the first and
        // the third of the three turns: entrant 1 in games 0 and 2, and entrant 0 in game 1.
        let [zero, one] = &results.entrants[..] else { panic!("two entrants") };
        assert_eq!((zero.moves, zero.seconds, zero.playouts), (1 + 2 + 1, 2.0 + 5.0 + 2.0, 200));
        assert_eq!((one.moves, one.seconds, one.playouts), (2 + 1 + 2, 5.0 + 2.0 + 5.0, 400));
        // Player 0 crashed in game 2 after nine seconds, which do not count as the time of a move.
        assert_eq!((zero.worst_time, one.worst_time), (4.0, 4.0));
        assert_eq!(zero.losses[&EndKind::Crash], 1);
    }

    #[test]
    fn proven_wins_that_were_lost_are_counted() {
        // Player 0 wins all games. Of the three turns after the opening, the first and the third
        // belong to player 1 in game 0, and to player 0 in game 1. `claims` has, for each turn, the
        // value that the mover reported as proven, or `None`.
        let (none, won, lost) = (None, Some(1.0), Some(0.0));
        for (number, claims, counted) in [
            (0, [none, won, none], (1, 0)),
            (0, [lost, none, lost], (0, 0)),
            (0, [won, lost, none], (1, 1)),
            (1, [none, lost, won], (1, 0)),
            (1, [none, won, none], (1, 1)),
        ] {
            let facts = |value: Option<f64>| TurnFacts {
                value: value.or(won),
                proven: value.is_some(),
                ..TurnFacts::default()
            };
            let results = results([(number, 0, claims.map(facts))]);
            assert_eq!((results.proven, results.refuted), counted, "game {number}: {claims:?}");
        }
    }
}
