//! The positions and half plies of a game, with their labels.

use super::game::PlyKind;
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
    /// it.
    pub result_usable: bool,
}

/// Every position of a game that was searched, each followed by its half ply, in the order of play.
///
/// The iterator skips the random plies of the opening, which no search chose, and the half plies of
/// blunders, which have no search value.
pub fn samples(game: &Game) -> impl Iterator<Item = Sample<'_>> {
    let last_blunder = game.plies().iter().rposition(|ply| PlyKind::of(ply) == PlyKind::Blunder);
    let after_blunders = last_blunder.map_or(0, |ply| ply + 1);
    let mut position = *game.start();
    game.plies().iter().enumerate().flat_map(move |(index, ply)| {
        let (half, kind) = (position.move_queen_unchecked(ply.full.queen()), PlyKind::of(ply));
        let sample = |moment: Moment| Sample {
            moment,
            ply: index as u16,
            facts: &ply.facts,
            won: Some(moment.side()) == game.winner(),
            result_usable: index >= after_blunders,
        };
        let whole = (kind != PlyKind::Opening).then(|| sample(Moment::Position(position)));
        let half_ply = (kind == PlyKind::Best).then(|| sample(Moment::HalfPly(half)));
        position = half.shoot_unchecked(ply.full.arrow);
        whole.into_iter().chain(half_ply)
    })
}

#[cfg(test)]
mod tests {
    use super::super::game::{tests::tiny, value};
    use super::*;
    use crate::game::Side;

    #[test]
    fn labels_are_for_the_side_that_acts_and_end_at_blunders() {
        let game = tiny();
        let samples: Vec<Sample<'_>> = samples(&game).collect();
        let seen: Vec<_> = samples
            .iter()
            .map(|one| (one.ply, one.moment.is_half_ply(), value(one.facts), one.won, one.result_usable))
            .collect();
        // The opening's ply is none; the blunder has no half ply, and its position no result.
        let last = |half| (2, half, u16::MAX, true, true);
        assert_eq!(seen, [(1, false, 40_000, false, false), last(false), last(true)]);
        assert_eq!(samples.iter().map(|one| one.moment.empty_squares()).collect::<Vec<_>>(), [2, 1, 1]);
        assert_eq!(samples[2].moment.side(), Side::First);
    }
}
