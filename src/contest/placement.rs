//! The rating of a player on the scale of a ladder.

use serde::Serialize;

use crate::messages::counted;
use crate::words::Language;

/// A player of the ladder, with the results against it of the player that is rated.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct LadderPlayer {
    pub(super) name: String,
    pub(super) elo: f64,
    pub(super) wins: u64,
    pub(super) losses: u64,
}

/// A player's rating on the scale of the ladder, where random moves have 0. Its error does not
/// include the errors of the ladder's own ratings.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Placement {
    pub(super) name: String,
    /// `None` until the player has won a game and lost another.
    pub elo: Option<f64>,
    /// Half the width of the 95 % interval, in Elo.
    pub error: Option<f64>,
    /// The 95 % interval of Elo. If no game was lost it has no upper end, and if no game was won it
    /// has no lower end; the other end is then a one-sided 95 % bound.
    pub(super) interval: [Option<f64>; 2],
    pub games: u64,
    pub(super) opponents: Vec<LadderPlayer>,
}

impl Placement {
    /// Formats the rating, as in `Elo 600 +/- 150` or `below Elo 800`.
    pub(crate) fn rating(&self, language: Language) -> String {
        match (self.elo, self.error, self.interval) {
            (Some(elo), Some(error), _) => format!("Elo {elo:.0} +/- {error:.0}"),
            (.., [Some(low), _]) => {
                language.pick(format!("above Elo {low:.0}"), format!("高于 Elo {low:.0}"))
            }
            (.., [_, Some(high)]) => {
                language.pick(format!("below Elo {high:.0}"), format!("低于 Elo {high:.0}"))
            }
            _ => language.pick("no Elo yet", "尚无 Elo").to_owned(),
        }
    }

    /// Formats the rating with the player's name, and a line for each opponent.
    pub(crate) fn report(&self, language: Language) -> String {
        let (rating, name, count) = (self.rating(language), &self.name, self.games);
        let games = counted(count, "game", "games");
        let mut text = language.pick(
            format!("{name}: {rating} on the ladder, where random has 0 (95 % interval, {games})\n"),
            format!("{rating}（天梯等级分，随机走子为 0；95 %，{count} 局）\n"),
        );
        for LadderPlayer { name, elo, wins, losses } in self.opponents.iter().rev() {
            let line = language.pick(
                format!("  {wins} - {losses} against {name} ({elo:.0})\n"),
                format!("  {wins} 胜 {losses} 负，对手 {name}（{elo:.0}）\n"),
            );
            text += &line;
        }
        text
    }
}
