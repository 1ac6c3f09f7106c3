//! The positions and half plies of a game, with their labels.

use super::game::{PlyKind, TrainingGame};
use crate::game::{Moment, Position};

/// A position or half ply of a game, with its labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// What stood on the board.
    pub moment: Moment,
    /// Plies played before it, those of the opening included; a half ply has the number of its
    /// position.
    pub ply: u16,
    /// The chance of winning of the side that acts, by the search, in units of 1 / 65,535.
    pub value: u16,
    /// Whether that value is proven.
    pub proven: bool,
    /// Whether the side that acts won the game.
    pub won: bool,
    /// Whether the result says something about this position: no player blundered on purpose after
    /// it.
    pub result_usable: bool,
}

impl TrainingGame {
    /// Every position that was searched, each followed by its half ply, in the order of play.
    ///
    /// The iterator skips the random plies of the opening, which no search chose, and the half
    /// plies of blunders, which have no search value. `start` is where the game began; every move
    /// must be legal from there.
    pub fn samples(&self, start: &Position) -> impl Iterator<Item = Sample> + '_ {
        let after_blunders =
            self.plies.iter().rposition(|ply| ply.kind == PlyKind::Blunder).map_or(0, |ply| ply + 1);
        let mut position = *start;
        self.plies.iter().enumerate().flat_map(move |(index, ply)| {
            let half = position.move_queen_unchecked(ply.full.queen());
            let sample = |moment: Moment| Sample {
                moment,
                ply: index as u16,
                value: ply.value,
                proven: ply.proven,
                won: moment.side() == self.winner,
                result_usable: index >= after_blunders,
            };
            let whole = (ply.kind != PlyKind::Opening).then(|| sample(Moment::Position(position)));
            let half_ply = (ply.kind == PlyKind::Best).then(|| sample(Moment::HalfPly(half)));
            position = half.shoot_unchecked(ply.full.arrow);
            whole.into_iter().chain(half_ply)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::tests::tiny;
    use super::super::selfplay::tests::quick;
    use super::*;
    use crate::game::Side;

    #[test]
    fn labels_are_for_the_side_that_acts_and_end_at_blunders() {
        let (start, game) = tiny();
        let samples: Vec<Sample> = game.samples(&start).collect();
        let seen: Vec<_> = samples
            .iter()
            .map(|one| (one.ply, one.moment.is_half_ply(), one.value, one.won, one.result_usable))
            .collect();
        // The opening's ply is none; the blunder has no half ply, and its position no result.
        assert_eq!(
            seen,
            [
                (1, false, 40_000, false, false),
                (2, false, u16::MAX, true, true),
                (2, true, u16::MAX, true, true),
            ]
        );
        assert_eq!(samples.iter().map(|one| one.moment.empty_squares()).collect::<Vec<_>>(), [2, 1, 1]);
        assert_eq!(samples[2].moment.side(), Side::First);
    }

    #[test]
    fn a_game_has_a_position_a_ply_and_a_half_ply_where_the_search_chose() {
        let recipe = quick();
        let game = recipe.play(4);
        let count = |half| game.samples(&recipe.start).filter(|one| one.moment.is_half_ply() == half).count();
        let kinds = |kind| game.plies.iter().filter(|ply| ply.kind == kind).count();
        assert_eq!(count(true), kinds(PlyKind::Best));
        assert_eq!(count(false), kinds(PlyKind::Best) + kinds(PlyKind::Blunder));
        let last = game.samples(&recipe.start).last().unwrap();
        assert!(last.result_usable && last.won);
    }
}
