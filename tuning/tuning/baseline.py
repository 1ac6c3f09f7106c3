"""The baseline of a fit: one column alone, with the best slope and intercept for each number of empty squares."""

import numpy as np
from scipy.optimize import minimize

from tuning.rows import Rows
from tuning.scores import empties_bin


def baseline_odds(rows: Rows, name: str, fitted: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Return the log-odds of the rows at `asked` by the column alone, fitted to the results of those at `fitted`.

    One slope and one intercept for each bin of empty squares, for positions and half plies apart.
    """
    (place,) = rows.places([name])
    fitted = fitted[rows.result_usable(fitted)]
    odds = np.zeros(len(asked))
    for kind in (False, True):
        for number in np.unique(empties_bin(rows.fields["empties"][asked])).tolist():

            def chosen(index: np.ndarray, kind: bool = kind, number: int = number) -> np.ndarray:
                return (rows.half(index) == kind) & (empties_bin(rows.fields["empties"][index]) == number)

            here, there = fitted[chosen(fitted)], chosen(asked)
            line = _logistic_line(rows.matrix[here, place], rows.fields["result"][here])
            odds[there] = line[0] * rows.matrix[asked[there], place] + line[1]
    return odds


def _logistic_line(column: np.ndarray, result: np.ndarray) -> np.ndarray:
    """Return slope and intercept of a logistic regression on one column of whole numbers."""
    values, where = np.unique(column, return_inverse=True)
    count = np.bincount(where, minlength=len(values)).astype(np.float64)
    wins = np.bincount(where, weights=result, minlength=len(values))
    scale = max(float(np.abs(values).max(initial=0)), 1.0)

    def objective(line: np.ndarray) -> tuple[float, np.ndarray]:
        odds = line[0] * values / scale + line[1]
        total = np.sum(count * np.logaddexp(0, odds) - wins * odds)
        error = count / (1 + np.exp(-odds)) - wins
        # Half a win and half a loss are added, so that an empty bin predicts one half.
        total += np.sum(line**2) / 8
        gradient = np.array([np.sum(error * values / scale), np.sum(error)]) + line / 4
        rows = max(len(column), 1)
        return total / rows, gradient / rows

    line = minimize(objective, np.zeros(2), method="BFGS", jac=True).x
    return np.array([line[0] / scale, line[1]])
