"""Jobs on a node: an engine that cannot run there, and what killed jobs leave behind."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tuning.errors import InputError
from tuning.matches.batch import seconds
from tuning.matches.engine import read_speed
from tuning.matches.executor import Job, filled_in
from tuning.matches.node import Played, play

SCRIPT = b"#!/bin/sh\n"


@pytest.fixture(autouse=True)
def folder_of_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        (SCRIPT + b"echo \"./engine: version 'GLIBC_2.38' not found\" >&2; exit 1\n", "GLIBC_2.38"),
        (SCRIPT + b"exit 3\n", "it ends with status 3"),
        (b"#!/no/such/loader\n", "it does not start: No such file or directory"),
        (b"\x7fELF for another processor", "it does not start: Exec format error"),
    ],
)
def test_an_engine_that_does_not_run_makes_the_node_unfit(engine: bytes, reason: str, tmp_path: Path) -> None:
    assert reason in play(engine, ("--version",)).trouble
    assert not any(tmp_path.iterdir())


def test_outputs_come_back_as_files(tmp_path: Path) -> None:
    engine = SCRIPT + b'mkdir "$2"; echo 7 > "$2/record"; echo hm >&2; exit 1\n'
    assert play(engine, ("match", "{output}")) == Played(1, "hm\n", {"record": b"7\n"})
    assert not any(tmp_path.iterdir())


def test_the_next_job_removes_the_folders_of_killed_ones(tmp_path: Path) -> None:
    # The engine outlives its killed worker until this test lets it end.
    fifo = tmp_path / "go"
    os.mkfifo(fifo)
    engine = SCRIPT + f"read line < {fifo}\n".encode()
    program = f"from tuning.matches.node import play; play({engine!r}, ('match',))"
    here = os.environ | {"TMPDIR": str(tmp_path)}
    worker = subprocess.Popen([sys.executable, "-c", program], env=here)
    writer = os.open(fifo, os.O_WRONLY)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    strangers = tmp_path / "quiver-test"
    strangers.mkdir()
    nothing = (SCRIPT + b"exit 0\n", ("match",))
    play(*nothing)
    left = [path for path in tmp_path.glob("quiver-*") if path != strangers]
    assert len(left) == 1 and (left[0] / "engine").exists()
    os.close(writer)
    while left[0].exists():
        play(*nothing)
        time.sleep(0.01)
    assert strangers.exists()


def test_times_are_scaled_where_a_command_has_some() -> None:
    words = ("match", "--time", seconds(0.05), "--playouts", "5", "{output}")
    assert Job(words, Path("out")).timed and not Job(("match", "--playouts", "5"), Path("out")).timed
    here = ["/engine", "match", "--time", "0.05", "--playouts", "5", "out"]
    assert filled_in(words, Path("/engine"), Path("out")) == here
    here[3] = "0.075"
    assert filled_in(words, Path("/engine"), Path("out"), 1.5) == here


def test_speeds_are_read_or_refused() -> None:
    assert read_speed('{"playouts_per_second": 5e4, "signature": "0"}') == 50_000
    for wrong in ("", "{}", '{"playouts_per_second": 0}', '{"playouts_per_second": null}', "[]"):
        with pytest.raises(InputError, match=r"quiver bench --json: .* expected"):
            read_speed(wrong)
