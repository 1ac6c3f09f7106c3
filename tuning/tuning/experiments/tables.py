"""Reports of experiments, as Markdown."""

import math
from collections.abc import Sequence
from pathlib import Path

from tuning.errors import InputError
from tuning.experiments.charts import draw_curve, draw_sweep
from tuning.experiments.curve import UNITS, Curve
from tuning.experiments.sweep import Sweep
from tuning.matches.batch import Terms
from tuning.matches.record import Outcome
from tuning.matches.state import State


def facts(state: State, terms: Terms, place: str) -> list[str]:
    """Return how an experiment was made, so that it can be made again."""
    about, last = state.about, state.about["runs"][-1]
    lines = [
        f"Engine: {about['version']}, signature `{about['signature']}` on {terms.board}x{terms.board}",
        f"Games: {terms.board}x{terms.board}, {terms.random_plies} random plies and then both colours, "
        f"seed {terms.seed}",
    ]
    if terms.common:
        common = [f"`{name}={value:g}`" for name, value in terms.common]
        lines.append(f"Both sides: {', '.join(common)}")
    lines += [
        f"Commit: {last['commit']}, {last['date']}",
        f"Machine: {last['machine']}; games played on {place}",
        f"Command: `{last['command']}`",
    ]
    return [f"- {line}" for line in lines]


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table as lines."""
    return [
        f"| {' | '.join(heads)} |",
        "|" + "---|" * len(heads),
        *[f"| {' | '.join(row)} |" for row in rows],
    ]


def write(folder: Path, lines: Sequence[str]) -> Path:
    """Write a report."""
    path = folder / "report.md"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}, expected a folder that can be written to") from error
    return path


def report_curve(folder: Path, curve: Curve, state: State, terms: Terms, place: str) -> Path:
    """Write a curve's report, of what has been played so far."""
    unit = UNITS[curve.over]
    title = f"What {curve.over} are worth" if curve.over != "time" else "What time is worth"
    lines = [f"# {title}, {terms.board}x{terms.board}", "", *facts(state, terms, place), ""]
    lines += [
        "Errors are halves of 95 % intervals, by the variance of pairs. The curve adds up the steps.",
        "",
        "![Elo by the logarithm of the value, and Elo of each doubling](curve.svg)",
        "",
        "## Each value against the one before",
        "",
    ]
    rows, timed = [], curve.over != "playouts"
    for point, step in zip(curve.points()[1:], curve.steps, strict=True):
        total = "" if math.isnan(point.elo) else f"{point.elo:.0f} +-{point.error:.0f}"
        rows.append([*_cells(point.value, step.counted, timed), total])
    heads = [unit, "games", "score", "Elo", "plies", "faults"]
    if timed:
        heads.append("playouts a second")
    lines += [*table([*heads, "above the first"], rows), ""]
    if curve.against_fixed:
        rows = [_cells(value, outcome, timed) for value, outcome in curve.outcomes_against_fixed()]
        lines += [f"## Each value against {curve.fixed:g} {unit}", "", *table(heads, rows), ""]
    folder.mkdir(parents=True, exist_ok=True)
    draw_curve(folder / "curve.svg", curve, f"{title}, {terms.board}x{terms.board}")
    return write(folder, lines)


def _cells(value: float, outcome: Outcome, timed: bool) -> list[str]:
    """Return a value and its figures as cells."""
    return [f"{value:g}", *_figures(outcome, timed)]


def _figures(outcome: Outcome, timed: bool) -> list[str]:
    """Return the figures of a series as cells."""
    standing = outcome.standing
    games = standing.games
    if not games:
        return ["0", *[""] * (5 if timed else 4)]
    cells = [str(games), f"{100 * standing.score:.1f} %", str(standing)]
    cells += [f"{outcome.plies / games:.1f}", str(outcome.faults)]
    if timed:
        cells.append(f"{outcome.playouts[0] / max(outcome.seconds[0], 1e-9):,.0f}")
    return cells


def report_sweep(folder: Path, sweep: Sweep, limit: str, state: State, terms: Terms, place: str) -> Path:
    """Write a sweep's report, of what has been played so far."""
    names = [parameter.name for parameter in sweep.parameters]
    title = f"{' and '.join(names)}, {terms.board}x{terms.board}"
    lines = [f"# {title}", "", *facts(state, terms, place), ""]
    for parameter in sweep.parameters:
        lines.append(f"`{parameter.name}` (default {parameter.default:g}): {parameter.about}")
    lines += [
        "",
        f"Each against the defaults at {limit}. Errors are halves of 95 % intervals, by the variance of pairs.",
        "The best of many is so in part by luck: let a match of its own confirm it.",
        "",
        "![Elo by value](sweep.svg)",
        "",
    ]
    rows = []
    for cell, series in sweep.cells.items():
        texts = [parameter.text(value) for parameter, value in zip(sweep.parameters, cell, strict=True)]
        rows.append([*texts, *_figures(series.counted, series.a.playouts is None)])
    heads = [*names, "games", "score", "Elo", "plies", "faults"]
    if sweep.cells and next(iter(sweep.cells.values())).a.playouts is None:
        heads.append("playouts a second")
    folder.mkdir(parents=True, exist_ok=True)
    draw_sweep(folder / "sweep.svg", sweep, title)
    return write(folder, [*lines, *table(heads, rows)])
