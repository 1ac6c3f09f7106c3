"""The rows of a fit as it needs them: scaled, in memory, and sorted so that few weights matter at a time."""

from dataclasses import dataclass

import numpy as np

from tuning.model import CHUNK, segments
from tuning.rows import Rows


@dataclass(frozen=True)
class Design:
    """Rows of a fit. A row touches the weights of two knots, the same for all rows of a segment."""

    terms: np.ndarray
    """The terms of each row, divided by `scales`: float32, a row a row, segment by segment."""
    share: np.ndarray
    """How far each row is from the knot below to the one above, from 0 to 1: float32."""
    labels: np.ndarray
    """The chance of winning to be predicted: float32."""
    bounds: list[int]
    """Where each segment begins, and where the last one ends."""
    scales: np.ndarray
    """The root mean square of each term in units of its column; 1 for a term that is always 0."""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.share)

    def chunks(self) -> list[tuple[int, slice]]:
        """Return all rows in runs that fit into the cache: the knot below, and which rows."""
        runs = []
        for knot, (begin, end) in enumerate(zip(self.bounds, self.bounds[1:], strict=False)):
            for first in range(begin, end, CHUNK):
                runs.append((knot, slice(first, min(first + CHUNK, end))))
        return runs


def design(rows: Rows, index: np.ndarray, labels: np.ndarray, knots: np.ndarray) -> Design:
    """Gather the rows of a fit from their file; `labels` are those of the rows at `index`."""
    terms = rows.places([column.name for column in rows.of_role("term")])
    (phase,) = rows.places([rows.phase.name])
    below, share = segments(rows.matrix[index, phase].astype(np.int64), knots)
    order = np.argsort(below, kind="stable")
    bounds = np.searchsorted(below[order], np.arange(len(knots))).tolist()
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
    return Design(gathered, share[order], labels[order].astype(np.float32), bounds, scales)
