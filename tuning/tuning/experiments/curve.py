"""What playouts, time or threads are worth: each value against the next, and against a fixed one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tuning.errors import InputError
from tuning.matches.batch import Side
from tuning.matches.record import Outcome
from tuning.matches.series import Series, Stop

UNITS = {"playouts": "playouts", "time": "s", "threads": "threads"}
"""What a curve can be over, and what its values are counted in."""


@dataclass(frozen=True)
class Point:
    """A value of a curve, with what is known of it."""

    value: float
    elo: float
    """Above the first value, adding up the steps; nan beyond a step that has no figure."""
    error: float
    """Half the width of its 95 % interval: the steps' errors are independent."""


@dataclass(frozen=True)
class Curve:
    """The series of a curve."""

    over: str
    values: tuple[float, ...]
    steps: list[Series]
    """The values from the second on, each against the one before."""
    against_fixed: list[tuple[float, Series]]
    """Values, each with its games against the fixed one; the larger of the two is the series' first side."""
    fixed: float | None

    @property
    def all_series(self) -> list[Series]:
        """All series, cheap ones first."""
        unique = {one.name: one for one in [*self.steps, *[one for _, one in self.against_fixed]]}
        return sorted(unique.values(), key=lambda one: one.cost)

    def outcomes_against_fixed(self) -> list[tuple[float, Outcome]]:
        """Return how values did against the fixed one."""
        return [
            (value, series.counted if value > (self.fixed or 0) else series.counted.turned())
            for value, series in self.against_fixed
        ]

    def points(self) -> list[Point]:
        """Return the points of the curve, as far as its steps have results."""
        points = [Point(self.values[0], 0.0, 0.0)]
        for value, step in zip(self.values[1:], self.steps, strict=True):
            standing = step.counted.standing
            last = points[-1]
            known = standing.games and math.isfinite(standing.elo)
            elo = last.elo + standing.elo if known else math.nan
            points.append(Point(value, elo, math.hypot(last.error, standing.error)))
        return points


def draw_up(
    over: str,
    values: Sequence[float],
    fixed: float | None,
    stop: Stop,
    per_batch: int,
    time: float | None,
    fewer: tuple[float, int] | None = None,
) -> Curve:
    """Return the curve over these values, ascending.

    `time` is the limit of a move where threads are compared. `fewer` are a value, and the games that are enough where
    it or a greater one plays.
    """
    if len(values) < 2 or any(low >= high for low, high in pairwise(values)) or values[0] <= 0:
        raise InputError(
            f"values {', '.join(f'{one:g}' for one in values)}: expected two or more, ascending, above 0"
        )

    def series(value: float, other: float) -> Series:
        sides = [_side(over, one, time) for one in (value, other)]
        name = f"{over}-{value:g}-{other:g}" + (f"-at-{time:g}" if time is not None else "")
        enough = stop if fewer is None or value < fewer[0] else replace(stop, least=fewer[1])
        return Series(name, sides[0], sides[1], enough, per_batch)

    steps = [series(value, before) for before, value in pairwise(values)]
    by_name = {step.name: step for step in steps}
    against_fixed = []
    for value in values:
        # Each series appears once; a value does not play against itself.
        if fixed is not None and value != fixed:
            wanted = series(max(value, fixed), min(value, fixed))
            against_fixed.append((value, by_name.get(wanted.name, wanted)))
    return Curve(over, tuple(values), steps, against_fixed, fixed)


def _side(over: str, value: float, time: float | None) -> Side:
    if over == "playouts":
        return Side(playouts=round(value))
    if over == "time":
        return Side(time=value)
    return Side(time=time, threads=round(value))


def read_fewer(text: str) -> tuple[float, int]:
    """Read `VALUE=GAMES`."""
    value, _, games = text.partition("=")
    try:
        fewer = (float(value), int(games))
    except ValueError:
        fewer = (math.nan, 0)
    if not (fewer[0] > 0 and fewer[1] >= 2):
        raise InputError(f"'{text}': expected VALUE=GAMES, a value above 0 and two games or more")
    return fewer


def read_values(text: str, whole: bool) -> tuple[float, ...]:
    """Read `A..B`, doubling from A as far as B, or `A,B,C`."""
    try:
        if ".." in text:
            first, last = (float(word) for word in text.split(".."))
            count = math.floor(math.log2(last / first) + 1e-9) + 1
            values = tuple(first * 2**step for step in range(count))
        else:
            values = tuple(float(word) for word in text.split(","))
        if not all(math.isfinite(value) and value > 0 for value in values) or not values:
            raise ValueError
        if whole and any(value != round(value) for value in values):
            raise ValueError
    except (ValueError, ZeroDivisionError, OverflowError):
        kind = "whole numbers" if whole else "numbers"
        raise InputError(f"'{text}': expected {kind} above 0, as FIRST..LAST (doubling) or A,B,C") from None
    return values
