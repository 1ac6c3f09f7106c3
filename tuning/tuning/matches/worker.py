"""Runs the engine on the cores of one machine: on nodes of a cluster with the standard library alone."""

import fcntl
import re
import shlex
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tuning.errors import InputError
from tuning.matches.batch import OUTPUT, Batch
from tuning.matches.outcome import Outcome, read_outcome

SECONDS = re.compile(r"\{seconds:([^}]*)\}")
"""A time in a command, as `Side.described` writes it; a cluster scales it by the speed of the node."""

PATIENCE = 0.5
"""Seconds between two checks of a waiting thread whether its job is still wanted."""

TRIES = 5
"""Attempts at a job whose process or node dies each time, before the run ends with an error."""

Said = Outcome | str
"""The outcome of a batch, or what another command printed."""


class Job(NamedTuple):
    """A batch of games, or another command, with names in braces for the paths that its worker fills in."""

    work: Batch | tuple[str, ...]
    output: Path | None = None
    """The file that it writes; None for a batch whose games are not kept."""

    @property
    def words(self) -> tuple[str, ...]:
        return self.work.command() if isinstance(self.work, Batch) else self.work

    @property
    def is_timed(self) -> bool:
        """True if its games depend on the speed of the machine."""
        return isinstance(self.work, Batch) and (self.work.a.time or self.work.b.time) is not None


class Reply(NamedTuple):
    """The answer to a job."""

    said: Said = ""
    seconds: float = 0.0
    content: bytes | None = None
    """The file that it wrote, if that was in a folder of the worker."""
    error: str = ""
    """The reason for which the engine refused the job; empty if it did not."""


class Worker:
    """Runs jobs, as many at a time as there are cores; an interrupted job resumes from its record."""

    def __init__(
        self, programs: Mapping[str, Path | bytes], cores: int, say: Callable[[str], None] | None = None
    ) -> None:
        """Take programs by the names that jobs use, as paths or as the bytes of files.

        A worker that can `say` something writes the files of jobs to their places, another one to its own folder.
        """
        self._say, self._scale = say, 1.0
        self._pool, self._closing = ThreadPoolExecutor(cores), threading.Event()
        self.folder: Path | None = None
        self._programs = {name: self._placed(name, program) for name, program in programs.items()}

    def _placed(self, name: str, program: Path | bytes) -> Path:
        if isinstance(program, Path):
            return program
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="quiver-"))
            # The end of its input, which is that of this process if it is killed, makes the shell remove the folder.
            removal = ["sh", "-c", 'read end; rm -rf "$0"', str(self.folder)]
            subprocess.Popen(removal, stdin=subprocess.PIPE, start_new_session=True)
        path = self.folder / name
        path.write_bytes(program)
        path.chmod(0o700)
        return path

    def tried(self, words: Sequence[str]) -> tuple[int, str, str]:
        """Run the engine once; return its status, standard output and standard error."""
        try:
            command = [str(self._programs["engine"]), *words]
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
            return done.returncode, done.stdout, done.stderr
        except OSError as error:
            # The system says so of a program whose loader is missing, too.
            return 127, "", f"it does not start: {error.strerror}"

    def set_scale(self, scale: float) -> None:
        """Multiply the times of jobs from now on."""
        self._scale = scale

    def run(self, jobs: Sequence[Job]) -> list[Reply]:
        """Run jobs to their end, or until `close` is called; jobs of several calls share the cores."""
        return list(self._pool.map(self._reply, jobs))

    def close(self) -> None:
        """End the jobs in progress; their records stand as they are."""
        self._closing.set()
        self._pool.shutdown(cancel_futures=True)

    def _reply(self, job: Job) -> Reply:
        begun = time.monotonic()
        try:
            printed, content = self._ended(job)
            said: Said = printed
            if isinstance(job.work, Batch) and not self._closing.is_set():
                said = read_outcome(printed, job.work.games)
            return Reply(said, time.monotonic() - begun, content)
        except InputError as error:
            return Reply(error=str(error))

    def _ended(self, job: Job) -> tuple[str, bytes | None]:
        """Run a job until it ends by itself; return what it printed, and what it wrote unless that is in its place."""
        output = job.output
        if output is not None and self.folder is not None:
            output = self.folder / f"{id(job)}.output"
        for _ in range(TRIES):
            status, said, errors = self._process(job, output)
            if status >= 0 or self._closing.is_set():
                break
            if self._say:
                self._say(f"{_named(job)}: the engine was ended by signal {-status}; tried again")
        if self._closing.is_set():
            return "", None
        if status < 0:
            raise InputError(
                f"{_named(job)}: the engine was ended by signal {-status} {TRIES} times, expected it to end by itself"
            )
        # 1 means that games ended by a fault: they are recorded and counted as such.
        if status > 1:
            raise InputError(complaint(status, errors))
        if output is None or self.folder is None or not output.is_file():
            return said, None
        content = output.read_bytes()
        output.unlink()
        return said, content

    def _process(self, job: Job, output: Path | None) -> tuple[int, str, str]:
        if self.folder is None and output is not None:
            output.parent.mkdir(parents=True, exist_ok=True)
            self._wait_for(output)
        if self._closing.is_set():
            return 0, "", ""
        command = filled_in(job.words, self._programs, output, self._scale)
        none, pipe = subprocess.DEVNULL, subprocess.PIPE
        process = subprocess.Popen(command, text=True, stdin=none, stdout=pipe, stderr=pipe)
        while True:
            try:
                said, errors = process.communicate(timeout=PATIENCE)
                return process.returncode, said, errors
            except subprocess.TimeoutExpired:
                if self._closing.is_set():
                    process.terminate()

    def _wait_for(self, output: Path) -> None:
        """Wait while an engine that outlived its run, as after `kill -9`, still writes this record."""
        told = False
        while output.is_file() and not self._closing.is_set():
            with suppress(BlockingIOError), output.open() as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if self._say and not told:
                self._say(f"{output} is still being written by an earlier run, waiting")
                told = True
            time.sleep(PATIENCE)


class Instant(Worker):
    """A worker whose games end at once, as if each had taken 50 ms: shows what it costs to ask for them."""

    def tried(self, words: Sequence[str]) -> tuple[int, str, str]:
        return 0, "", ""

    def run(self, jobs: Sequence[Job]) -> list[Reply]:
        works = [job.work for job in jobs if isinstance(job.work, Batch)]
        return [Reply(Outcome((0, work.games // 2, 0), plies=50), 0.05 * work.games) for work in works]


def filled_in(
    words: Sequence[str], programs: Mapping[str, Path], output: Path | None, scale: float = 1.0
) -> list[str]:
    """Return the command as it is run here; times are multiplied by `scale`."""
    filled = [str(programs["engine"])]
    for word in words:
        if word == OUTPUT:
            filled.append(str(output))
            continue
        if "{" in word:
            word = SECONDS.sub(lambda time: f"{float(time[1]) * scale:.6g}", word)
            # A program within a word is a command within a player's SPEC.
            for name, path in programs.items():
                word = word.replace(f"{{{name}}}", shlex.quote(str(path)))
        filled.append(word)
    return filled


def _named(job: Job) -> str:
    return (
        f"{job.work.series}, batch {job.work.number}"
        if isinstance(job.work, Batch)
        else " ".join(job.work[:2])
    )


def complaint(status: int, errors: str) -> str:
    """Return the line of an engine's standard error that says why it ended: the last, but for bad arguments.

    Where it said nothing, its exit status.
    """
    lines = [f"the engine ended with status {status}", *filter(str.strip, errors.splitlines())]
    lines = [line for line in lines if line.startswith("error: ")] or lines
    return lines[-1].removeprefix("quiver: ").removeprefix("error: ")
