//! Results of games as PGN, for the rating programs Ordo and BayesElo: names and results, no moves.

use crate::game::{Game, Side};
use crate::messages::excerpt;

/// The longest name, in characters, that the programs read whole.
const LONGEST_NAME: usize = 80;

/// The results, a game with empty move text each; the first player is White. A player without a name
/// is `?`, and a game without a winner has the result `*`, which the programs do not count.
pub(super) fn write(games: &[Game], source: &str) -> String {
    (1..).zip(games).map(|(number, game)| one(number, game, source)).collect()
}

fn one(number: usize, game: &Game, source: &str) -> String {
    let result = match game.winner() {
        Some(Side::First) => "1-0",
        Some(Side::Second) => "0-1",
        None => "*",
    };
    let [white, black] = game.players.each_ref().map(|name| name.as_deref().unwrap_or("?"));
    let round = number.to_string();
    let tags = [("Event", source), ("Round", &round), ("White", white), ("Black", black), ("Result", result)];
    // Ordo knows no escaped quotes.
    let tag = |(tag, value)| format!("[{tag} \"{}\"]\n", excerpt(value, LONGEST_NAME).replace('"', "'"));
    format!("{}\n{result}\n\n", tags.map(tag).concat())
}
