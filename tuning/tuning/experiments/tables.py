"""Reports of experiments, as Markdown."""

import math
from collections.abc import Sequence
from pathlib import Path

from tuning.errors import InputError
from tuning.experiments.charts import draw_curve
from tuning.experiments.curve import UNITS, Curve
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
    """Return the figures of a series as cells."""
    standing = outcome.standing
    games = standing.games
    if not games:
        return [f"{value:g}", "0", *[""] * (5 if timed else 4)]
    cells = [f"{value:g}", str(games), f"{100 * standing.score:.1f} %", str(standing)]
    cells += [f"{outcome.plies / games:.1f}", str(outcome.faults)]
    if timed:
        cells.append(f"{outcome.playouts[0] / max(outcome.seconds[0], 1e-9):,.0f}")
    return cells
