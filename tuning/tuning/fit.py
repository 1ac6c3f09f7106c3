"""Finds weights: logistic regression with weights that change smoothly over the phase.

What is made small is the mean cross-entropy between label and prediction, plus two penalties: `smooth` on the squared
differences of weights at neighbouring knots, `ridge` on the squared weights themselves. Both are on weights per root
mean square of a term, so that terms of all sizes are treated alike, and are counted in rows.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize

from tuning.design import Design


@dataclass(frozen=True)
class Fit:
    """The result of a fit."""

    weights: np.ndarray
    """Log-odds for one unit of each column: a row a knot, float64."""
    loss: float
    """Mean cross-entropy with the labels fitted to, penalties left out."""
    iterations: int
    message: str
    """The reason of its end."""


def fit(
    data: Design,
    smooth: float,
    ridge: float,
    max_iterations: int = 200,
    progress: Callable[[int, float], None] = lambda iteration, loss: None,
) -> Fit:
    """Fit weights to rows by L-BFGS, and tell `progress` the loss after each iteration."""
    shape = (data.firsts[-1], data.terms.shape[1])
    penalty = _penalty(data.firsts, smooth / len(data), ridge / len(data))
    # In coordinates in which the curvature at the start is the same in all directions, terms that say nearly the same
    # are no valley, and a few dozen iterations do.
    factor = cholesky(_curvature(data) + np.kron(penalty, np.eye(shape[1])), lower=True)
    last = 0.0

    def objective(point: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal last
        weights = solve_triangular(factor, point, lower=True, trans="T").reshape(shape)
        last, gradient = loss_and_gradient(data, weights)
        pull = penalty @ weights
        total = last + 0.5 * float(np.sum(pull * weights))
        return total, solve_triangular(factor, (gradient + pull).ravel(), lower=True)

    iteration = 0

    def after_iteration(_: np.ndarray) -> None:
        nonlocal iteration
        iteration += 1
        progress(iteration, last)

    found = minimize(
        objective,
        np.zeros(shape[0] * shape[1]),
        method="L-BFGS-B",
        jac=True,
        callback=after_iteration,
        options={"maxiter": max_iterations, "ftol": 1e-9, "gtol": 1e-6, "maxcor": 20},
    )
    weights = solve_triangular(factor, found.x, lower=True, trans="T").reshape(shape)
    loss, _ = loss_and_gradient(data, weights)
    # Near the minimum, single precision cannot resolve differences of the loss; that is close enough.
    message = "as far as single precision goes" if found.status == 2 else str(found.message)
    return Fit(weights / data.scales, loss, int(found.nit), message)


def loss_and_gradient(data: Design, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mean cross-entropy under weights for scaled terms, a row a knot, and its gradient."""
    total = 0.0
    gradient = np.zeros(weights.shape)
    weights32 = weights.astype(np.float32)
    for touched, run in data.chunks():
        terms, shares, label = data.terms[run], data.shares[run], data.labels[run]
        odds = data.offsets[run] + np.einsum("rk,rk->r", terms @ weights32[touched].T, shares)
        small = np.exp(-np.abs(odds))
        total += float(np.sum(np.maximum(odds, 0) + np.log1p(small) - label * odds, dtype=np.float64))
        chance = np.where(odds >= 0, 1, small) / (1 + small)
        error = chance - label
        gradient[touched] += (shares * error[:, None]).T @ terms
    return total / len(data), gradient / len(data)


def _curvature(data: Design) -> np.ndarray:
    """Return the second derivative of the loss at weights of 0, as if every chance were one half."""
    knots, terms = data.firsts[-1], data.terms.shape[1]
    curvature = np.zeros((knots, terms, knots, terms))
    for touched, run in data.chunks():
        block, shares = data.terms[run], data.shares[run]
        for place, one in enumerate(touched):
            weighted = (block * shares[:, place, None]).T
            for other_place, other in enumerate(touched[: place + 1]):
                product = weighted @ (block * shares[:, other_place, None])
                curvature[one, :, other] += product
                if one != other:
                    curvature[other, :, one] += product.T
    return curvature.reshape(knots * terms, knots * terms) * (0.25 / len(data))


def _penalty(firsts: list[int], smooth: float, ridge: float) -> np.ndarray:
    """Return the matrix P of the penalty w'Pw / 2 on the weights of one term at all knots of all phases."""
    knots = firsts[-1]
    steps = np.diff(np.eye(knots), axis=0)
    # The last knot of a phase is no neighbour of the first of the next.
    steps[[first - 1 for first in firsts[1:-1]]] = 0
    # Never quite 0: a term that is always 0 has no curvature of its own, and two phases share their constant.
    return smooth * steps.T @ steps + max(ridge, 1e-9) * np.eye(knots)
