//! Sets up a position piece by piece. Prints the errors for an unreadable move and an illegal move.

use std::error::Error;

use amazons::{ParseMoveError, PlayError, Position, Side, Size, SquareContent};

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn Error>> {
    let mut position = Position::new(Size::new(5, 4)?);
    position.put("b1".parse()?, SquareContent::Amazon(Side::First))?;
    position.put("d4".parse()?, SquareContent::Amazon(Side::Second))?;
    position.put("b3".parse()?, SquareContent::Burnt)?;
    println!("{position:#}\n{position}: {} moves", position.legal_moves().len());

    let unreadable: ParseMoveError = "b1-b4".parse::<amazons::Move>().unwrap_err();
    println!("no move: {unreadable}");
    let illegal: PlayError = position.play("b1-b4/b1".parse()?).unwrap_err();
    println!("no legal move: {illegal}");
    Ok(())
}
