"""The model: log-odds as a sum of terms, whose weights are linear between knots of the phase."""

from dataclasses import dataclass

import numpy as np

from tuning.rows import Column, Rows

CHUNK = 16_384
"""Rows worked on at a time: their columns stay in the processor's cache."""


def segments(phase: np.ndarray, knots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for phases, the knot below each and the share of the way to the next, from 0 to 1.

    Before the first knot and after the last, weights are constant.
    """
    below = np.clip(np.searchsorted(knots, phase, side="right") - 1, 0, len(knots) - 2)
    share = (phase - knots[below]) / (knots[below + 1] - knots[below])
    return below, np.clip(share, 0.0, 1.0).astype(np.float32)


@dataclass(frozen=True)
class Model:
    """Weights for the columns of rows."""

    board: tuple[int, int]
    phase: Column
    terms: list[Column]
    knots: np.ndarray
    """Phases, ascending, in units of the phase column: int64."""
    weights: np.ndarray
    """Log-odds for one unit of each term: a row a knot, float64."""

    def log_odds(self, rows: Rows, index: np.ndarray) -> np.ndarray:
        """Return the log-odds of these rows for the side that acts."""
        terms = rows.places([column.name for column in self.terms])
        (phase,) = rows.places([self.phase.name])
        odds = np.empty(len(index))
        for begin in range(0, len(index), CHUNK):
            chunk = rows.matrix[index[begin : begin + CHUNK]]
            below, share = segments(chunk[:, phase].astype(np.int64), self.knots)
            at_knots = chunk[:, terms].astype(np.float64) @ self.weights.T
            here = np.arange(len(chunk))
            low, high = at_knots[here, below], at_knots[here, below + 1]
            odds[begin : begin + CHUNK] = low + (high - low) * share
        return odds


def quantile_knots(phase: np.ndarray, count: int) -> np.ndarray:
    """Return up to `count` knots with as many rows between each two; fewer where many rows share a phase."""
    quantiles = np.quantile(phase, np.linspace(0.0, 1.0, count))
    return np.unique(np.round(quantiles).astype(np.int64))
