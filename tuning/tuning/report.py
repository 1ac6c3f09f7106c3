"""The report of a fit: tables and a picture, over games held out of the fit."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tuning.data import Table, Value
from tuning.data import write_report as write
from tuning.model import Phase
from tuning.plot import plot
from tuning.rows import Rows
from tuning.scores import Group, Scores, by_empties, by_phase, scores


def write_report(
    folder: Path,
    title: str,
    facts: list[str],
    provenance: Mapping[str, Any],
    rows: Rows,
    index: np.ndarray,
    odds: dict[str, np.ndarray],
    phases: list[Phase],
) -> None:
    """Write `report.md`, its tables as data, and `by-empties.svg`.

    `odds` are the log-odds of each evaluator for the rows at `index`; those whose result does not count are left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    usable = rows.result_usable(index)
    index, odds = index[usable], {name: line[usable] for name, line in odds.items()}
    won = rows.fields["result"][index] == 1
    half = rows.half(index)
    empties = rows.fields["empties"][index]

    tables: list[Table] = []
    text = [f"# {title}", "", *[f"- {fact}" for fact in facts], ""]
    text += [
        "Log-loss (natural, chances clipped to [1e-6, 1 - 1e-6]) and accuracy against results, over the games that",
        "the fit has not seen.",
        "",
        "![Log-loss and accuracy of positions by empty squares](by-empties.svg)",
        "",
    ]
    for what, kind in (("Positions", ~half), ("Half plies", half)):
        if not kind.any():
            continue
        groups = by_empties(empties)
        name = f"{what.lower().replace(' ', '-')}-by-empties"
        tables.append(_table(name, "empty squares", groups, kind, odds, won))
        text += [f"## {what}, by empty squares", "", *tables[-1].markdown(), ""]
        if what == "Positions":
            _draw(folder / "by-empties.svg", title, groups, kind, odds, won)
    everything = np.ones(len(index), dtype=bool)
    for phase in phases:
        name = phase.column.name
        (place,) = rows.places([name])
        groups = by_phase(rows.matrix[index, place].astype(np.int64), phase.knots, phase.column.unit)
        tables.append(_table(f"both-by-{name}", name, groups, everything, odds, won))
        text += [f"## Both, by {name}", "", *tables[-1].markdown(), ""]
    write(folder, text, provenance, tables)


def measured(rows: Rows, index: np.ndarray, odds: np.ndarray) -> Scores:
    """Return the scores of an evaluator over those of the rows at `index` whose result counts."""
    usable = rows.result_usable(index)
    return scores(odds[usable], rows.fields["result"][index[usable]] == 1)


def _table(
    name: str,
    what: str,
    groups: list[Group],
    kind: np.ndarray,
    odds: dict[str, np.ndarray],
    won: np.ndarray,
) -> Table:
    """Return a table: a row a group, and for each evaluator its log-loss and accuracy."""
    rows: list[list[str]] = []
    records: list[dict[str, Value]] = []
    for group in [*groups, Group("all", np.ones(len(won), dtype=bool))]:
        chosen = group.chosen & kind
        if chosen.any():
            cells = {name: scores(line[chosen], won[chosen]) for name, line in odds.items()}
            figures = [f"{cell.log_loss:.4f}, {100 * cell.accuracy:.1f} %" for cell in cells.values()]
            rows.append([group.name, str(int(chosen.sum())), *figures])
            record: dict[str, Value] = {what: group.name, "rows": int(chosen.sum())}
            for evaluator, cell in cells.items():
                record |= {f"{evaluator} log-loss": cell.log_loss, f"{evaluator} accuracy": cell.accuracy}
            records.append(record)
    return Table(name, [what, "rows", *odds], rows, records)


def _draw(
    path: Path,
    title: str,
    groups: list[Group],
    kind: np.ndarray,
    odds: dict[str, np.ndarray],
    won: np.ndarray,
) -> None:
    """Draw the table."""
    groups = [group for group in groups if (group.chosen & kind).any()]
    lines = {
        name: [scores(line[group.chosen & kind], won[group.chosen & kind]) for group in groups]
        for name, line in odds.items()
    }
    plot(path, title, [group.name for group in groups], lines)
