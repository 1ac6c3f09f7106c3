"""Files that are replaced whole: the name holds the old content or the new, whatever ends the process or the machine.

The rules are those of the engine's `files::Replacement`; the tests fail each of the operations in turn.
"""

import os
from pathlib import Path


def replace(path: Path, content: bytes) -> None:
    """Write a file beside its name, and give it the name once its bytes are on the disk."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
