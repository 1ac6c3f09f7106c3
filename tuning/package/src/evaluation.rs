//! Positions judged without a search: the static evaluator and the policy network.

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

/// Bytes of the solver that counts a position's waste. It is new for each position, so that the
/// result depends on nothing else.
const SOLVER_MEMORY: usize = 1 << 16;

/// The position as the evaluator sees it, its waste counted.
fn view(position: &quiver::Position) -> View<'_> {
    let view = View::from(position);
    let defect = Solver::new(SOLVER_MEMORY).defect(view.empty, view.amazons);
    view.with_defect(defect.unwrap_or(0))
}

/// The log-odds that the side to move wins, by the static evaluator: the natural logarithm of
/// p / (1 - p). Minus infinity where it has no move.
#[pyfunction]
pub(crate) fn log_odds(position: &Position) -> f64 {
    static EVALUATOR: LazyLock<Evaluator> = LazyLock::new(Evaluator::default);
    EVALUATOR.log_odds(&view(&position.0))
}

/// The chance that the side to move wins, from 0 to 1, by the static evaluator. No search.
#[pyfunction]
pub(crate) fn evaluate(position: &Position) -> f64 {
    logistic(log_odds(position))
}

/// The counts of the static evaluator, by name: the columns of its weight file, then `contest`
/// (Lieberum's w, in sixteenths of a square) and `empty` (empty squares). Counts that favour one
/// side are the mover's less the opponent's.
#[pyfunction]
pub(crate) fn features<'py>(py: Python<'py>, position: &Position) -> PyResult<Bound<'py, PyDict>> {
    let terms = Terms::of(&view(&position.0));
    let features = PyDict::new(py);
    for (name, count) in COLUMNS.into_iter().zip(terms.counts) {
        features.set_item(name, count)?;
    }
    features.set_item("contest", terms.contest)?;
    features.set_item("empty", terms.empty)?;
    Ok(features)
}

/// The policy network's prior of every legal move, in the order of `legal_moves`: an array of shape
/// (n,) that sums to 1, at temperature 1. `net` is the file of a network; by default the shipped one
/// for the board.
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

/// The prior of every arrow of a half ply.
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

/// Reads the file of a network.
pub(crate) fn network(path: &Path) -> PyResult<Network> {
    let refused = |error: &dyn Display| invalid(format_args!("{}: {error}", path.display()));
    let bytes = files::read(path, files::MAX_TEXT).map_err(|error| refused(&error))?;
    Network::from_bytes(&bytes).map_err(|error| refused(&error))
}
