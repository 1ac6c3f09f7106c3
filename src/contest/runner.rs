//! Runs a contest: plays its games on several threads and adds up their results as they end.
//!
//! A game depends only on its number and the contest's seed. So the set of results is the same for
//! any number of threads and any order in which games end.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::ControlFlow;

use amazons::hash::mix;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{
    Clock, Conditions, ContestResults, Entrant, Fixture, GameContext, GameRecord, LaunchError, Openings,
    RunOptions, adjudication, referee,
};
use crate::InputError;
use crate::files::JournalError;
use crate::games::Game;
use crate::jobs;

/// What follows the games of a contest: a record, the terminal, a page.
pub(crate) trait Sink {
    /// Takes the games of an earlier run, with the results after them. Comes before the first game.
    fn begin(&mut self, _games: &[GameRecord], _results: &mut ContestResults) {}

    /// Takes a game as it ends, with the results after it.
    ///
    /// # Errors
    /// If the contest cannot go on: a game that is not recorded would be lost.
    fn take(&mut self, game: &GameRecord, results: &mut ContestResults) -> Result<(), ContestError>;
}

/// Several sinks: each takes a game once those before it have.
impl Sink for Vec<&mut dyn Sink> {
    fn begin(&mut self, games: &[GameRecord], results: &mut ContestResults) {
        self.iter_mut().for_each(|sink| sink.begin(games, results));
    }

    fn take(&mut self, game: &GameRecord, results: &mut ContestResults) -> Result<(), ContestError> {
        self.iter_mut().try_for_each(|sink| sink.take(game, results))
    }
}

/// The cause why a contest ended before its last game.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ContestError {
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error(transparent)]
    Record(#[from] JournalError),
    /// Standard output does not take the lines about games.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// Everything that decides what is played, and the results.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    pub entrants: Vec<Entrant>,
    /// The games to play, in the order in which they begin. On the ladder the second player of each
    /// pair is chosen as it begins.
    pub fixtures: Vec<Fixture>,
    pub openings: Openings,
    pub conditions: Conditions,
    pub seed: u64,
    /// The results so far, those of an earlier run included.
    pub results: ContestResults,
}

impl Contest {
    /// The header of a record of this contest: equal for equal contests, whatever the number of
    /// games.
    pub(crate) fn header(&self) -> Value {
        // Openings of one contest are of one board, but for lists made by hand.
        let size = self.openings.get(self.seed, 0).start().size();
        let entrants: Vec<_> = self.entrants.iter().map(|entrant| entrant.head(size)).collect();
        json!({"contest": {
            "quiver": env!("CARGO_PKG_VERSION"),
            "players": entrants,
            "openings": describe_openings(&self.openings),
            "clock": match self.conditions.clock { Clock::Wall => "wall", Clock::Cpu => "cpu" },
            "grace": self.conditions.grace.as_secs_f64(),
            "patience": self.conditions.patience.map(|time| time.as_secs_f64()),
            "adjudicate": self.conditions.adjudicate.then_some(adjudication::NODES),
            "restarts": Some(self.conditions.restarts).filter(|&restarts| restarts > 0),
            "seed": self.seed,
        }})
    }

    /// Takes games of an earlier run out of the list of games to play and into the results. Returns how
    /// many of the games are beyond those of this contest, and are left out.
    ///
    /// # Errors
    /// If a game is not the one that has its number here.
    pub(crate) fn resume(
        &mut self,
        mut games: Vec<GameRecord>,
        sink: &mut dyn Sink,
    ) -> Result<usize, InputError> {
        let fixtures: BTreeMap<_, _> = self.fixtures.iter().map(|&fixture| (fixture.game, fixture)).collect();
        let all = games.len();
        games.retain(|game| fixtures.contains_key(&game.number));
        let described = |players: [usize; 2], game: &Game, plies: usize| {
            let moves: Vec<String> = game.moves()[..plies].iter().map(ToString::to_string).collect();
            format!("between players {players:?}, opening {moves:?} from {}", game.start())
        };
        for game in &mut games {
            let Fixture { players, opening, place, .. } = fixtures[&game.number];
            game.place = place;
            let opening = self.openings.get(self.seed, opening);
            let expected = described(players, &opening, opening.plies().len());
            let players = game.players.each_ref().map(|player| player.entrant);
            let recorded = described(players, &game.game, game.opening);
            if recorded != expected {
                let number = game.number;
                let got = format!("the record's game {number} is not a game of this match: it is {recorded}");
                return Err(InputError(format!("{got}, expected {expected}")));
            }
        }
        let played: BTreeSet<usize> = games.iter().map(|game| game.number).collect();
        self.fixtures.retain(|fixture| !played.contains(&fixture.game));
        games.iter().for_each(|game| self.results.add(game));
        sink.begin(&games, &mut self.results);
        Ok(all - games.len())
    }

    /// Plays the games and hands each to the sink as it ends.
    ///
    /// No game begins between players whose test has a verdict. After an interrupt the games in
    /// progress are given up.
    ///
    /// # Errors
    /// The first of the sink, or that a program did not start. No new game begins after it; those in
    /// progress are played to their end and, after a failed start, handed over as well.
    pub(crate) fn run(&mut self, options: &RunOptions, sink: &mut dyn Sink) -> Result<(), ContestError> {
        let mut fixtures = std::mem::take(&mut self.fixtures);
        // On the ladder the results of a pair decide who plays the next.
        let at_once = if self.results.ladder.is_empty() { fixtures.len().max(1) } else { 2 };
        for round in fixtures.chunks_mut(at_once) {
            if self.results.decided() || options.interrupt.is_stopped() {
                break;
            }
            if let Some(opponent) = self.results.nearest_rung() {
                for Fixture { players, .. } in round.iter_mut() {
                    *players = players.map(|player| if player == 0 { 0 } else { opponent });
                }
            }
            self.play(round, options, sink)?;
        }
        Ok(())
    }

    /// Plays the games of a round.
    fn play(
        &mut self,
        round: &[Fixture],
        options: &RunOptions,
        sink: &mut dyn Sink,
    ) -> Result<(), ContestError> {
        let Contest { entrants, openings, conditions, seed, results, .. } = self;
        let (conditions, seed) = (*conditions, *seed);
        let decided = Mutex::new(results.decided_pairings());
        let work = |fixture: &Fixture| {
            if decided.lock().contains(&fixture.players) {
                return Some(Ok(None));
            }
            let players = fixture.players.map(|entrant| &entrants[entrant]);
            let opening = openings.get(seed, fixture.opening);
            let &Fixture { game, place, .. } = fixture;
            let context = GameContext { game, place, ..GameContext::new(conditions, seed, options) };
            referee::play(fixture.players, players, &opening, context).transpose().map(|game| game.map(Some))
        };
        let mut launched = Ok(());
        let take = |played| -> Result<ControlFlow<()>, ContestError> {
            match played {
                Ok(Some(game)) => {
                    results.add(&game);
                    *decided.lock() = results.decided_pairings();
                    sink.take(&game, results)?;
                }
                Ok(None) => {}
                Err(error) => launched = Err(error),
            }
            let ends = launched.is_err() || results.decided();
            Ok(if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        jobs::run(options.concurrency, &options.interrupt, round, work, take)?;
        Ok(launched?)
    }
}

/// Describes random openings by their start and number of plies, lists by a digest of their
/// content.
fn describe_openings(Openings { list, random_plies, .. }: &Openings) -> Value {
    let start = list[0].start().to_string();
    if *random_plies > 0 {
        return json!({"start": start, "random_plies": random_plies});
    }
    let mut digest = 0;
    for opening in list {
        let moves = opening.moves();
        let moves = moves.iter().map(ToString::to_string);
        for text in [opening.start().to_string()].into_iter().chain(moves) {
            digest = text.bytes().fold(digest, |digest, byte| mix(&[digest, u64::from(byte)]));
        }
    }
    json!({"start": start, "count": list.len(), "digest": format!("{digest:016x}")})
}
