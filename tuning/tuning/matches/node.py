"""A job of the engine on a node of a cluster: needs the standard library alone."""

import subprocess
import tempfile
from pathlib import Path
from subprocess import CompletedProcess

from tuning.matches.executor import filled_in

Played = tuple[CompletedProcess[str], bytes | None]
"""The ended process of a job, and the content of the file that it wrote, if it did."""


def run(engine: bytes, words: tuple[str, ...], scale: float = 1.0) -> Played:
    """Run the engine in a folder of its own, which is removed afterwards; times are multiplied by `scale`."""
    folder = Path(tempfile.mkdtemp(prefix="quiver-"))
    binary, output = folder / "engine", folder / "output"
    # The end of its input, which is that of this process if it is killed, makes the shell remove the folder.
    removal = ["sh", "-c", 'read end; rm -rf "$0"', folder]
    with subprocess.Popen(removal, stdin=subprocess.PIPE, start_new_session=True):
        binary.write_bytes(engine)
        binary.chmod(0o700)
        command = filled_in(words, binary, output, scale)
        streams = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        try:
            done = subprocess.run(command, check=False, **streams)
        except OSError as error:
            # The system says so of a program whose loader is missing, too.
            done = CompletedProcess(command, 127, "", f"it does not start: {error.strerror}")
        return done, output.read_bytes() if output.is_file() else None
