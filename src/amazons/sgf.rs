//! Reads and writes games in SGF, the Smart Game Format, as defined for `GM[18]` at red-bean.com.
//!
//! A square is two letters, the column from the left and the row from the top. A move is three
//! squares, as in `B[djddgd]`. Black moves first. The board has 10x10 squares and the usual start
//! position, unless `SZ` and the first node's `AB`, `AW` and `AA` (arrows) say otherwise. This
//! project adds two properties, which other programs ignore: `QV`, the mover's chance of winning
//! from 0 to 1, and `QT`, the seconds that the mover used. Variations are read and written.
//!
//! Some programs swap the colours, leave the last turn unfinished, or write a result as `1-0`. The
//! reader accepts such games, and the notes of a game say what it changed or left out.

mod error;
mod read;
mod write;

pub use self::error::ParseSgfError;
pub use self::read::read;
pub use self::write::write;
pub use crate::properties::{SyntaxError, TurnError};
