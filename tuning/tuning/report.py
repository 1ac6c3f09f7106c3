"""What a fit is worth, for people: tables and a picture, over games that it has not seen."""

from pathlib import Path

import numpy as np

from tuning.model import Phase
from tuning.plot import plot
from tuning.rows import Rows
from tuning.scores import Group, Scores, by_empties, by_phase, scores


def write_report(
    folder: Path,
    title: str,
    facts: list[str],
    rows: Rows,
    index: np.ndarray,
    odds: dict[str, np.ndarray],
    phases: list[Phase],
) -> Scores:
    """Write `report.md` and `by-empties.svg` and return the scores of the first evaluator over all these rows.

    `odds` are the log-odds of each evaluator for the rows at `index`; those whose result does not count are left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    usable = rows.result_usable(index)
    index, odds = index[usable], {name: line[usable] for name, line in odds.items()}
    won = rows.fields["result"][index] == 1
    half = rows.half(index)
    empties = rows.fields["empties"][index]

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
        text += [f"## {what}, by empty squares", "", *_table("empty squares", groups, kind, odds, won), ""]
        if what == "Positions":
            _draw(folder / "by-empties.svg", title, groups, kind, odds, won)
    everything = np.ones(len(index), dtype=bool)
    for phase in phases:
        name = phase.column.name
        (place,) = rows.places([name])
        groups = by_phase(rows.matrix[index, place].astype(np.int64), phase.knots, phase.column.unit)
        text += [f"## Both, by {name}", "", *_table(name, groups, everything, odds, won), ""]
    (folder / "report.md").write_text("\n".join(text).rstrip() + "\n", encoding="utf-8")
    return scores(next(iter(odds.values())), won)


def _table(
    what: str, groups: list[Group], kind: np.ndarray, odds: dict[str, np.ndarray], won: np.ndarray
) -> list[str]:
    """Return a table: a row a group, and for each evaluator its log-loss and accuracy."""
    lines = [f"| {what} | rows | " + " | ".join(odds) + " |", "|---|" + "---|" * (len(odds) + 1)]
    for group in [*groups, Group("all", np.ones(len(won), dtype=bool))]:
        chosen = group.chosen & kind
        if chosen.any():
            cells = [scores(line[chosen], won[chosen]) for line in odds.values()]
            figures = [f"{cell.log_loss:.4f}, {100 * cell.accuracy:.1f} %" for cell in cells]
            lines.append(f"| {group.name} | {int(chosen.sum())} | " + " | ".join(figures) + " |")
    return lines


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
