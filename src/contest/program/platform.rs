//! The protocol of engines for a university contest's platform. It has no clocks or openings.

use amazons::{Move, Position};

use super::engine::{EngineProgram, EngineProtocol, malformed};
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
        let named = program.query("name?\n", "name", |line| match word_after(line, "name") {
            Some(_) => LineKind::Last,
            None => LineKind::Dropped,
        })?;
        program.name = word_after(named.as_bytes(), "name").unwrap_or_default();
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
        if word_after(line, "move").is_some() { LineKind::Last } else { LineKind::Dropped }
    }

    fn read(&mut self, answer: &str, _: &Game) -> Result<Move, PlayerFault> {
        let text = word_after(answer.as_bytes(), "move").unwrap_or_default();
        text.parse().map(|PlatformMove(played)| played).map_err(malformed)
    }
}

/// Returns the word after the first `word` in a line, as the contest platform parses lines.
fn word_after(line: &[u8], word: &str) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_ascii_whitespace();
    words.find(|&found| found == word)?;
    words.next().map(str::to_owned)
}
