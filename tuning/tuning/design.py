"""The rows of a fit as it needs them: scaled, in memory, and sorted so that few weights matter at a time."""

from dataclasses import dataclass

import numpy as np

from tuning.model import CHUNK, Model, Phase, first_rows, segments
from tuning.rows import Rows


@dataclass(frozen=True)
class Design:
    """Rows of a fit. A row touches the weights of two knots of each phase, the same for all rows of a cell."""

    terms: np.ndarray
    """The terms of each row, divided by `scales`: float32, a row a row, cell by cell."""
    shares: np.ndarray
    """The shares of the knots that a row touches, in the order of `touched`: float32, a row a row."""
    labels: np.ndarray
    """The chance of winning to be predicted: float32."""
    bounds: list[int]
    """The first row of each cell, and the end of the last one."""
    touched: list[list[int]]
    """For each cell the rows of the table of weights that its rows touch."""
    firsts: list[int]
    """The first row of each phase in that table, and the end of the last one."""
    scales: np.ndarray
    """The root mean square of each term in units of its column; 1 for a term that is always 0."""
    offsets: np.ndarray
    """The log-odds of each row by the weights that are held: float32."""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.shares)

    def chunks(self) -> list[tuple[list[int], slice]]:
        """Return all rows in runs that fit into the cache: the knots they touch, and which rows."""
        runs = []
        for touched, begin, end in zip(self.touched, self.bounds, self.bounds[1:], strict=False):
            for first in range(begin, end, CHUNK):
                runs.append((touched, slice(first, min(first + CHUNK, end))))
        return runs


def design(
    rows: Rows, index: np.ndarray, labels: np.ndarray, phases: list[Phase], held: Model | None = None
) -> Design:
    """Gather the rows of a fit from their file; `labels` are those of the rows at `index`.

    The terms of a model that is `held` are not fitted: what they add up to is.
    """
    known = {column.name for column in held.terms} if held else set()
    terms = rows.places([column.name for column in rows.of_role("term") if column.name not in known])
    offsets = held.log_odds(rows, index) if held else np.zeros(len(index))
    firsts = first_rows(phases)
    cell = np.zeros(len(index), dtype=np.int64)
    touched: list[list[int]] = [[]]
    shares = []
    for phase, place, first in zip(
        phases, rows.places([phase.column.name for phase in phases]), firsts, strict=False
    ):
        below, share = segments(rows.matrix[index, place].astype(np.int64), phase.knots)
        cells = len(phase.knots) - 1
        cell = cell * cells + below
        touched = [[*one, first + knot, first + knot + 1] for one in touched for knot in range(cells)]
        shares += [1 - share, share]
    order = np.argsort(cell, kind="stable")
    bounds = np.searchsorted(cell[order], np.arange(len(touched) + 1)).tolist()
    index = index[order]
    gathered = np.empty((len(index), len(terms)), dtype=np.float32)
    squares = np.zeros(len(terms))
    for begin in range(0, len(index), CHUNK):
        chunk = rows.matrix[index[begin : begin + CHUNK]][:, terms].astype(np.float32)
        gathered[begin : begin + CHUNK] = chunk
        squares += np.square(chunk, dtype=np.float64).sum(axis=0)
    scales = np.sqrt(squares / max(len(index), 1))
    scales[scales == 0.0] = 1.0
    gathered /= scales.astype(np.float32)
    sorted_shares = np.stack(shares, axis=1)[order]
    sorted_labels, sorted_offsets = labels[order].astype(np.float32), offsets[order].astype(np.float32)
    return Design(gathered, sorted_shares, sorted_labels, bounds, touched, firsts, scales, sorted_offsets)
