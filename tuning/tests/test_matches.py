"""Tests of the state folder, files, executors, workers, outcomes and matches."""

import fcntl
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import refuse_each, script

from tuning import files
from tuning.errors import InputError
from tuning.files import read_checked, write_checked
from tuning.matches.batch import Batch, Side
from tuning.matches.engine import Engine, read_speed
from tuning.matches.executor import Executor, LocalExecutor, WorkerHandle
from tuning.matches.match import Match, play
from tuning.matches.outcome import Outcome, Sprt, read_outcome
from tuning.matches.state import FORMAT, State
from tuning.matches.worker import Job, Reply, Worker

ABOUT = {"kind": "test", "board": 6}
SCRIPT = b"#!/bin/sh\n"


def here(engine, cores=1):
    return LocalExecutor({"engine": engine.path}, cores)


def done(executor, job):
    ((_, result),) = executor.run_jobs([job])
    return result


def batch(number=0, games=4):
    return Batch("test", Side(playouts=5), Side((("exploration", 1.0),), playouts=5), 6, games, number)


def test_another_binary_is_refused(engine, tmp_path):
    State(tmp_path, engine, ABOUT)
    path = tmp_path / "experiment.json"
    good = path.read_text()
    about = json.loads(good)
    other = tmp_path / "other"
    other.write_bytes(engine.path.read_bytes() + b"0")
    other.chmod(0o755)
    other_build = Engine(other)
    for name, value, message in (
        ("version", "quiver 0.0.1", "expected quiver 0.0.1 as in the first run; continue with"),
        ("signature", "0123", "expected 0123 as in the first run; continue with --engine"),
        (
            "parameters",
            about["parameters"] | {"exploration": 9},
            "expected exploration = 9 as in the first run",
        ),
        ("board", 8, "board 6, expected 8 as in the first run; use these settings, or another"),
    ):
        write_checked(path, FORMAT, about | {name: value})
        with pytest.raises(InputError, match=message):
            State(tmp_path, other_build, ABOUT)
    # `other_build` plays as `engine` does, so `State` accepts it if experiment.json is unchanged.
    path.write_text(good)
    assert len(State(tmp_path, other_build, ABOUT).about["runs"]) == 2
    # The copy of the engine in the state folder must be the engine that began the run.
    (tmp_path / "engine").write_bytes(other.read_bytes())
    with pytest.raises(InputError, match="the engine that began the run; restore"):
        State(tmp_path, engine, ABOUT)


def test_a_broken_state_is_refused(engine, tmp_path):
    State(tmp_path, engine, ABOUT)
    path = tmp_path / "experiment.json"
    good = path.read_text()
    for broken in (good[:40], "[]", "{}", good.replace("experiment 4", "experiment 0"), "\x00"):
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


def test_one_at_a_time(engine, tmp_path):
    first = State(tmp_path, engine, ABOUT)
    with pytest.raises(InputError, match="another process uses it"):
        State(tmp_path, engine, ABOUT)
    first.close()
    State(tmp_path, engine, ABOUT)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="expected a writable folder"):
        State(tmp_path / "file", engine, ABOUT)


def test_the_engine_counts_the_games_on_record(engine, tmp_path):
    record = tmp_path / "record.jsonl"
    job = Job(batch(), record)
    with closing(here(engine)) as executor:
        first = done(executor, job)
        whole = record.read_bytes()
        assert done(executor, job) == first and record.read_bytes() == whole
        # If the last line of the record is incomplete, the engine plays the line's game again.
        record.write_bytes(whole[:-5])
        outcome = done(executor, job)
        record.write_bytes(whole.replace(b'"winner":1', b'"winner":0'))
        with pytest.raises(InputError, match="expected"):
            done(executor, job)
    games = [json.loads(line) for line in whole.splitlines()[1:]]
    moves = sum(len(game["moves"]) for game in games)
    assert outcome.plies == moves + 4 * 4 and outcome.games == 4 and outcome.faults == 0
    assert sum(outcome.playouts) == sum(sum(game["playouts"]) for game in games) > 0
    assert sum(outcome.seconds) > 0
    with pytest.raises(InputError, match="4 games, expected 6 games"):
        read_outcome('{"games": 4}', 6)


def test_waits_for_record_in_use(engine, tmp_path, capsys):
    record = tmp_path / "record.jsonl"
    with closing(here(engine)) as executor:
        done(executor, Job(batch(), record))
        with record.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            executor.submit([Job(batch(), record)])
            assert executor.poll() == []
        while not executor.poll():
            pass
    assert "waits for the engine of an earlier run" in capsys.readouterr().err


def test_a_book_is_that_of_the_engine(engine, run, refused):
    asked = ["--board", "6", "--playouts", "30", "--positions"]
    alone, out = Path("alone.txt"), Path("6.txt")
    engine.output_of("book", "make", "--out", str(alone), "--concurrency", "2", *asked, "6")
    # The first run searches 1 position, then 2 at once. The second run adds 3: 2 at once, then 1.
    for positions in ("3", "6"):
        output = run("book", "--out", out, "--concurrency", "2", "--workers", "2", "--", *asked, positions)
        assert output.startswith(f"{positions} positions, ") and output.count("tuning: searched ") == 2
    assert out.read_bytes() == alone.read_bytes()
    refused("quiver book make", "book", "--out", out, "--", "--positions", "0")


def test_close_ends_engines(tmp_path):
    begun = tmp_path / "begun"
    executor = here(Engine(script(tmp_path / "engine", 'echo > "$1"; exec sleep 60\n')))
    executor.submit([Job(("{output}",), begun)])
    while not begun.exists():
        time.sleep(0.01)
    closed = time.monotonic()
    executor.close()
    assert time.monotonic() - closed < 30


def test_killed_engine_is_retried_failing_engine_is_not(tmp_path, capsys):
    text = (
        'told=\'{"games": 4, "players": [], "mean_plies": 9, "faults": 1, "score": {"pairs": [2, 0, 0]}}\'\n'
        'if [ "$1" = match ]; then echo "$told"; exit 1; fi\n'
        'echo >> "$2"\n'
        'case "$1" in\n'
        'twice) [ $(wc -l < "$2") -gt 2 ] || kill -9 $$;;\n'
        "always) kill -15 $$;;\n"
        'refuses) printf "talk\\nquiver: no such thing\\n\\n" >&2; exit 2;;\n'
        "esac\n"
    )
    dying = Engine(script(tmp_path / "engine", text))

    def tries(command):
        output = tmp_path / command
        with closing(here(dying)) as executor:
            done(executor, Job((command, "{output}"), output))
        return len(output.read_text())

    assert tries("twice") == 3 and capsys.readouterr().err.count("the job is run again") == 2
    with pytest.raises(InputError, match="signal 15 ended the engine 5 times"):
        tries("always")
    with pytest.raises(InputError, match=r"^no such thing$"):
        tries("refuses")
    assert (tmp_path / "refuses").read_text() == "\n"
    with closing(here(dying)) as executor:
        assert done(executor, Job(batch())).faults == 1


class Dying(Executor):
    """An executor whose worker 0 dies at its first call. Other workers must do this call's jobs."""

    def __init__(self, workers):
        super().__init__()
        self.place, self.sent = "a test", []
        self.handles = [
            WorkerHandle(f"node {worker}", 2, lambda jobs, worker=worker: self._sent(worker, jobs))
            for worker in range(workers)
        ]

    def _sent(self, worker, jobs):
        self.sent.append((worker, len(jobs)))
        future = Future()
        if worker == 0:
            future.set_exception(ConnectionError("lost"))
        else:
            future.set_result([Reply(" ".join(job.work), 0.5) for job in jobs])
        return future

    def _failure_of(self, future):
        return str(future.exception()) if future.exception() else None

    def close(self):
        """Do nothing: this executor has no workers to release."""


def test_jobs_of_a_dead_worker_are_done_by_others(capsys):
    executor, jobs = Dying(3), [Job((f"{number}",)) for number in range(100)]
    results = [result for _, result in executor.run_jobs(jobs)]
    assert sorted(results, key=int) == [f"{number}" for number in range(100)]
    assert [handle.name for handle in executor.handles] == ["node 1", "node 2"] and executor.cores == 4
    assert "node 0: lost; its jobs are run again" in capsys.readouterr().err
    # The first call sends each core one job. Later calls send each core up to 10 jobs, because each
    # job takes 0.5 s here, and a call should take 5 s (`CALL_SECONDS`).
    sizes = [count for _, count in executor.sent]
    assert sizes[0] == 2 and 2 < max(sizes) <= 20


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=repr)
def test_name_holds_old_content_or_new(tmp_path, monkeypatch, failure):
    path, part, done = tmp_path / "state.json", tmp_path / "state.json.1.part", []
    # Another process was killed before it renamed this temporary file, which must stay.
    part.write_bytes(b"new")

    def failing(operation):
        def call(*arguments):
            done.append(operation)
            if len(done) > point:
                raise failure
            return operation(*arguments)

        return call

    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, failing(getattr(os, name)))
    # `files.replace` syncs the file (call 0), renames it (call 1) and syncs the folder (call 2).
    # The call with the number `point` fails. If `point` is 3, no call fails.
    for point in range(4):
        done.clear()
        path.write_bytes(b"old")
        with pytest.raises(type(failure)) if point < 3 else nullcontext():
            files.replace(path, b"new")
        assert path.read_bytes() == b"new" or (path.read_bytes() == b"old" and point < 3)
        assert set(tmp_path.iterdir()) == {path, part}


def read(path):
    return read_checked(path, "test 2", "a state", "restore it")


def test_damaged_content_is_refused(tmp_path):
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
            # A change of white space outside of values is no error: the checksum ignores it.
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


@pytest.mark.parametrize("stop", [(54, 54), (40, 4000, 110), (20, 4000, None, Sprt(0, 400))])
def test_counts_depend_on_no_order(engine, stop, tmp_path, capsys):
    outcomes = set()
    for cores in (1, 2, 7):
        folder = tmp_path / str(cores)

        def job(batch, folder=folder):
            return Job(batch, folder / f"{batch.group}-{batch.number}.jsonl")

        sides = Side(playouts=6), Side(playouts=2)
        several = [Match(Batch(name, *sides, 6, 10), *stop) for name in ("one", "other")]
        noted = {}
        state = SimpleNamespace(job=job, known={}, append_outcomes=noted.update)
        with closing(here(engine, cores)) as executor:
            play(several, state, executor)
        messages, batches = capsys.readouterr().err, 0
        for match in several:
            assert 20 <= match.counted.games <= match.most
            batches += -(-match.counted.games // 10)
            assert messages.count(f"tuning: {match.first.group}: {match.counted} Elo after") == 1
            outcomes.add(replace(match.counted, seconds=(0.0, 0.0)))
        # `noted` may also have uncounted batches, which were in play when their match ended.
        assert len(noted) >= batches
        # A second run takes all outcomes from `noted` and plays no game.
        again = [Match(Batch(name, *sides, 6, 10), *stop) for name in ("one", "other")]
        with closing(here(engine, cores)) as executor:
            play(again, SimpleNamespace(job=None, known=noted), executor)
        assert [match.counted for match in again] == [match.counted for match in several]
        capsys.readouterr()
    assert len(outcomes) == 1


def test_one_sided_games_are_not_played_to_the_end():
    match = Match(Batch("one", Side(), Side(), 6, 20), 20, 1000, error=10, counted=Outcome((0, 0, 10)))
    assert match.missing_games == 0 < replace(match, counted=Outcome((0, 1, 9))).missing_games


def test_statistics_are_those_of_the_engine(engine):
    for pairs in (
        (96, 111, 136),
        (0, 0, 10),
        (3, 0, 0),
        (0, 1, 1),
        (0, 7, 0),
        (1, 0, 1),
        (40, 4000, 110),
        (2, 0, 900),
    ):
        report = json.loads(engine.output_of("elo", ",".join(map(str, pairs)), "--json", "--sprt", "0,5"))
        score, sprt, statistics = report["score"], report["sprt"], Outcome(pairs).elo_statistics
        low, high = score["elo_interval"]
        expected = [score["elo"], score["elo_error"], low, high, score["los"]]
        assert [x is None for x in statistics] == [x is None for x in expected], pairs
        for ours, theirs in zip(statistics, expected, strict=True):
            assert ours is theirs is None or ours == pytest.approx(theirs, rel=1e-6, abs=1e-6), pairs
        test = Sprt(0, 5)
        assert test.ratio(pairs) == pytest.approx(sprt["llr"], rel=1e-9)
        assert (test.verdict(pairs), test.bound) == (sprt["verdict"], pytest.approx(sprt["bounds"][1]))


def test_outcomes_on_the_disk_are_whole_or_refused(engine, tmp_path):
    first = State(tmp_path, engine, ABOUT)
    first_outcome, other = Outcome((1, 2, 3), 1, 40, (5, 6), (0.5, 0.25)), Outcome((0, 0, 1))
    first.append_outcomes({("a", 0): first_outcome, ("a", 1): other})
    first.append_outcomes({("b", 0): other})
    first.close()
    path = tmp_path / "outcomes"
    good = path.read_bytes()
    for content, known in ((good, 3), (good[:-1], 2), (good[:10], 0), (b"", 0)):
        path.write_bytes(content)
        again = State(tmp_path, engine, ABOUT)
        again.close()
        assert len(again.known) == known and again.known.get(("a", 0), first_outcome) == first_outcome
    path.write_bytes(good.replace(b"[1,2,3]", b"[1,2,4]"))
    with pytest.raises(InputError, match=r"outcomes, line 1: another checksum, expected the outcomes"):
        State(tmp_path, engine, ABOUT)


def test_figures_without_a_bound_are_left_out():
    assert str(Outcome((96, 111, 136))) == "+41 +-30"
    none, all_won = Outcome(), Outcome((0, 0, 10))
    assert none.row["games"] == 0 and none.row["elo_low"] is none.row["elo_high"] is None and str(none) == ""
    assert all_won.row["elo"] is all_won.row["elo_error"] is all_won.row["elo_high"] is None
    assert str(all_won).startswith("above +") and str(Outcome((3, 0, 0))).startswith("below -")
    few, row = Outcome((0, 1, 1)), Outcome((0, 1, 1)).row
    assert row["elo_error"] == pytest.approx((row["elo_high"] - row["elo_low"]) / 2, abs=0.01)
    assert str(few) == "+191 +-287"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (SCRIPT + b"echo \"./engine: version 'GLIBC_2.38' not found\" >&2; exit 1\n", "GLIBC_2.38"),
        (b"#!/no/such/loader\n", "No such file or directory, expected an engine that runs here"),
        (b"\x7fELF for another processor", "Exec format error"),
    ],
)
def test_worker_reports_engine_that_cannot_run(content, reason, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    worker = Worker({"engine": content}, 1)
    (reply,) = worker.run([Job(("--version",))])
    assert reason in reply.error
    worker.close()


def test_the_folder_of_a_killed_job_is_removed(tmp_path):
    # The engine process waits for this pipe, so it still runs after its worker is killed.
    fifo = tmp_path / "go"
    os.mkfifo(fifo)
    engine = SCRIPT + f"read line < {fifo}\n".encode()
    program = (
        f"from tuning.matches.worker import *; Worker({{'engine': {engine!r}}}, 1).run([Job(('match',))])"
    )
    inside = os.environ | {"TMPDIR": str(tmp_path)}
    worker = subprocess.Popen([sys.executable, "-c", program], env=inside)
    writer = os.open(fifo, os.O_WRONLY)
    (folder,) = tmp_path.glob("quiver-*")
    worker.kill()
    worker.wait()
    while folder.exists():
        time.sleep(0.01)
    os.close(writer)


def test_speeds_are_read_or_refused():
    assert read_speed('{"playouts_per_second": 5e4, "signature": "0"}') == 50_000
    for wrong in ("", "{}", '{"playouts_per_second": 0}', '{"playouts_per_second": null}', "[]"):
        with pytest.raises(InputError, match=r"quiver bench --json: .* expected"):
            read_speed(wrong)
