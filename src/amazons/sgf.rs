//! Reads and writes games in SGF, the Smart Game Format, as defined for `GM[18]` at red-bean.com.
//!
//! A square is two letters, the column from the left and the row from the top. A move is three
//! squares, as in `B[djddgd]`. Black moves first. A game begins at the usual start position on
//! 10x10. `SZ` sets another size; `AB`, `AW` and `AA` (arrows) in the first node set up another
//! position. This project adds two properties, which other programs ignore: `QV`, the mover's
//! winning chance (0 to 1), and `QT`, the seconds that the mover used.
//!
//! Some programs swap the colours, leave the last turn unfinished, or write a result as `1-0`. The
//! reader accepts such games, and the notes of a game say what the reader changed or left out.

mod read;
mod write;

pub use self::read::read;
pub use self::write::write;
