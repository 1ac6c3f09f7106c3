"""The engine's parameters, as `quiver params --format json` lists them; nothing is listed here."""

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tuning.errors import InputError, reading
from tuning.files import replace

REACH = 10
"""Steps to either side of the start that a tuner searches, if the user names no range."""


@dataclass(frozen=True)
class Parameter:
    """A number that shapes the search."""

    name: str
    whole: bool
    default: float
    """The engine's default on the board, or the value of a setting."""
    low: float
    high: float
    step: float

    def clipped(self, value: float) -> float:
        return min(max(value, self.low), self.high)

    def text(self, value: float) -> str:
        """Return the value as the engine is told it."""
        return str(round(value)) if self.whole else f"{value:.6g}"

    def at_bound(self, value: float, widest: "Parameter") -> str:
        """Return a remark on a value at a bound of this range: the best value may lie beyond."""
        limit, wider = "as far as the engine lets it go", "a wider --param range may do better"
        for end, last in ((self.low, widest.low), (self.high, widest.high)):
            if abs(value - end) <= 0.01 * (self.high - self.low):
                return f"at its bound of {end:g}, {limit if end == last else wider}"
        return ""


Parameters = Mapping[str, Parameter]


def read_parameters(text: str) -> dict[str, Parameter]:
    table = {}
    with reading("quiver params --format json", "a list of parameters"):
        for one in json.loads(text):
            numbers = (float(one[key]) for key in ("value", "min", "max", "step"))
            table[one["name"]] = Parameter(str(one["name"]), one["type"] == "int", *numbers)
    return table


def write_toml(path: Path, table: Parameters, values: Mapping[str, float], facts: Iterable[str]) -> None:
    """Write values as a file that `--params` reads, under facts about them."""
    lines = [f"# {fact}" for fact in facts]
    lines += [f"{name} = {table[name].text(value)}" for name, value in values.items()]
    replace(path, ("\n".join(lines) + "\n").encode())


def read_knobs(table: Parameters, texts: Sequence[str]) -> list[Parameter]:
    """Read `NAME` or `NAME=LOW:HIGH` for each: the parameters that a tuner varies, within the bounds of its search.

    Their defaults are the values that the search starts from.
    """
    knobs: dict[str, Parameter] = {}
    for text in texts:
        name, equals, ends = text.partition("=")
        if name not in table:
            raise InputError(f"no parameter is called '{name}', expected one of {', '.join(table)}")
        parameter = table[name]
        start, reach = parameter.default, REACH * parameter.step
        low, high = parameter.clipped(start - reach), parameter.clipped(start + reach)
        if equals:
            with reading(f"--param {text}", "NAME or NAME=LOW:HIGH in numbers"):
                low, high = map(float, ends.split(":"))
        if not parameter.low <= low <= start <= high <= parameter.high or low == high:
            raise InputError(
                f"--param {text}: {low:g} to {high:g}, expected a range around {start:g}, where it starts, "
                f"within {parameter.low:g} to {parameter.high:g}"
            )
        if parameter.whole and (low % 1 or high % 1):
            raise InputError(f"--param {text}: {low:g} to {high:g}, expected whole numbers")
        if name in knobs:
            raise InputError(f"--param {text}: {name} again, expected each parameter once")
        knobs[name] = dataclasses.replace(parameter, low=low, high=high)
    if not knobs:
        raise InputError("no parameter to tune: expected --param NAME; 'quiver params' lists them")
    return list(knobs.values())
