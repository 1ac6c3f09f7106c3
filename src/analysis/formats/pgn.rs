//! Writes games as PGN, from which the rating programs Ordo and BayesElo read results. PGN has no
//! notation for moves of the Amazons, so the moves can only stand in a comment.

use amazons::hash::mix;
use amazons::{Move, Side};
use quiver_bot::messages::excerpt;

use crate::games::{Game, MatchGame};

/// The longest value of a tag, in characters, that Ordo and BayesElo read completely.
const LONGEST_VALUE: usize = 80;

/// A text of at most [`LONGEST_VALUE`] characters. A longer value keeps its beginning, and a hash
/// tells it from other values with this beginning.
fn tag_value(value: &str) -> String {
    // Ordo does not understand escaped double quotation marks, so single quotes replace them.
    let whole = excerpt(value, usize::MAX).replace('"', "'");
    if whole.chars().count() <= LONGEST_VALUE {
        return whole;
    }
    let bytes: Vec<u64> = value.bytes().map(u64::from).collect();
    format!("{} {:08x}", whole.chars().take(LONGEST_VALUE - 9).collect::<String>(), mix(&bytes) >> 32)
}

const MOVES_PER_LINE: usize = 8;

/// Writes a game as PGN. The tags `before` come first, then the players and the result, then the
/// tags `after`. If `with_moves` is true, a comment with the moves follows. The first player is
/// White, and a player without a name is `?`. A game without a winner has the unrated result `*`.
pub fn write(game: &Game, before: &[(&str, &str)], after: &[(&str, &str)], with_moves: bool) -> String {
    let result = match game.winner() {
        Some(Side::First) => "1-0",
        Some(Side::Second) => "0-1",
        None => "*",
    };
    let [white, black] = game.players.each_ref().map(|name| name.as_deref().unwrap_or("?"));
    let own = [("White", white), ("Black", black), ("Result", result)];
    let tag = |(tag, value): &(&str, &str)| format!("[{tag} \"{}\"]\n", tag_value(value));
    let mut text: String = before.iter().chain(&own).chain(after).map(tag).collect();
    text.push('\n');
    if with_moves && !game.is_empty() {
        let moves: Vec<String> = game.moves().iter().map(Move::to_string).collect();
        let lines: Vec<String> = moves.chunks(MOVES_PER_LINE).map(|line| line.join(" ")).collect();
        text += &format!("{{{}}}\n", lines.join("\n"));
    }
    text + result + "\n\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_stay_different() {
        let names = ["a", "b"].map(|end| tag_value(&format!("{}{end}", "x".repeat(90))));
        assert_ne!(names[0], names[1]);
        assert!(names.iter().all(|name| name.len() == LONGEST_VALUE), "{names:?}");
        assert_eq!(tag_value("say \"a\"\n"), "say 'a'\\n");
    }
}
