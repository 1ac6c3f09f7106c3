"""The result of a tuner, and the settings file that it writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tuning.commands.options import provenance, result_path
from tuning.matches.batch import Terms
from tuning.matches.parameters import write_toml
from tuning.matches.progress import say
from tuning.matches.state import State
from tuning.results import write_result
from tuning.tuners.knobs import Knob


@dataclass(frozen=True)
class Found:
    """The finding of a tuner."""

    lines: Sequence[str]
    """The way to it, in sentences."""
    knobs: Sequence[Knob]
    values: Mapping[str, float]
    course: Sequence[Sequence[float]]
    """Games, and the value of each parameter after them."""


def report(found: Found, confirmation: dict[str, Any] | None, state: State, terms: Terms) -> None:
    """Write `result.json` and `tuned.toml` into the state folder, and say what came out."""
    said = confirmation["said"] if confirmation else "not yet confirmed by a match: no result to be adopted"
    rows = []
    for knob in found.knobs:
        value = found.values[knob.name]
        note = knob.at_bound(value)
        if note:
            say(f"{knob.name} = {value:g} is {note}")
        bounds = {"start": knob.start, "low": knob.low, "high": knob.high}
        rows.append({"row": knob.name, **bounds, "tuned": value, "note": note})
        print(f"{knob.name:>30}  {knob.parameter.text(knob.start)} -> {knob.parameter.text(value)}")
    tables = {
        "course": {"heads": ["games", *(knob.name for knob in found.knobs)], "rows": list(found.course)}
    }
    fields = {"how": list(found.lines), "confirmation": confirmation, "rows": rows, "tables": tables}
    path, tuned = result_path(state), state.folder / "tuned.toml"
    write_result(path, {**provenance(state), **fields})
    about = state.about
    notes = [*found.lines, f"engine {about['version']}, signature {about['signature']}", said]
    # Both sides were set to these; the file is whole with them.
    listed = state.engine.parameters(terms.board)
    write_toml(tuned, listed, {**dict(terms.common), **found.values}, notes)
    say(f"{said}; result in {path}, parameters in {tuned}")
