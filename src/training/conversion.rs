//! Converts self-play games to [`Game`]s, and other games to self-play files.

use std::path::Path;

use serde_json::json;

use super::file::{FORMAT, GamesFile};
use super::game::{PlyKind, TrainingGame, TrainingPly};
use crate::files::{JournalError, framed, header_line};
use crate::game::{EndKind, Fen, Game, GameEnd, Ply, Position, Side, TurnFacts};

/// The comment of a deliberate blunder; in a [`Game`], nothing else tells it from the search's
/// choice.
const BLUNDER: &str = "a deliberate blunder";

/// What the players of a self-play game are called.
const NAME: &str = "quiver selfplay";

/// Reads the games of a self-play file; a record that is not whole at its end is passed over.
///
/// # Errors
/// If it is damaged. `path` is what the message calls it.
pub fn games(path: &Path, bytes: &[u8]) -> Result<Vec<Game>, JournalError> {
    let Some(contents) = GamesFile::parse(path, bytes)? else { return Ok(Vec::new()) };
    Ok(contents.games.iter().map(|game| game.to_game(&contents.start)).collect())
}

/// Writes a self-play file of games that were played elsewhere. They have no visit shares. A move
/// without a value is written as one of the opening, which no training takes as a target.
///
/// # Errors
/// If a game is unfinished, or begins elsewhere than the first.
pub fn file(games: &[Game], source: &str) -> Result<Vec<u8>, String> {
    const EXPECTED: &str = "expected games that were played out, all from one position";
    let error = |number: u32, state| format!("game {} {state}: {EXPECTED}", number + 1);
    let start = games.first().ok_or_else(|| error(0, "is missing"))?.start();
    let header =
        json!({"selfplay": {"format": FORMAT, "start": Fen(*start).to_string(), "converted": source}});
    let mut bytes = header_line(&header).into_bytes();
    for (number, game) in (0..).zip(games) {
        if game.start() != start {
            return Err(error(number, "begins elsewhere than the first"));
        }
        let winner = game.position().winner().ok_or_else(|| error(number, "is unfinished"))?;
        bytes.extend(framed(&from_game(number, game, winner).to_bytes()));
    }
    Ok(bytes)
}

impl TrainingGame {
    /// The game without the shares of visits. `start` is where it began; the game must be one that
    /// can be played from there.
    #[must_use]
    pub fn to_game(&self, start: &Position) -> Game {
        let mut game = Game::new(*start);
        let plies = self.plies.iter().map(|ply| {
            let comment = match ply.kind {
                PlyKind::Opening => "a random ply of the opening",
                PlyKind::Blunder => BLUNDER,
                PlyKind::Best if ply.proven => "proven",
                PlyKind::Best => "",
            };
            let value = (ply.kind != PlyKind::Opening).then(|| ply.chance());
            let facts =
                TurnFacts { comment: comment.to_owned(), value, proven: ply.proven, ..TurnFacts::default() };
            Ply { full: ply.full, facts }
        });
        // The reader of the file has checked the moves. Moves after an illegal one are dropped.
        let _ = game.extend(plies);
        game.players = [Some(NAME.to_owned()), Some(NAME.to_owned())];
        game.end = Some(GameEnd::new(self.winner, EndKind::NoMove));
        game
    }
}

fn from_game(number: u32, game: &Game, winner: Side) -> TrainingGame {
    let plies = game.plies().iter().map(|Ply { full, facts }| {
        let kind = match facts.value {
            None => PlyKind::Opening,
            Some(_) if facts.comment == BLUNDER => PlyKind::Blunder,
            Some(_) => PlyKind::Best,
        };
        let value = (facts.value.unwrap_or_default().clamp(0.0, 1.0) * f64::from(u16::MAX)).round() as u16;
        TrainingPly { value, proven: facts.proven, ..TrainingPly::unvalued(*full, kind) }
    });
    TrainingGame { number, winner, plies: plies.collect() }
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::tiny;
    use super::*;

    #[test]
    fn converted_games_make_no_targets_of_moves_that_no_search_chose() {
        let (start, one) = tiny();
        let kinds = |game: &TrainingGame| game.plies.iter().map(|ply| ply.kind).collect::<Vec<_>>();
        assert_eq!(kinds(&one), [PlyKind::Opening, PlyKind::Blunder, PlyKind::Best]);
        let mut game = one.to_game(&start);
        let again = from_game(one.number, &game, one.winner);
        assert_eq!(kinds(&again), kinds(&one));
        let values = |game: &TrainingGame| game.plies.iter().map(|ply| ply.value).collect::<Vec<_>>();
        assert_eq!(values(&again), values(&one));
        // A game without values, as people play it, has no targets.
        game = Game::of(start, &game.moves()).unwrap();
        let bare = from_game(0, &game, one.winner);
        assert_eq!(bare.samples(&start).count(), 0);
    }
}
