//! The protocol between engines and a university contest's platform, without clocks or openings.

use amazons::{Move, Position};

use super::engine::{EngineProgram, EngineProtocol, malformed, word_after};
use super::exchange::LineKind;
use super::squares::PlatformMove;
use crate::contest::{Budget, PlayerFault};
use crate::games::{Game, TurnFacts};

pub(in crate::contest) struct ContestPlatform;

impl EngineProtocol for ContestPlatform {
    fn get_ready(
        &mut self,
        program: &mut EngineProgram<'_>,
        game: &Game,
    ) -> Result<Vec<String>, PlayerFault> {
        let named = program.query("name?\n", "name", |line| line_kind(line, "name"))?;
        program.name = word_after(&named, "name").unwrap_or_default().to_owned();
        if !game.plies().is_empty() || *game.start() != Position::default() {
            let start = game.position();
            return Err(malformed(format!(
                "the protocol cannot begin with {start}: expected the start position of 10x10"
            )));
        }
        Ok(Vec::new())
    }

    fn request(&mut self, game: &Game, _: Budget) -> String {
        let begin = match game.plies().len() {
            0 => "new black\n",
            1 => "new white\n",
            _ => "",
        };
        let last = game.moves().last().map(|&played| format!("move {}\n", PlatformMove(played)));
        begin.to_owned() + &last.unwrap_or_default()
    }

    fn classify_line(&mut self, line: &[u8], _: &mut TurnFacts) -> LineKind {
        line_kind(line, "move")
    }

    fn read(&mut self, answer: &str, _: &Game) -> Result<Move, PlayerFault> {
        let text = word_after(answer, "move").unwrap_or_default();
        text.parse().map(|PlatformMove(played)| played).map_err(malformed)
    }
}

/// Classifies a line as the contest platform does. The answer is the first line in which another
/// word follows `word`.
fn line_kind(line: &[u8], word: &str) -> LineKind {
    let has_word = word_after(&String::from_utf8_lossy(line), word).is_some();
    if has_word { LineKind::Last } else { LineKind::Dropped }
}
