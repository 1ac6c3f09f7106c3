"""Stores a run's settings, its engine, and its games' outcomes and records in a state folder.

    experiment.json            the settings that decide the games, and every command that was run
    engine                     a copy of the engine, so that a new build does not affect the run
    outcomes                   the outcomes of all batches that were played
    games/MATCH/0000.jsonl     the records of the games of batch 0; a tuner's games have no records

Everything else, for example the current values of a tuner, is computed again from the outcomes. So
an interrupted run continues exactly like a run without interruption.
"""

import fcntl
import json
import uuid
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tuning.errors import InputError, reading
from tuning.files import read_checked, replace, write_checked
from tuning.matches.batch import Batch
from tuning.matches.engine import Engine
from tuning.matches.outcome import Outcome
from tuning.matches.worker import Job
from tuning.provenance import command_line, commit, machine, now

FORMAT = "quiver experiment 4"

RESTORE_ADVICE = "restore it, or move the folder away and begin anew"

BatchKey = tuple[str, int]
"""The key of a batch in a run: the name of its group, and its number."""


def read_outcomes(path: Path) -> dict[BatchKey, Outcome]:
    """Read the outcomes that `State.append_outcomes` wrote.

    Remove an incomplete last line from the file.
    """
    known = {}
    content = path.read_bytes() if path.is_file() else b""
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        replace(path, whole)
    for number, line in enumerate(whole.splitlines(), 1):
        with reading(f"{path}, line {number}", f"the outcomes that it was written with; {RESTORE_ADVICE}"):
            stated, text = line.split(b" ", 1)
            if int(stated, 16) != zlib.crc32(text):
                raise ValueError("another checksum")
            for group, batch, pairs, faults, plies, playouts, seconds in json.loads(text):
                known[group, batch] = Outcome(tuple(pairs), faults, plies, tuple(playouts), tuple(seconds))
    return known


class State:
    """The state folder of a run. No other process can use it at the same time."""

    def __init__(self, folder: Path, engine: Engine, about: dict[str, Any]) -> None:
        """Begin a run in an empty folder, or continue the run in the folder.

        `about` holds the settings on which the games depend, as JSON values. If the folder has a
        run with other settings, or by an engine that plays differently, raise `InputError`.
        """
        self.folder = folder = folder.resolve()
        self._binary, self._file = folder / "engine", folder / "experiment.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # The system releases the lock when this process ends.
            self._lock = (folder / "lock").open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(f"{folder}: another process uses it, expected one process at a time") from error
        except OSError as error:
            raise InputError(f"{folder}: {error.strerror}, expected a writable folder") from error
        stored = self._read_run_file()
        if stored is None:
            replace(self._binary, engine.path.read_bytes(), mode=0o755)
            stored = about | _engine_identity(engine, about["board"]) | {"id": uuid.uuid4().hex, "runs": []}
        else:
            self._require_equal(stored, about, "use these settings, or another --state")
            # Another build is accepted if it plays the same games as the engine that began the run.
            if engine.digest != stored["engine"]:
                hint = f"continue with --engine {self._binary}, or use another --state for this engine"
                identity = _engine_identity(engine, about["board"]) | {"engine": stored["engine"]}
                self._require_equal(stored, identity, hint)
        self.engine = Engine(self._binary)
        if self.engine.digest != stored["engine"]:
            raise InputError(
                f"{self._binary}: checksum {self.engine.digest}, expected {stored['engine']}, the checksum of "
                f"the engine that began the run; {RESTORE_ADVICE}"
            )
        self.known = read_outcomes(folder / "outcomes")
        """The outcomes of all batches that the run has played so far, by the batches' keys."""
        self._outcomes = (folder / "outcomes").open("ab")
        run = {"date": now(), "commit": commit(), "machine": machine(), "command": command_line()}
        self.about = stored | {"runs": [*stored["runs"], run]}
        write_checked(self._file, FORMAT, self.about)

    def close(self) -> None:
        self._outcomes.close()
        self._lock.close()

    def job(self, batch: Batch) -> Job:
        if not batch.recorded:
            return Job(batch)
        return Job(batch, self.folder / "games" / batch.group / f"{batch.number:04d}.jsonl")

    def append_outcomes(self, outcomes: Mapping[BatchKey, Outcome]) -> None:
        """Append a line with a checksum and a list of outcomes in JSON to the file of outcomes."""
        rows = [
            [*key, outcome.pairs, outcome.faults, outcome.plies, outcome.playouts, outcome.seconds]
            for key, outcome in outcomes.items()
        ]
        text = json.dumps(rows, separators=(",", ":")).encode()
        self._outcomes.write(b"%08x %b\n" % (zlib.crc32(text), text))
        self._outcomes.flush()
        self.known.update(outcomes)

    def _read_run_file(self) -> dict[str, Any] | None:
        stored = read_checked(self._file, FORMAT, "the state of an experiment", RESTORE_ADVICE)
        if stored is None:
            if (self.folder / "games").exists():
                raise InputError(f"{self._file} is missing beside games, expected both; {RESTORE_ADVICE}")
        elif not isinstance(stored.get("runs"), list) or "engine" not in stored or not self._binary.is_file():
            raise InputError(
                f"{self._file}: expected a list of runs and an engine beside it; {RESTORE_ADVICE}"
            )
        return stored

    def _require_equal(self, stored: dict[str, Any], asked: dict[str, Any], hint: str) -> None:
        for name, value in asked.items():
            kept = stored.get(name)
            if kept == value:
                continue
            if isinstance(value, dict) and isinstance(kept, dict):
                names = sorted(key for key in value | kept if value.get(key) != kept.get(key))
                value, kept = (
                    ", ".join(f"{key} = {settings.get(key)}" for key in names) for settings in (value, kept)
                )
            raise InputError(f"{self.folder}: {name} {value}, expected {kept} as in the first run; {hint}")


def _engine_identity(engine: Engine, board: int) -> dict[str, Any]:
    return {
        "engine": engine.digest,
        "version": engine.about["version"],
        "signature": engine.output_of("bench", "--signature").strip(),
        "parameters": {p.name: p.default for p in engine.parameters(board).values()},
    }
