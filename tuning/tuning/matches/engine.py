"""Runs engine binaries, reads their version, parameters and speed, and builds them from commits."""

import fcntl
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
from tuning.files import file_checksum, replace
from tuning.matches.batch import Settings
from tuning.matches.parameters import Parameters, read_parameters
from tuning.matches.progress import print_message
from tuning.matches.worker import error_line
from tuning.provenance import ROOT, STATES_DIR, git

BENCH_COMMAND = ("bench", "--json")


class FinishedCommand(NamedTuple):
    """The standard output, duration and peak memory of a command that an engine has run."""

    output: str
    seconds: float
    peak_bytes: int


@dataclass(frozen=True)
class Engine:
    """An engine binary. `name` describes it in messages. `commit` is None if it is unknown."""

    path: Path
    name: str = ""
    commit: str | None = None

    @classmethod
    def find(cls, path: Path | None) -> "Engine":
        built = ROOT / "target" / "release" / "quiver"
        path = (path or Path(os.environ.get("QUIVER") or built)).resolve()
        if not path.is_file():
            raise InputError(
                f"no engine at {path}: expected the path in --engine, or 'cargo build --release' before"
            )
        engine = cls(path)
        engine.about  # noqa: B018 (fails here if the engine does not run)
        return engine

    def run(self, *words: str, cwd: Path | None = None) -> FinishedCommand:
        command, begun = [str(self.path), *words], time.monotonic()
        with tempfile.TemporaryFile("w+") as errors:
            with reading(self.path, "an engine that runs here"):
                none, pipe = subprocess.DEVNULL, subprocess.PIPE
                process = subprocess.Popen(
                    command, text=True, cwd=cwd, stdin=none, stdout=pipe, stderr=errors
                )
            assert process.stdout is not None
            try:
                output = process.stdout.read()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            finally:
                # After an exception in `read`, the engine still runs, so kill it here.
                process.kill()
                process.wait()
                process.stdout.close()
            if process.returncode:
                errors.seek(0)
                raise InputError(f"{' '.join(command)}: {error_line(process.returncode, errors.read())}")
        return FinishedCommand(output, time.monotonic() - begun, 1024 * usage.ru_maxrss)

    def output_of(self, *words: str) -> str:
        return self.run(*words).output

    @cached_property
    def about(self) -> dict[str, str]:
        """The output of `--version`: version, commit, tree ("clean" or "changed"), SIMD kernel."""
        first, *rest = self.output_of("--version").strip().splitlines() or [""]
        fields = dict(line.split(" ", 1) for line in rest if " " in line)
        return {"version": first, "commit": "unknown", "tree": "unknown"} | fields

    def checksums(self, board: int) -> dict[str, str | int | None]:
        """Return the signature and the checksums of the network, the weights and the opening book.

        The signature is a hash of the results of all searches in one game from the start position.
        4x4 and 5x5 share the network and the weights of 6x6. They have no start position, so they
        use the signature of 6x6.
        """
        return _checksums(self, max(board, 6))

    def parameters(self, board: int, settings: Iterable[str] = ()) -> Parameters:
        words = [word for text in settings for word in ("--set", text)]
        text = self.output_of("params", "--board", str(board), *words, "--format", "json")
        return read_parameters(text, self.path)

    def parse_settings(self, board: int, texts: Sequence[str]) -> Settings:
        """Parse settings in the form `NAME=VALUE`. The engine checks their names and ranges."""
        self.parameters(board, texts)
        # The values come from the texts, since `quiver params` does not list the switches.
        with reading(f"settings {', '.join(texts)}", "NAME=VALUE with a number as the value"):
            return tuple((name.strip(), float(value)) for name, value in (text.split("=") for text in texts))

    @cached_property
    def digest(self) -> str:
        return file_checksum(self.path)

    def speed(self, *words: str) -> float:
        """Run `quiver bench` on this machine; return its playouts per second with one thread."""
        return read_speed(self.output_of(*BENCH_COMMAND, *words))


@lru_cache
def _checksums(engine: Engine, board: int) -> dict[str, str | int | None]:
    with reading(f"{engine.path} bench --signature", "the signature of a board"):
        fields = json.loads(engine.output_of("bench", "--signature", "--board", str(board), "--json"))
        return {name: fields[name] for name in ("board", "signature", "network", "weights", "book")}


def read_speed(text: str) -> float:
    with reading("quiver bench --json", "a field playouts_per_second"):
        speed = float(json.loads(text)["playouts_per_second"])
    if not speed > 0:
        raise InputError(f"quiver bench --json: {speed:g} playouts a second, expected more than 0")
    return speed


def engine_of(text: str, builds: Path = STATES_DIR / "engines") -> Engine:
    """Return the engine that a path or a commit names. A commit is built once, into `builds`."""
    engine = unbuilt_engine_of(text, builds)
    if engine.commit and not engine.path.is_file():
        builds.mkdir(parents=True, exist_ok=True)
        with (builds / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            # Another process may have built the engine while this one waited for the lock.
            if not engine.path.is_file():
                _build(engine.commit, engine.path)
    return engine


def unbuilt_engine_of(text: str, builds: Path = STATES_DIR / "engines") -> Engine:
    """Return the engine that a path or a commit names, whose file need not exist yet."""
    path = Path(text)
    if path.is_file():
        return Engine(path.resolve(), text)
    try:
        commit = git("rev-parse", "--verify", "--end-of-options", f"{text}^{{commit}}").strip()
        subject = git("show", "--no-patch", "--format=%h %s", commit).strip()
    except InputError as error:
        raise InputError(f"'{text}': expected a commit of this repository, or an engine's file") from error
    return Engine(builds / commit, subject, commit)


def _build(commit: str, binary: Path) -> None:
    tree = binary.with_name(f"{commit}.tree")
    # The builds of all commits share the folder of compiled dependencies.
    target = binary.with_name("target")
    print_message(f"builds the engine of commit {commit[:9]}")
    # An interrupted build may have left its worktree.
    shutil.rmtree(tree, ignore_errors=True)
    git("worktree", "prune")
    git("worktree", "add", "--detach", str(tree), commit)
    cargo = [os.environ.get("CARGO", "cargo"), "build", "--release", "--locked", "--target-dir", str(target)]
    try:
        with reading(f"commit {commit[:9]}", "cargo to run"):
            done = subprocess.run(cargo, cwd=tree, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                lines = (line for line in done.stderr.splitlines() if line.startswith("error"))
                raise InputError(f"commit {commit[:9]} does not build: {next(lines, 'cargo gave no reason')}")
            replace(binary, (target / "release" / "quiver").read_bytes(), mode=0o755)
    finally:
        git("worktree", "remove", "--force", str(tree))
