"""Computes the labels for a fit, and evaluators' log-loss and accuracy on validation games."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from tuning.experiments import read_experiments
from tuning.fit import Design, Phase, fit
from tuning.provenance import command_line, machine
from tuning.results import write_result
from tuning.rows import TrainingRows

MIN_CHANCE = 1e-6

EMPTY_SQUARE_BINS = np.array([0, *range(20, 126, 15)])

Table = dict[str, list]
"""A table in a result. `heads` has the names of its columns, and `rows` has lists of cells."""


def labels(rows: TrainingRows, index: np.ndarray, mix: float) -> np.ndarray:
    """Return the labels of the rows at `index`: the probabilities of winning that a fit learns.

    A label is `mix` times the search's value plus (1 - `mix`) times the game's result. Without a
    usable result, the label is the search's value alone.
    """
    value = rows.fields["value"][index].astype(np.float32) / np.float32(65535)
    result = rows.fields["result"][index].astype(np.float32)
    mixed = np.float32(mix) * value + np.float32(1 - mix) * result
    return np.where(rows.has_usable_result(index), mixed, value)


class Scores(NamedTuple):
    """The log-loss and accuracy of an evaluator, and the number of rows they were measured on."""

    rows: int
    log_loss: float
    accuracy: float


def scores(odds: np.ndarray, won: np.ndarray) -> Scores:
    """Score the predicted log-odds that the side to act wins. `won` is True where this side won."""
    chance = np.clip(expit(odds), MIN_CHANCE, 1 - MIN_CHANCE)
    log_loss = -np.mean(np.log(np.where(won, chance, 1 - chance)))
    right = np.where(odds == 0, 0.5, (odds > 0) == won)
    return Scores(len(odds), float(log_loss), float(np.mean(right)))


def group_by_bins(values: np.ndarray, ends: np.ndarray, last: int = 0) -> dict[str, np.ndarray]:
    """Group rows into bins by their `values`; return the bins by name, as masks of the rows.

    `ends` has the boundaries of the bins. The outer bins also have all values outside `ends`. The
    bin of the highest values comes first. A bin's name has its lower end and its upper end minus
    `last`. With a `last` of 1, the bin of values from 20 to below 35 is named "20 to 34".
    """
    bins = np.digitize(values, ends[1:-1])
    return {f"{ends[n]:.4g} to {ends[n + 1] - last:.4g}": bins == n for n in np.unique(bins)[::-1].tolist()}


def baseline_odds(rows: TrainingRows, name: str, fitted: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Return log-odds for the rows at `asked`, predicted from the feature `name` alone.

    The prediction is a linear function of the feature. Each bin of empty squares has one function
    for positions and one for half plies. The functions are fitted to results of rows at `fitted`.
    """
    fitted = fitted[rows.has_usable_result(fitted)]
    bins = 2 * np.digitize(rows.fields["empties"], EMPTY_SQUARE_BINS[1:-1]) + rows.is_half_ply(slice(None))
    values = rows.column(name, slice(None)).astype(np.float32)
    line, groups = np.stack([values, np.ones_like(values)], axis=1), np.eye(bins.max() + 1, dtype=np.float32)
    scales = np.maximum(np.abs(line[fitted]).max(axis=0, initial=0), 1)
    result, nothing = rows.fields["result"][fitted].astype(np.float32), np.zeros(len(fitted), np.float32)
    data = Design(line[fitted] / scales, groups[bins[fitted]], result, [0, len(groups)], scales, nothing)
    # The ridge acts like one more game in each bin, half won and half lost. Empty bins predict 0.5.
    weights = fit(data, smooth=0.0, ridge=0.25).weights
    return np.sum(line[asked] * weights[bins[asked]], axis=1)


def comparison_tables(
    rows: TrainingRows, index: np.ndarray, odds: dict[str, np.ndarray], phases: list[Phase]
) -> dict[str, Table]:
    """Return tables of evaluators' log-loss and accuracy on the rows at `index`.

    All rows at `index` must have usable results.
    """
    won, half = rows.fields["result"][index] == 1, rows.is_half_ply(index)
    everything, tables = np.ones(len(index), dtype=bool), {}

    def score_table(what: str, groups: dict[str, np.ndarray], kind: np.ndarray) -> Table:
        lines = []
        for group, rows_of_group in (groups | {"all": everything}).items():
            chosen = rows_of_group & kind
            if chosen.any():
                cells = [scores(line[chosen], won[chosen]) for line in odds.values()]
                figures = [f"{cell.log_loss:.4f}, {100 * cell.accuracy:.1f} %" for cell in cells]
                lines.append([group, str(int(chosen.sum())), *figures])
        return {"heads": [what, "rows", *odds], "rows": lines}

    groups = group_by_bins(rows.fields["empties"][index], EMPTY_SQUARE_BINS, 1)
    for name, kind in (("positions", ~half), ("half plies", half)):
        if kind.any():
            tables[f"{name}, by empty squares"] = score_table("empty squares", groups, kind)
    for phase in phases:
        name, unit = phase.column.name, phase.column.unit
        groups = group_by_bins(rows.column(name, index) / unit, phase.knots / unit)
        tables[f"both, by {name}"] = score_table(name, groups, everything)
    return tables


def write_fit_result(
    path: Path, kind: str, play: dict[str, Any], about: dict[str, Any], tables: dict[str, Table]
) -> None:
    """Write the result of a fit. `play` has the board and the checksum of the fitted weights."""
    name = f"{kind}-{play['board']}"
    question = next((e.question for e in read_experiments() if e.name == name), "")
    engine = {"version": "", "commit": about["commit"]}
    fields = {"experiment": name, "question": question, "engine": engine, "play": play}
    fields |= {"machine": machine(), "date": about["date"], "command": command_line(), "about": about}
    write_result(path, {**fields, "rows": [], "tables": tables})
