"""What a fit aims at and how good it is: labels, the baseline, log-loss and accuracy on games held out."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from tuning.experiments import read_experiments
from tuning.fit import Design, Phase, fit
from tuning.provenance import command_line, machine
from tuning.results import write_result
from tuning.rows import Rows

CLIP = 1e-6
"""Chances are taken into [CLIP, 1 - CLIP] before their logarithm, as `quiver evaluate` does."""

EMPTIES = np.array([0, *range(20, 126, 15)])
"""The ends of bins of empty squares."""

Table = dict[str, list]
"""Heads, and rows of cells."""


def labels(rows: Rows, index: np.ndarray, mix: float) -> np.ndarray:
    """Return the chance of winning, from 0 to 1, that a fit aims at for these rows.

    It is `mix` times the search's value plus the rest times the result; the search's value alone where the result
    does not count.
    """
    value = rows.fields["value"][index].astype(np.float32) / np.float32(65535)
    result = rows.fields["result"][index].astype(np.float32)
    mixed = np.float32(mix) * value + np.float32(1 - mix) * result
    return np.where(rows.result_usable(index), mixed, value)


class Scores(NamedTuple):
    """The scores of a set of rows."""

    rows: int
    log_loss: float
    accuracy: float


def scores(odds: np.ndarray, won: np.ndarray) -> Scores:
    """Measure log-odds of the side that acts, one at least, against whether it won."""
    chance = np.clip(expit(odds), CLIP, 1 - CLIP)
    log_loss = -np.mean(np.log(np.where(won, chance, 1 - chance)))
    right = np.where(odds == 0, 0.5, (odds > 0) == won)
    return Scores(len(odds), float(log_loss), float(np.mean(right)))


def by_bins(values: np.ndarray, ends: np.ndarray, last: int = 0) -> dict[str, np.ndarray]:
    """Group rows by the two ends that their values are between, the highest first; a bin ends `last` before the next.

    Values beyond the outer ends are in the outer bins.
    """
    bins = np.digitize(values, ends[1:-1])
    return {f"{ends[n]:.4g} to {ends[n + 1] - last:.4g}": bins == n for n in np.unique(bins)[::-1].tolist()}


def baseline_odds(rows: Rows, name: str, fitted: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Return the log-odds of the rows at `asked` by the column alone, fitted to the results of those at `fitted`.

    One slope and one intercept for each bin of empty squares, for positions and half plies apart.
    """
    fitted = fitted[rows.result_usable(fitted)]
    bins = 2 * np.digitize(rows.fields["empties"], EMPTIES[1:-1]) + rows.half(slice(None))
    values = rows.column(name, slice(None)).astype(np.float32)
    line, groups = np.stack([values, np.ones_like(values)], axis=1), np.eye(bins.max() + 1, dtype=np.float32)
    scales = np.maximum(np.abs(line[fitted]).max(axis=0, initial=0), 1)
    result, nothing = rows.fields["result"][fitted].astype(np.float32), np.zeros(len(fitted), np.float32)
    data = Design(line[fitted] / scales, groups[bins[fitted]], result, [0, len(groups)], scales, nothing)
    # Half a win and half a loss are added, so that an empty bin predicts one half.
    weights = fit(data, smooth=0.0, ridge=0.25).weights
    return np.sum(line[asked] * weights[bins[asked]], axis=1)


def compared(
    rows: Rows, index: np.ndarray, odds: dict[str, np.ndarray], phases: list[Phase]
) -> dict[str, Table]:
    """Return log-loss and accuracy of each evaluator by empty squares and by phase.

    `odds` are the log-odds of each evaluator for the rows at `index`, whose results count.
    """
    won, half = rows.fields["result"][index] == 1, rows.half(index)
    everything, tables = np.ones(len(index), dtype=bool), {}

    def table(what: str, groups: dict[str, np.ndarray], kind: np.ndarray) -> Table:
        lines = []
        for group, rows_of_group in (groups | {"all": everything}).items():
            chosen = rows_of_group & kind
            if chosen.any():
                cells = [scores(line[chosen], won[chosen]) for line in odds.values()]
                figures = [f"{cell.log_loss:.4f}, {100 * cell.accuracy:.1f} %" for cell in cells]
                lines.append([group, str(int(chosen.sum())), *figures])
        return {"heads": [what, "rows", *odds], "rows": lines}

    groups = by_bins(rows.fields["empties"][index], EMPTIES, 1)
    for name, kind in (("positions", ~half), ("half plies", half)):
        if kind.any():
            tables[f"{name}, by empty squares"] = table("empty squares", groups, kind)
    for phase in phases:
        name, unit = phase.column.name, phase.column.unit
        groups = by_bins(rows.column(name, index) / unit, phase.knots / unit)
        tables[f"both, by {name}"] = table(name, groups, everything)
    return tables


def write_fit(
    path: Path, kind: str, play: dict[str, Any], about: dict[str, Any], tables: dict[str, Table]
) -> None:
    """Write the result of a fit; `play` has the board, and the checksum of the file that came of it."""
    name = f"{kind}-{play['board']}"
    question = next((one.question for one in read_experiments() if one.name == name), "")
    engine = {"version": "", "commit": about["commit"]}
    fields = {"experiment": name, "question": question, "engine": engine, "play": play}
    fields |= {"machine": machine(), "date": about["date"], "command": command_line(), "about": about}
    write_result(path, {**fields, "rows": [], "tables": tables})
