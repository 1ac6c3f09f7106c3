//! The GTP commands that set the position, play squares, and show, load and print the game.

use amazons::{Position, Size, Square, SquareContent, sgf};
use quiver_bot::Start;

use super::staged_game::{StagedGame, squares};
use super::{Answer, GtpSession, side};
use crate::contest::Vertex;
use crate::files;
use crate::formats;
use crate::games::MatchGame;
use crate::messages::excerpt;
use crate::protocols::MAX_QUOTED;

impl GtpSession {
    pub(super) fn set_board(&mut self, arguments: &[&str]) -> Result<(), String> {
        let sides: Vec<usize> = arguments.iter().filter_map(|word| word.parse().ok()).collect();
        let side = match sides[..] {
            [side] => Some(side),
            [width, height] if width == height => Some(width),
            _ => None,
        };
        let start = side.and_then(|side| Position::start(Size::square(side).ok()?).ok());
        let start = start.ok_or("unacceptable size: expected 6, 8 or 10")?;
        self.game = StagedGame::new(start);
        Ok(())
    }

    /// Plays the next `count` squares of the game: 1 square, or the 3 squares of a whole ply. A
    /// colour before the squares has no effect. If a square is illegal, no square is played.
    pub(super) fn play_squares(&mut self, arguments: &[&str], count: usize) -> Result<(), String> {
        let squares = match arguments {
            [colour, squares @ ..] if squares.len() == count => {
                side(colour)?;
                squares
            }
            squares if squares.len() == count => squares,
            _ => {
                return Err(format!("invalid arguments: expected a colour and this many vertices: {count}"));
            }
        };
        let mut game = self.game.clone();
        for word in squares {
            match word.to_ascii_lowercase().as_str() {
                "pass" | "resign" => game.concede()?,
                _ => {
                    let square = Vertex::read(word, game.position().size())?.square;
                    game.play(square).map_err(|error| format!("illegal move: {word}: {error}"))?;
                }
            }
        }
        self.game = game;
        Ok(())
    }

    pub(super) fn set_position(&mut self, arguments: &[&str]) -> Result<(), String> {
        let [mover, pairs @ ..] = arguments else {
            return Err("expected the side to move, and then b, w or x before each vertex".to_owned());
        };
        let size = self.game.position().size();
        let mut position = Position::new(size).with_mover(side(mover)?);
        for pair in pairs.chunks(2) {
            let [content, vertex] = pair else {
                return Err(format!("'{}': expected a vertex after it", excerpt(pair[0], MAX_QUOTED)));
            };
            let content = match *content {
                "x" | "X" => SquareContent::Burnt,
                colour => SquareContent::Amazon(side(colour)?),
            };
            let square = Vertex::read(vertex, size)?.square;
            position.put(square, content).map_err(|error| error.to_string())?;
        }
        self.game = StagedGame::new(position);
        Ok(())
    }

    /// Draws the board as GTP programs do: row 1 at the bottom, black `X`, white `O`, burnt `#`.
    pub(super) fn board(&self) -> String {
        let position = self.game.position();
        let size = position.size();
        let column = |x| Square::new(x, 0).map(|square| Vertex { square, size }.to_string());
        let names: String =
            (0..size.width()).filter_map(column).map(|name| format!(" {}", &name[..1])).collect();
        let mut text = format!("\n  {names}\n");
        for y in 0..size.height() {
            let row: String =
                position.row(y).flat_map(|content| [' ', content.symbol(['X', 'O', '#', '.'])]).collect();
            text += &format!("{:2}{row}\n", size.height() - y);
        }
        let mover = ["black", "white"][position.to_move().index()];
        let stage = ["queen", "destination", "arrow"][self.game.chosen_squares().len()];
        text + &format!("{mover} to choose the {stage}")
    }

    /// Loads the first game of a file, or only the part before a move number. GTP counts each of
    /// the three squares of a ply as a move.
    pub(super) fn load_game(&mut self, arguments: &[&str]) -> Result<(), String> {
        let (path, stages) = match arguments {
            [path] => (path, usize::MAX),
            [path, number] => {
                let number = number.parse().ok().filter(|&number: &usize| number > 0);
                (path, number.ok_or("expected a move number above 0")? - 1)
            }
            _ => return Err("expected a file and a move number".to_owned()),
        };
        let failed = |error: String| format!("cannot load {}: {error}", excerpt(path, MAX_QUOTED));
        let bytes = files::read(path.as_ref(), files::MAX_TEXT);
        let bytes = bytes.map_err(|error| failed(error.to_string()))?;
        let starts = Start::positions_preferring(self.game.position().size().width().into());
        let found = formats::read(&bytes, &starts).map_err(|error| failed(error.to_string()))?;
        let loaded = formats::reject_disagreements(found).next().map(|found| found.game);
        let loaded = loaded.ok_or_else(|| failed("no game".to_owned()))?;
        let loaded = loaded.map_err(|error| failed(error.to_string()))?;
        let mut game = StagedGame::new(*loaded.start());
        let squares = loaded.plies().iter().flat_map(|ply| squares(ply.played));
        squares.take(stages).try_for_each(|square| game.play(square)).map_err(failed)?;
        self.game = game;
        Ok(())
    }

    pub(super) fn print_game(&self, arguments: &[&str]) -> Answer {
        let text = sgf::write([&self.game.game().without_match_facts()]);
        match arguments {
            [] => Ok(text.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")),
            [path] => {
                let written = files::replace(path.as_ref(), text);
                written.map_err(|error| format!("cannot save {}: {error}", excerpt(path, MAX_QUOTED)))?;
                Ok(String::new())
            }
            _ => Err("expected a file, or nothing".to_owned()),
        }
    }
}
