//! The rating of a player by games against a ladder: a list of players with known ratings.

use serde::Serialize;

use crate::messages::counted;
use crate::words::Language;

/// A player of the ladder, and the games that the rated player won and lost against it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct LadderPlayer {
    pub(super) name: String,
    pub(super) elo: f64,
    pub(super) wins: u64,
    pub(super) losses: u64,
}

/// A player's rating on the scale of the ladder, on which the player `random` has 0 Elo.
/// `error` does not include the uncertainty of the ladder's own ratings.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LadderRating {
    pub(super) name: String,
    /// The rating. `None` if the player has won no game or has lost no game.
    pub elo: Option<f64>,
    /// Half the width of the rating's 95 % interval, in Elo.
    pub error: Option<f64>,
    /// The 95 % interval of Elo. If the player has lost no game, the upper end is `None` and the
    /// lower end is a one-sided 95 % bound. If the player has won no game, the lower end is `None`
    /// and the upper end is a one-sided 95 % bound.
    pub(super) interval: [Option<f64>; 2],
    pub games: u64,
    pub(super) opponents: Vec<LadderPlayer>,
}

impl LadderRating {
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

    pub(crate) fn report(&self, language: Language) -> String {
        let (rating, name, count) = (self.rating(language), &self.name, self.games);
        let games = counted(count, "game", "games");
        let mut text = language.pick(
            format!("{name}: {rating} on the ladder, where random play has 0 (95 % interval, {games})\n"),
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
