//! Reads games for training, and labels their positions and half plies. A half ply is the state
//! between a queen move and its arrow.

use std::path::PathBuf;

use amazons::{AnyPosition, Size};
use serde_json::Value;

use super::SELFPLAY_JOURNAL;
use crate::InputError;
use crate::contest::{GameRecord, is_blunder, record};
use crate::games::{Game, MatchGame, TurnFacts};

/// The games of several record files, all on boards of the same size.
#[derive(Debug)]
pub struct Library {
    /// The header and the games of each file. No two games of the library have the same number.
    records: Vec<(Value, Vec<GameRecord>)>,
    size: Size,
}

/// A position or half ply of a game, with its labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<'a> {
    pub state: AnyPosition,
    /// The number of plies played before this position, or before this half ply's queen move.
    pub ply: u16,
    /// The facts of this ply in the game's record. `facts.value` is the mover's winning chance.
    pub facts: &'a TurnFacts,
    pub won: bool,
    /// True if the result of the game may serve as a label of this position, because no deliberate
    /// blunder followed and no player lost by a fault.
    pub result_usable: bool,
}

impl Library {
    /// Reads all complete games of the record files at these paths.
    ///
    /// # Errors
    /// If a record has no game, two records have the same games, or the boards differ in size.
    pub fn open(paths: &[PathBuf]) -> Result<Library, InputError> {
        let mut records: Vec<(Value, Vec<GameRecord>)> = Vec::new();
        let (mut size, mut next) = (None, 0usize);
        for path in paths {
            let wrong = |got: &str, expected| Err(InputError::new(got, expected).at(path.display()));
            let (header, mut games) =
                record::read(&SELFPLAY_JOURNAL, path).map_err(|error| InputError(error.to_string()))?;
            // If `quiver selfplay` was killed, its file may lack a complete first line.
            let (Some(header), Some(first)) = (header, games.first()) else {
                return wrong("no games", "at least one");
            };
            if !header["contest"].is_object() {
                let got = format!("'contest' is {:.40}", header["contest"].to_string());
                return wrong(&got, "an object with the settings");
            }
            if records.iter().any(|(other, theirs)| *other == header && theirs[0].game == first.game) {
                return wrong("an earlier file has the same games", "games of another seed or recipe");
            }
            let base = next;
            for record in &mut games {
                let own = record.game.start().size();
                let first = *size.get_or_insert(own);
                if own != first {
                    let got = format!("games on {own} after games on {first}");
                    return wrong(&got, "games on boards of one size");
                }
                record.number = base.wrapping_add(record.number);
                next = record.number.wrapping_add(1);
            }
            records.push((header, games));
        }
        let size = size.ok_or_else(|| InputError::new("no file", "at least one"))?;
        Ok(Library { records, size })
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    pub fn games(&self) -> impl Iterator<Item = (u32, &Game)> {
        let games = self.records.iter().flat_map(|(_, games)| games);
        games.map(|record| (record.number as u32, &record.game))
    }

    pub fn samples(&self) -> impl Iterator<Item = (u32, Sample<'_>)> {
        self.games().flat_map(|(number, game)| samples(game).map(move |sample| (number, sample)))
    }

    pub(crate) fn provenance(&self) -> Vec<Value> {
        let describe = |(header, games): &(Value, Vec<GameRecord>)| {
            let mut about = header["contest"].clone();
            about["games"] = games.len().into();
            about
        };
        self.records.iter().map(describe).collect()
    }
}

/// Returns every searched position of a game in the order of play. After each position comes the
/// half ply that the played queen move leads to.
///
/// Random plies of the opening give no samples, because no search chose them. The half ply of a
/// deliberate blunder gives no sample, because its value is unknown.
fn samples(game: &Game) -> impl Iterator<Item = Sample<'_>> {
    let after_blunders = game.plies().iter().rposition(is_blunder).map_or(0, |ply| ply + 1);
    let is_fair = !game.end.as_ref().is_some_and(|end| end.kind.is_fault());
    let mut position = *game.start();
    game.plies().iter().enumerate().flat_map(move |(index, ply)| {
        let half = position.move_queen_unchecked(ply.played.queen());
        let sample = |state: AnyPosition| Sample {
            state,
            ply: index as u16,
            facts: &ply.facts,
            won: Some(state.to_move()) == game.winner(),
            result_usable: is_fair && index >= after_blunders,
        };
        let is_searched = ply.facts.value.is_some();
        let whole = is_searched.then(|| sample(AnyPosition::Position(position)));
        let half_ply = (is_searched && !is_blunder(ply)).then(|| sample(AnyPosition::HalfPly(half)));
        position = half.shoot_unchecked(ply.played.arrow);
        whole.into_iter().chain(half_ply)
    })
}

#[cfg(test)]
mod tests {
    use amazons::{Move, Position, Side};

    use super::*;
    use crate::contest::record::{games, text_of_games};
    use crate::games::{EndKind, GameEnd, PlayedMove};

    #[test]
    fn labels_are_for_acting_side() {
        let start: Position = "Q1*/**1/*1q w".parse().unwrap();
        let mut game = Game::new(start);
        for (text, comment, value) in [
            ("a3-b3/a3", "", None),
            ("c1-b1/c1", "a deliberate blunder", Some(0.61)),
            ("b3-c2/b3", "", Some(1.0)),
        ] {
            let played: Move = text.parse().unwrap();
            let facts = TurnFacts { comment: comment.to_owned(), value, ..TurnFacts::default() };
            game.play(PlayedMove { played, facts }).unwrap();
        }
        game.end = Some(GameEnd::new(Side::First, EndKind::NoMove));
        let found: Vec<Sample<'_>> = samples(&game).collect();
        let seen: Vec<_> = found
            .iter()
            .map(|one| (one.ply, one.state.is_half_ply(), one.facts.value, one.won, one.result_usable))
            .collect();
        // The opening's ply gives no samples. The position before the blunder is a sample whose
        // result must not be used. The half ply of the blunder is not a sample.
        let last = |half| (2, half, Some(1.0), true, true);
        assert_eq!(seen, [(1, false, Some(0.61), false, false), last(false), last(true)]);
        assert_eq!(found.iter().map(|one| one.state.empty_squares()).collect::<Vec<_>>(), [2, 1, 1]);
        assert_eq!(found[2].state.to_move(), Side::First);

        let text = text_of_games(std::slice::from_ref(&game), "a test").unwrap();
        let again = games(&text).next().unwrap().game.unwrap().game;
        assert_eq!(samples(&again).collect::<Vec<_>>(), found);
        assert_eq!(samples(&Game::of(start, &game.moves()).unwrap()).count(), 0);
        // If a player loses by a fault, such as a timeout, the result says nothing about positions.
        game.end = Some(GameEnd::new(Side::First, EndKind::Time));
        assert!(samples(&game).all(|one| !one.result_usable));
    }
}
