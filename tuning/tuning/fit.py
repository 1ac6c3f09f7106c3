"""The model of the evaluator, and its weights: logistic regression with weights that change smoothly over the phase.

The log-odds are a sum of terms, whose weights are sums of functions of the phases, linear between knots.
What is made small is the mean cross-entropy between label and prediction, plus two penalties: `smooth` on the squared
differences of weights at neighbouring knots, `ridge` on the squared weights themselves. Both are on weights per root
mean square of a term, so that terms of all sizes are treated alike, and are counted in rows.
"""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize

from tuning.rows import Column, Rows

CHUNK = 16_384
"""Rows worked on at a time: their columns stay in the processor's cache."""


@dataclass(frozen=True)
class Phase:
    """A measure of how far a game has gone, and where weights are free along it."""

    column: Column
    knots: np.ndarray
    """Ascending, in units of the column: int64."""


def knot_shares(rows: Rows, index: np.ndarray, phases: list[Phase]) -> np.ndarray:
    """Return the shares of the knots of all phases in the weights of these rows: float32, a row a row.

    In each phase the two knots around a row share it; before the first knot and after the last, weights are constant.
    """
    parts = [
        np.interp(rows.column(phase.column.name, index), phase.knots, alone)
        for phase in phases
        for alone in np.eye(len(phase.knots))
    ]
    return np.stack(parts, axis=1).astype(np.float32)


def first_rows(phases: list[Phase]) -> list[int]:
    """Return where the rows of each phase begin in a table of weights, and where the last ones end."""
    return [0, *np.cumsum([len(phase.knots) for phase in phases]).tolist()]


@dataclass(frozen=True)
class Model:
    """Weights for the columns of rows."""

    board: int
    phases: list[Phase]
    """The weight of a term is the sum of what it is by each of these."""
    terms: list[Column]
    weights: np.ndarray
    """Log-odds for one unit of each term: a row a knot, phase after phase, float64."""

    def log_odds(self, rows: Rows, index: np.ndarray) -> np.ndarray:
        """Return the log-odds of these rows for the side that acts."""
        odds = np.zeros(len(index))
        for begin in range(0, len(index), CHUNK):
            chunk = index[begin : begin + CHUNK]
            at_knots = rows.table(self.terms, chunk) @ self.weights.T
            odds[begin : begin + CHUNK] = np.sum(at_knots * knot_shares(rows, chunk, self.phases), axis=1)
        return odds


def joined(held: Model, found: Model, terms: list[Column]) -> Model:
    """Return one model of two with the same phases: `terms` from the one that is held, the rest from the other."""
    names = [column.name for column in (*held.terms, *found.terms)]
    weights = np.concatenate((held.weights, found.weights), axis=1)
    return Model(held.board, held.phases, terms, weights[:, [names.index(column.name) for column in terms]])


def quantile_knots(phase: np.ndarray, count: int) -> np.ndarray:
    """Return up to `count` knots with as many rows between each two; fewer where many rows share a phase."""
    quantiles = np.quantile(phase, np.linspace(0.0, 1.0, count))
    return np.unique(np.round(quantiles).astype(np.int64))


@dataclass(frozen=True)
class Design:
    """Rows of a fit."""

    terms: np.ndarray
    """The terms of each row, divided by `scales`: float32, a row a row."""
    shares: np.ndarray
    """The shares of the knots in the weights of each row: float32, a row a row."""
    labels: np.ndarray
    """The chance of winning to be predicted: float32."""
    firsts: list[int]
    """The first row of each phase in the table of weights, and the end of the last one."""
    scales: np.ndarray
    """The root mean square of each term in units of its column; 1 for a term that is always 0."""
    offsets: np.ndarray
    """The log-odds of each row by the weights that are held: float32."""

    def __len__(self) -> int:
        return len(self.shares)

    def chunks(self, size: int = CHUNK) -> Iterator[slice]:
        """Yield all rows in runs that fit into the cache."""
        for first in range(0, len(self), size):
            yield slice(first, first + size)


def design(
    rows: Rows,
    index: np.ndarray,
    labels: np.ndarray,
    phases: list[Phase],
    held: Model | None = None,
    used: Container[str] = (),
) -> Design:
    """Gather the rows of a fit from their file; `labels` are those of the rows at `index`.

    The terms of a model that is `held` are not fitted: what they add up to is. Where phases are `used`, by name, the
    others have no say.
    """
    known = {column.name for column in held.terms} if held else set()
    terms = [column for column in rows.of_role("term") if column.name not in known]
    offsets = held.log_odds(rows, index) if held else np.zeros(len(index))
    shares, firsts = knot_shares(rows, index, phases), first_rows(phases)
    for phase, begin, end in zip(phases, firsts, firsts[1:], strict=False):
        if used and phase.column.name not in used:
            shares[:, begin:end] = 0
    gathered = rows.table(terms, index)
    squares = np.einsum("rt,rt->t", gathered, gathered, dtype=np.float64)
    scales = np.sqrt(squares / max(len(index), 1))
    scales[scales == 0.0] = 1.0
    gathered /= scales.astype(np.float32)
    labels, offsets = (one.astype(np.float32) for one in (labels, offsets))
    return Design(gathered, shares, labels, firsts, scales, offsets)


@dataclass(frozen=True)
class Fit:
    """The result of a fit, and the reason of its end."""

    weights: np.ndarray
    """Log-odds for one unit of each column: a row a knot, float64."""
    loss: float
    """Mean cross-entropy with the labels fitted to, penalties left out."""
    iterations: int
    message: str


def fit(
    data: Design,
    smooth: float,
    ridge: float,
    max_iterations: int = 200,
    tell: Callable[[str], None] = lambda text: None,
) -> Fit:
    """Fit weights to rows by L-BFGS, and tell the loss after every tenth iteration."""
    shape = (data.firsts[-1], data.terms.shape[1])
    penalty = _penalty(data.firsts, smooth / len(data), ridge / len(data))
    # In coordinates in which the curvature at the start is the same in all directions, terms that say nearly the same
    # are no valley, and a few dozen iterations do.
    factor = cholesky(_curvature(data) + np.kron(penalty, np.eye(shape[1])), lower=True)
    last, iteration = 0.0, 0

    def weights_at(point: np.ndarray) -> np.ndarray:
        return solve_triangular(factor, point, lower=True, trans="T").reshape(shape)

    def objective(point: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal last
        weights = weights_at(point)
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
    how = {"method": "L-BFGS-B", "jac": True, "callback": after_iteration, "options": limits}
    found = minimize(objective, np.zeros(shape[0] * shape[1]), **how)
    weights = weights_at(found.x)
    loss, _ = loss_and_gradient(data, weights)
    # Near the minimum, single precision cannot resolve differences of the loss; that is close enough.
    message = "as far as single precision goes" if found.status == 2 else str(found.message)
    return Fit(weights / data.scales, loss, int(found.nit), message)


def loss_and_gradient(data: Design, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mean cross-entropy under weights for scaled terms, a row a knot, and its gradient."""
    total, gradient, weights32 = 0.0, np.zeros(weights.shape), weights.astype(np.float32)
    for run in data.chunks():
        terms, shares, label = data.terms[run], data.shares[run], data.labels[run]
        odds = data.offsets[run] + np.einsum("rk,rk->r", terms @ weights32.T, shares)
        small = np.exp(-np.abs(odds))
        total += float(np.sum(np.maximum(odds, 0) + np.log1p(small) - label * odds, dtype=np.float64))
        error = np.where(odds >= 0, 1, small) / (1 + small) - label
        gradient += (shares * error[:, None]).T @ terms
    return total / len(data), gradient / len(data)


def _curvature(data: Design) -> np.ndarray:
    """Return the second derivative of the loss at weights of 0, as if every chance were one half."""
    knots, terms = data.shares.shape[1], data.terms.shape[1]
    curvature = np.zeros((knots * terms, knots * terms))
    # A row of all weights is much longer than one of terms.
    for run in data.chunks(CHUNK // 8):
        parts = np.einsum("rk,rt->rkt", data.shares[run], data.terms[run]).reshape(-1, knots * terms)
        curvature += parts.T @ parts
    return curvature * (0.25 / len(data))


def _penalty(firsts: list[int], smooth: float, ridge: float) -> np.ndarray:
    """Return the matrix P of the penalty w'Pw / 2 on the weights of one term at all knots of all phases."""
    steps = np.diff(np.eye(firsts[-1]), axis=0)
    # The last knot of a phase is no neighbour of the first of the next.
    steps[[first - 1 for first in firsts[1:-1]]] = 0
    # Never quite 0: a term that is always 0 has no curvature of its own, and two phases share their constant.
    return smooth * steps.T @ steps + max(ridge, 1e-9) * np.eye(firsts[-1])
