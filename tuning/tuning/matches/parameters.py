"""The engine's parameters, as `quiver params --format json` lists them; nothing is listed here."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tuning.errors import InputError
from tuning.files import replace


@dataclass(frozen=True)
class Parameter:
    """A number that shapes the search."""

    name: str
    whole: bool
    default: float
    low: float
    high: float
    step: float
    about: str

    def checked(self, value: float) -> float:
        """Return the value, if it is one that this parameter can have."""
        if not self.low <= value <= self.high:
            raise InputError(f"{self.name} = {value:g}: expected a value from {self.low:g} to {self.high:g}")
        if self.whole and value != round(value):
            raise InputError(f"{self.name} = {value:g}: expected a whole number")
        return value

    def clipped(self, value: float) -> float:
        """Return the nearest value within the range."""
        return min(max(value, self.low), self.high)

    def text(self, value: float) -> str:
        """Return the value as the engine is told it."""
        return str(round(value)) if self.whole else f"{value:.6g}"


Parameters = Mapping[str, Parameter]


def read_parameters(text: str) -> dict[str, Parameter]:
    """Read the engine's listing."""
    try:
        listed = [
            Parameter(
                name=str(one["name"]),
                whole=one["type"] == "int",
                default=float(one["default"]),
                low=float(one["min"]),
                high=float(one["max"]),
                step=float(one["step"]),
                about=str(one["about"]),
            )
            for one in json.loads(text)
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"quiver params --format json: {error!r}, expected a list of parameters") from error
    return {one.name: one for one in listed}


def find(table: Parameters, name: str) -> Parameter:
    """Return the parameter of this name."""
    if name not in table:
        raise InputError(f"no parameter is called '{name}', expected one of {', '.join(table)}")
    return table[name]


def read_values(table: Parameters, text: str) -> tuple[Parameter, list[float]]:
    """Read `NAME=VALUE,VALUE,...`."""
    name, equals, values = text.partition("=")
    parameter = find(table, name.strip())
    try:
        numbers = [float(word) for word in values.split(",")]
    except ValueError:
        numbers = []
    if not equals or not numbers:
        raise InputError(f"'{text}': expected {parameter.name}=VALUE,VALUE,... in numbers")
    return parameter, [parameter.checked(number) for number in numbers]


def read_setting(table: Parameters, text: str) -> tuple[str, float]:
    """Read `NAME=VALUE`."""
    parameter, values = read_values(table, text)
    if len(values) != 1:
        raise InputError(f"'{text}': expected one value")
    return parameter.name, values[0]


def write_toml(path: Path, table: Parameters, values: Mapping[str, float], facts: Iterable[str]) -> None:
    """Write values as a file that `--params` reads, under facts about them."""
    lines = [f"# {fact}" for fact in facts]
    lines += [f"{name} = {table[name].text(value)}" for name, value in values.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, ("\n".join(lines) + "\n").encode())
