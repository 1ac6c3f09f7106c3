"""Fits the evaluator's weights: logistic regression with weights that depend smoothly on the phase.

The log-odds of winning are a weighted sum of terms. A phase measures how far a game has gone. For
each phase, a term has a function of the phase's value that is linear between knots. The weight of
the term is the sum of these functions. The fit minimises the mean cross-entropy between labels and
predictions, plus two penalties: `smooth` / 2 times the squared differences of weights at
neighbouring knots, and `ridge` / 2 times the squared weights. Both penalties are divided by the
number of rows. Terms are divided by their root mean square, so that their scales do not matter.
"""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize

from tuning.rows import Column, TrainingRows

CHUNK_ROWS = 16_384
"""The number of rows processed at a time, so small that their columns fit into the cache."""


@dataclass(frozen=True)
class Phase:
    """A feature that measures how far a game has gone. Between its knots, weights are linear."""

    column: Column
    knots: np.ndarray
    """The values of the feature at which weights are fitted, in ascending order: int64."""


def knot_coefficients(rows: TrainingRows, index: np.ndarray, phases: list[Phase]) -> np.ndarray:
    """Return the interpolation coefficient of each knot for the rows at `index`.

    The result is float32 [rows, knots], with the knots of all phases side by side. For each phase,
    a row has two coefficients, whose sum is 1: those of the two knots around the row's value. A
    value beyond all knots of the phase gives the nearest knot the coefficient 1.
    """
    parts = [
        np.interp(rows.column(phase.column.name, index), phase.knots, alone)
        for phase in phases
        for alone in np.eye(len(phase.knots))
    ]
    return np.stack(parts, axis=1).astype(np.float32)


def starts_of_phases(phases: list[Phase]) -> list[int]:
    """Return the index of each phase's first knot among all knots, then the number of all knots."""
    return [0, *np.cumsum([len(phase.knots) for phase in phases]).tolist()]


@dataclass(frozen=True)
class Model:
    """The evaluator's model: the weights of its terms at the knots of its phases."""

    board: int
    phases: list[Phase]
    """The phases of a game. A term's weight is the sum of an interpolated weight for each phase."""
    terms: list[Column]
    weights: np.ndarray
    """The weight of each term at each knot, in log-odds: float64 [knots, terms].

    Knots are listed phase after phase.
    """

    def log_odds(self, rows: TrainingRows, index: np.ndarray) -> np.ndarray:
        """Return the log-odds that the side to act wins, for each of the rows at `index`."""
        odds = np.zeros(len(index))
        for begin in range(0, len(index), CHUNK_ROWS):
            chunk = index[begin : begin + CHUNK_ROWS]
            at_knots = rows.feature_matrix(self.terms, chunk) @ self.weights.T
            coefficients = knot_coefficients(rows, chunk, self.phases)
            odds[begin : begin + CHUNK_ROWS] = np.sum(at_knots * coefficients, axis=1)
        return odds


def join_models(held: Model, fitted: Model, terms: list[Column]) -> Model:
    """Join two models with equal phases: each of `terms` gets its weights from one of the two."""
    names = [column.name for column in (*held.terms, *fitted.terms)]
    weights = np.concatenate((held.weights, fitted.weights), axis=1)
    return Model(held.board, held.phases, terms, weights[:, [names.index(column.name) for column in terms]])


def quantile_knots(phase: np.ndarray, count: int) -> np.ndarray:
    quantiles = np.quantile(phase, np.linspace(0.0, 1.0, count))
    return np.unique(np.round(quantiles).astype(np.int64))


@dataclass(frozen=True)
class Design:
    """The input data of a fit, from which the design matrix of the regression is made."""

    terms: np.ndarray
    """The value of each term in each row, divided by `scales`: float32 [rows, terms]."""
    coefficients: np.ndarray
    """The interpolation coefficient of each knot in each row, 0 to 1: float32 [rows, knots]."""
    labels: np.ndarray
    """The probability of winning that the fit should predict for each row: float32 [rows]."""
    phase_starts: list[int]
    scales: np.ndarray
    """The root mean square of each term over all rows; 1 for a term that is always 0."""
    offsets: np.ndarray
    """The log-odds of each row by the fixed weights of `--hold`, or 0 without `--hold`: float32."""

    def __len__(self) -> int:
        return len(self.coefficients)

    def chunks(self, size: int = CHUNK_ROWS) -> Iterator[slice]:
        for first in range(0, len(self), size):
            yield slice(first, first + size)


def design(
    rows: TrainingRows,
    index: np.ndarray,
    labels: np.ndarray,
    phases: list[Phase],
    held: Model | None = None,
    used: Container[str] = (),
) -> Design:
    """Return the input data of a fit. It uses the rows at `index`, which have these `labels`.

    The weights of the model `held` are not fitted. Its log-odds are added to the fit's predictions.
    If `used` names some of the phases, the fitted weights depend only on these phases.
    """
    known = {column.name for column in held.terms} if held else set()
    terms = [column for column in rows.columns_of_role("term") if column.name not in known]
    offsets = held.log_odds(rows, index) if held else np.zeros(len(index))
    coefficients, phase_starts = knot_coefficients(rows, index, phases), starts_of_phases(phases)
    for phase, begin, end in zip(phases, phase_starts, phase_starts[1:], strict=False):
        if used and phase.column.name not in used:
            coefficients[:, begin:end] = 0
    gathered = rows.feature_matrix(terms, index)
    squares = np.einsum("rt,rt->t", gathered, gathered, dtype=np.float64)
    scales = np.sqrt(squares / max(len(index), 1))
    scales[scales == 0.0] = 1.0
    gathered /= scales.astype(np.float32)
    labels, offsets = (array.astype(np.float32) for array in (labels, offsets))
    return Design(gathered, coefficients, labels, phase_starts, scales, offsets)


@dataclass(frozen=True)
class Fit:
    """The result of a fit. `message` is the optimiser's reason for ending."""

    weights: np.ndarray
    """The fitted weight of each term at each knot, in log-odds: float64 [knots, terms]."""
    loss: float
    """The mean cross-entropy between labels and predictions, without the penalties."""
    iterations: int
    message: str


def fit(
    data: Design,
    smooth: float,
    ridge: float,
    max_iterations: int = 200,
    tell: Callable[[str], None] = lambda text: None,
) -> Fit:
    """Fit weights to rows by L-BFGS; call `tell` with a progress text every tenth iteration."""
    shape = (data.phase_starts[-1], data.terms.shape[1])
    penalty = _penalty(data.phase_starts, smooth / len(data), ridge / len(data))
    # The coordinates are scaled so that the curvature at the start is the same in all directions.
    # Otherwise strongly correlated terms would need many more iterations.
    factor = cholesky(_start_curvature(data) + np.kron(penalty, np.eye(shape[1])), lower=True)
    last, iteration = 0.0, 0

    def unscaled_weights(coordinates: np.ndarray) -> np.ndarray:
        return solve_triangular(factor, coordinates, lower=True, trans="T").reshape(shape)

    def objective(coordinates: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal last
        weights = unscaled_weights(coordinates)
        last, gradient = loss_and_gradient(data, weights)
        pull = penalty @ weights
        total = last + 0.5 * float(np.sum(pull * weights))
        return total, solve_triangular(factor, (gradient + pull).ravel(), lower=True)

    def after_iteration(_: np.ndarray) -> None:
        nonlocal iteration
        iteration += 1
        if iteration % 10 == 0:
            tell(f"iteration {iteration}: loss {last:.5f}")

    limits = {"maxiter": max_iterations, "ftol": 1e-9, "gtol": 1e-6, "maxcor": 20}
    arguments = {"method": "L-BFGS-B", "jac": True, "callback": after_iteration, "options": limits}
    solution = minimize(objective, np.zeros(shape[0] * shape[1]), **arguments)
    weights = unscaled_weights(solution.x)
    loss, _ = loss_and_gradient(data, weights)
    # Status 2: a line search failed. Close to the minimum this happens because single precision
    # cannot resolve differences of the loss.
    message = "converged to single precision" if solution.status == 2 else str(solution.message)
    return Fit(weights / data.scales, loss, int(solution.nit), message)


def loss_and_gradient(data: Design, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mean cross-entropy for `weights` [knots, terms], and its gradient."""
    total, gradient, weights32 = 0.0, np.zeros(weights.shape), weights.astype(np.float32)
    for run in data.chunks():
        terms, coefficients, label = data.terms[run], data.coefficients[run], data.labels[run]
        odds = data.offsets[run] + np.einsum("rk,rk->r", terms @ weights32.T, coefficients)
        small = np.exp(-np.abs(odds))
        total += float(np.sum(np.maximum(odds, 0) + np.log1p(small) - label * odds, dtype=np.float64))
        error = np.where(odds >= 0, 1, small) / (1 + small) - label
        gradient += (coefficients * error[:, None]).T @ terms
    return total / len(data), gradient / len(data)


def _start_curvature(data: Design) -> np.ndarray:
    """Return the Hessian of the mean cross-entropy where all predictions are one half."""
    knots, terms = data.coefficients.shape[1], data.terms.shape[1]
    curvature = np.zeros((knots * terms, knots * terms))
    # Chunks are smaller than in other functions: `parts` has a number for each row, knot and term.
    for run in data.chunks(CHUNK_ROWS // 8):
        parts = np.einsum("rk,rt->rkt", data.coefficients[run], data.terms[run]).reshape(-1, knots * terms)
        curvature += parts.T @ parts
    return curvature * (0.25 / len(data))


def _penalty(phase_starts: list[int], smooth: float, ridge: float) -> np.ndarray:
    """Return the matrix P of the penalty w'Pw / 2 on w, a term's vector of weights at all knots."""
    steps = np.diff(np.eye(phase_starts[-1]), axis=0)
    # There is no penalty between the last knot of a phase and the first knot of the next phase.
    steps[[first - 1 for first in phase_starts[1:-1]]] = 0
    # Without a ridge the Hessian would be singular, because a term that is always 0 has no
    # curvature, and because predictions stay the same if a constant is added to all weights of a
    # term in one phase and subtracted from all its weights in another phase. The ridge must exceed
    # the rounding errors of `_start_curvature`, which multiplies in single precision.
    least = float(np.finfo(np.float32).eps)
    return smooth * steps.T @ steps + max(ridge, least) * np.eye(phase_starts[-1])
