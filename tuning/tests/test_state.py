"""The folder of an experiment and its files: whatever is wrong with them is said, and nothing in them is lost."""

import fcntl
import json
import os
import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import refuse_each, script

from tuning import files
from tuning.errors import InputError
from tuning.files import checksum, read_checked, write_checked
from tuning.matches.batch import Batch, Side
from tuning.matches.engine import Engine
from tuning.matches.executor import DeathError, Job, LocalExecutor, filled_in, judge, retried
from tuning.matches.outcome import read_outcome
from tuning.matches.state import FORMAT, State

ABOUT = {"kind": "test", "board": 6}


def batch(number: int = 0, games: int = 4) -> Batch:
    return Batch("test", Side(playouts=5), Side((("exploration", 1.0),), playouts=5), 6, games, number)


def test_another_binary_is_refused(engine: Engine, tmp_path: Path) -> None:
    State(tmp_path, engine, ABOUT)
    path = tmp_path / "experiment.json"
    good = path.read_text()
    about = json.loads(good)
    other = tmp_path / "other"
    other.write_bytes(engine.path.read_bytes() + b"0")
    other.chmod(0o755)
    other_build = Engine(other)
    for name, value, message in (
        ("version", "quiver 0.0.1", "expected quiver 0.0.1 as it was begun with; go on with --engine"),
        ("signature", "0123", "expected 0123 as it was begun with; go on with --engine"),
        ("parameters", about["parameters"] | {"exploration": 9}, "expected exploration = 9 as it was begun"),
        ("board", 8, "board 6, expected 8 as it was begun with; ask for that, or name another --state"),
    ):
        write_checked(path, FORMAT, about | {name: value})
        with pytest.raises(InputError, match=message):
            State(tmp_path, other_build, ABOUT)
    # A build with other bytes that plays the same is taken, and the refusals have changed nothing.
    path.write_text(good)
    assert len(State(tmp_path, other_build, ABOUT).about["runs"]) == 2
    # The copy of the engine is the one that the experiment was begun with.
    (tmp_path / "engine").write_bytes(other.read_bytes())
    with pytest.raises(InputError, match="it is not the engine that the experiment was begun with; restore"):
        State(tmp_path, engine, ABOUT)


def test_a_state_of_the_earlier_format_is_read_and_gets_a_checksum(engine: Engine, tmp_path: Path) -> None:
    State(tmp_path, engine, ABOUT)
    path = tmp_path / "experiment.json"
    fields = json.loads(path.read_text())
    del fields["checksum"]
    path.write_text(json.dumps(fields | {"format": "quiver experiment 1"}))
    assert len(State(tmp_path, engine, ABOUT).about["runs"]) == 2
    written = json.loads(path.read_text())
    assert written["format"] == FORMAT and written["checksum"] == checksum(written)


def test_a_broken_state_is_refused(engine: Engine, tmp_path: Path) -> None:
    State(tmp_path, engine, ABOUT)
    path = tmp_path / "experiment.json"
    good = path.read_text()
    for broken in (good[:40], "[]", "{}", good.replace("experiment 2", "experiment 0"), "\x00"):
        path.write_text(broken)
        with pytest.raises(InputError, match="expected"):
            State(tmp_path, engine, ABOUT)
        assert path.read_text() == broken
    path.unlink()
    (tmp_path / "games").mkdir()
    with pytest.raises(InputError, match="is missing beside games, expected both"):
        State(tmp_path, engine, ABOUT)
    path.write_text(good)
    assert len(State(tmp_path, engine, ABOUT).about["runs"]) == 2


def test_one_at_a_time(engine: Engine, tmp_path: Path) -> None:
    first = State(tmp_path, engine, ABOUT)
    with pytest.raises(InputError, match="another process is at work on it"):
        State(tmp_path, engine, ABOUT)
    first.close()
    State(tmp_path, engine, ABOUT)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="expected a writable folder"):
        State(tmp_path / "file", engine, ABOUT)


def test_the_engine_counts_the_games_on_record(engine: Engine, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    job = Job(batch().command(), record)
    with closing(LocalExecutor(engine, 1)) as executor:
        first = executor.submit(job).result()
        whole = record.read_bytes()
        assert executor.submit(job).result() == first and record.read_bytes() == whole
        # A torn last line is no error: that game is played again.
        record.write_bytes(whole[:-5])
        outcome = read_outcome(executor.submit(job).result(), batch())
        record.write_bytes(whole.replace(b'"winner":1', b'"winner":0'))
        with pytest.raises(InputError, match="expected"):
            executor.submit(job).result()
    games = [json.loads(line) for line in whole.splitlines()[1:]]
    moves = sum(len(game["moves"]) for game in games)
    assert outcome.plies == moves + 4 * 4 and outcome.games == 4 and outcome.faults == 0
    assert sum(outcome.playouts) == sum(sum(game["playouts"]) for game in games) > 0
    assert sum(outcome.seconds) > 0
    with pytest.raises(InputError, match="4 games, expected 6 games"):
        read_outcome(first, batch(games=6))


def test_a_record_of_a_slower_node_is_counted(engine: Engine, tmp_path: Path) -> None:
    timed, record = replace(batch(), a=Side(time=0.001), b=Side(time=0.001)), tmp_path / "record.jsonl"
    engine.ask(*filled_in(timed.command(), engine.path, record, scale=1.5)[1:])
    with closing(LocalExecutor(engine, 1)) as executor:
        told = executor.submit(Job(timed.command(), record)).result()
    assert read_outcome(told, timed).games == 4


def test_waits_for_record_in_use(engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "record.jsonl"
    with closing(LocalExecutor(engine, 1)) as executor:
        executor.submit(Job(batch().command(), record)).result()
        with record.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            job = executor.submit(Job(batch().command(), record))
            with pytest.raises(TimeoutError):
                job.result(timeout=0.3)
        job.result(timeout=10)
    assert "is still being written by an earlier run, waiting" in capsys.readouterr().err


def test_close_ends_engines(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    executor = LocalExecutor(Engine(script(tmp_path / "engine", 'echo > "$1"; exec sleep 60\n')), 1)
    job = executor.submit(Job(("{output}",), begun))
    while not begun.exists():
        time.sleep(0.01)
    closed = time.monotonic()
    executor.close()
    assert job.done() and time.monotonic() - closed < 30


def test_who_dies_is_tried_again_and_who_refuses_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    tries = []

    def dies(times: int) -> None:
        tries.append(times)
        if len(tries) <= times:
            judge(-9, "")

    retried(lambda: dies(2), "a batch")
    assert len(tries) == 3 and capsys.readouterr().err.count("signal 9; tried again") == 2
    with pytest.raises(InputError, match="signal 9, 5 times"):
        retried(lambda: dies(99), "a batch")
    with pytest.raises(DeathError):
        judge(-15, "")
    with pytest.raises(InputError, match=r"^no such thing$"):
        judge(2, "talk\nquiver: no such thing\n\n")
    judge(0, "")
    judge(1, "talk")


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=repr)
def test_name_holds_old_content_or_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    path, part, done = tmp_path / "state.json", tmp_path / "state.json.1.part", []
    # Another process was ended before its file had its name.
    part.write_bytes(b"new")

    def failing(operation: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:  # noqa: ANN401
            done.append(operation)
            if len(done) > point:
                raise failure
            return operation(*arguments)

        return call

    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, failing(getattr(os, name)))
    # The operations are those of the bytes, the name and the folder.
    for point in range(4):
        done.clear()
        path.write_bytes(b"old")
        with pytest.raises(type(failure)) if point < 3 else nullcontext():
            files.replace(path, b"new")
        assert path.read_bytes() == b"new" or (path.read_bytes() == b"old" and point < 3)
        assert set(tmp_path.iterdir()) == {path, part}


def read(path: Path) -> Any:  # noqa: ANN401
    return read_checked(path, "test 2", "a state", "restore it", "test 1")


def test_damaged_content_is_refused(tmp_path: Path) -> None:
    """A file that lost its end or a bit is refused, not read as another."""
    path = tmp_path / "state.json"
    assert read(path) is None
    write_checked(path, "test 2", {"runs": [{"date": "today", "command": "tune"}], "signature": "0123"})
    good, expected, refused = path.read_bytes(), read(path), 0
    cut = [good[:end] for end in range(len(good))]
    flipped = [bytearray(good) for _ in range(8 * len(good))]
    for bit, content in enumerate(flipped):
        content[bit // 8] ^= 1 << bit % 8
    for content in (*cut, *flipped):
        path.write_bytes(content)
        try:
            # Another blank between two fields, or none at the end, changes nothing.
            assert read(path) == expected
        except InputError as error:
            assert "expected" in str(error)
            refused += 1
    assert refused > 0.95 * (len(cut) + 8 * len(good.replace(b" ", b"")))
    cases = (
        (good.replace(b"today", b"later"), "was edited by hand; restore it"),
        (good.replace(b"test 2", b"test 0"), "format 'test 0', expected 'test 2'"),
        (good.replace(b"{", b"["), "expected a state; restore it"),
    )
    refuse_each(read, path, cases)
