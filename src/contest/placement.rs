//! Places a player on the shipped ladder: each pair of games has the opponent whose measured rating
//! is nearest to what the games before it say.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;

use serde::Serialize;

use super::contestant::RunOptions;
use super::fault::LaunchError;
use super::fixtures::Fixture;
use super::game_record::GameRecord;
use super::results::ContestResults;
use super::runner::Contest;
use super::statistics::{Rating, placed};
use crate::messages::counted;

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
}

impl Placement {
    /// The place of the first entrant after these games with the others, whose ratings are `elos`.
    fn new(results: &ContestResults, elos: &[f64]) -> Placement {
        let rung = |(number, &elo): (usize, &f64)| Rung {
            name: results.entrants[number].name.clone(),
            elo,
            wins: results.wins[0][number],
            losses: results.wins[number][0],
        };
        let mut opponents: Vec<Rung> = (1..).zip(elos).map(rung).collect();
        let middle = elos.get(elos.len() / 2).copied().unwrap_or_default();
        let rating = placed(opponents.iter().map(|rung| (rung.elo, rung.wins, rung.losses)), middle);
        opponents.retain(|rung| rung.wins + rung.losses > 0);
        let interval = [rating.elo - rating.error, rating.elo + rating.error];
        let name = results.entrants[0].name.clone();
        Placement { name, rating, interval, games: results.games, opponents }
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
    mut on_game: impl FnMut(GameRecord, &Placement) -> Result<ControlFlow<()>, E>,
) -> Result<Placement, E> {
    let names = contest.entrants.iter().map(|entrant| entrant.name.as_str());
    let mut results = ContestResults::new(names, None, Vec::new());
    let mut placement = Placement::new(&results, elos);
    for pair in 0..games.div_ceil(2) {
        // The result of a game against the nearest rating says most.
        let distance = |number: &usize| (elos[*number] - placement.rating.elo).abs();
        let opponent = (0..elos.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let opponent = opponent.unwrap_or_default() + 1;
        let seats = [[0, opponent], [opponent, 0]];
        let fixtures = seats.into_iter().enumerate().map(|(colour, players)| Fixture {
            game: 2 * pair + colour,
            pair,
            opening: pair,
            players,
        });
        contest.fixtures = fixtures.take(games - 2 * pair).collect();
        contest.run(options, &BTreeSet::new(), |game| {
            results.add(&game);
            placement = Placement::new(&results, elos);
            on_game(game, &placement)
        })?;
        if options.is_interrupted() {
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
            let placement =
                place(contest, &elos, 20, &options, |_, _| Ok::<_, LaunchError>(ControlFlow::Continue(())));
            let placement = placement.unwrap();
            assert_eq!((placement.games, placement.opponents[0].elo), (20, 0.0));
            (placement.rating, placement.opponents[0].wins + placement.opponents[0].losses)
        };
        let [(once, near), (again, _)] = [1, 2].map(place);
        assert!(near >= 10, "{near} games against its like");
        assert!(
            once.elo.abs() < once.error && (once.elo - again.elo).abs() < once.error,
            "{once:?} {again:?}"
        );
    }
}
