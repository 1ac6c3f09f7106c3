//! Places a player on the shipped ladder: each pair of games has the opponent whose measured rating
//! is nearest to what the games before it say.

use std::fmt;

use serde::Serialize;

use super::results::ContestResults;
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

impl ContestResults {
    /// The place of the first entrant on the ladder of the others; `None` if there is no ladder.
    pub(crate) fn placement(&self) -> Option<Placement> {
        let middle = *self.ladder.get(self.ladder.len() / 2)?;
        let rung = |(number, &elo): (usize, &f64)| Rung {
            name: self.entrants[number].name.clone(),
            elo,
            wins: self.wins[0][number],
            losses: self.wins[number][0],
        };
        let mut opponents: Vec<Rung> = (1..).zip(&self.ladder).map(rung).collect();
        let rating = placed(opponents.iter().map(|rung| (rung.elo, rung.wins, rung.losses)), middle);
        opponents.retain(|rung| rung.wins + rung.losses > 0);
        let interval = [rating.elo - rating.error, rating.elo + rating.error];
        let name = self.entrants[0].name.clone();
        Some(Placement { name, rating, interval, games: self.games, opponents })
    }

    /// The entrant of the ladder whose rating is nearest: the result of a game against it says most.
    pub(super) fn nearest_rung(&self) -> usize {
        let placed = self.placement().map_or(0.0, |placement| placement.rating.elo);
        let distances = (1..).zip(self.ladder.iter().map(|elo| (elo - placed).abs()));
        distances.min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(number, _)| number)
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
