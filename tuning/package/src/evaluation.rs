//! Evaluation of positions without a search, by the static evaluator and the policy network.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use quiver::policy::Inference;
use quiver::territory::{COLUMNS, Terms};
use quiver::{Evaluator, HalfPly, Network, Solver, View, files, logistic};

use crate::arguments::invalid;
use crate::arrays::floats;
use crate::position::Position;

/// Memory in bytes of the solver that counts dead squares. A dead square is reached by only one
/// side and is not certain to give this side a move. Each position gets a new solver, so that the
/// result does not depend on earlier positions.
const SOLVER_MEMORY: usize = 1 << 16;

fn view_with_dead_squares(position: &quiver::Position) -> View<'_> {
    let view = View::from(position);
    let dead_squares = Solver::new(SOLVER_MEMORY).dead_squares(view.empty, view.amazons);
    view.with_dead_squares(dead_squares.unwrap_or(0))
}

/// Returns the static evaluator's log-odds that the side to move wins: the natural logarithm of
/// p / (1 - p). The result is minus infinity if the side to move has no move.
#[pyfunction]
pub(crate) fn log_odds(position: &Position) -> f64 {
    static EVALUATOR: LazyLock<Evaluator> = LazyLock::new(Evaluator::default);
    EVALUATOR.log_odds(&view_with_dead_squares(&position.0))
}

/// Returns the static evaluator's probability that the side to move wins, from 0 to 1.
#[pyfunction]
pub(crate) fn evaluate(position: &Position) -> f64 {
    logistic(log_odds(position))
}

/// Returns the static evaluator's inputs by name: the columns of its weight file, then `contest`
/// (Lieberum's measure w of how contested the board is, times 16) and `empty` (the number of empty
/// squares). An input that exists for both sides is the mover's value minus the opponent's value.
#[pyfunction]
pub(crate) fn features<'py>(py: Python<'py>, position: &Position) -> PyResult<Bound<'py, PyDict>> {
    let terms = Terms::of(&view_with_dead_squares(&position.0));
    let features = PyDict::new(py);
    for (name, count) in COLUMNS.into_iter().zip(terms.counts) {
        features.set_item(name, count)?;
    }
    features.set_item("contest", terms.contest)?;
    features.set_item("empty", terms.empty)?;
    Ok(features)
}

/// Returns the policy network's priors of all legal moves, in the order of `legal_moves`: an array
/// of shape (n,) that sums to 1. The softmax has temperature 1. `net` is the path of a network
/// file; the default is the shipped network for the board.
#[pyfunction]
#[pyo3(signature = (position, net = None))]
pub(crate) fn priors<'py>(
    py: Python<'py>,
    position: &Position,
    net: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    let position = position.0;
    let network = net.map_or_else(|| Ok(Network::shipped(position.size())), |path| network(&path))?;
    let priors = py.detach(|| {
        let mut inference = Inference::default();
        inference.run(&network, &View::from(&position));
        let logits = position.queen_moves().map(|queen| inference.logit(queen.from, queen.to));
        let mut priors = Vec::new();
        for (queen, share) in position.queen_moves().zip(softmax(logits.collect())) {
            let half = position.move_queen_unchecked(queen);
            priors
                .extend(arrow_priors(&mut inference, &network, &half).into_iter().map(|prior| share * prior));
        }
        priors
    });
    floats(py, &priors)
}

fn arrow_priors(inference: &mut Inference, network: &Network, half: &HalfPly) -> Vec<f64> {
    inference.run(network, &View::from(half));
    softmax(half.arrows().iter().map(|arrow| inference.logit(half.shooter(), arrow)).collect())
}

fn softmax(logits: Vec<f32>) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f64> = logits.iter().map(|logit| f64::from(logit - largest).exp()).collect();
    let total: f64 = powers.iter().sum();
    powers.iter().map(|power| power / total).collect()
}

pub(crate) fn network(path: &Path) -> PyResult<Network> {
    let refused = |error: &dyn Display| invalid(format_args!("{}: {error}", path.display()));
    let bytes = files::read(path, files::MAX_TEXT).map_err(|error| refused(&error))?;
    Network::from_bytes(&bytes).map_err(|error| refused(&error))
}
