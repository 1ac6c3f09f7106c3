//! Plays the moves in its arguments from the start of 8x8. The exit status shows the kind of error.

use std::process::ExitCode;

use amazons::{Move, ParseMoveError, PlayError, Position, Size};

/// The reason why a list of moves in text form cannot be played.
#[derive(Debug, PartialEq)]
enum Stop {
    Text(ParseMoveError),
    Rules(PlayError),
}

fn play(moves: &[&str]) -> Result<Position, Stop> {
    let start = Size::square(8).and_then(Position::start).expect("8x8 has a start");
    moves.iter().try_fold(start, |position, text| {
        let played: Move = text.parse().map_err(Stop::Text)?;
        position.play(played).map_err(Stop::Rules)
    })
}

fn main() -> ExitCode {
    let moves: Vec<String> = std::env::args().skip(1).collect();
    match play(&moves.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(position) => {
            println!("{position:#}\n{} legal moves", position.legal_moves().len());
            ExitCode::SUCCESS
        }
        Err(Stop::Text(error)) => {
            eprintln!("no move: {error}");
            ExitCode::from(2)
        }
        Err(Stop::Rules(error)) => {
            eprintln!("illegal: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_kind() {
        assert!(matches!(play(&["hello"]), Err(Stop::Text(_))));
        assert!(matches!(play(&["c1-c7/g7", "c1-c2/c3"]), Err(Stop::Rules(_))));
        let after = play(&["c1-c7/g7"]).unwrap();
        assert!(!after.is_game_over() && after.legal_moves_iter().all(|played| after.play(played).is_ok()));
    }
}
