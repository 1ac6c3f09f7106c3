"""The folder of an experiment: its settings, its engine, and the records of its games.

    experiment.json    what decides what is played, and every command that worked on it
    engine             the binary that plays: a copy, so that a new build changes nothing in the middle
    outcomes           the outcomes of batches, a call of a worker a line
    games/SERIES/0000.jsonl ...    records of batches, as `quiver match --record` writes them, but for a tuner's

Nothing else is kept: whatever a tuner or a curve knows follows from the outcomes, so that going on after an
interruption is the same as going on.
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

ADVICE = "restore it, or move the folder away and begin anew"


Key = tuple[str, int]
"""The key of a batch."""


class Outcomes:
    """A file that grows by outcomes: a checksum and a list in JSON a line."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab")

    def note(self, outcomes: Mapping[Key, Outcome]) -> None:
        rows = [
            [*key, one.pairs, one.faults, one.plies, one.playouts, one.seconds]
            for key, one in outcomes.items()
        ]
        text = json.dumps(rows, separators=(",", ":")).encode()
        self._file.write(b"%08x %b\n" % (zlib.crc32(text), text))
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def read_outcomes(path: Path) -> dict[Key, Outcome]:
    """Return the outcomes of a file. A last line that is not whole is cut off."""
    known = {}
    content = path.read_bytes() if path.is_file() else b""
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        replace(path, whole)
    for number, line in enumerate(whole.splitlines(), 1):
        with reading(f"{path}, line {number}", f"the outcomes that it was written with; {ADVICE}"):
            stated, text = line.split(b" ", 1)
            if int(stated, 16) != zlib.crc32(text):
                raise ValueError("another checksum")
            for series, batch, pairs, faults, plies, playouts, seconds in json.loads(text):
                known[series, batch] = Outcome(tuple(pairs), faults, plies, tuple(playouts), tuple(seconds))
    return known


class State:
    """An experiment on disk, held by this process alone."""

    def __init__(self, folder: Path, engine: Engine, about: dict[str, Any]) -> None:
        """Begin an experiment in an empty folder, or go on with the one that is there if it is the same.

        `about` is what decides what is played, as JSON values.
        """
        self.folder = folder = folder.resolve()
        self._binary, self._file = folder / "engine", folder / "experiment.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # The lock ends with this process, however it ends.
            self._lock = (folder / "lock").open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(f"{folder}: another process is at work on it, expected one at a time") from error
        except OSError as error:
            raise InputError(f"{folder}: {error.strerror}, expected a writable folder") from error
        found = self._read()
        if found is None:
            replace(self._binary, engine.path.read_bytes(), mode=0o755)
            found = about | _identity(engine, about["board"]) | {"id": uuid.uuid4().hex, "runs": []}
        else:
            self._compare(found, about, "ask for that, or name another --state; what was played stays there")
            # A build that differs may still play the same.
            if engine.digest != found["engine"]:
                hint = f"go on with --engine {self._binary}, or name another --state for this engine"
                identity = _identity(engine, about["board"]) | {"engine": found["engine"]}
                self._compare(found, identity, hint)
        self.engine = Engine(self._binary)
        if self.engine.digest != found["engine"]:
            raise InputError(
                f"{self._binary}: checksum {self.engine.digest}, expected {found['engine']}: it is not the engine "
                f"that the experiment was begun with; {ADVICE}"
            )
        self.known = read_outcomes(folder / "outcomes")
        """The outcomes of the batches that were played, by their keys."""
        self._outcomes = Outcomes(folder / "outcomes")
        run = {"date": now(), "commit": commit(), "machine": machine(), "command": command_line()}
        self.about = found | {"runs": [*found["runs"], run]}
        write_checked(self._file, FORMAT, self.about)

    def close(self) -> None:
        """Release the lock on the folder."""
        self._outcomes.close()
        self._lock.close()

    def job(self, batch: Batch) -> Job:
        if not batch.recorded:
            return Job(batch)
        return Job(batch, self.folder / "games" / batch.series / f"{batch.number:04d}.jsonl")

    def note(self, outcomes: Mapping[Key, Outcome]) -> None:
        """Write outcomes of batches to the disk."""
        self._outcomes.note(outcomes)
        self.known.update(outcomes)

    def _read(self) -> dict[str, Any] | None:
        found = read_checked(self._file, FORMAT, "the state of an experiment", ADVICE)
        if found is None:
            if (self.folder / "games").exists():
                raise InputError(f"{self._file} is missing beside games, expected both; {ADVICE}")
        elif not isinstance(found.get("runs"), list) or "engine" not in found or not self._binary.is_file():
            raise InputError(f"{self._file}: expected a list of runs in it and an engine beside it; {ADVICE}")
        return found

    def _compare(self, found: dict[str, Any], asked: dict[str, Any], hint: str) -> None:
        """Refuse to mix two experiments."""
        for name, value in asked.items():
            kept = found.get(name)
            if kept == value:
                continue
            if isinstance(value, dict) and isinstance(kept, dict):
                names = sorted(key for key in value | kept if value.get(key) != kept.get(key))
                value, kept = (", ".join(f"{key} = {one.get(key)}" for key in names) for one in (value, kept))
            raise InputError(f"{self.folder}: {name} {value}, expected {kept} as it was begun with; {hint}")


def _identity(engine: Engine, board: int) -> dict[str, Any]:
    """Return the identity of an engine: its play, on all boards, and the digest of its bytes."""
    return {
        "engine": engine.digest,
        "version": engine.about["version"],
        "signature": engine.ask("bench", "--signature").strip(),
        "parameters": {one.name: one.default for one in engine.parameters(board).values()},
    }
