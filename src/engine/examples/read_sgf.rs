//! Reads a game from SGF, and writes it as a list of moves and as SGF.

use std::error::Error;

use quiver_engine::amazons::{move_list, sgf};

const TEXT: &str = "(;FF[4]GM[18]SZ[10]PB[Ann]PW[Ben]C[A short game];B[djddgd];W[adacdc])";

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn Error>> {
    for found in sgf::read(TEXT)? {
        let game = found.game?;
        for (ply, position) in game.plies().iter().zip(game.positions()) {
            println!("{} of {}", ply.played, position.legal_moves().len());
        }
        println!("{:#}\n{}\n{}", game.position(), move_list::write(&game), sgf::write([&game]));
    }
    Ok(())
}
