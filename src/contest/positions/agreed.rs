//! Best-move positions: two long searches with different settings agree on one move, by a distance.

use serde::{Deserialize, Serialize};

use super::source::{engine_game, generator};
use super::{CollectionRecipe, Phase, SuiteTask, TestPosition, Theme};
use crate::contest::seeds;
use crate::game::random::below;
use crate::game::{FullMove, Game, Position};
use crate::search::{Engine, EngineOptions, Limits, Report};

/// What the second search changes: no RAVE, no policy network, more exploration.
pub(super) const SECOND: [&str; 3] = ["rave_visits=0", "policy_visits=0", "exploration=0.7"];

/// Playouts a move of the games that the positions come from.
const GAME_PLAYOUTS: u64 = 400;
/// Playouts of the short searches, and how many there are.
const SHORT: (u64, u64) = (200, 8);
/// The largest share of short searches that may find the move. A position that more of them solve
/// does not tell players apart.
const FOUND: f64 = 0.75;
/// Playouts of the first look, which spares most positions the long searches.
const LOOK: u64 = 30_000;
/// The least share of visits for the best move, the largest number of visits of the second as a
/// share of the best's, and the least distance of their values.
const DISTANCE: (f64, f64, f64) = (0.35, 0.5, 0.02);
/// Values between which a game is not decided.
const OPEN: std::ops::RangeInclusive<f64> = 0.05..=0.95;

/// A long search and the figures of its two most visited moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongSearch {
    /// Its seed.
    pub seed: u64,
    /// The parameters that differ from the defaults, as `name=value`.
    pub set: Vec<String>,
    /// Playouts.
    pub playouts: u64,
    /// The value of the best move for the side that moves, from 0 to 1.
    pub value: f64,
    /// Visits of the best move.
    pub visits: u64,
    /// The move with the most visits but one.
    pub second: String,
    /// Its value.
    pub second_value: f64,
    /// Its visits.
    pub second_visits: u64,
}

impl LongSearch {
    /// The figures of a search that prefers its best move clearly to its second.
    fn clear(report: &Report, options: &EngineOptions) -> Option<(LongSearch, FullMove)> {
        let [best, second, ..] = &report.candidates[..] else { return None };
        let playouts = report.reused + report.playouts;
        let (share, ratio, gap) = DISTANCE;
        let clear = !report.proven
            && best.full == report.best
            && OPEN.contains(&best.value)
            && best.visits as f64 >= share * playouts as f64
            && second.visits as f64 <= ratio * best.visits as f64
            && best.value - second.value >= gap;
        let round = |value: f64| (value * 1e4).round() / 1e4;
        let figures = LongSearch {
            seed: options.seed,
            set: options.changed().map(|(name, value)| format!("{name}={value}")).collect(),
            playouts,
            value: round(best.value),
            visits: best.visits,
            second: second.full.to_string(),
            second_value: round(second.value),
            second_visits: second.visits,
        };
        clear.then_some((figures, second.full))
    }
}

/// Looks for a best-move position in the game of this number.
pub(super) fn attempt(recipe: &CollectionRecipe, number: u64, playouts: u64) -> Option<TestPosition> {
    let seed = seeds::mix(&[recipe.options.seed, number]);
    let mut rng = generator(seeds::mix(&[seed, seeds::OPENING]));
    let game = engine_game(recipe.size, number, GAME_PLAYOUTS, seed, &recipe.options)?;
    // From the sixth ply to two thirds of the game: later the solver takes over.
    let last = game.moves().len() * 2 / 3;
    let ply = 5 + below(&mut rng, u32::try_from(last.checked_sub(5)?).ok()?.max(1)) as usize;
    let game = Game::of(*game.start(), game.moves().get(..ply)?).ok()?;
    let position = game.end();
    let with_seed =
        |number: u64| EngineOptions { seed: seeds::mix(&[seed, number]) >> 32, ..recipe.options.clone() };
    let mut first = Engine::new(&with_seed(0), &position);
    let look = first.search(&Limits::playouts(LOOK))?;
    let top = look.candidates.first()?;
    let promising = !look.proven && OPEN.contains(&look.value) && top.visits * 5 >= LOOK;
    if !promising || found(&position, look.best, with_seed) > FOUND {
        return None;
    }
    // A fifth of both searches, before either is paid for whole.
    let part = playouts / 5;
    let early = first.search(&Limits::playouts(part.checked_sub(LOOK)?))?;
    LongSearch::clear(&early, &with_seed(0))?;
    let found = found(&position, early.best, with_seed);
    if found > FOUND {
        return None;
    }
    let mut other = with_seed(1);
    SECOND.iter().try_for_each(|pair| other.set_pair(pair)).ok()?;
    let mut second = Engine::new(&other, &position);
    let look = second.search(&Limits::playouts(part))?;
    if look.candidates.iter().take(2).all(|candidate| candidate.full != early.best) {
        return None;
    }
    let report = first.search(&Limits::playouts(playouts - part))?;
    let (one, rival) = LongSearch::clear(&report, &with_seed(0))?;
    if report.best != early.best {
        return None;
    }
    drop(first);
    let agreed = second.search(&Limits::playouts(playouts - part))?;
    let (two, _) = LongSearch::clear(&agreed, &other)?;
    (agreed.best == report.best).then(|| TestPosition {
        id: format!("{}-best-{number}", recipe.size.width()),
        task: SuiteTask::Best,
        phase: Phase::of(&position),
        theme: theme(report.best, rival),
        game,
        solutions: vec![report.best],
        margin: None,
        nodes: None,
        searches: vec![one, two],
        found: Some(found),
    })
}

/// The share of short searches that find this move.
fn found(position: &Position, best: FullMove, with_seed: impl Fn(u64) -> EngineOptions) -> f64 {
    let (playouts, searches) = SHORT;
    let right = (0..searches).filter(|number| {
        let options = EngineOptions { memory: 8 << 20, ..with_seed(2 + number) };
        let report = Engine::new(&options, position).search(&Limits::playouts(playouts));
        report.is_some_and(|report| report.best == best)
    });
    right.count() as f64 / searches as f64
}

fn theme(best: FullMove, second: FullMove) -> Theme {
    if best.from != second.from {
        Theme::WhichAmazon
    } else if best.to != second.to {
        Theme::WhichSquare
    } else {
        Theme::WhichArrow
    }
}
