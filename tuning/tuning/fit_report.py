"""The result of a fit: log-loss and accuracy of evaluators on games held out, as tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tuning.experiments import read_experiments
from tuning.model import Phase
from tuning.provenance import command_line, machine
from tuning.results import write_result
from tuning.rows import Rows
from tuning.scores import Group, Scores, by_empties, by_phase, scores

Table = dict[str, list]
"""Heads, and rows of cells."""


def compared(
    rows: Rows, index: np.ndarray, odds: dict[str, np.ndarray], phases: list[Phase]
) -> dict[str, Table]:
    """Return log-loss and accuracy of each evaluator by empty squares and by phase.

    `odds` are the log-odds of each evaluator for the rows at `index`; those whose result does not count are left out.
    """
    usable = rows.result_usable(index)
    index, odds = index[usable], {name: line[usable] for name, line in odds.items()}
    won = rows.fields["result"][index] == 1
    half = rows.half(index)
    groups = by_empties(rows.fields["empties"][index])
    tables = {}
    for name, kind in (("positions", ~half), ("half plies", half)):
        if kind.any():
            tables[f"{name}, by empty squares"] = _table("empty squares", groups, kind, odds, won)
    everything = np.ones(len(index), dtype=bool)
    for phase in phases:
        (place,) = rows.places([phase.column.name])
        parts = by_phase(rows.matrix[index, place].astype(np.int64), phase.knots, phase.column.unit)
        tables[f"both, by {phase.column.name}"] = _table(phase.column.name, parts, everything, odds, won)
    return tables


def measured(rows: Rows, index: np.ndarray, odds: np.ndarray) -> Scores:
    """Return the scores of an evaluator over those of the rows at `index` whose result counts."""
    usable = rows.result_usable(index)
    return scores(odds[usable], rows.fields["result"][index[usable]] == 1)


def write_fit(
    path: Path,
    kind: str,
    board: int,
    play: Mapping[str, str],
    about: Mapping[str, Any],
    tables: Mapping[str, Table],
) -> None:
    """Write the result of a fit; `play` has the checksum of the file that came of it."""
    name = f"{kind}-{board}"
    question = next((one.question for one in read_experiments() if one.name == name), "")
    engine = {"version": "", "commit": about["commit"]}
    fields = {"experiment": name, "question": question, "engine": engine, "play": {"board": board, **play}}
    fields |= {"machine": machine(), "date": about["date"], "command": command_line(), "about": about}
    write_result(path, {**fields, "rows": [], "tables": tables})


def _table(
    what: str, groups: list[Group], kind: np.ndarray, odds: dict[str, np.ndarray], won: np.ndarray
) -> Table:
    """Return a row for each group, with the log-loss and accuracy of each evaluator."""
    lines = []
    for group in [*groups, Group("all", np.ones(len(won), dtype=bool))]:
        chosen = group.chosen & kind
        if chosen.any():
            cells = [scores(line[chosen], won[chosen]) for line in odds.values()]
            figures = [f"{cell.log_loss:.4f}, {100 * cell.accuracy:.1f} %" for cell in cells]
            lines.append([group.name, str(int(chosen.sum())), *figures])
    return {"heads": [what, "rows", *odds], "rows": lines}
