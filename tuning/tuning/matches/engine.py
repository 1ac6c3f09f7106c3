"""The engine's binary: its path, version, parameters and speed."""

import hashlib
import json
import os
import subprocess
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import ClassVar

from tuning.errors import InputError
from tuning.matches.parameters import Parameters, read_parameters

BUILT = Path(__file__).parents[3] / "target" / "release" / "quiver"
"""The path of the engine that cargo builds."""


@dataclass(frozen=True)
class Engine:
    """A binary that has printed its version."""

    path: Path
    _current: ClassVar["Engine | None"] = None

    @classmethod
    def find(cls, path: Path | None) -> "Engine":
        """Return the engine at the path, or at `QUIVER`, or where cargo leaves it."""
        path = (path or Path(os.environ.get("QUIVER") or BUILT)).resolve()
        if not path.is_file():
            raise InputError(
                f"no engine at {path}: expected one built by 'cargo build --release', or --engine"
            )
        engine = cls(path)
        engine.version  # noqa: B018 (does it run at all?)
        Engine._current = engine
        return engine

    @classmethod
    def current(cls) -> "Engine":
        """Return the engine that was found last, or the one of `QUIVER`."""
        return cls._current or cls.find(None)

    def ask(self, *words: str) -> str:
        """Return its answer to this command."""
        try:
            done = subprocess.run(
                [self.path, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
            )
        except OSError as error:
            raise InputError(f"{self.path}: {error.strerror}, expected an engine that runs here") from error
        if done.returncode != 0:
            said = complaint(done.stderr) or f"exit status {done.returncode}"
            raise InputError(f"{self.path} {' '.join(words)}: {said}")
        return done.stdout

    @cached_property
    def version(self) -> str:
        """Its name and version."""
        return self.about["version"]

    @cached_property
    def about(self) -> dict[str, str]:
        """Version, commit, state of the tree ("clean" or "changed") and kernels, as the engine itself tells them."""
        first, *rest = self.ask("--version").strip().splitlines() or [""]
        told = dict(line.split(" ", 1) for line in rest if " " in line)
        return {"version": first, "commit": "unknown", "tree": "unknown"} | told

    def play(self, board: int) -> dict[str, str | int | None]:
        """Return the signature of play on a board, and the checksums of network, weights and book.

        4x4 and 5x5 have no start position; they share network and weights with 6x6, whose signature stands for theirs.
        """
        return _play(self, max(board, 6))

    def parameters(self, board: int) -> Parameters:
        """Return its parameters, with their defaults on this board."""
        return read_parameters(self.ask("params", "--board", str(board), "--format", "json"))

    @cached_property
    def digest(self) -> str:
        """The checksum of its bytes."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()[:16]

    @cached_property
    def speed(self) -> float:
        """The playouts a second of `quiver bench` on this machine, with one thread."""
        return read_speed(self.ask(*BENCH))

    def speed_on(self, board: int) -> float:
        """Return the playouts a second of `quiver bench` on a board, with one thread."""
        return read_speed(self.ask(*BENCH, "--board", str(board)))

    def signature(self) -> str:
        """Return the signature of its play on all boards."""
        text = self.ask("bench", "--signature").strip()
        if not text:
            raise InputError(f"{self.path} bench --signature: nothing, expected a signature")
        return text


@lru_cache
def _play(engine: Engine, board: int) -> dict[str, str | int | None]:
    try:
        told = json.loads(engine.ask("bench", "--signature", "--board", str(board), "--json"))
        return {name: told[name] for name in ("board", "signature", "network", "weights", "book")}
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{engine.path} bench --signature: {error!r}, expected the signature of a board"
        ) from error


BENCH = ("bench", "--json")
"""The command that measures an engine's speed."""


def read_speed(text: str) -> float:
    """Return the speed that an engine's bench tells."""
    try:
        speed = float(json.loads(text)["playouts_per_second"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"quiver bench --json: {error!r}, expected its playouts_per_second") from error
    if not speed > 0:
        raise InputError(f"quiver bench --json: {speed:g} playouts a second, expected more than 0")
    return speed


def complaint(errors: str) -> str:
    """Return the line of an engine's standard error that says why it ended: the last, but for bad arguments."""
    lines = [line for line in errors.splitlines() if line.strip()]
    lines = [line for line in lines if line.startswith("error: ")] or lines
    return lines[-1].removeprefix("quiver: ").removeprefix("error: ") if lines else ""
