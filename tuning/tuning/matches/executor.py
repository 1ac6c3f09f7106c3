"""Executors run the engine: on this machine, or (`ray_executor`) on a cluster.

Either gives the same games for the same command.
"""

import fcntl
import json
import os
import re
import shlex
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tuning.errors import MISSING, InputError
from tuning.matches.batch import ENGINE, OUTPUT
from tuning.matches.engine import Engine, complaint
from tuning.matches.progress import say

SECONDS = re.compile(r"\{seconds:([^}]*)\}")
"""A time in a command, as `Side.described` writes it; a cluster scales it by the speed of the node."""

PATIENCE = 0.5
"""Seconds between two checks of a waiting thread whether its job is still wanted."""

TRIES = 5
"""Attempts at a job that dies each time, before the run ends with an error."""


@dataclass(frozen=True)
class Job:
    """A command of the engine, with `{engine}` and `{output}` for the paths that its runner fills in."""

    words: tuple[str, ...]
    output: Path
    """The file that it writes."""
    cores: int = 1

    @property
    def timed(self) -> bool:
        """True if its games depend on the speed of the machine."""
        return any(SECONDS.search(word) for word in self.words)


class Executor(ABC):
    """Runs jobs on `cores` cores of a `place`."""

    cores: int
    place: str

    def __init__(self, most: int) -> None:
        self._threads, self._closing = ThreadPoolExecutor(most), threading.Event()

    def submit(self, job: Job) -> Future[str]:
        """Begin a job, or go on with it; the future has what the engine printed, or the error that says why not."""
        return self._threads.submit(retried, lambda: self._run(job), str(job.output))

    def close(self) -> None:
        """End the jobs in progress; their records stand as they are."""
        self._closing.set()
        self._threads.shutdown(cancel_futures=True)

    @abstractmethod
    def _run(self, job: Job) -> str:
        """Run a job to its end, or until `close` is called; return what the engine printed."""


class LocalExecutor(Executor):
    """Runs jobs on the cores of this machine; an interrupted job resumes from its record."""

    def __init__(self, engine: Engine, cores: int) -> None:
        super().__init__(cores)
        self.cores, self.place = cores, "this machine"
        self._engine = engine

    def _run(self, job: Job) -> str:
        job.output.parent.mkdir(parents=True, exist_ok=True)
        self._wait_for(job.output)
        if self._closing.is_set():
            return ""
        command = filled_in(job.words, self._engine.path, job.output, _scale_on_record(job))
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process, said = subprocess.Popen(command, text=True, **streams), None
        while said is None:
            try:
                said, errors = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                if self._closing.is_set():
                    process.terminate()
        if not self._closing.is_set():
            check_exit(process.returncode, errors)
        return said

    def _wait_for(self, output: Path) -> None:
        """Wait while an engine that outlived its run, as after `kill -9`, still writes this record."""
        told = False
        while output.is_file() and not self._closing.is_set():
            with suppress(BlockingIOError), output.open() as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if not told:
                say(f"{output} is still being written by an earlier run, waiting")
                told = True
            time.sleep(PATIENCE)


class DeathError(Exception):
    """The process or node that ran a job died; the job is worth another try."""


def retried(run: Callable[[], str], what: str) -> str:
    """Call `run` again after each DeathError, up to TRIES times in all."""
    for tried in range(1, TRIES + 1):
        try:
            return run()
        except DeathError as death:
            if tried == TRIES:
                raise InputError(f"{what}: {death}, {TRIES} times; expected it to end by itself") from death
            say(f"{what}: {death}; tried again")


def filled_in(words: tuple[str, ...], engine: Path, output: Path, scale: float = 1.0) -> list[str]:
    """Return the command as it is run here; times are multiplied by `scale`."""
    words = tuple(SECONDS.sub(lambda time: f"{float(time[1]) * scale:.6g}", word) for word in words)
    # An engine within a word is a command within a player's SPEC; an output is a word of its own.
    quoted = shlex.quote(str(engine))
    return [str(engine), *[str(output) if word == OUTPUT else word.replace(ENGINE, quoted) for word in words]]


def _scale_on_record(job: Job) -> float:
    """Return the factor of times in the record of a job, which another node may have made; 1 where there is none."""
    asked = [float(time[1]) for word in job.words if (time := SECONDS.search(word))]
    # The engine itself says what is wrong with a record.
    with suppress(OSError, ValueError, *MISSING), job.output.open(encoding="utf-8") as file:
        players = json.loads(file.readline())["contest"]["players"]
        return max(one["time"] or 0.0 for one in players) / max(asked)
    return 1.0


def check_exit(status: int, errors: str) -> None:
    """Raise what the end of an engine calls for.

    1 means that games ended by a fault: they are recorded and counted as such, and whether the record is whole is
    seen when it is read.
    """
    if status < 0:
        raise DeathError(f"the engine was ended by signal {-status}")
    if status not in (0, 1):
        raise InputError(complaint(status, errors))


def all_cores() -> int:
    return len(os.sched_getaffinity(0))
