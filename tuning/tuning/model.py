"""The model: log-odds as a sum of terms, whose weights are sums of functions of the phase, linear between knots."""

from dataclasses import dataclass

import numpy as np

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
