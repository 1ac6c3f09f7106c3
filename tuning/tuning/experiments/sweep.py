"""What a parameter does: each of its values, or each pair of values of two, against the defaults."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from tuning.errors import InputError
from tuning.matches.batch import Side
from tuning.matches.parameters import Parameter
from tuning.matches.series import Series, Stop


@dataclass(frozen=True)
class Sweep:
    """The series of a sweep, by the values that they try."""

    parameters: tuple[Parameter, ...]
    values: tuple[tuple[float, ...], ...]
    """Of each parameter."""
    cells: dict[tuple[float, ...], Series]


def draw_up(asked: Sequence[tuple[Parameter, list[float]]], limit: Side, stop: Stop, per_batch: int) -> Sweep:
    """Return the sweep over one parameter's values, or over all pairs of two parameters'."""
    names = [parameter.name for parameter, _ in asked]
    if not 1 <= len(asked) <= 2 or len(set(names)) < len(names):
        raise InputError(
            f"--param for {', '.join(names) or 'none'}: expected one parameter, or two different ones"
        )
    for parameter, values in asked:
        if len(set(values)) < len(values):
            raise InputError(f"--param {parameter.name}: a value twice, expected each once")
    cells = {}
    for cell in product(*[values for _, values in asked]):
        settings = tuple(zip(names, cell, strict=True))
        told = [
            f"{name}={parameter.text(v)}" for (parameter, _), (name, v) in zip(asked, settings, strict=True)
        ]
        cells[cell] = Series(",".join(told), replace(limit, settings=settings), limit, stop, per_batch)
    return Sweep(tuple(one for one, _ in asked), tuple(tuple(values) for _, values in asked), cells)
