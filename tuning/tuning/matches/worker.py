"""Runs engine processes on the cores of one machine, with Python's standard library only."""

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
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tuning.errors import InputError, reading
from tuning.matches.batch import OUTPUT_PATH, Batch
from tuning.matches.outcome import Outcome, read_outcome

SECONDS_PLACEHOLDER = re.compile(r"\{seconds:([^}]*)\}")
"""Matches a time limit in a command, such as {seconds:1}. Slow machines get a longer limit."""

POLL_SECONDS = 0.5

MAX_TRIES = 5
"""The most tries of a job whose process or node dies. If all fail, the run ends with an error."""

JobResult = Outcome | str
"""The result of a job: the outcome of a batch of games, or a command's standard output."""


class Job(NamedTuple):
    """A batch of games or a command for a worker. In commands, words like {engine} mean paths."""

    work: Batch | tuple[str, ...]
    output: Path | None = None
    """The path of the file that the job writes; None if it writes no file."""

    @property
    def words(self) -> tuple[str, ...]:
        return self.work.command() if isinstance(self.work, Batch) else self.work

    @property
    def is_timed(self) -> bool:
        return isinstance(self.work, Batch) and (self.work.a.time or self.work.b.time) is not None


class Reply(NamedTuple):
    """A worker's answer to a job: its result, duration and output file, or an error."""

    result: JobResult = ""
    seconds: float = 0.0
    content: bytes | None = None
    """The content of the job's output file, if the worker runs on another machine; else None."""
    error: str = ""
    """The error message of the engine, or "" if the job succeeded."""


class Worker:
    """Runs one job per core at a time. An interrupted job continues from its record of games."""

    def __init__(
        self,
        programs: Mapping[str, Path | bytes],
        cores: int,
        on_message: Callable[[str], None] | None = None,
    ) -> None:
        """Construct a worker. `programs` has the path or the content of each program, by its name.

        If a program is given as content, the worker writes it to a temporary folder, to which jobs
        then also write their output files. `on_message` is called with messages for the user.
        """
        self._on_message = on_message
        self._pool, self._closing = ThreadPoolExecutor(cores), threading.Event()
        self.folder: Path | None = None
        self._programs = {name: self._program_path(name, program) for name, program in programs.items()}

    def _program_path(self, name: str, program: Path | bytes) -> Path:
        if isinstance(program, Path):
            return program
        if self.folder is None:
            self.folder = Path(tempfile.mkdtemp(prefix="quiver-"))
            # The shell's input ends when this process ends, even by SIGKILL. Then the shell removes
            # the folder.
            removal = ["sh", "-c", 'read end; rm -rf "$0"', str(self.folder)]
            subprocess.Popen(removal, stdin=subprocess.PIPE, start_new_session=True)
        path = self.folder / name
        path.write_bytes(program)
        path.chmod(0o700)
        return path

    def run(self, jobs: Sequence[Job], scale: float = 1.0) -> list[Reply]:
        """Run jobs, with their time limits times `scale`, and return their replies.

        Simultaneous calls share the cores of the worker.
        """
        return list(self._pool.map(partial(self._run_job, scale), jobs))

    def close(self) -> None:
        """End the jobs in progress. A later run can continue them from their records."""
        self._closing.set()
        self._pool.shutdown(cancel_futures=True)

    def _run_job(self, scale: float, job: Job) -> Reply:
        begun = time.monotonic()
        try:
            printed, content = self._run_with_retries(job, scale)
            result: JobResult = printed
            if isinstance(job.work, Batch) and not self._closing.is_set():
                result = read_outcome(printed, job.work.games)
            return Reply(result, time.monotonic() - begun, content)
        except InputError as error:
            return Reply(error=str(error))

    def _run_with_retries(self, job: Job, scale: float) -> tuple[str, bytes | None]:
        """Run a job, and rerun it if a signal ends it. Return its output and `Reply.content`."""
        output = job.output
        if output is not None and self.folder is not None:
            output = self.folder / f"{id(job)}.output"
        for _ in range(MAX_TRIES):
            status, printed, errors = self._run_process(job, output, scale)
            if status >= 0 or self._closing.is_set():
                break
            if self._on_message:
                self._on_message(f"{_job_name(job)}: signal {-status} ended the engine; the job is run again")
        else:
            raise InputError(
                f"{_job_name(job)}: signal {-status} ended the engine {MAX_TRIES} times, expected no signal"
            )
        if self._closing.is_set():
            return "", None
        # Exit status 1 of a match means that faults ended games. The outcome counts the faults.
        if status > (1 if isinstance(job.work, Batch) else 0):
            raise InputError(error_line(status, errors))
        if output is None or self.folder is None or not output.is_file():
            return printed, None
        content = output.read_bytes()
        output.unlink()
        return printed, content

    def _run_process(self, job: Job, output: Path | None, scale: float) -> tuple[int, str, str]:
        if self.folder is None and output is not None:
            output.parent.mkdir(parents=True, exist_ok=True)
            self._wait_for_writer(output)
        if self._closing.is_set():
            return 0, "", ""
        command = fill_placeholders(job.words, self._programs, output, scale)
        none, pipe = subprocess.DEVNULL, subprocess.PIPE
        # `Popen` also fails if the dynamic loader that the engine needs is missing.
        with reading(command[0], "an engine that runs here"):
            process = subprocess.Popen(command, text=True, stdin=none, stdout=pipe, stderr=pipe)
        while True:
            try:
                printed, errors = process.communicate(timeout=POLL_SECONDS)
                return process.returncode, printed, errors
            except subprocess.TimeoutExpired:
                if self._closing.is_set():
                    process.terminate()

    def _wait_for_writer(self, output: Path) -> None:
        """Wait while an engine of an earlier, interrupted run still writes this file."""
        has_told_user = False
        while output.is_file() and not self._closing.is_set():
            with suppress(BlockingIOError), output.open() as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if self._on_message and not has_told_user:
                self._on_message(f"waits for the engine of an earlier run, which still writes {output}")
                has_told_user = True
            time.sleep(POLL_SECONDS)


def fill_placeholders(
    words: Sequence[str], programs: Mapping[str, Path], output: Path | None, scale: float
) -> list[str]:
    """Return the command: paths replace names in braces, and `scale` multiplies time limits."""
    filled = [str(programs["engine"])]
    for word in words:
        if word == OUTPUT_PATH:
            filled.append(str(output))
            continue
        if "{" in word:
            word = SECONDS_PLACEHOLDER.sub(lambda time: f"{float(time[1]) * scale:.6g}", word)
            # The SPEC of a player contains a shell command with the program's name in braces.
            for name, path in programs.items():
                word = word.replace(f"{{{name}}}", shlex.quote(str(path)))
        filled.append(word)
    return filled


def _job_name(job: Job) -> str:
    if isinstance(job.work, Batch):
        return f"{job.work.group}, batch {job.work.number}"
    return " ".join(job.work[:2])


def error_line(status: int, errors: str) -> str:
    """Return why an engine failed: the last "error: " line in `errors`, or else the last line."""
    lines = [f"the engine ended with status {status}", *filter(str.strip, errors.splitlines())]
    lines = [line for line in lines if line.startswith("error: ")] or lines
    return lines[-1].removeprefix("quiver: ").removeprefix("error: ")
