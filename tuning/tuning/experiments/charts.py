"""Pictures of experiments, as SVG: the same bytes for the same figures."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tuning.experiments.curve import UNITS, Curve
from tuning.experiments.kloetzer import DOUBLINGS
from tuning.experiments.sweep import Sweep


def draw_curve(path: Path, curve: Curve, title: str) -> None:
    """Draw a curve: on the left the Elo of each value, on the right the Elo of each doubling."""
    figure, (left, right) = _figure(2)
    for axes in (left, right):
        axes.set_xscale("log", base=2)
    _bars(left, "adding up the steps", [(point.value, point.elo, point.error) for point in curve.points()])
    if curve.against_fixed:
        fixed = [(value, outcome.standing) for value, outcome in curve.outcomes_against_fixed()]
        label = f"against {curve.fixed:g} {UNITS[curve.over]}"
        _bars(left, label, [(value, one.elo, one.error) for value, one in fixed])
    left.set(ylabel="Elo", title="strength")
    left.set_xticks(curve.values)
    doublings = []
    for low, high, step in zip(curve.values, curve.values[1:], curve.steps, strict=False):
        standing, width = step.counted.standing, math.log2(high / low)
        doublings.append((math.sqrt(low * high), standing.elo / width, standing.error / width))
    _bars(right, "this engine", doublings)
    if curve.over == "playouts":
        for published, colour in zip(DOUBLINGS, ("tab:orange", "tab:green"), strict=True):
            reach = (published.begin, published.end)
            right.fill_between(
                reach, published.low, published.high, alpha=0.3, color=colour, label=published.about
            )
    right.axhline(0, color="black", linewidth=0.5)
    right.set(ylabel="Elo for a doubling", title="what doubling is worth")
    for axes in (left, right):
        axes.set_xlabel(f"{'seconds' if curve.over == 'time' else curve.over} a move")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.tick_params(axis="x", rotation=45)
    _finish(path, figure, (left, right), title)


def _figure(count: int, width: float = 5) -> tuple[Figure, list[Axes]]:
    """Return a figure with `count` axes, up to four in a row."""
    plt.rcParams["svg.hashsalt"] = "quiver"
    columns = min(count, 4)
    rows = -(-count // columns)
    size = (width * columns + 1, 4.2 if rows == 1 else 3.2 * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for empty in axes.flat[count:]:
        empty.set_axis_off()
    return figure, list(axes.flat[:count])


def _bars(axes: Axes, label: str, points: list[tuple[float, float, float]]) -> None:
    """Draw x, y and the error of y, of the points that have figures."""
    known = [point for point in points if all(map(math.isfinite, point))]
    if known:
        x, y, errors = zip(*known, strict=True)
        axes.errorbar(x, y, yerr=errors, marker="o", markersize=4, capsize=3, label=label)


def _finish(path: Path, figure: Figure, everything: Iterable[Axes], title: str) -> None:
    for axes in everything:
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize="small")
    figure.suptitle(title)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def draw_courses(
    path: Path,
    title: str,
    courses: Mapping[str, tuple[list[float], list[float]]],
    starts: Mapping[str, float],
    lined: bool,
) -> None:
    """Draw the values of parameters by games played: as lines, or as the points that were tried."""
    figure, axes = _figure(len(courses), 3.2)
    for one, (name, (games, values)) in zip(axes, courses.items(), strict=True):
        one.plot(games, values, linestyle="-" if lined else "", marker="" if lined else ".")
        one.axhline(starts[name], color="black", linewidth=0.7, linestyle=":")
        one.set(xlabel="games", title=name)
    _finish(path, figure, axes, title)


def draw_sweep(path: Path, sweep: Sweep, title: str) -> None:
    """Draw the Elo of values with error bars, or of pairs of values as a heat map."""
    figure, (axes,) = _figure(1, 6)
    standings = {cell: series.counted.standing for cell, series in sweep.cells.items()}
    axes.set(xlabel=sweep.parameters[0].name)
    if len(sweep.parameters) == 1:
        _bars(
            axes,
            "against the defaults",
            [(cell[0], one.elo, one.error) for cell, one in sorted(standings.items())],
        )
        axes.axhline(0, color="black", linewidth=0.5)
        axes.axvline(
            sweep.parameters[0].default, color="black", linewidth=0.7, linestyle=":", label="default"
        )
        axes.set(ylabel="Elo")
        _finish(path, figure, [axes], title)
        return
    across, down = (sorted(values) for values in sweep.values)
    elo = [[standings[x, y].elo if standings[x, y].games else math.nan for x in across] for y in down]
    finite = [abs(one) for row in elo for one in row if math.isfinite(one)]
    reach = max(finite, default=1.0) or 1.0
    picture = axes.imshow(elo, cmap="RdBu", vmin=-reach, vmax=reach, origin="lower", aspect="auto")
    for row, y in enumerate(down):
        for column, x in enumerate(across):
            if standings[x, y].games:
                axes.text(
                    column, row, str(standings[x, y]).replace(" ", "\n"), ha="center", va="center", fontsize=7
                )
    axes.set_xticks(range(len(across)), [f"{value:g}" for value in across])
    axes.set_yticks(range(len(down)), [f"{value:g}" for value in down])
    axes.set(ylabel=sweep.parameters[1].name)
    figure.colorbar(picture, label="Elo against the defaults")
    _finish(path, figure, [], title)
