"""Draws results of experiments: Elo along a chain of players, or for each value of a setting."""

import io
import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, takewhile
from typing import Any

from tuning.errors import InputError

MatchRow = Mapping[str, Any]
"""The row of a match in a result: its name `row`, players `a` and `b`, the Elo of `a` above `b`."""

AXES = {"playouts": "playouts a move", "time": "seconds a move"}

Point = tuple[float, float, float]
"""A point of a diagram: x, y, and half the length of its error bar, or 0 for no bar."""

PICTURE_FORMATS = ("svg", "pdf", "png")


@dataclass(frozen=True)
class Picture:
    """A diagram of lines through points with error bars."""

    title: str
    across: str
    up: str
    lines: Mapping[str, Sequence[Point]]
    names: Sequence[str] = ()
    """Labels of the horizontal axis at x = 0, 1, and so on. Empty if the axis shows numbers."""
    logarithmic: bool = False
    joined: bool = True

    def draw(self, form: str) -> bytes:
        import matplotlib
        from matplotlib.figure import Figure

        upright = max(map(len, self.names), default=0) if len(self.names) > 5 else 0
        figure = Figure(figsize=(5.6, 3 + 0.08 * upright), layout="constrained")
        axes = figure.subplots()
        for name, points in self.lines.items():
            # A match of only wins or only losses has no Elo and thus no point.
            xs, ys, errors = zip(*points, strict=True) if points else ((), (), ())
            axes.errorbar(xs, ys, yerr=errors, label=name, capsize=2, fmt=".-" if self.joined else ".")
        if self.logarithmic:
            axes.set_xscale("log", base=2)
        ticks = sorted({x for points in self.lines.values() for x, _, _ in points})
        if self.names:
            axes.set_xticks(range(len(self.names)), self.names, rotation=90 if upright else 0)
        elif len(ticks) <= 10:
            axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
        axes.minorticks_off()
        axes.axhline(0, color="#888", linewidth=0.8)
        axes.set(title=self.title, xlabel=self.across, ylabel=self.up)
        if len(self.lines) > 1:
            axes.legend()
        file = io.BytesIO()
        # Without these options, dates and random element names would differ between equal diagrams.
        date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
        with matplotlib.rc_context({"svg.hashsalt": "quiver", "svg.fonttype": "none"}):
            figure.savefig(file, format=form, dpi=200, metadata=date)
        return file.getvalue()


def picture_of(title: str, results: Mapping[str, Sequence[MatchRow]]) -> Picture:
    """Return the diagram of an experiment. `results` maps the name of each line to its matches.

    The matches form a chain if each player plays the previous player. In a chain, a player's Elo is
    the sum of the Elo differences up to its match. Without a chain, each match gives a point. If
    players differ in only one setting and its values are numbers, the horizontal axis shows this
    setting. Otherwise the axis shows the names of the matches.
    """
    every = [row for rows in results.values() for row in rows]
    if not every or not all(row.get("a") and row.get("b") for row in every):
        raise InputError(f"{title}: has results of commands, expected matches between two players")
    chain = all(row["a"] == after["b"] for rows in results.values() for row, after in pairwise(rows))
    groups = [_players(rows) for rows in results.values()] if chain else [_players([row]) for row in every]
    setting = _varied_setting(groups)
    if chain:
        lines = {name: _chain_points(rows, setting) for name, rows in results.items()}
    elif setting is None:
        lines = {name: _elo_points(enumerate(rows)) for name, rows in results.items()}
    else:
        lines = {
            name if len({row["b"] for row in rows}) == 1 else f"{name}, {b}": _sweep_points(rows, b, setting)
            for name, rows in results.items()
            for b in dict.fromkeys(row["b"] for row in rows)
        }
    names: list[str] = []
    if setting is None:
        longest = max(results.values(), key=len)
        names = [longest[0]["b"]] * chain + [row["row"].replace("`", "") for row in longest]
    xs = [x for points in lines.values() for x, _, _ in points]
    wide = bool(xs) and not names and min(xs) > 0 and max(xs) >= 8 * min(xs)
    up = "Elo above the first player" if chain else "Elo"
    across = AXES.get(setting or "", setting or "")
    return Picture(title, across, up, lines, names, wide, joined=chain or setting is not None)


def player_settings(player: str) -> dict[str, str]:
    """Parse a player such as "quiver time=1" into settings and limits.

    The key "" has the text before the settings, here "quiver".
    """
    words = {"": "quiver"}
    for word in shlex.split(player):
        settings = word
        if not re.match(r"\w+=", word) and (parts := re.fullmatch(r"(.*?)(?::(\w+=.*))?", word, re.DOTALL)):
            words[""], settings = parts[1], parts[2] or ""
        words |= {
            name: value for name, _, value in (text.partition("=") for text in settings.split(",")) if name
        }
    return words


def _players(chain: Sequence[MatchRow]) -> list[str]:
    return [chain[0]["b"], *(row["a"] for row in chain)]


def _varied_setting(groups: Sequence[Sequence[str]]) -> str | None:
    """Return the numeric setting that is the only difference between a group's players, or None."""
    varied = set()
    for players in groups:
        words = [player_settings(player) for player in players]
        names = {name for settings in words for name in settings}
        varied |= {name for name in names if len({settings.get(name) for settings in words}) > 1}
    setting = varied.pop() if len(varied) == 1 else ""
    # A player without this setting has the default value, which only the engine knows.
    values = [
        value for players in groups for player in players if (value := player_settings(player).get(setting))
    ]
    return setting if setting and all(re.fullmatch(r"-?[\d.]+(e-?\d+)?", value) for value in values) else None


def _elo_points(rows: Iterable[tuple[Any, MatchRow]]) -> list[Point]:
    known = ((x, row) for x, row in rows if x is not None and row["elo"] is not None)
    return [(float(x), row["elo"], row["elo_error"] or 0.0) for x, row in known]


def _chain_points(chain: Sequence[MatchRow], setting: str | None) -> list[Point]:
    """Return a point for each player of a chain, up to the first match with an infinite Elo."""
    values = [
        player_settings(player).get(setting) if setting else n for n, player in enumerate(_players(chain))
    ]
    played = [*takewhile(lambda row: row["elo"] is not None, chain)]
    elos = accumulate((row["elo"] for row in played), initial=0.0)
    errors = accumulate((row["elo_error"] or 0.0 for row in played), math.hypot, initial=0.0)
    sums = [{"elo": elo, "elo_error": error} for elo, error in zip(elos, errors, strict=True)]
    return _elo_points(zip(values, sums, strict=False))


def _sweep_points(rows: Sequence[MatchRow], b: str, setting: str) -> list[Point]:
    """Return points (value of `setting`, Elo) for player `b` with Elo 0, and for its opponents."""
    points = [(player_settings(row["a"]).get(setting), row) for row in rows if row["b"] == b]
    points.append((player_settings(b).get(setting), {"elo": 0.0, "elo_error": 0.0}))
    return sorted(_elo_points(points))
