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
    low: float
    high: float
    step: float

    def checked(self, value: float) -> float:
        """Return the value, if it is one that this parameter can have."""
        if not self.low <= value <= self.high:
            raise InputError(f"{self.name} = {value:g}: expected a value from {self.low:g} to {self.high:g}")
        if self.whole and value != round(value):
            raise InputError(f"{self.name} = {value:g}: expected a whole number")
        return value

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
            numbers = (float(one[key]) for key in ("default", "min", "max", "step"))
            table[one["name"]] = Parameter(str(one["name"]), one["type"] == "int", *numbers)
    return table


def _find(table: Parameters, name: str) -> Parameter:
    if name not in table:
        raise InputError(f"no parameter is called '{name}', expected one of {', '.join(table)}")
    return table[name]


def read_setting(table: Parameters, text: str) -> tuple[str, float]:
    """Read `NAME=VALUE`."""
    name, _, value = text.partition("=")
    parameter = _find(table, name.strip())
    try:
        return parameter.name, parameter.checked(float(value))
    except ValueError:
        raise InputError(f"'{text}': expected {parameter.name}=VALUE, a number") from None


def write_toml(path: Path, table: Parameters, values: Mapping[str, float], facts: Iterable[str]) -> None:
    """Write values as a file that `--params` reads, under facts about them."""
    lines = [f"# {fact}" for fact in facts]
    lines += [f"{name} = {table[name].text(value)}" for name, value in values.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, ("\n".join(lines) + "\n").encode())


def read_knobs(
    table: Parameters, texts: Sequence[str], common: Iterable[tuple[str, float]]
) -> list[Parameter]:
    """Read `NAME` or `NAME=LOW:HIGH` for each: the parameters that a tuner varies, within the bounds of its search.

    Their defaults are the values that the search starts from: the engine's, or those that both sides are set to.
    """
    settings = dict(common)
    knobs: dict[str, Parameter] = {}
    for text in texts:
        name, equals, ends = text.partition("=")
        parameter = _find(table, name.strip())
        start = settings.get(parameter.name, parameter.default)
        low, high = (parameter.clipped(start + sign * REACH * parameter.step) for sign in (-1, 1))
        if equals:
            try:
                low, high = (parameter.checked(float(end)) for end in ends.split(":"))
            except ValueError:
                raise InputError(f"--param {text}: expected NAME or NAME=LOW:HIGH in numbers") from None
        if not low <= start <= high or low == high:
            raise InputError(
                f"--param {text}: {low:g} to {high:g}, expected a range around {start:g}, where it starts"
            )
        if parameter.name in knobs:
            raise InputError(f"--param {text}: {parameter.name} again, expected each parameter once")
        knobs[parameter.name] = dataclasses.replace(parameter, default=start, low=low, high=high)
    if not knobs:
        raise InputError("no parameter to tune: expected --param NAME; 'quiver params' lists them")
    return list(knobs.values())
