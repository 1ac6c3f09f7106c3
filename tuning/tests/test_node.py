"""Jobs on a node: an engine that cannot run there, and what killed jobs leave behind."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tuning.errors import InputError
from tuning.matches.engine import read_speed
from tuning.matches.node import play

SCRIPT = b"#!/bin/sh\n"


@pytest.fixture(autouse=True)
def folder_of_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        (SCRIPT + b"echo \"./engine: version 'GLIBC_2.38' not found\" >&2; exit 1\n", "GLIBC_2.38"),
        (b"#!/no/such/loader\n", "it does not start: No such file or directory"),
        (b"\x7fELF for another processor", "it does not start: Exec format error"),
    ],
)
def test_an_engine_that_does_not_run_makes_the_node_unfit(engine: bytes, reason: str, tmp_path: Path) -> None:
    done, content = play(engine, ("--version",))
    assert done.returncode and reason in done.stderr and content is None
    assert not any(tmp_path.iterdir())


def test_the_folder_of_a_killed_job_is_removed(tmp_path: Path) -> None:
    # The engine outlives its killed worker until this test lets it end.
    fifo = tmp_path / "go"
    os.mkfifo(fifo)
    engine = SCRIPT + f"read line < {fifo}\n".encode()
    program = f"from tuning.matches.node import play; play({engine!r}, ('match',))"
    here = os.environ | {"TMPDIR": str(tmp_path)}
    worker = subprocess.Popen([sys.executable, "-c", program], env=here)
    writer = os.open(fifo, os.O_WRONLY)
    (folder,) = tmp_path.glob("quiver-*")
    worker.kill()
    worker.wait()
    while folder.exists():
        time.sleep(0.01)
    os.close(writer)


def test_speeds_are_read_or_refused() -> None:
    assert read_speed('{"playouts_per_second": 5e4, "signature": "0"}') == 50_000
    for wrong in ("", "{}", '{"playouts_per_second": 0}', '{"playouts_per_second": null}', "[]"):
        with pytest.raises(InputError, match=r"quiver bench --json: .* expected"):
            read_speed(wrong)
