"""A job of the engine on a node of a cluster: needs the standard library alone."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from tuning.matches.engine import complaint
from tuning.matches.executor import filled_in

Files = dict[str, bytes]
"""The files that a job has written: contents by path within its output, "" for an output that is a file."""

PREFIX, ENGINE_NAME = "quiver-", "engine"
"""The beginning of the name of a job's folder, and the engine's name in it."""


class Played(NamedTuple):
    """The result of a job; `output` is its standard output."""

    status: int
    errors: str
    files: Files
    output: str = ""

    @property
    def trouble(self) -> str:
        """The reason of a status other than 0."""
        return (complaint(self.errors) or f"it ends with status {self.status}") if self.status else ""


def play(engine: bytes, words: tuple[str, ...], scale: float = 1.0) -> Played:
    """Run the engine in a folder of its own, which is removed afterwards; times are multiplied by `scale`."""
    remove_stale_folders()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    # The folder is locked as long as a process uses it.
    lock = os.open(folder, os.O_RDONLY)
    binary, output = folder / ENGINE_NAME, folder / "output"
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        binary.write_bytes(engine)
        binary.chmod(0o700)
        command = filled_in(words, binary, output, scale)
        streams = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        try:
            # The engine holds the lock too: it may live longer than this process.
            done = subprocess.run(command, check=False, pass_fds=(lock,), **streams)
        except OSError as error:
            # The system says so of a program whose loader is missing, too.
            return Played(127, f"it does not start: {error.strerror}", {})
        files = [path for path in (output, *output.rglob("*")) if path.is_file()]
        contents = {str(path)[len(str(output)) + 1 :]: path.read_bytes() for path in files}
        return Played(done.returncode, done.stderr, contents, done.stdout)
    finally:
        os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


def remove_stale_folders() -> None:
    """Remove the folders of jobs whose processes were killed."""
    for folder in Path(tempfile.gettempdir()).glob(PREFIX + "*"):
        # Other programs have folders of such names, without an engine in them; a job locks its folder before it
        # writes one.
        if folder.is_symlink() or not (folder / ENGINE_NAME).is_file():
            continue
        try:
            lock = os.open(folder, os.O_RDONLY)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass
        finally:
            os.close(lock)
