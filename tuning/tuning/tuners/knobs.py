"""Parameters as a tuner sees them: what is varied, from where to where, and how far at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

from tuning.errors import InputError
from tuning.matches.parameters import Parameter, Parameters, find

REACH = 10
"""Steps to either side of the start, if the user names no range."""


@dataclass(frozen=True)
class Knob:
    """A parameter that is varied."""

    parameter: Parameter
    start: float
    low: float
    high: float

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self.parameter.name

    def clipped(self, value: float) -> float:
        """Return the nearest value between the ends."""
        return min(max(value, self.low), self.high)

    def at_bound(self, value: float) -> str:
        """Return a remark on a value at an end of its range: the best value may lie beyond."""
        hair = 0.01 * (self.high - self.low)
        for end, last in ((self.low, self.parameter.low), (self.high, self.parameter.high)):
            if abs(value - end) <= hair:
                far = (
                    "as far as the engine lets it go"
                    if end == last
                    else "a wider --param range may do better"
                )
                return f"at its bound of {end:g}, {far}"
        return ""


def read_knobs(table: Parameters, texts: Sequence[str], common: Sequence[tuple[str, float]]) -> list[Knob]:
    """Read `NAME` or `NAME=LOW:HIGH` for each; they start from the defaults, or from what both sides are set to."""
    settings = dict(common)
    knobs: dict[str, Knob] = {}
    for text in texts:
        name, equals, ends = text.partition("=")
        parameter = find(table, name.strip())
        start = settings.get(parameter.name, parameter.default)
        reach = REACH * parameter.step
        low, high = parameter.clipped(start - reach), parameter.clipped(start + reach)
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
        knobs[parameter.name] = Knob(parameter, start, low, high)
    if not knobs:
        raise InputError(
            "no parameter to tune: expected --param NAME, once or more; 'quiver params' lists them"
        )
    return list(knobs.values())


def described(knobs: Sequence[Knob]) -> dict[str, list[float]]:
    """Return start and ends of all, as they are kept on disk."""
    return {knob.name: [knob.start, knob.low, knob.high] for knob in knobs}
