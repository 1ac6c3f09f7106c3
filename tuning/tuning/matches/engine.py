"""Engines: their path, version, parameters and speed, and those of other commits, built once."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from tuning.errors import InputError, reading
from tuning.files import replace
from tuning.matches.batch import Settings
from tuning.matches.parameters import Parameters, read_parameters
from tuning.matches.progress import say
from tuning.matches.worker import complaint
from tuning.provenance import ROOT, STATES, git

BENCH = ("bench", "--json")
"""The command that measures an engine's speed."""


class Ran(NamedTuple):
    """A command of an engine that has ended: its standard output, and what it took."""

    said: str
    seconds: float
    peak_bytes: int


@dataclass(frozen=True)
class Engine:
    """A binary, with its name in words if it is one to compare, and the commit that it was built from, if known."""

    path: Path
    name: str = ""
    commit: str | None = None

    @classmethod
    def find(cls, path: Path | None) -> "Engine":
        """Return the engine at the path, or at `QUIVER`, or where cargo leaves it."""
        built = ROOT / "target" / "release" / "quiver"
        path = (path or Path(os.environ.get("QUIVER") or built)).resolve()
        if not path.is_file():
            raise InputError(
                f"no engine at {path}: expected one built by 'cargo build --release', or --engine"
            )
        engine = cls(path)
        engine.about  # noqa: B018 (does it run at all?)
        return engine

    def run(self, *words: str, cwd: Path | None = None) -> Ran:
        command, begun = [str(self.path), *words], time.monotonic()
        with tempfile.TemporaryFile("w+") as errors:
            with reading(self.path, "an engine that runs here"):
                none, pipe = subprocess.DEVNULL, subprocess.PIPE
                process = subprocess.Popen(
                    command, text=True, cwd=cwd, stdin=none, stdout=pipe, stderr=errors
                )
            assert process.stdout is not None
            try:
                said = process.stdout.read()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            finally:
                # An engine that has ended gets no signal.
                process.kill()
                process.wait()
                process.stdout.close()
            if process.returncode:
                errors.seek(0)
                raise InputError(f"{' '.join(command)}: {complaint(process.returncode, errors.read())}")
        return Ran(said, time.monotonic() - begun, 1024 * usage.ru_maxrss)

    def ask(self, *words: str) -> str:
        return self.run(*words).said

    @cached_property
    def about(self) -> dict[str, str]:
        """Version, commit, state of the tree ("clean" or "changed") and kernels, as the engine itself tells them."""
        first, *rest = self.ask("--version").strip().splitlines() or [""]
        told = dict(line.split(" ", 1) for line in rest if " " in line)
        return {"version": first, "commit": "unknown", "tree": "unknown"} | told

    def checksums(self, board: int) -> dict[str, str | int | None]:
        """Return the signature of play on a board, and the checksums of network, weights and book.

        4x4 and 5x5 have no start position; they share network and weights with 6x6, whose signature stands for theirs.
        """
        return _checksums(self, max(board, 6))

    def parameters(self, board: int, settings: Iterable[str] = ()) -> Parameters:
        """Return its parameters, with their defaults on this board or the values of settings `NAME=VALUE`."""
        words = [word for text in settings for word in ("--set", text)]
        return read_parameters(self.ask("params", "--board", str(board), *words, "--format", "json"))

    def settings(self, board: int, texts: Sequence[str]) -> Settings:
        """Return settings `NAME=VALUE` as the engine reads them."""
        table, names = self.parameters(board, texts), [text.partition("=")[0].strip() for text in texts]
        return tuple((name, table[name].default) for name in names)

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.path.read_bytes()).hexdigest()[:16]

    def speed(self, *words: str) -> float:
        """Return the playouts a second of `quiver bench` with one thread on this machine."""
        return read_speed(self.ask(*BENCH, *words))


@lru_cache
def _checksums(engine: Engine, board: int) -> dict[str, str | int | None]:
    with reading(f"{engine.path} bench --signature", "the signature of a board"):
        told = json.loads(engine.ask("bench", "--signature", "--board", str(board), "--json"))
        return {name: told[name] for name in ("board", "signature", "network", "weights", "book")}


def read_speed(text: str) -> float:
    """Return the speed that an engine's bench tells."""
    with reading("quiver bench --json", "its playouts_per_second"):
        speed = float(json.loads(text)["playouts_per_second"])
    if not speed > 0:
        raise InputError(f"quiver bench --json: {speed:g} playouts a second, expected more than 0")
    return speed


def engine_of(text: str, builds: Path = STATES / "engines") -> Engine:
    """Return the engine at a path, or that of a commit, which is built unless `builds` has it."""
    path = Path(text)
    if path.is_file():
        return Engine(path.resolve(), text)
    try:
        commit = git("rev-parse", "--verify", "--end-of-options", f"{text}^{{commit}}").strip()
        subject = git("show", "--no-patch", "--format=%h %s", commit).strip()
    except InputError as error:
        raise InputError(f"'{text}': expected a commit of this repository, or an engine's file") from error
    binary = builds / commit
    if not binary.is_file():
        builds.mkdir(parents=True, exist_ok=True)
        with (builds / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            # Another process may have built it meanwhile.
            if not binary.is_file():
                _build(commit, binary)
    return Engine(binary, subject, commit)


def _build(commit: str, binary: Path) -> None:
    """Build the engine of a commit in a git worktree, which is removed afterwards."""
    tree = binary.with_name(f"{commit}.tree")
    # All commits share the folder of compiled dependencies.
    target = binary.with_name("target")
    say(f"builds the engine of commit {commit[:9]}")
    # A build that was cut short left its tree behind.
    shutil.rmtree(tree, ignore_errors=True)
    git("worktree", "prune")
    git("worktree", "add", "--detach", str(tree), commit)
    cargo = [os.environ.get("CARGO", "cargo"), "build", "--release", "--locked", "--target-dir", str(target)]
    try:
        with reading(f"commit {commit[:9]}", "cargo to build it"):
            done = subprocess.run(cargo, cwd=tree, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                lines = (line for line in done.stderr.splitlines() if line.startswith("error"))
                raise InputError(f"commit {commit[:9]} does not build: {next(lines, 'no reason given')}")
            replace(binary, (target / "release" / "quiver").read_bytes(), mode=0o755)
    finally:
        git("worktree", "remove", "--force", str(tree))
