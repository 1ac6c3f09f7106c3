//! Reads games from SGF. Prints the moves of each game that can be read. For any other game, prints
//! the error and the number of the line on which the game begins.

use std::error::Error;

use amazons::{move_list, sgf};

const TEXT: &str = "(;GM[18]SZ[10]PB[Ann]PW[Ben];B[djddgd];W[adacdc]) (;GM[18]SZ[10];B[aaaaaa])";

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn Error>> {
    let found = sgf::read(TEXT)?;
    assert_eq!(found.len(), 2);
    for one in found {
        match one.game {
            Ok(game) => println!("{}", move_list::write(&game).trim_end()),
            Err(error) => println!("line {}: {error}", one.line),
        }
    }
    Ok(())
}
