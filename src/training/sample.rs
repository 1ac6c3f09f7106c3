//! The positions and half plies of a game, with their labels.

use crate::contest::is_blunder;
use crate::game::{Game, Moment, TurnFacts};

/// A position or half ply of a game, with its labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<'a> {
    pub moment: Moment,
    /// Plies played before it, those of the opening included; a half ply has the number of its
    /// position.
    pub ply: u16,
    /// The facts of that ply: by its value, the chance of winning of the side that acts.
    pub facts: &'a TurnFacts,
    pub won: bool,
    /// True if the result says something about this position: no player blundered on purpose after
    /// it, or lost by a fault.
    pub result_usable: bool,
}

impl Sample<'_> {
    /// The chance of winning of the side that acts, as rows have it.
    pub(super) fn value(&self) -> u16 {
        short(self.facts.value.unwrap_or_default())
    }
}

/// A chance in units of 1 / 65,535.
pub(super) fn short(chance: f64) -> u16 {
    (chance.clamp(0.0, 1.0) * f64::from(u16::MAX)).round() as u16
}

/// Every position of a game that was searched, each followed by its half ply, in the order of play.
///
/// The iterator skips the random plies of the opening, which no search chose, and the half plies of
/// blunders, which have no search value.
pub fn samples(game: &Game) -> impl Iterator<Item = Sample<'_>> {
    let after_blunders = game.plies().iter().rposition(is_blunder).map_or(0, |ply| ply + 1);
    let is_fair = !game.end.as_ref().is_some_and(|end| end.kind.is_fault());
    let mut position = *game.start();
    game.plies().iter().enumerate().flat_map(move |(index, ply)| {
        let half = position.move_queen_unchecked(ply.full.queen());
        let sample = |moment: Moment| Sample {
            moment,
            ply: index as u16,
            facts: &ply.facts,
            won: Some(moment.side()) == game.winner(),
            result_usable: is_fair && index >= after_blunders,
        };
        let is_searched = ply.facts.value.is_some();
        let whole = is_searched.then(|| sample(Moment::Position(position)));
        let half_ply = (is_searched && !is_blunder(ply)).then(|| sample(Moment::HalfPly(half)));
        position = half.shoot_unchecked(ply.full.arrow);
        whole.into_iter().chain(half_ply)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::record::{games, of_games};
    use crate::game::{EndKind, FullMove, GameEnd, Ply, Position, Side};

    #[test]
    fn labels_are_for_the_side_that_acts_and_end_at_blunders() {
        let start: Position = "Q1*/**1/*1q w".parse().unwrap();
        let mut game = Game::new(start);
        for (text, comment, value) in [
            ("a3-b3/a3", "", None),
            ("c1-b1/c1", "a deliberate blunder", Some(0.61)),
            ("b3-c2/b3", "", Some(1.0)),
        ] {
            let full: FullMove = text.parse().unwrap();
            let facts = TurnFacts { comment: comment.to_owned(), value, ..TurnFacts::default() };
            game.play(Ply { full, facts }).unwrap();
        }
        game.end = Some(GameEnd::new(Side::First, EndKind::NoMove));
        let found: Vec<Sample<'_>> = samples(&game).collect();
        let seen: Vec<_> = found
            .iter()
            .map(|one| (one.ply, one.moment.is_half_ply(), one.value(), one.won, one.result_usable))
            .collect();
        // The opening's ply is none; the blunder has no half ply, and its position no result.
        let last = |half| (2, half, u16::MAX, true, true);
        assert_eq!(seen, [(1, false, 39_976, false, false), last(false), last(true)]);
        assert_eq!(found.iter().map(|one| one.moment.empty_squares()).collect::<Vec<_>>(), [2, 1, 1]);
        assert_eq!(found[2].moment.side(), Side::First);

        // The same in a record of games from elsewhere.
        let text = of_games(std::slice::from_ref(&game), "a test").unwrap();
        let again = games(&text).next().unwrap().game.unwrap().game;
        assert_eq!(samples(&again).collect::<Vec<_>>(), found);
        // A game without values, as people play it, has no targets.
        assert_eq!(samples(&Game::of(start, &game.moves()).unwrap()).count(), 0);
        // The result of a fault says nothing about positions.
        game.end = Some(GameEnd::new(Side::First, EndKind::Time));
        assert!(samples(&game).all(|one| !one.result_usable));
    }
}
