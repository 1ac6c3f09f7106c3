//! The game record that teams of the Chinese university contest submit.
//!
//! A record begins like `#[AM][first team][second team][后手胜][2026.05.01 14:00 place][2026];`. 先手胜
//! means that the first player has won, and 后手胜 that the second player has won. Each further line
//! has its number and one move of each player: `1 d1d7(g7) d10e9(e5)`.

use std::fmt::Write as _;

use amazons::{Move, Position, Side};
use quiver_bot::InputError;
use quiver_bot::messages::excerpt;

use crate::games::{FoundGame, Game, GameEnd, MatchGame};

pub(super) const RECORD_MARK: &str = "#[AM]";

const WIN_WORDS: [&str; 2] = ["先手胜", "后手胜"];

/// Writes one game as a contest record. If the winner is unknown, the result's field stays empty.
pub fn write(game: &Game) -> String {
    // Spaces replace brackets and semicolons, which would end a field of the first line.
    let field = |text: &str| text.replace(['[', ']', ';', '\r', '\n'], " ");
    let [first, second] = game.players.each_ref().map(|name| field(name.as_deref().unwrap_or_default()));
    let event = field(game.event.as_deref().unwrap_or_default());
    let year: String = event.chars().take_while(char::is_ascii_digit).collect();
    let won = game.winner().map_or("", |winner| WIN_WORDS[winner.index()]);
    let mut text = format!("{RECORD_MARK}[{first}][{second}][{won}][{event}][{year}];\n");
    for (number, pair) in (1..).zip(game.plies().chunks(2)) {
        let moves: Vec<String> = pair
            .iter()
            .map(|ply| format!("{}{}({})", ply.played.from, ply.played.to, ply.played.arrow))
            .collect();
        let _ = writeln!(text, "{number} {}", moves.join(" "));
    }
    text
}

/// Writes one game as a contest record, if the game begins at the start position of 10x10.
///
/// # Errors
/// If the game begins at another position, because a contest record cannot state a position.
pub(super) fn write_checking_start(game: &Game) -> Result<String, InputError> {
    if *game.start() != Position::default() {
        let got = game.start();
        return Err(InputError(format!(
            "the game begins at {got}: expected the start position of 10x10, as in every contest record"
        )));
    }
    Ok(write(game))
}

pub(super) fn read(text: &str) -> Vec<FoundGame> {
    let mut line = 1;
    let records = text.split(RECORD_MARK).map(|record| {
        let found = FoundGame { line, game: read_one(record) };
        line += record.matches('\n').count();
        found
    });
    // The text before the first mark belongs to no record.
    FoundGame::collect_limited(records.skip(1))
}

/// Reads a contest record from the text that follows its [`RECORD_MARK`].
fn read_one(text: &str) -> Result<Game, InputError> {
    let fields = "[first team][second team][result][event][year];";
    let unended = || InputError::new("the first line has no end", fields);
    let (head, moves) = text.split_once(';').ok_or_else(unended)?;
    let fields: Vec<&str> =
        head.split('[').skip(1).filter_map(|part| Some(part.split_once(']')?.0.trim())).collect();
    let mut game = Game::new(Position::default());
    let known =
        |place: usize| fields.get(place).filter(|text| !text.is_empty()).map(|text| (*text).to_owned());
    game.players = [known(0), known(1)];
    game.event = known(3);
    // A line begins with its number. Moves begin with a letter.
    let is_of_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    let words = moves.split_whitespace().map(|word| word.trim_start_matches(is_of_number));
    for word in words.filter(|word| !word.is_empty()) {
        let place = format!("move {} '{}'", game.len() + 1, excerpt(word, 40));
        let unread = || InputError::new(&place, "a move such as d1d7(g7)");
        let played = read_move(word).ok_or_else(unread)?;
        game.play(played).map_err(|error| InputError::from(error).at(&place))?;
    }
    let stated = known(2).and_then(|text| {
        let side = |side: &Side| text.contains(WIN_WORDS[side.index()]);
        Side::BOTH.into_iter().find(side)
    });
    game.end = stated.map(|winner| GameEnd::with_inferred_kind(game.position(), winner));
    Ok(game)
}

fn read_move(text: &str) -> Option<Move> {
    let (queen, arrow) = text.strip_suffix(')')?.split_once('(')?;
    Some(Move::new(queen.parse().ok()?, arrow.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::CheckedGame;

    #[test]
    fn a_wrong_winner_contradicts_the_rules() {
        let mut game = Game::new(Position::default());
        while let Some(&played) = game.position().legal_moves().first() {
            game.play(played).unwrap();
        }
        let winner = game.position().winner().unwrap();
        for (stated, wrong) in [(winner, 0), (!winner, 1)] {
            game.end = Some(GameEnd::with_inferred_kind(game.position(), stated));
            let [found] = read(&write(&game)).try_into().unwrap();
            let checked = CheckedGame::from(found.game.unwrap());
            assert_eq!((checked.game.winner(), checked.disagreements.len()), (Some(winner), wrong));
        }
    }

    #[test]
    fn reads_moves_that_follow_their_number_directly() {
        for moves in ["1d1d7(g7) d10e9(e5)", "1.d1d7(g7) d10e9(e5)", "1. d1d7(g7)\nd10e9(e5)"] {
            let [found] = read(&format!("#[AM][][][][][];\n{moves}")).try_into().unwrap();
            assert_eq!(found.game.unwrap().plies().len(), 2, "{moves}");
        }
    }

    #[test]
    fn reads_back_what_it_writes() {
        let text =
            "#[AM][甲队][乙队][后手胜][2026.05.01 14:00 沈阳][2026];\n1 d1d7(g7) d10e9(e5)\n2 d7d8(d9)\n";
        let [found] = read(text).try_into().unwrap();
        let game = found.game.unwrap();
        assert_eq!(game.plies().len(), 3);
        assert_eq!(game.players, [Some("甲队".to_owned()), Some("乙队".to_owned())]);
        assert_eq!(game.winner(), Some(Side::Second));
        assert_eq!(write(&game), text);
        let two = format!("{text}{text}");
        assert_eq!(read(&two).iter().map(|found| found.line).collect::<Vec<_>>(), [1, 4]);
    }
}
