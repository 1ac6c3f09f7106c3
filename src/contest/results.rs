//! Sums of the results of a contest, independent of the order in which games end.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use amazons::Side;
use serde::Serialize;

use super::placement::{Placement, Rung};
use super::statistics::{
    Pairs, Rating, Ratings, Sprt, SprtReport, Standing, bound_of_losses, placed, ratings,
};
use super::{Entrant, GameRecord, Pairing, TimeControl};
use crate::games::EndKind;

/// The results of a contest so far; the fields that are written are those of its report.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ContestResults {
    pub games: u64,
    pub first_wins: u64,
    /// Plies of a game, those of its opening included; null before the first game.
    pub mean_plies: Option<f64>,
    pub faults: u64,
    /// Games in which a player called its own win proven.
    pub proven: u64,
    /// Games in which that player lost all the same.
    pub refuted: u64,
    /// Games that repeat an earlier one of the same players move by move, as programs without chance
    /// do from the same opening. Errors of Elo count them as new games.
    pub repeated: u64,
    /// `wins[a][b]`: games that a won against b.
    pub wins: Vec<Vec<u64>>,
    #[serde(rename = "players")]
    pub entrants: Vec<EntrantResults>,
    /// The score of a match of two, after [`ContestResults::rated`].
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Standing>,
    /// The sequential test of a match of two.
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<RunningSprt>,
    /// The tests of a gauntlet, one for each pairing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sprts: Vec<RunningSprt>,
    /// The entrant whose rating is given, and that rating.
    #[serde(skip)]
    pub anchor: Option<(usize, f64)>,
    /// The measured ratings of the entrants after the first, if that one is placed on the ladder.
    #[serde(skip)]
    pub ladder: Vec<f64>,
    /// True if ratings are told in place of a score, as of more than two entrants.
    #[serde(skip)]
    pub is_tournament: bool,
    #[serde(skip)]
    plies: u64,
    /// Digests of the games by players and moves.
    #[serde(skip)]
    seen: HashSet<u64>,
    /// The winners of each pair's games so far.
    #[serde(skip)]
    winners: HashMap<usize, Vec<usize>>,
    /// `pairs[a][b]`: whole pairs between a and b by the games that a won.
    #[serde(skip)]
    pairs: Vec<Vec<Pairs>>,
}

/// The results of one entrant; the fields that are written are those of the report.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct EntrantResults {
    pub name: String,
    /// Its own name and version, where it has said so.
    pub version: String,
    pub moves: u64,
    /// Seconds a move; null before the first.
    pub mean_time: Option<f64>,
    pub worst_time: f64,
    pub tc: Option<TimeControl>,
    pub restarts: u64,
    /// The least seconds that a turn left on the game clock.
    pub least_left: Option<f64>,
    /// The speed of moves that counted playouts.
    pub playouts_per_second: Option<f64>,
    pub losses: BTreeMap<EndKind, u64>,
    /// Set by [`ContestResults::rated`].
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
    /// Its faults that lost games, with the number of each.
    pub(super) fn faults(&self) -> impl Iterator<Item = (EndKind, u64)> {
        let losses = self.losses.iter().map(|(&kind, &count)| (kind, count));
        losses.filter(|&(kind, count)| kind.is_fault() && count > 0)
    }

    /// Takes a turn on a game clock with these terms, if there is one.
    fn note_clock(&mut self, clock: &mut Option<TimeControl>, control: Option<TimeControl>, seconds: f64) {
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
        let losses: BTreeMap<EndKind, u64> = EndKind::all().map(|kind| (kind, 0)).collect();
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

    /// Adds a game; its entrants must be of this contest.
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
            tests.for_each(|test| test.follow(&self.winners));
        }
        let mut clocks = game.players.each_ref().map(|player| player.tc);
        for (ply, played) in game.played().iter().enumerate() {
            let seat = game.mover(ply).index();
            let entrant = &mut self.entrants[players[seat]];
            entrant.moves += 1;
            // Games of a match have every time.
            let seconds = played.facts.seconds.unwrap_or_default();
            entrant.seconds += seconds;
            entrant.mean_time = Some(entrant.seconds / entrant.moves as f64);
            entrant.worst_time = entrant.worst_time.max(seconds);
            entrant.note_clock(&mut clocks[seat], game.players[seat].tc, seconds);
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
            self.entrants[players[seat]].note_clock(&mut clocks[seat], game.players[seat].tc, seconds);
        }
        for seat in &game.players {
            self.entrants[seat.entrant].version.clone_from(&seat.version);
        }
    }

    /// Ratings of all entrants, from the anchor's if there is one; `None` if some have not met, not
    /// even through others.
    pub(crate) fn ratings(&self) -> Option<Ratings> {
        ratings(&self.wins, &self.pairs, self.anchor)
    }

    /// These results with the ratings and the score as they stand, to be written.
    pub(crate) fn rated(&mut self) -> &ContestResults {
        let ratings = self.ratings().map_or(Vec::new(), |rated| rated.players);
        for (entrant, rating) in self.entrants.iter_mut().zip(ratings) {
            (entrant.elo, entrant.elo_error) = (Some(rating.elo), Some(rating.error));
        }
        self.score = (self.entrants.len() == 2).then(|| self.standing(0, 1));
        self
    }

    /// The sequential tests: none, that of a match, or one for each pairing of a gauntlet.
    pub(crate) fn tests(&self) -> impl Iterator<Item = &RunningSprt> {
        self.sprt.iter().chain(&self.sprts)
    }

    pub(crate) fn standing(&self, a: usize, b: usize) -> Standing {
        Standing::new(self.wins[a][b], self.wins[b][a], self.pairs[a][b])
    }

    /// True if there are tests and all have a verdict.
    pub(crate) fn decided(&self) -> bool {
        self.tests().next().is_some() && self.tests().all(|test| test.report.verdict.is_some())
    }

    /// The players whose test has a verdict, in both orders.
    pub(super) fn decided_pairings(&self) -> BTreeSet<[usize; 2]> {
        let decided = self.tests().filter(|test| test.report.verdict.is_some());
        decided.flat_map(|&RunningSprt { entrants: [a, b], .. }| [[a, b], [b, a]]).collect()
    }

    /// The place of the first entrant on the ladder of the others; `None` if there is no ladder.
    pub(crate) fn placement(&self) -> Option<Placement> {
        let rating = self.estimate()?;
        let mut opponents: Vec<Rung> = self.rungs().collect();
        opponents.retain(|rung| rung.wins + rung.losses > 0);
        let [wins, losses] = opponents.iter().fold([0, 0], |[w, l], rung| [w + rung.wins, l + rung.losses]);
        let lost = opponents.iter().map(|rung| (rung.elo, rung.losses));
        // On the scale turned upside down, wins are losses.
        let won = opponents.iter().map(|rung| (-rung.elo, rung.wins));
        let interval = match (wins, losses) {
            (0, 0) => [None, None],
            (0, _) => [None, Some(bound_of_losses(lost))],
            (_, 0) => [Some(-bound_of_losses(won)), None],
            _ => [-rating.error, rating.error].map(|error| Some(rating.elo + error)),
        };
        let rating = Some(rating).filter(|_| interval.iter().all(Option::is_some));
        let [elo, error] = [rating.map(|rating| rating.elo), rating.map(|rating| rating.error)];
        let name = self.entrants[0].name.clone();
        Some(Placement { name, elo, error, interval, games: self.games, opponents })
    }

    /// The players of the ladder with their games against the first entrant.
    fn rungs(&self) -> impl Iterator<Item = Rung> {
        (1..).zip(&self.ladder).map(|(number, &elo)| Rung {
            name: self.entrants[number].name.clone(),
            elo,
            wins: self.wins[0][number],
            losses: self.wins[number][0],
        })
    }

    /// The likeliest rating of the first entrant. Before its games it is expected in the lowest eighth of
    /// the ladder: a weak player does not lose its first games to strong ones, and a strong one climbs
    /// in five pairs.
    fn estimate(&self) -> Option<Rating> {
        let expected = *self.ladder.get(self.ladder.len() / 8)?;
        let results: Vec<Rung> = self.rungs().collect();
        Some(placed(results.iter().map(|rung| (rung.elo, rung.wins, rung.losses)), expected))
    }

    /// The entrant of the ladder whose rating is nearest: the result of a game against it says most.
    pub(super) fn nearest_rung(&self) -> Option<usize> {
        let placed = self.estimate()?.elo;
        let distances = (1..).zip(self.ladder.iter().map(|elo| (elo - placed).abs()));
        distances.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(number, _)| number)
    }

    pub(crate) fn ended_by(&self, reason: EndKind) -> u64 {
        self.entrants.iter().filter_map(|entrant| entrant.losses.get(&reason)).sum()
    }
}

/// A sequential test of one entrant against another, as it stands.
///
/// Pairs count in the order of their numbers, and only up to the first that is not finished: the
/// order in which games happen to end, and a preference for short ones, decide nothing, and any
/// number of threads comes to the same verdict after the same pairs. Pairs after the verdict change
/// nothing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct RunningSprt {
    #[serde(flatten)]
    pub report: SprtReport,
    /// The names of the entrant that is tested and of its opponent.
    pub players: [String; 2],
    #[serde(skip)]
    entrants: [usize; 2],
    #[serde(skip)]
    next: usize,
}

impl RunningSprt {
    /// A test of `tested`, one of the pairing, before the first pair.
    pub(crate) fn new(test: Sprt, pairing: &Pairing, tested: usize, entrants: &[Entrant]) -> RunningSprt {
        let [a, b] = pairing.players;
        let both = [tested, if a == tested { b } else { a }];
        let players = both.map(|number| entrants[number].name.clone());
        RunningSprt { report: test.report([0; 3]), players, entrants: both, next: pairing.first_pair() }
    }

    /// Takes in the pairs that have been finished since it last did.
    fn follow(&mut self, winners: &HashMap<usize, Vec<usize>>) {
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

    /// The results of games of two entrants, each with its number, its winner, and facts of the three
    /// turns that follow an opening of one move. Entrant 0 is the first player of even games.
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
    fn figures_go_to_those_they_belong_to() {
        let turns = [(1.0, Some(100)), (2.0, None), (4.0, Some(100))].map(|(seconds, playouts)| TurnFacts {
            seconds: Some(seconds),
            playouts,
            ..TurnFacts::default()
        });
        let results = results([(0, 0), (1, 0), (2, 1)].map(|(game, winner)| (game, winner, turns.clone())));
        assert_eq!(results.standing(0, 1), Standing::new(2, 1, [0, 0, 1]));
        assert_eq!(results.standing(1, 0), Standing::new(1, 2, [1, 0, 0]));
        assert_eq!((results.games, results.mean_plies, results.first_wins), (3, Some(4.0), 1));
        let ended = [EndKind::NoMove, EndKind::Crash].map(|kind| results.ended_by(kind));
        assert_eq!((ended, results.faults), ([2, 1], 1));
        // After one opening move the second player has two of three turns: entrant 1 in games 0 and
        // 2.
        let [zero, one] = &results.entrants[..] else { panic!("two entrants") };
        assert_eq!((zero.moves, zero.seconds, zero.playouts), (1 + 2 + 1, 2.0 + 5.0 + 2.0, 200));
        assert_eq!((one.moves, one.seconds, one.playouts), (2 + 1 + 2, 5.0 + 2.0 + 5.0, 400));
        // The crash of game 2 was entrant 0's, after nine seconds, which brought no move.
        assert_eq!((zero.worst_time, one.worst_time), (4.0, 4.0));
        assert_eq!(zero.losses[&EndKind::Crash], 1);
    }

    #[test]
    fn proven_wins_that_were_lost_are_counted() {
        // The second player has the first and the third move; the winner is the first player in
        // game 0, the second in 1. A claim is the value that is called proven.
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
