"""Archives of results for papers: result, game records, parameters and environment in one file, and their replay."""

import json
import platform
import subprocess
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from tuning.errors import InputError
from tuning.experiments import Experiment
from tuning.matches.engine import Engine
from tuning.matches.executor import Executor, Job
from tuning.measure import digest_of, series_of, terms_of
from tuning.provenance import ROOT, machine
from tuning.results import read_result

RESULT, ABOUT, GAMES = "result.json", "about.json", "games"
"""The parts of an archive."""

REPEATED = ("start", "opening", "moves", "winner", "reason", "playouts")
"""Fields of a game that are the same on any machine, at fixed playouts and one thread."""


def pack(result: Path, games: Path | None, engine: Engine, board: int, archive: Path) -> None:
    """Write an archive of a result; `games` is the folder of its records, None for a result without games."""
    about = {
        "parameters": {one.name: one.default for one in engine.parameters(board).values()},
        "machine": machine(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "compiler": _said("rustc", "--version"),
        "packages": (ROOT / "tuning" / "requirements.lock").read_text(encoding="utf-8").splitlines(),
    }
    text = json.dumps(about, indent=1).encode()
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:xz") as file:
        file.add(result, RESULT)
        entry = tarfile.TarInfo(ABOUT)
        entry.size = len(text)
        file.addfile(entry, BytesIO(text))
        if games:
            file.add(games, GAMES)


def unpack(archive: Path, folder: Path) -> dict[str, Any]:
    """Unpack an archive, and return its result; refuse one whose records are others than the result's."""
    try:
        with tarfile.open(archive) as file:
            file.extractall(folder, filter="data")
    except (OSError, tarfile.TarError) as error:
        raise InputError(f"{archive}: {error}, expected an archive of 'tuning archive'") from error
    result = read_result(folder / RESULT)
    if result is None or "definition" not in result:
        raise InputError(f"{archive}: no {RESULT} of 'tuning measure' in it, expected one")
    if result["records"] and digest_of(folder / GAMES) != result["records"]:
        raise InputError(
            f"{archive}: its games have another checksum than its result names, expected the same"
        )
    return result


def replayed(
    experiment: Experiment, folder: Path, engine: Engine, executor: Executor
) -> Iterator[tuple[int, int]]:
    """Play the batches of an archive again; yield for each how many of its games are the same, and how many it has."""
    terms, table = terms_of(experiment, engine), engine.parameters(experiment.board)
    jobs = []
    for series in series_of(experiment, engine):
        for record in sorted((folder / GAMES / series.name).glob("*.jsonl")):
            again = folder / "again" / series.name / record.name
            command = series.batch(int(record.stem), terms).command(table)
            jobs.append((record, again, executor.submit(Job(command, again))))
    for record, again, future in jobs:
        future.result()
        first, second = _games(record), _games(again)
        yield sum(game == second.get(number) for number, game in first.items()), len(first)


def _games(record: Path) -> dict[int, list[Any]]:
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()[1:]]
    return {game["game"]: [game.get(name) for name in REPEATED] for game in lines}


def _said(*words: str) -> str:
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
