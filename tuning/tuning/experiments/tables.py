"""Reports of experiments, as Markdown."""

import math
from pathlib import Path
from typing import Any

from tuning.data import Table, Value, write_report
from tuning.experiments.charts import draw_curve, draw_sweep
from tuning.experiments.curve import UNITS, Curve
from tuning.experiments.sweep import Sweep
from tuning.matches.batch import Terms
from tuning.matches.record import Outcome
from tuning.matches.state import State


def facts(state: State, terms: Terms, place: str) -> list[str]:
    """Return the provenance of an experiment, from which it can be repeated."""
    about, first, last = state.about, state.about["runs"][0], state.about["runs"][-1]
    lines = [
        f"Engine: {about['version']}, signature `{about['signature']}`",
        f"Games: {terms.board}x{terms.board}, {terms.random_plies} random plies and then both colours, "
        f"seed {terms.seed}",
    ]
    if terms.common:
        common = [f"`{name}={value:g}`" for name, value in terms.common]
        lines.append(f"Both sides: {', '.join(common)}")
    lines += [
        f"Commit: {first['commit']}, {last['date']}",
        f"Machine: {last['machine']}; games played on {place}",
        f"Command: `{last['command']}`",
    ]
    return [f"- {line}" for line in lines]


def provenance(state: State, terms: Terms, place: str) -> dict[str, Any]:
    """Return the same for programs."""
    about, first, last = state.about, state.about["runs"][0], state.about["runs"][-1]
    fields = {name: about[name] for name in ("kind", "board", "version", "signature", "seed")}
    fields |= {"commit": first["commit"], "date": last["date"], "machine": last["machine"], "place": place}
    return {**fields, "random_plies": terms.random_plies, "command": last["command"]}


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
    rows, records, timed = [], [], curve.over != "playouts"
    for before, point, step in zip(curve.values, curve.points()[1:], curve.steps, strict=False):
        total = "" if math.isnan(point.elo) else f"{point.elo:.0f} +-{point.error:.0f}"
        rows.append([*_cells(point.value, step.counted, timed), total])
        compared = {curve.over: point.value, "against": before}
        sums = {"elo_above_first": point.elo, "elo_above_first_error": point.error}
        records.append({**compared, **figures(step.counted), **sums})
    heads = [unit, "games", "score", "Elo", "plies", "faults"]
    if timed:
        heads.append("playouts a second")
    tables = [Table("steps", [*heads, "above the first"], rows, records)]
    lines += [*tables[0].markdown(), ""]
    if curve.against_fixed:
        outcomes = curve.outcomes_against_fixed()
        rows = [_cells(value, outcome, timed) for value, outcome in outcomes]
        records = [
            {curve.over: value, "against": curve.fixed, **figures(outcome)} for value, outcome in outcomes
        ]
        tables.append(Table("against-fixed", heads, rows, records))
        lines += [f"## Each value against {curve.fixed:g} {unit}", "", *tables[1].markdown(), ""]
    folder.mkdir(parents=True, exist_ok=True)
    draw_curve(folder / "curve.svg", curve, f"{title}, {terms.board}x{terms.board}")
    return write_report(folder, lines, provenance(state, terms, place), tables)


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


def figures(outcome: Outcome) -> dict[str, Value]:
    """Return the figures of a series for programs."""
    standing = outcome.standing
    lost, split, won = standing.pairs
    low, high = standing.interval
    return {
        "games": standing.games,
        "wins": standing.wins,
        "pairs_lost": lost,
        "pairs_split": split,
        "pairs_won": won,
        "score": standing.score if standing.games else None,
        "elo": standing.elo if standing.games else None,
        "elo_error": standing.error,
        "elo_low": low,
        "elo_high": high,
        "plies": outcome.plies,
        "faults": outcome.faults,
        "playouts_made": outcome.playouts[0],
        "seconds_used": outcome.seconds[0],
    }


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
    rows, records = [], []
    for cell, series in sweep.cells.items():
        texts = [parameter.text(value) for parameter, value in zip(sweep.parameters, cell, strict=True)]
        rows.append([*texts, *_figures(series.counted, series.a.playouts is None)])
        records.append({**dict(zip(names, cell, strict=True)), **figures(series.counted)})
    heads = [*names, "games", "score", "Elo", "plies", "faults"]
    if sweep.cells and next(iter(sweep.cells.values())).a.playouts is None:
        heads.append("playouts a second")
    folder.mkdir(parents=True, exist_ok=True)
    draw_sweep(folder / "sweep.svg", sweep, title)
    table = Table("values", heads, rows, records)
    return write_report(folder, [*lines, *table.markdown()], provenance(state, terms, place), [table])
