//! The chances of winning over a game as an SVG picture.
//!
//! The first player's chance by ply, from 0 at the bottom to 1 on top; dashed uprights mark the
//! dearest plies, and an upright of class `cursor` waits for the page to move it. Stretches to any
//! width and height.

use std::fmt::Write as _;

use crate::analysis::{Loss, Review};

pub(super) const STYLE: &str = include_str!("assets/graph.css");
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 200.0;
const MARKS: usize = 3;
pub(super) const WORTH_A_MARK: f64 = 0.1;

/// The picture of a review, which has a position at least.
pub(super) fn svg(review: &Review) -> String {
    let last = review.points.len() - 1;
    let x = |ply: usize| ply as f64 * WIDTH / last.max(1) as f64;
    let mut line = String::new();
    for (ply, point) in review.points.iter().enumerate() {
        let letter = if ply == 0 { 'M' } else { 'L' };
        let _ = write!(line, "{letter}{:.1} {:.1}", x(ply), (1.0 - point.first) * HEIGHT);
    }
    let end = x(last);
    let half = HEIGHT / 2.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{label}\">\
         <path class=\"ground\" d=\"M0 0H{WIDTH}V{HEIGHT}H0Z\"/>\
         <path class=\"share\" d=\"{line}L{end:.1} {HEIGHT}L0 {HEIGHT}Z\"/>\
         <path class=\"half\" d=\"M0 {half}H{WIDTH}\"/>",
        label = describe(review),
    );
    for loss in review.losses().iter().take(MARKS).filter(|loss| loss.lost >= WORTH_A_MARK) {
        let _ = write!(out, "<path class=\"blunder\" d=\"M{:.1} 0V{HEIGHT}\"/>", x(loss.ply));
    }
    let _ = write!(
        out,
        "<path class=\"chance\" d=\"{line}\"/><line class=\"cursor\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"{HEIGHT}\"/></svg>"
    );
    out
}

fn describe(review: &Review) -> String {
    let [first, last] = [0, review.points.len() - 1].map(|ply| review.points[ply].first * 100.0);
    let dearest = review.losses().first().map_or_else(String::new, |Loss { ply, side, lost, .. }| {
        format!(" Dearest: ply {ply}, which cost the {side} player {:.0} percent.", lost * 100.0)
    });
    format!(
        "The first player's chance of winning by ply, from {first:.0} percent at the start to {last:.0} percent \
         at the end.{dearest}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{FullMove, Game, Size, Start};
    use crate::search::{EngineOptions, Limits};

    /// A review of these plies from the start of 6x6, at a playout a position.
    fn review(plies: &[&str]) -> Review {
        let start = Start::Formula.position(Size::square(6).unwrap()).unwrap();
        let options = EngineOptions { memory: 1 << 20, seed: 1, ..EngineOptions::default() };
        let plies: Vec<FullMove> = plies.iter().map(|text| text.parse().unwrap()).collect();
        let game = Game::of(start, &plies).unwrap();
        Review::new(&options, &game, || Limits::playouts(1), || ())
    }

    #[test]
    fn the_curve_has_a_point_a_position_over_the_whole_width() {
        let picture = svg(&review(&["b1-b4/b5", "a5-a3/a4"]));
        let curve =
            picture.split("class=\"chance\" d=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let across: Vec<_> =
            curve[1..].split('L').map(|point| point.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(across, ["0.0", "500.0", "1000.0"]);
    }

    #[test]
    fn a_game_of_no_plies_has_a_picture_too() {
        let picture = svg(&review(&[]));
        assert!(picture.contains("class=\"cursor\"") && !picture.contains("NaN"), "{picture}");
    }
}
