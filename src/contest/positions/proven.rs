//! Proven positions: the winner, the margin and every winning move, by the solver.

use super::source::{engine_game, generator, random_position};
use super::{CollectionRecipe, Phase, SuiteTask, TestPosition, Theme};
use crate::contest::seeds;
use crate::endgame::{Effort, Solver};
use crate::game::random::below;
use crate::game::{FullMove, Game, Position, Setup};

/// Solver nodes that the proof of one move may take.
pub(super) const NODES: u64 = 30_000;
/// Playouts a move of the games that the positions come from.
const GAME_PLAYOUTS: u64 = 100;
/// Positions of a game that are tried; the one with the rarest theme is taken.
const TRIES: usize = 6;
/// Themes, the rarest first.
const RARITY: [Theme; 5] =
    [Theme::Zugzwang, Theme::Defect, Theme::Filling, Theme::SeveralRegions, Theme::LastRegion];
/// The most solutions.
const SOLUTIONS: usize = 20;
/// The largest share of the legal moves that may be solutions.
const SHARE: f64 = 0.25;

/// What the solver says about a position in which some moves solve the task and others do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProvenTask {
    /// What the solutions achieve.
    pub(super) task: SuiteTask,
    /// What the position is about.
    pub(super) theme: Theme,
    /// The moves that achieve it, ascending.
    pub(super) solutions: Vec<FullMove>,
    /// By how many moves the side to move wins.
    pub(super) margin: u32,
    /// Nodes that all proofs took.
    pub(super) nodes: u64,
}

/// The moves of the side to move that win, ascending; `None` if there are more than `most`, or one
/// move takes more than the effort. The second number is the nodes of all proofs.
fn winning_moves(
    solver: &mut Solver,
    position: &Position,
    most: usize,
    effort: &Effort,
) -> Option<(Vec<FullMove>, u64)> {
    let mut winning = Vec::new();
    let mut nodes = 0;
    for full in position.full_moves() {
        let solution = solver.prove(&position.play_unchecked(full), effort);
        nodes += solution.nodes;
        if solution.winner? == position.to_move() {
            winning.push(full);
        }
        if winning.len() > most {
            return None;
        }
    }
    winning.sort_unstable();
    Some((winning, nodes))
}

/// The moves of a counted position that waste no square, ascending: after them the sides are as far
/// apart as before, but for the move itself.
fn filling_moves(solver: &mut Solver, position: &Position, margin: u32) -> Option<(Vec<FullMove>, u64)> {
    let mut best = Vec::new();
    for full in position.full_moves() {
        let after = solver.prove(&position.play_unchecked(full), &Effort::nodes(0));
        let kept = after.winner? == position.to_move() && after.margin()? + 1 == margin;
        best.extend(kept.then_some(full));
    }
    best.sort_unstable();
    Some((best, 0))
}

/// Proves which moves solve a position. `None` if too many moves do, or if a proof takes more than
/// `nodes`.
pub(super) fn proof(solver: &mut Solver, position: &Position, nodes: u64) -> Option<ProvenTask> {
    let effort = Effort::nodes(nodes);
    let mover = position.to_move();
    let whole = solver.prove(position, &effort);
    if whole.winner? != mover {
        return None;
    }
    let shape = solver.shape(position);
    let counted = shape.contested == 0;
    let (solutions, proven) = match whole.margin() {
        Some(margin) if counted => filling_moves(solver, position, margin)?,
        _ => winning_moves(solver, position, SOLUTIONS, &effort)?,
    };
    let legal = position.count_full_moves(mover);
    if solutions.is_empty() || solutions.len() > SOLUTIONS || solutions.len() as f64 > SHARE * legal as f64 {
        return None;
    }
    let margin = solver.winning_margin(position, mover, &effort)?;
    let theme = if counted {
        Theme::Filling
    } else if is_zugzwang(solver, position, &solutions, &effort)? {
        Theme::Zugzwang
    } else if shape.contested > 1 {
        Theme::SeveralRegions
    } else if shape.wasted > 0 {
        Theme::Defect
    } else {
        Theme::LastRegion
    };
    let task = if counted { SuiteTask::Margin } else { SuiteTask::Win };
    Some(ProvenTask { task, theme, solutions, margin, nodes: whole.nodes + proven })
}

/// Whether something is contested after each of these winning moves, and the winner would lose if
/// it had to move again.
fn is_zugzwang(
    solver: &mut Solver,
    position: &Position,
    winning: &[FullMove],
    effort: &Effort,
) -> Option<bool> {
    for &full in winning {
        let after = position.play_unchecked(full);
        let mut setup = Setup::from(&after);
        setup.to_move = position.to_move();
        let again = Position::try_from(&setup).ok()?;
        if solver.shape(&after).contested == 0 || solver.prove(&again, effort).winner? == position.to_move() {
            return Some(false);
        }
    }
    Some(true)
}

/// Looks for a proven position in the game of this number.
pub(super) fn attempt(recipe: &CollectionRecipe, number: u64, solver: &mut Solver) -> Option<TestPosition> {
    let seed = seeds::mix(&[recipe.options.seed, number]);
    let mut rng = generator(seeds::mix(&[seed, seeds::OPENING]));
    let game = match recipe.size.width() {
        ..6 => random_position(recipe.size, seed)?,
        _ => engine_game(recipe.size, number, GAME_PLAYOUTS, seed, &recipe.options)?,
    };
    let moves = game.moves();
    // With more empty squares the solver proves little; with fewer, moves differ little.
    let squares = game.start().empty().count() as usize;
    let (fewest, most) = match recipe.size.width() {
        ..6 => (3, 26),
        6 | 7 => (3, 16),
        8 => (6, 30),
        _ => (8, 42),
    };
    let plies = (0..=moves.len()).filter(|ply| (fewest..=most).contains(&squares.saturating_sub(*ply)));
    let mut plies: Vec<usize> = plies.collect();
    let mut found: Option<(usize, TestPosition)> = None;
    for _ in 0..TRIES.min(plies.len()) {
        let ply = plies.swap_remove(below(&mut rng, plies.len() as u32) as usize);
        let game = Game::of(*game.start(), &moves[..ply]).ok()?;
        let position = game.end();
        let Some(proof) = proof(solver, &position, NODES) else { continue };
        let rarity = RARITY.iter().position(|&theme| theme == proof.theme).unwrap_or(RARITY.len());
        if found.as_ref().is_some_and(|(rarest, _)| *rarest <= rarity) {
            continue;
        }
        let position = TestPosition {
            id: format!("{}-{}-{number}", recipe.size.width(), proof.task),
            task: proof.task,
            phase: Phase::of(&position),
            theme: proof.theme,
            game,
            solutions: proof.solutions,
            margin: Some(proof.margin),
            nodes: Some(proof.nodes),
            searches: Vec::new(),
            found: None,
        };
        found = Some((rarity, position));
    }
    found.map(|(_, position)| position)
}
