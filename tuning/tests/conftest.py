"""Fixtures that run commands, and a fixture that writes feature rows made from known weights."""

import json
import os

import numpy as np
import pytest

from tuning.command import main
from tuning.errors import InputError
from tuning.matches.engine import Engine
from tuning.provenance import ROOT

KNOTS = np.array([0, 320, 800])
"""The knots at which `TRUE` has weights: 0, 20 and 50 contested squares, in 1/16 of a square."""
TRUE = np.array([[0.30, 0.10, 0.00, 0.0], [0.20, 0.10, 0.10, 0.0], [0.05, 0.10, 0.20, 0.0]])
TERMS = ["t1", "c2", "tempo", "never"]


def header(count):
    definitions = [("contest", 16, "phase"), ("empty", 1, "phase"), ("odds:truth", 1024, "odds")]
    definitions += [("t1", 1, "term"), ("c2", 6, "term"), ("tempo", 1, "term"), ("never", 1, "term")]
    columns = [{"name": name, "unit": unit, "role": role} for name, unit, role in definitions]
    fixed = [["game", "<u4"], *[[name, "<u2"] for name in ("ply", "flags", "result", "value", "empties")]]
    return {
        "format": 1,
        "quiver": "0",
        "board": [8, 8],
        "rows": count,
        "fields": fixed + [[column["name"], "<i2"] for column in columns],
        "columns": columns,
        "every": 1,
        "games": [{"games": count // 40, "playouts": 100, "seed": 1, "version": {"evaluator": "0"}}],
    }


def write(path, about, data):
    text = json.dumps({"features": about})
    path.write_bytes(text.encode().ljust((len(text) + 1 + 63) // 64 * 64 - 1) + b"\n" + data)
    return path


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def refuse_each(read, path, cases):
    for content, message in cases:
        path.write_bytes(content)
        with pytest.raises(InputError, match=message):
            read(path)


def written(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*.*")}


def assert_documented(result):
    """Check that `tuning/README.md` names every field of a result file and of the objects in it."""
    guide = (ROOT / "tuning" / "README.md").read_text(encoding="utf-8")
    guide = guide.split("\n## Result files\n")[1].split("\n## ")[0]
    parts = [result, result["engine"], result.get("play", {}), result.get("confirmation") or {}]
    for part in [*parts, *result["rows"], *result.get("tables", {}).values()]:
        assert [name for name in part if f"`{name}`" not in guide] == []


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """Write a file of 40,000 feature rows from 1,000 games. In 250 games the result is unusable."""
    rng = np.random.default_rng(5)
    count = 40_000
    about = header(count)
    data = np.zeros(count, dtype=[(name, kind) for name, kind in about["fields"]])
    data["game"], data["ply"] = np.divmod(np.arange(count), 40)
    data["empties"] = 54 - data["ply"]
    data["contest"] = rng.integers(0, 880, count)
    data["empty"] = data["empties"]
    data["t1"] = np.rint(rng.normal(0, 8, count))
    data["c2"] = np.rint(rng.normal(0, 20, count))
    data["tempo"] = 1
    phases = np.clip(data["contest"], 0, 800)
    at_knots = np.stack([data[name] for name in TERMS], axis=1) @ TRUE.T
    odds = np.array([np.interp(phase, KNOTS, line) for phase, line in zip(phases, at_knots, strict=True)])
    data["odds:truth"] = np.rint(1024 * odds)
    chance = 1 / (1 + np.exp(-odds))
    data["value"] = np.rint(65535 * chance)
    data["result"] = rng.random(count) < chance
    data["flags"] = (data["ply"] % 2) | np.where(data["game"] % 4 == 1, 0, 2)
    return write(tmp_path_factory.mktemp("rows") / "sample.rows", about, data.tobytes())


@pytest.fixture(scope="session")
def engine():
    if "QUIVER" not in os.environ:
        pytest.skip("QUIVER names no engine")
    return Engine.find(None)


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Return a function that runs a command, checks its exit status, and returns its output."""
    monkeypatch.chdir(tmp_path)

    def run(*words, status=0):
        exit_status = main([str(word) for word in words])
        captured = capsys.readouterr()
        assert exit_status == status, captured.err
        return captured.out + captured.err

    return run


@pytest.fixture
def refused(run):
    def refused(message, *words):
        output = run(*words, status=2)
        last = output.splitlines()[-1]
        assert last.startswith("tuning: ") and message in last and "Traceback" not in output, output

    return refused
