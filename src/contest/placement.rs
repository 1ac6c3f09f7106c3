//! Places a player on the shipped ladder: each pair of games has the opponent whose measured rating
//! is nearest to what the games before it say.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::fault::LaunchError;
use super::fixtures::Fixture;
use super::game_record::GameRecord;
use super::runner::{Contest, RunOptions};
use super::statistics::{Rating, placed};
use crate::messages::counted;

/// A player of the ladder and the games against it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Rung {
    name: String,
    elo: f64,
    wins: u64,
    losses: u64,
}

/// A player's place on the ladder. The error of the ladder itself is not part of its rating.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Placement {
    name: String,
    /// On the ladder's scale, with half its 95 % interval.
    #[serde(flatten)]
    pub rating: Rating,
    interval: [f64; 2],
    pub games: u64,
    opponents: Vec<Rung>,
    /// The ladder, weakest player first.
    #[serde(skip)]
    rungs: Vec<Rung>,
}

impl Placement {
    fn new(name: String, rungs: Vec<Rung>, games: u64) -> Placement {
        let middle = rungs.get(rungs.len() / 2).map_or(0.0, |rung| rung.elo);
        let rating = placed(rungs.iter().map(|rung| (rung.elo, rung.wins, rung.losses)), middle);
        let opponents = rungs.iter().filter(|rung| rung.wins + rung.losses > 0).cloned().collect();
        let interval = [rating.elo - rating.error, rating.elo + rating.error];
        Placement { name, rating, interval, games, opponents, rungs }
    }

    /// The number of the player whose result says most: that of the nearest rating.
    fn next(&self) -> usize {
        let distance = |number: &usize| (self.rungs[*number].elo - self.rating.elo).abs();
        (0..self.rungs.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }

    fn add(&mut self, game: &GameRecord) {
        let players = [0, 1].map(|seat: usize| game.players[seat].entrant);
        let mut rungs = std::mem::take(&mut self.rungs);
        let rung = &mut rungs[players[0].max(players[1]) - 1];
        *(if players[game.end().winner.index()] == 0 { &mut rung.wins } else { &mut rung.losses }) += 1;
        *self = Placement::new(std::mem::take(&mut self.name), rungs, self.games + 1);
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Rating { elo, error }, games) = (self.rating, counted(self.games, "game", "games"));
        let name = &self.name;
        writeln!(f, "{name}: Elo {elo:.0} +/- {error:.0} on the ladder, where random has 0 (95 %, {games})")?;
        for Rung { name, elo, wins, losses } in self.opponents.iter().rev() {
            writeln!(f, "  {wins} - {losses} against {name} ({elo:.0})")?;
        }
        Ok(())
    }
}

/// Plays `games` games, in pairs, of the contest's first entrant against the others, whose measured
/// ratings are `elos`. The contest has no fixtures of its own. `on_game` sees each game and the
/// placement after it.
pub(crate) fn place<E: From<LaunchError>>(
    mut contest: Contest,
    elos: &[f64],
    games: usize,
    options: &RunOptions,
    interrupt: &AtomicBool,
    mut on_game: impl FnMut(GameRecord, &Placement) -> Result<ControlFlow<()>, E>,
) -> Result<Placement, E> {
    let mut names = contest.entrants.iter().map(|entrant| entrant.name.clone());
    let name = names.next().unwrap_or_default();
    let rungs = names.zip(elos).map(|(name, &elo)| Rung { name, elo, wins: 0, losses: 0 }).collect();
    let mut placement = Placement::new(name, rungs, 0);
    for pair in 0..games.div_ceil(2) {
        let opponent = placement.next() + 1;
        let seats = [[0, opponent], [opponent, 0]];
        let fixtures = seats.into_iter().enumerate().map(|(colour, players)| Fixture {
            game: 2 * pair + colour,
            pair,
            opening: pair,
            players,
        });
        contest.fixtures = fixtures.take(games - 2 * pair).collect();
        contest.run(options, &BTreeSet::new(), interrupt, |game| {
            placement.add(&game);
            on_game(game, &placement)
        })?;
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(placement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::{Conditions, Entrant, Openings};
    use crate::game::{Size, Start};
    use crate::players::EngineOptions;

    #[test]
    fn finds_the_place_of_a_random_player_again() {
        let engine = EngineOptions { memory: 1 << 20, ..EngineOptions::default() };
        let specs = ["random", "random", "level2", "greedy", "level9"];
        let entrants = specs.map(|spec| Entrant::new(spec.parse().unwrap(), &engine)).to_vec();
        let start = Start::Formula.position(Size::square(8).unwrap()).unwrap();
        let place = |seed| {
            let contest = Contest {
                entrants: entrants.clone(),
                fixtures: Vec::new(),
                openings: Openings::random(start, 2, seed).unwrap(),
                conditions: Conditions::default(),
                seed,
            };
            let (elos, options) = ([0.0, 491.0, 1763.0, 2400.0], RunOptions::default());
            let placement = place(contest, &elos, 20, &options, &AtomicBool::new(false), |_, _| {
                Ok::<_, LaunchError>(ControlFlow::Continue(()))
            });
            let placement = placement.unwrap();
            assert_eq!(placement.games, 20);
            (placement.rating, placement.rungs[0].wins + placement.rungs[0].losses)
        };
        let [(once, near), (again, _)] = [1, 2].map(place);
        assert!(near >= 10, "{near} games against its like");
        assert!(
            once.elo.abs() < once.error && (once.elo - again.elo).abs() < once.error,
            "{once:?} {again:?}"
        );
    }
}
