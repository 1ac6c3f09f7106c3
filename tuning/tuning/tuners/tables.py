"""The reports of a tuner, and the settings file that it writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tuning.data import Table, write_report
from tuning.experiments.charts import draw_courses
from tuning.experiments.tables import facts, figures, provenance
from tuning.matches.batch import Terms
from tuning.matches.parameters import write_toml
from tuning.matches.progress import say
from tuning.matches.state import State
from tuning.tuners.confirm import Confirmation
from tuning.tuners.knobs import Knob

Courses = Mapping[str, tuple[list[float], list[float]]]
"""For each parameter, games and values."""


@dataclass(frozen=True)
class Found:
    """What a tuner has found."""

    title: str
    lines: Sequence[str]
    """How it was found."""
    knobs: Sequence[Knob]
    values: Mapping[str, float]
    courses: Courses
    lined: bool
    """Whether courses are lines, rather than points that were tried."""


def report(
    folder: Path, found: Found, confirmation: Confirmation | None, state: State, terms: Terms, place: str
) -> None:
    """Write `report.md`, `courses.svg` and `tuned.toml`, and say what came out."""
    said = str(confirmation) if confirmation else "not yet confirmed by a match: no result to be adopted"
    rows, records = [], []
    for knob in found.knobs:
        value = found.values[knob.name]
        note = knob.at_bound(value)
        if note:
            say(f"{knob.name} = {value:g} is {note}")
        text = knob.parameter.text
        ends = f"{text(knob.low)} to {text(knob.high)}"
        rows.append([f"`{knob.name}`", text(knob.start), ends, text(value), note])
        bounds = {"low": knob.low, "high": knob.high}
        records.append({"parameter": knob.name, "start": knob.start, **bounds, "tuned": value, "note": note})
    text = [f"# {found.title}", "", *facts(state, terms, place), *[f"- {line}" for line in found.lines], ""]
    text += [f"**Confirming match:** {said}.", "", "![Values by games](courses.svg)", ""]
    parameters = Table("parameters", ["parameter", "start", "range", "tuned", ""], rows, records)
    text += parameters.markdown()
    folder.mkdir(parents=True, exist_ok=True)
    starts = {knob.name: knob.start for knob in found.knobs}
    draw_courses(folder / "courses.svg", found.title, found.courses, starts, found.lined)
    about = state.about
    notes = [found.title, *found.lines, f"engine {about['version']}, signature {about['signature']}", said]
    # Both sides were set to these; the file is whole with them.
    listed = state.engine.parameters(terms.board)
    write_toml(folder / "tuned.toml", listed, {**dict(terms.common), **found.values}, notes)
    # One table for each parameter's course: a tuner moves them at the same games.
    games = next(iter(found.courses.values()))[0]
    values = [values for _, values in found.courses.values()]
    course = [
        {"games": at, **dict(zip(found.courses, row, strict=True))}
        for at, row in zip(games, zip(*values, strict=True), strict=True)
    ]
    tables = [parameters, Table("courses", [], [], course)]
    if confirmation:
        tables.append(Table("confirmation", [], [], [figures(confirmation.outcome)]))
    state.summarise(confirmation.summary() if confirmation else {"state": "tuned, not confirmed"})
    path = write_report(folder, text, provenance(state, terms, place), tables)
    say(f"{said}; report in {path}, parameters in {folder / 'tuned.toml'}")
