//! Places a player on the shipped ladder: each pair of games has the opponent whose measured rating
//! is nearest to what the games before it say.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::entrant::Entrant;
use super::fault::LaunchError;
use super::fixtures::Fixture;
use super::game_record::GameRecord;
use super::runner::{Contest, RunOptions};
use super::statistics::{Rating, placed};

/// A player of the ladder and the games against it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Rung {
    pub name: String,
    pub elo: f64,
    /// Games that the placed player won against it.
    pub wins: u64,
    /// Games that it won.
    pub losses: u64,
}

/// A player on the ladder.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    /// The ladder, weakest player first.
    pub rungs: Vec<Rung>,
    /// The games, in the order in which they ended.
    pub games: Vec<GameRecord>,
}

impl Placement {
    /// The player's rating on the ladder's scale with half its 95 % interval. The error of the
    /// ladder itself is not part of it.
    pub(crate) fn rating(&self) -> Rating {
        let middle = self.rungs.get(self.rungs.len() / 2).map_or(0.0, |rung| rung.elo);
        placed(self.rungs.iter().map(|rung| (rung.elo, rung.wins, rung.losses)), middle)
    }

    /// The players that were met.
    pub(crate) fn met(&self) -> impl Iterator<Item = &Rung> {
        self.rungs.iter().filter(|rung| rung.wins + rung.losses > 0)
    }

    /// The number of the player whose result says most: that of the nearest rating.
    fn next(&self) -> usize {
        let elo = self.rating().elo;
        let distance = |number: &usize| (self.rungs[*number].elo - elo).abs();
        (0..self.rungs.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
    }

    fn add(&mut self, game: GameRecord) {
        let players = [0, 1].map(|seat: usize| game.players[seat].entrant);
        let rung = &mut self.rungs[players[0].max(players[1]) - 1];
        *(if players[game.end().winner.index()] == 0 { &mut rung.wins } else { &mut rung.losses }) += 1;
        self.games.push(game);
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
    mut on_game: impl FnMut(&Placement) -> Result<(), E>,
) -> Result<Placement, E> {
    let rung =
        |(entrant, &elo): (&Entrant, &f64)| Rung { name: entrant.name.clone(), elo, wins: 0, losses: 0 };
    let rungs = contest.entrants[1..].iter().zip(elos).map(rung).collect();
    let mut placement = Placement { rungs, games: Vec::new() };
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
            placement.add(game);
            on_game(&placement)?;
            Ok::<_, E>(ControlFlow::Continue(()))
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
    use crate::contest::{Conditions, Openings};
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
            let (elos, flag) = ([0.0, 491.0, 1763.0, 2400.0], AtomicBool::new(false));
            let placement = place(
                contest,
                &elos,
                20,
                &RunOptions { concurrency: 1, ..RunOptions::default() },
                &flag,
                |_| Ok::<_, LaunchError>(()),
            )
            .unwrap();
            assert_eq!(placement.games.len(), 20);
            (placement.rating(), placement.rungs[0].wins + placement.rungs[0].losses)
        };
        let [(once, near), (again, _)] = [1, 2].map(place);
        assert!(near >= 10, "{near} games against its like");
        assert!(
            once.elo.abs() < once.error && (once.elo - again.elo).abs() < once.error,
            "{once:?} {again:?}"
        );
    }
}
