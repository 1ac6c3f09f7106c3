//! Runs a contest: plays its games on several threads and adds up the results as games end.
//!
//! A game depends only on its number and the contest's seed. So the results are the same for any
//! number of threads and any order in which games end.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use amazons::hash::mix;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{
    Clock, ContestResults, Entrant, GameConditions, GameContext, GameRecord, LaunchError, Openings,
    RunOptions, ScheduledGame, adjudication, referee,
};
use crate::InputError;
use crate::files::JournalError;
use crate::games::Game;
use crate::jobs;
use crate::search::StopHandle;

/// A receiver of the finished games of a contest, such as a record, the terminal or a page.
pub(crate) trait GameSink {
    /// Receives the recorded games of a resumed contest and their results, before new games begin.
    fn begin(&mut self, _games: &[GameRecord], _results: &mut ContestResults) {}

    /// Receives a game that has just ended, with the results that include it.
    ///
    /// # Errors
    /// If the contest must end, for example because the game could not be recorded.
    fn take(&mut self, game: &GameRecord, results: &mut ContestResults) -> Result<(), ContestError>;
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ContestError {
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error(transparent)]
    Record(#[from] JournalError),
    /// A line about a finished game could not be written to standard output.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// A contest: its players, its schedule of games, the rules of its games and the results so far.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    pub entrants: Vec<Entrant>,
    /// The games to play, in the order in which they begin. On a ladder, the opponent of each pair
    /// is chosen only when the pair begins.
    pub schedule: Vec<ScheduledGame>,
    pub openings: Openings,
    pub conditions: GameConditions,
    pub seed: u64,
    pub results: ContestResults,
}

impl Contest {
    /// The header of the contest's record: all settings of the games, but not the number of games.
    pub(crate) fn header(&self) -> Value {
        // The header describes the players' settings for the board of the first opening. A user's
        // list of openings may also have boards of other sizes.
        let size = self.openings.get(self.seed, 0).start().size();
        let entrants: Vec<_> = self.entrants.iter().map(|entrant| entrant.header_settings(size)).collect();
        json!({"contest": {
            "quiver": env!("CARGO_PKG_VERSION"),
            "players": entrants,
            "openings": describe_openings(&self.openings),
            "clock": match self.conditions.clock { Clock::Wall => "wall", Clock::Cpu => "cpu" },
            "grace": self.conditions.grace.as_secs_f64(),
            "patience": self.conditions.patience.map(|time| time.as_secs_f64()),
            "adjudicate": self.conditions.adjudicate.then_some(adjudication::PROOF_NODES),
            "restarts": Some(self.conditions.restarts).filter(|&restarts| restarts > 0),
            "seed": self.seed,
        }})
    }

    /// Adds the recorded games of an earlier run to the results, and removes them from the
    /// schedule. Returns the number of recorded games that are not in the schedule and are ignored.
    ///
    /// # Errors
    /// If the players or the opening of a recorded game differ from the schedule.
    pub(crate) fn resume(
        &mut self,
        mut games: Vec<GameRecord>,
        sinks: &mut [&mut dyn GameSink],
    ) -> Result<usize, InputError> {
        let schedule: BTreeMap<_, _> =
            self.schedule.iter().map(|&scheduled| (scheduled.game, scheduled)).collect();
        let all = games.len();
        games.retain(|game| schedule.contains_key(&game.number));
        let described = |players: [usize; 2], game: &Game, plies: usize| {
            let moves: Vec<String> = game.moves()[..plies].iter().map(ToString::to_string).collect();
            format!("between players {players:?}, opening {moves:?} from {}", game.start())
        };
        for game in &mut games {
            let ScheduledGame { players, opening, place, .. } = schedule[&game.number];
            game.place = place;
            let opening = self.openings.get(self.seed, opening);
            let expected = described(players, &opening, opening.plies().len());
            let players = game.players.each_ref().map(|player| player.entrant);
            let recorded = described(players, &game.game, game.opening);
            if recorded != expected {
                let number = game.number;
                let got =
                    format!("game {number} of the record is not a game of this match: it was {recorded}");
                return Err(InputError(format!("{got}, expected {expected}")));
            }
        }
        let played: BTreeSet<usize> = games.iter().map(|game| game.number).collect();
        self.schedule.retain(|scheduled| !played.contains(&scheduled.game));
        games.iter().for_each(|game| self.results.add(game));
        sinks.iter_mut().for_each(|sink| sink.begin(&games, &mut self.results));
        Ok(all - games.len())
    }

    /// Plays the scheduled games, and passes each game to the sinks when it has ended.
    ///
    /// Two players begin no further game once their sequential test has a verdict. An interrupt by
    /// the user ends the games in progress without a result.
    ///
    /// # Errors
    /// The first error of a sink, or the error of a program that did not start. No game begins
    /// after an error. The sinks still get the games in progress, unless a sink returned the error.
    pub(crate) fn run(
        &mut self,
        options: &RunOptions,
        sinks: &mut [&mut dyn GameSink],
    ) -> Result<(), ContestError> {
        let mut schedule = std::mem::take(&mut self.schedule);
        // On a ladder, two games are played at a time. Their results decide the next opponent.
        let at_once = if self.results.ladder.is_empty() { schedule.len().max(1) } else { 2 };
        for round in schedule.chunks_mut(at_once) {
            if self.results.all_tests_decided() || options.interrupt.is_stopped() {
                break;
            }
            if let Some(opponent) = self.results.nearest_ladder_player() {
                for ScheduledGame { players, .. } in round.iter_mut() {
                    *players = players.map(|player| if player == 0 { 0 } else { opponent });
                }
            }
            self.play(round, options, sinks)?;
        }
        Ok(())
    }

    fn play(
        &mut self,
        round: &[ScheduledGame],
        options: &RunOptions,
        sinks: &mut [&mut dyn GameSink],
    ) -> Result<(), ContestError> {
        let Contest { entrants, openings, conditions, seed, results, .. } = self;
        let (conditions, seed) = (*conditions, *seed);
        let decided = Mutex::new(results.decided_pairings());
        // Set if a player could not be started or every sequential test has a verdict.
        let ended = StopHandle::default();
        let work = |scheduled: &ScheduledGame| {
            if ended.is_stopped() {
                return None;
            }
            if decided.lock().contains(&scheduled.players) {
                return Some(Ok(None));
            }
            let players = scheduled.players.map(|entrant| &entrants[entrant]);
            let opening = openings.get(seed, scheduled.opening);
            let &ScheduledGame { game, place, .. } = scheduled;
            let context = GameContext { game, place, ..GameContext::new(conditions, seed, options) };
            referee::play(scheduled.players, players, &opening, context)
                .transpose()
                .map(|game| game.map(Some))
        };
        let mut launched = Ok(());
        let take = |played| -> Result<(), ContestError> {
            match played {
                Ok(Some(game)) => {
                    results.add(&game);
                    *decided.lock() = results.decided_pairings();
                    sinks.iter_mut().try_for_each(|sink| sink.take(&game, results))?;
                }
                Ok(None) => {}
                Err(error) => launched = Err(error),
            }
            if launched.is_err() || results.all_tests_decided() {
                ended.stop();
            }
            Ok(())
        };
        jobs::run(options.concurrency, &options.interrupt, round, work, take)?;
        Ok(launched?)
    }
}

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
