//! What a judge and a bot have said to each other, in no particular form.

use serde_json::Value;

use crate::game::{Coordinates, Game, Side};

/// A match from the point of view of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dialogue {
    /// The opponent's moves, after [`Coordinates::NONE`] for the first player.
    pub(super) requests: Vec<Coordinates>,
    /// The bot's own moves; one less.
    pub(super) responses: Vec<Coordinates>,
}

impl Dialogue {
    /// The dialogue of a game that began at a start position.
    pub(super) fn of(game: &Game) -> Dialogue {
        let own = game.position().to_move().index();
        let moves = |side: usize| {
            game.plies().iter().skip(side).step_by(2).map(|ply| Coordinates::from(ply.full)).collect()
        };
        let mut requests: Vec<Coordinates> = moves(1 - own);
        if game.position().to_move() == Side::First {
            requests.insert(0, Coordinates::NONE);
        }
        Dialogue { requests, responses: moves(own) }
    }
}

/// An answer that can be read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BotAnswer {
    /// The six numbers.
    pub(super) coordinates: Coordinates,
    /// `data` and `globaldata`, for the request to the next process.
    pub(super) kept: [Value; 2],
}

/// The error of an unreadable answer.
#[derive(Debug)]
pub(super) struct UnreadableAnswer(pub(super) String);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{FullMove, Size, Start};

    #[test]
    fn requests_and_responses_follow_the_side_to_move() {
        let start = Start::Formula.position(Size::square(10).unwrap()).unwrap();
        let mut game = Game::new(start);
        assert_eq!(
            Dialogue::of(&game),
            Dialogue { requests: vec![Coordinates::NONE], responses: Vec::new() }
        );
        let moves: Vec<FullMove> =
            ["d1-d7/g7", "d10-d9/a9", "g1-g2/g1"].map(|text| text.parse().unwrap()).to_vec();
        let numbers: Vec<Coordinates> = moves.iter().copied().map(Coordinates::from).collect();
        game.play(moves[0]).unwrap();
        assert_eq!(Dialogue::of(&game), Dialogue { requests: vec![numbers[0]], responses: Vec::new() });
        game.play(moves[1]).unwrap();
        let first = Dialogue { requests: vec![Coordinates::NONE, numbers[1]], responses: vec![numbers[0]] };
        assert_eq!(Dialogue::of(&game), first);
        game.play(moves[2]).unwrap();
        let second = Dialogue { requests: vec![numbers[0], numbers[2]], responses: vec![numbers[1]] };
        assert_eq!(Dialogue::of(&game), second);
    }
}
