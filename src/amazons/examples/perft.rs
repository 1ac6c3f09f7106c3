//! Counts the legal moves of the start positions on 6x6, 8x8 and 10x10. Fails if a count is wrong.

use std::error::Error;

use amazons::{Position, Size, perft};

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn Error>> {
    for (side, expected) in [(6, 544), (8, 1_232), (10, 2_176)] {
        let start = Position::start(Size::square(side)?)?;
        let count = perft(&start, 1);
        println!("{side}x{side}: {count}");
        assert_eq!(count, expected);
    }
    Ok(())
}
