"""Reads the engine's search parameters from the output of `quiver params --format json`."""

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tuning.errors import InputError, reading
from tuning.files import replace

DEFAULT_RANGE_STEPS = 10
"""A parameter's default range for tuning: up to this many steps above and below its start value."""


@dataclass(frozen=True)
class Parameter:
    """A numeric parameter of the engine's search. A tuner may narrow its range, `low` to `high`."""

    name: str
    whole: bool
    default: float
    """The parameter's value: the engine's default on the board, or what the user has set."""
    low: float
    high: float
    step: float

    def clipped(self, value: float) -> float:
        return min(max(value, self.low), self.high)

    def text(self, value: float) -> str:
        return str(round(value)) if self.whole else f"{value:.6g}"

    def bound_remark(self, value: float, widest: "Parameter") -> str:
        """Return a warning if the tuned `value` is at a bound of its range, or else ""."""
        limit, wider = "as far as the engine lets it go", "a wider --param range may do better"
        for end, last in ((self.low, widest.low), (self.high, widest.high)):
            if abs(value - end) <= 0.01 * (self.high - self.low):
                return f"at its bound of {end:g}, {limit if end == last else wider}"
        return ""


Parameters = Mapping[str, Parameter]


def read_parameters(text: str, engine: Path = Path("quiver")) -> dict[str, Parameter]:
    table = {}
    with reading(f"{engine} params --format json", "a list of parameters"):
        for fields in json.loads(text):
            numbers = (float(fields[key]) for key in ("value", "min", "max", "step"))
            table[fields["name"]] = Parameter(str(fields["name"]), fields["type"] == "int", *numbers)
    return table


def write_toml(path: Path, values: Mapping[str, float], facts: Iterable[str]) -> None:
    lines = [f"# {fact}" for fact in facts]
    lines += [f"{name} = {value:.15g}" for name, value in values.items()]
    replace(path, ("\n".join(lines) + "\n").encode())


def select_parameters(table: Parameters, texts: Sequence[str]) -> list[Parameter]:
    """Parse the texts `NAME[=LOW:HIGH]` of --param; return these parameters with their ranges."""
    selected: dict[str, Parameter] = {}
    for text in texts:
        name, equals, ends = text.partition("=")
        if name not in table:
            raise InputError(f"no parameter is called '{name}', expected one of {', '.join(table)}")
        parameter = table[name]
        start, reach = parameter.default, DEFAULT_RANGE_STEPS * parameter.step
        low, high = parameter.clipped(start - reach), parameter.clipped(start + reach)
        if equals:
            with reading(f"--param {text}", "NAME or NAME=LOW:HIGH in numbers"):
                low, high = map(float, ends.split(":"))
        if not parameter.low <= low <= start <= high <= parameter.high or low == high:
            raise InputError(
                f"--param {text}: {low:g} to {high:g}, expected a range within {parameter.low:g} to "
                f"{parameter.high:g} that contains the start value {start:g}"
            )
        if parameter.whole and (low % 1 or high % 1):
            raise InputError(f"--param {text}: {low:g} to {high:g}, expected whole numbers")
        if name in selected:
            raise InputError(f"--param {text}: a second range for {name}, expected each parameter once")
        selected[name] = dataclasses.replace(parameter, low=low, high=high)
    if not selected:
        raise InputError("no parameter to tune: expected --param NAME; 'quiver params' lists the names")
    return list(selected.values())
