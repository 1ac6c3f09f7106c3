//! The fields in which a question gives a game: the board, the start position and the moves.

use amazons::{Move, Position, Size, move_list};
use quiver_bot::Start;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::fields::{FieldError, Whole};
use crate::games::Game;

pub(crate) type BoardSide = Whole<1, { Size::MAX as i64 }>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GameFields {
    pub(super) board_x_size: Option<BoardSide>,
    pub(super) board_y_size: Option<BoardSide>,
    pub(super) start: Option<Start>,
    pub(super) position: Option<String>,
    pub(super) moves: Option<MoveTexts>,
}

impl GameFields {
    /// The game that these fields describe. If no field states a board, the board has `board`
    /// squares along a side.
    pub(crate) fn game(self, board: usize) -> Result<Game, FieldError> {
        let (width, height) =
            (self.board_x_size.map(Whole::to_usize), self.board_y_size.map(Whole::to_usize));
        let position = match self.position.as_deref() {
            None | Some("startpos") => {
                let size = Size::square(width.or(height).unwrap_or(board));
                let start = size.and_then(|size| self.start.unwrap_or_default().position(size));
                start.map_err(|error| FieldError::new("boardXSize", error))?
            }
            Some(_) if self.start.is_some() => {
                return Err(FieldError::new(
                    "start",
                    "got a position as well: expected start or position, not both",
                ));
            }
            Some(fen) => fen.parse::<Position>().map_err(|error| FieldError::new("position", error))?,
        };
        let size = position.size();
        for (field, asked, side) in
            [("boardXSize", width, size.width()), ("boardYSize", height, size.height())]
        {
            if let Some(asked) = asked.filter(|&asked| asked != usize::from(side)) {
                let message = format!("got {asked}: expected {side}, since the position's board is {size}");
                return Err(FieldError::new(field, message));
            }
        }
        let moves = parse_moves(self.moves, "moves")?;
        Game::of(position, &moves).map_err(|error| FieldError::new("moves", error))
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a list of moves, such as [\"d1-d7/g7\"]")]
pub(super) enum MoveTexts {
    One(String),
    List(Vec<MoveText>),
}

/// An entry of a list of moves. It is the text of a move, or one of KataGo's forms: a pair of a
/// colour and a move, or an object whose field `moves` is a list of moves. The colour is ignored,
/// because turns alternate.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum MoveText {
    Move(String),
    Coloured(IgnoredAny, String),
    Player { moves: Vec<String> },
}

pub(super) fn parse_moves(texts: Option<MoveTexts>, field: &str) -> Result<Vec<Move>, FieldError> {
    let texts: Vec<String> = match texts {
        None => Vec::new(),
        Some(MoveTexts::One(text)) => {
            return move_list::read_moves(&text).map_err(|error| FieldError::new(field, error));
        }
        Some(MoveTexts::List(list)) => {
            let texts = |entry| match entry {
                MoveText::Move(text) | MoveText::Coloured(_, text) => vec![text],
                MoveText::Player { moves } => moves,
            };
            list.into_iter().flat_map(texts).collect()
        }
    };
    texts.iter().map(|text| text.parse().map_err(|error| FieldError::new(field, error))).collect()
}
