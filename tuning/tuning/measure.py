"""Runs an experiment: plays its matches in batches, or runs its commands one after another."""

import argparse
import hashlib
import json
import os
import re
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tuning.errors import InputError, reading
from tuning.experiments import EXPERIMENTS, Experiment, RowDefinition
from tuning.matches.batch import Batch, Side
from tuning.matches.engine import Engine, FinishedCommand, engine_of
from tuning.matches.executor import Executor
from tuning.matches.match import Match, play
from tuning.matches.state import State
from tuning.provenance import ROOT, STATES_DIR, machine, now


@dataclass(frozen=True)
class Runner:
    """Runs experiments with an engine. Stores their games and outcomes in the folder `states`."""

    engine: Engine
    executor: Callable[[Mapping[str, Path], Path], Executor]
    """Makes an experiment's executor. The arguments are engines' paths and the state folder."""
    states: Path = STATES_DIR
    listed: Path = EXPERIMENTS

    def run(self, experiment: Experiment) -> dict[str, Any]:
        """Measure an experiment and return its result. Reuse games that are already on the disk."""
        load, begun = CpuLoad(), time.monotonic()
        programs: dict[str, Path] = {}
        matches = matches_of(experiment, self.engine, programs) if experiment.is_match else []
        others = [engine_of(row.engine).digest for row in experiment.rows if row.engine]
        # `programs` names its engines by commit or digest. So if a branch or a file in the definition
        # has changed, the games are played anew.
        engines = "-".join(name[:6] for name in (self.engine.digest, *programs, *others))
        folder = self.states / "measure" / f"{experiment.name}-{experiment.definition_hash[:6]}-{engines}"
        tables: dict[str, Any] = {}
        other = "" if self.listed == EXPERIMENTS else f" --experiments {shlex.quote(str(self.listed))}"
        if experiment.is_match:
            rows = self._play_matches(experiment, folder, matches, programs)
        else:
            rows = [self._run_command(experiment, row, folder / "games", tables) for row in experiment.rows]
        result = {
            "experiment": experiment.name,
            "question": experiment.question,
            "key": experiment.definition_hash,
            "definition": experiment.definition,
            "engine": self.engine.about,
            "play": self.engine.checksums(experiment.board),
            "machine": machine(),
            "busy_cores": round(load.other_busy_cores(), 2) if experiment.is_timed else None,
            "date": now(),
            "seconds": round(time.monotonic() - begun, 1),
            "command": f"tuning/python -m tuning measure --only {experiment.name}{other}",
            "seed": experiment.seed,
            "rows": rows,
            "records": digest_of(folder / "games") if (folder / "games").is_dir() else None,
        }
        return result | ({"tables": tables} if tables else {})

    def _play_matches(
        self, experiment: Experiment, folder: Path, matches: Sequence[Match], programs: dict[str, Path]
    ) -> list[dict[str, Any]]:
        fields = {"kind": "measure", "board": experiment.board, "definition": experiment.definition}
        with (
            closing(State(folder, self.engine, fields)) as state,
            closing(self.executor({"engine": state.engine.path, **programs}, folder)) as executor,
        ):
            play(matches, state, executor)
        return [
            {"row": row.name, "a": row.a, "b": row.b, **match.counted.row}
            for row, match in zip(experiment.rows, matches, strict=True)
        ]

    def _run_command(
        self, experiment: Experiment, row: RowDefinition, games: Path, tables: dict[str, Any]
    ) -> dict[str, Any]:
        """Run the command of `row`. Return its results, or store them in `tables` as a table."""
        engine = engine_of(row.engine) if row.engine else self.engine
        if "{record}" in row.command:
            games.mkdir(parents=True, exist_ok=True)
        record = str(games / f"{row.file_name}.jsonl")
        words = [word.replace("{record}", record) for word in shlex.split(row.command)]
        try:
            ran = engine.run(*words, cwd=ROOT)
        except InputError as error:
            raise InputError(f"row '{row.name}': {error}") from None
        fields: dict[str, Any] = {"row": row.name, "command": f"quiver {row.command}"}
        if row.engine:
            fields["engine"] = {"commit": engine.commit or "unknown"}
        if "--json" in words and (table := next(filter(None, map(REPORT_TABLES.get, words)), None)):
            tables[row.name] = table(json.loads(ran.output))
        else:
            fields["value"] = kept_fields(ran, row)
        return fields | {"seconds": round(ran.seconds, 2)}


def kept_fields(ran: FinishedCommand, row: RowDefinition) -> dict[str, Any]:
    """Return the JSON fields that `row` keeps (for other output, its size), and the peak memory."""
    try:
        value = json.loads(ran.output)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        value = {"bytes": len(ran.output.encode())}
    elif lost := [name for name in row.keep if name not in value]:
        raise InputError(f"row '{row.name}': the engine's JSON lacks {', '.join(lost)}, expected all of keep")
    else:
        value = {name: value[name] for name in row.keep or value}
    return value | {"peak_bytes": ran.peak_bytes}


def ratings_table(report: dict[str, Any]) -> dict[str, Any]:
    wins, rows = report["wins"], []
    ranked = sorted(enumerate(report["players"]), key=lambda item: -item[1]["elo"])
    for rank, (number, player) in enumerate(ranked, 1):
        won = sum(wins[number])
        games = won + sum(row[number] for row in wins)
        figures = f"{player['elo']:.1f}", f"{player['elo_error']:.1f}", str(games), f"{won / games:.3f}"
        rows.append([f"{rank}.", player["name"], *figures])
    return {"heads": ["", "", "Elo", "+/-", "games", "score"], "rows": rows}


def suite_table(report: dict[str, Any]) -> dict[str, Any]:
    def cell(group: dict[str, Any]) -> str:
        if not group["asked"]:
            return "-"
        solved = f"{group['solved']}/{group['asked']}"
        low, high = (100 * bound for bound in group["interval"])
        return f"{solved}, {low:.0f} to {high:.0f} %" if group["kind"] == "all" else solved

    groups = report["runs"][0]["groups"]
    names = ["all, 95 %" if group["kind"] == "all" else group["name"] for group in groups]
    rows = [
        [run["name"], *map(cell, run["groups"]), f"{run['groups'][0]['seconds']:.2f}"]
        for run in report["runs"]
    ]
    return {"heads": ["player", *names, "s"], "rows": rows}


REPORT_TABLES = {"--tournament": ratings_table, "suite": suite_table}
"""Functions that make a table from a command's JSON output, by a word that the command contains."""


def matches_of(experiment: Experiment, engine: Engine, programs: dict[str, Path]) -> list[Match]:
    """Return the matches of an experiment. Add its players' engines to `programs`, by name."""
    batch, matches = first_batch(experiment, engine, Side()), []
    batch = batch._replace(shipped_openings=experiment.shipped_openings)
    for row in experiment.rows:
        try:
            a, b = (read_player(text, engine, experiment.board, programs) for text in (row.a, row.b))
        except InputError as error:
            raise InputError(f"row '{row.name}': {error}") from None
        # If one engine is a separate process, make both separate: their times are then comparable.
        if a.program or b.program:
            a, b = (
                side if side.program or side.player != "quiver" else side._replace(program="engine")
                for side in (a, b)
            )
        first = batch._replace(group=row.file_name, a=a, b=b, games=min(batch.games, row.games))
        matches.append(Match(first, row.games, max(row.games, experiment.most), experiment.error))
    return matches


def first_batch(asked: Experiment | argparse.Namespace, engine: Engine, side: Side) -> Batch:
    numbers = {name: getattr(asked, name) for name in ("board", "seed", "random_plies", "clock")}
    common = engine.parse_settings(asked.board, asked.set)
    return Batch("match", side, side, games=asked.batch, common=common, **numbers)


def read_player(text: str, engine: Engine, board: int, programs: dict[str, Path]) -> Side:
    """Parse a player, `SPEC key=value ...`. Add the engine of `commit:REF` to `programs`."""
    words, program = shlex.split(text), None
    spec = "quiver" if not words or re.match(r"\w+=", words[0]) else words.pop(0)
    if spec.startswith("commit:"):
        built = engine_of(spec.removeprefix("commit:"))
        program = built.commit or built.digest
        programs[program] = built.path
        spec = "quiver"
    limits, settings = {}, []
    for word in words:
        name, _, value = word.partition("=")
        if kind := {"playouts": int, "threads": int, "time": float}.get(name):
            with reading(f"player '{text}'", f"{name} to be a number"):
                limits[name] = kind(value)
        else:
            settings.append(word)
    return Side(engine.parse_settings(board, settings), spec, program=program, **limits)


def digest_of(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.jsonl")):
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


class CpuLoad:
    """Measures how many cores other processes keep busy, from the object's construction on."""

    def __init__(self) -> None:
        self._begun = _clocks()

    def other_busy_cores(self) -> float:
        wall, busy, own = (now - then for now, then in zip(_clocks(), self._begun, strict=True))
        return max(busy - own, 0.0) / max(wall, 1e-3)


def _clocks() -> tuple[float, float, float]:
    """Return seconds of wall time, the machine's CPU time, and this process tree's CPU time."""
    # The columns of /proc/stat are user, nice, system, idle, iowait, irq, softirq and steal.
    stat = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
    ticks = [int(word) for word in stat.split()[1:]]
    busy = (sum(ticks[:3]) + sum(ticks[5:8])) / os.sysconf("SC_CLK_TCK")
    return time.monotonic(), busy, sum(os.times()[:4])
