"""Runs an experiment: its matches by series of batches, its commands one after the other."""

import hashlib
import json
import os
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tuning.errors import InputError
from tuning.experiments import Experiment, Row
from tuning.matches.batch import ENGINE, Side, Terms
from tuning.matches.build import version
from tuning.matches.engine import Engine, complaint
from tuning.matches.executor import Executor
from tuning.matches.parameters import Parameters, read_setting
from tuning.matches.progress import Progress
from tuning.matches.record import Outcome
from tuning.matches.series import Series, Stop, play
from tuning.matches.state import State
from tuning.provenance import ROOT, STATES, machine, now

IDLE = 0.25
"""Cores that other processes may keep busy while something is timed."""


@dataclass(frozen=True)
class Place:
    """The place where experiments run: an engine, an executor and a folder."""

    engine: Engine
    executor: Callable[[Engine, Path], Executor]
    """Returns what runs the jobs of an experiment, by its engine and the folder of its state."""
    states: Path = STATES

    def run(self, experiment: Experiment) -> dict[str, Any]:
        """Measure what is not on disk yet, and return the result."""
        load, begun = Load(), time.monotonic()
        folder = state_folder(self.states, experiment, self.engine)
        rows, digest, tables = (
            self._matches(experiment, folder) if experiment.is_match else self._commands(experiment, folder)
        )
        result = {
            "experiment": experiment.name,
            "question": experiment.question,
            "key": experiment.key,
            "definition": experiment.definition,
            "engine": self.engine.about,
            "play": self.engine.play(experiment.board),
            "machine": machine(),
            "busy_cores": round(load.others(), 2) if experiment.is_timed else None,
            "date": now(),
            "seconds": round(time.monotonic() - begun, 1),
            "command": f"tuning/python -m tuning measure --only {experiment.name}",
            "seed": experiment.seed,
            "rows": rows,
            "records": digest,
        }
        return result | ({"tables": tables} if tables else {})

    def _matches(
        self, experiment: Experiment, folder: Path
    ) -> tuple[list[dict[str, Any]], str, dict[str, Any]]:
        fields = {"kind": "measure", "board": experiment.board, "definition": experiment.definition}
        with closing(State(folder, self.engine, fields)) as state:
            everything = series_of(experiment, state.engine)
            with closing(self.executor(state.engine, folder)) as executor:
                play(everything, terms_of(experiment, state.engine), state, executor, Progress())
            rows = [
                {"row": row.name, "a": row.a, "b": row.b, **figures(one.counted)}
                for row, one in zip(experiment.rows, everything, strict=True)
            ]
            return rows, digest_of(folder / "games"), {}

    def _commands(
        self, experiment: Experiment, folder: Path
    ) -> tuple[list[dict[str, Any]], str | None, dict[str, Any]]:
        rows, tables, games = [], {}, folder / "games"
        for row in experiment.rows:
            known = version(row.engine, self.states / "engines") if row.engine else None
            engine = known.engine if known else self.engine
            output = self.states / "measure" / f"{experiment.name}.table"
            record = games / f"{row.name}.jsonl"
            said, seconds, peak = _command(engine, row, output, record)
            fields: dict[str, Any] = {"row": row.name, "command": f"quiver {row.command}"}
            if known:
                fields["engine"] = {"commit": known.commit or "unknown"}
            if "{output}" in row.command:
                tables |= read_tables(output.read_text(encoding="utf-8"), row.name)
            else:
                fields["value"] = kept(said, row) | {"peak_bytes": peak}
            rows.append(fields | {"seconds": round(seconds, 2)})
        return rows, digest_of(games) if games.is_dir() else None, tables


def state_folder(states: Path, experiment: Experiment, engine: Engine) -> Path:
    """Return the folder of an experiment's games: one for each definition and engine."""
    return states / "measure" / f"{experiment.name}-{experiment.key[:6]}-{engine.digest[:6]}"


def _command(engine: Engine, row: Row, output: Path, record: Path) -> tuple[str, float, int]:
    """Run a command of an engine; return what it prints, its seconds, and the peak of its memory in bytes."""
    output.parent.mkdir(parents=True, exist_ok=True)
    if "{record}" in row.command:
        record.parent.mkdir(parents=True, exist_ok=True)
    output.unlink(missing_ok=True)
    paths = {"{output}": str(output), "{record}": str(record)}
    words = [paths.get(word, word) for word in shlex.split(row.command)]
    begun = time.monotonic()
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [engine.path, *words], stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT
        )
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise InputError(
                f"row '{row.name}', quiver {row.command}: {complaint(errors.read()) or 'failed'}"
            )
    return said, time.monotonic() - begun, 1024 * usage.ru_maxrss


def kept(said: str, row: Row) -> dict[str, Any]:
    """Return the fields of a command's JSON that a row keeps; of other text, its length in bytes."""
    try:
        value = json.loads(said)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return {"bytes": len(said.encode())}
    unknown = [name for name in row.keep if name not in value]
    if unknown:
        raise InputError(
            f"row '{row.name}': the engine's JSON lacks {', '.join(unknown)}, expected all of keep"
        )
    return {name: value[name] for name in row.keep or value}


def read_tables(text: str, name: str) -> dict[str, Any]:
    """Return the Markdown tables of a text; the second and later ones get a number behind the name."""
    tables: dict[str, Any] = {}
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        if len(lines) > 2:
            cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
            number = len(tables) + 1
            tables[name if number == 1 else f"{name} {number}"] = {"heads": cells[0], "rows": cells[2:]}
    if not tables:
        raise InputError(f"row '{name}': no table, expected the engine to write one to {{output}}")
    return tables


def series_of(experiment: Experiment, engine: Engine) -> list[Series]:
    """Return the series of an experiment of matches."""
    table = engine.parameters(experiment.board)
    everything = []
    for row in experiment.rows:
        try:
            a, b = (read_player(text, table) for text in (row.a, row.b))
        except InputError as error:
            raise InputError(f"{experiment.name}, row '{row.name}': {error}") from None
        # Both are processes where one is, so that clocks count alike.
        if a.program or b.program:
            a, b = (
                side if side.program or side.player != "quiver" else replace(side, program=ENGINE)
                for side in (a, b)
            )
        stop = Stop(row.games, max(row.games, experiment.most), experiment.error)
        name = re.sub(r"[^\w.=-]+", "-", row.name)
        everything.append(Series(name, a, b, stop, min(experiment.batch, row.games)))
    return everything


def terms_of(experiment: Experiment, engine: Engine) -> Terms:
    """Return the terms of all games of an experiment."""
    table = engine.parameters(experiment.board)
    common = [read_setting(table, text) for text in experiment.set]
    return Terms(experiment.board, experiment.seed, experiment.random_plies, experiment.clock, tuple(common))


def read_player(text: str, table: Parameters) -> Side:
    """Read a player: `SPEC key=value ...`, with playouts, time, threads, and settings of the engine."""
    words = shlex.split(text)
    spec = "quiver" if not words or re.match(r"\w+=", words[0]) else words.pop(0)
    program = None
    if spec.startswith("commit:"):
        program = shlex.quote(str(version(spec.removeprefix("commit:"), STATES / "engines").engine.path))
        spec = "quiver"
    side = Side(player=spec, program=program)
    for word in words:
        name, _, value = word.partition("=")
        try:
            if name in ("playouts", "threads"):
                side = replace(side, **{name: int(value)})
            elif name == "time":
                side = replace(side, time=float(value))
            else:
                side = replace(side, settings=(*side.settings, read_setting(table, word)))
        except ValueError:
            raise InputError(f"player '{text}': {word}, expected a number") from None
    return side


def figures(outcome: Outcome) -> dict[str, Any]:
    """Return the figures of a match; null where a figure has no bound."""
    standing = outcome.standing
    known = {
        "elo": standing.elo,
        "elo_error": standing.error,
        "elo_low": standing.interval[0],
        "elo_high": standing.interval[1],
    }
    finite = {name: round(value, 2) if abs(value) < float("inf") else None for name, value in known.items()}
    return {
        "games": standing.games,
        "wins": standing.wins,
        "pairs": list(standing.pairs),
        **finite,
        "plies": outcome.plies,
        "faults": outcome.faults,
        "playouts": list(outcome.playouts),
        "cpu_seconds": [round(one, 3) for one in outcome.seconds],
    }


def digest_of(folder: Path) -> str:
    """Return the checksum of all records below a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.jsonl")):
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


class Load:
    """The cores that other processes kept busy since this was made."""

    def __init__(self) -> None:
        """Begin to count."""
        self._wall, self._all, self._own = time.monotonic(), _busy_seconds(), _own_seconds()

    def others(self) -> float:
        """Return the mean of the cores that others kept busy so far."""
        wall = max(time.monotonic() - self._wall, 1e-3)
        return max((_busy_seconds() - self._all) - (_own_seconds() - self._own), 0.0) / wall


def busy_cores(seconds: float = 1.0) -> float:
    """Return how many cores are busy now."""
    load = Load()
    time.sleep(seconds)
    return load.others()


def _busy_seconds() -> float:
    """Return the CPU time of all processes since the machine started."""
    try:
        words = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    except OSError:
        return 0.0
    ticks = [int(word) for word in words]
    # user, nice, system, idle, waiting, interrupts, soft interrupts, stolen
    return (sum(ticks[:3]) + sum(ticks[5:8])) / os.sysconf("SC_CLK_TCK")


def _own_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
