"""Curves from the command line, with real games on a small board."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tuning.command import main
from tuning.errors import InputError
from tuning.experiments.curve import draw_up, read_fewer, read_values
from tuning.matches.engine import Engine
from tuning.matches.record import Outcome
from tuning.matches.series import Stop
from tuning.matches.statistics import Standing


def line(folder: Path, *more: str) -> list[str]:
    places = ["--state", str(folder / "state"), "--report", str(folder / "report")]
    return ["curve", "--board", "6", "--batch", "10", *places, *more]


def games(folder: Path) -> dict[str, list]:
    """Return the moves of all games that were recorded, which do not depend on time."""
    found = {}
    for path in sorted((folder / "state" / "games").rglob("*.jsonl")):
        lines = [json.loads(text) for text in path.read_text().splitlines()[1:]]
        name = f"{path.parent.name}/{path.name}"
        found[name] = sorted((one["game"], one["moves"], one["winner"]) for one in lines)
    return found


def figures(folder: Path) -> str:
    return (folder / "report" / "report.md").read_text().partition("![")[2]


def test_values_double_or_are_listed() -> None:
    assert read_values("100..51200", True) == tuple(100.0 * 2**step for step in range(10))
    assert read_values("0.1..0.5", False) == (0.1, 0.2, 0.4)
    assert read_values("5,7", True) == (5, 7)


def test_steps_add_up_as_far_as_they_are_known(engine: Engine) -> None:
    curve = draw_up("playouts", (10, 20, 40, 80), 20, Stop(20, 20), 10, None)
    assert [step.name for step in curve.steps] == ["playouts-20-10", "playouts-40-20", "playouts-80-40"]
    # 10 and 40 meet 20 on the way; only 80 has to be asked for.
    assert [one.name for one in curve.all_series][-1] == "playouts-80-40"
    assert len(curve.all_series) == 4
    for step, pairs in zip(curve.steps, ((10, 40, 50), (0, 10, 10), (0, 0, 20)), strict=True):
        step.counted = Outcome(Standing(pairs))
    ten, twenty, forty, eighty = curve.points()
    first, second = (step.counted.standing for step in curve.steps[:2])
    assert (ten.elo, twenty.elo) == (0, first.elo) and forty.elo == pytest.approx(first.elo + second.elo)
    assert forty.error == pytest.approx(math.hypot(first.error, second.error))
    assert math.isnan(eighty.elo)
    below, above = curve.outcomes_against_fixed()[:2]
    assert (below[1].standing.pairs, above[1].standing.pairs) == ((50, 40, 10), (0, 10, 10))


def test_dear_values_play_fewer_games() -> None:
    curve = draw_up("playouts", (10, 20, 40), 10, Stop(200, 200), 10, None, read_fewer("40=20"))
    assert {one.name: one.stop.least for one in curve.all_series} == {
        "playouts-20-10": 200,
        "playouts-40-10": 20,
        "playouts-40-20": 20,
    }
    for text in ("40", "0=20", "nan=20", "40=1", "a=b"):
        with pytest.raises(InputError, match="expected VALUE=GAMES"):
            read_fewer(text)


def test_a_curve_is_the_same_however_it_came_about(engine: Engine, tmp_path: Path) -> None:
    asked = ("--playouts", "5..20", "--fixed", "5", "--games", "20", "--max-games", "60", "--error", "90")
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    assert main(line(whole, *asked, "--workers", "2")) == 0
    # First fewer values and fewer games, then what is missing; a cut record and one torn line on the way.
    assert main(line(pieces, "--playouts", "5,10", "--games", "10", "--workers", "1")) == 0
    record = pieces / "state" / "games" / "playouts-10-5" / "0000.jsonl"
    record.write_bytes(record.read_bytes()[:-700])
    assert main(line(pieces, *asked, "--workers", "1")) == 0
    both = games(whole), games(pieces)
    shared = both[0].keys() & both[1].keys()
    assert len(shared) >= 6 and all(both[0][name] == both[1][name] for name in shared)
    assert figures(whole) == figures(pieces)
    assert (whole / "report" / "curve.svg").read_bytes() == (pieces / "report" / "curve.svg").read_bytes()
    steps = json.loads((whole / "report" / "report.json").read_text())["tables"]["steps"]
    assert [(step["playouts"], step["against"], step["games"] >= 20) for step in steps] == [
        (10, 5, True),
        (20, 10, True),
    ]
    about = json.loads((pieces / "state" / "experiment.json").read_text())
    assert about["signature"] == engine.signature() and about["seed"] == 1 and len(about["runs"]) == 2
    assert all(run["commit"] and run["machine"] and run["command"] for run in about["runs"])


def test_time_is_a_curve_too(engine: Engine, tmp_path: Path) -> None:
    assert main(line(tmp_path, "--times", "0.001,0.004", "--games", "10")) == 0
    assert "playouts a second" in figures(tmp_path) and "| 0.004 | 10 |" in figures(tmp_path)
    assert main(line(tmp_path / "threads", "--threads", "1,2", "--games", "2")) == 2


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_curve_goes_on(engine: Engine, tmp_path: Path, how: signal.Signals) -> None:
    asked = line(tmp_path, "--playouts", "200,400", "--games", "40", "--workers", "2")
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    run = subprocess.Popen(
        [sys.executable, "-m", "tuning", *asked], stderr=subprocess.PIPE, text=True, env=here
    )
    records = tmp_path / "state" / "games"
    while not any(path.stat().st_size > 3000 for path in records.rglob("*.jsonl")):
        assert run.poll() is None
        time.sleep(0.1)
    run.send_signal(how)
    _, told = run.communicate(timeout=60)
    if how == signal.SIGTERM:
        assert run.returncode == 1 and "the same command goes on" in told
        assert (tmp_path / "report" / "report.md").exists()
    before = games(tmp_path)
    assert main(asked) == 0
    after = games(tmp_path)
    assert "| 400 | 40 |" in figures(tmp_path)
    for name, played in before.items():
        assert [one for one in after[name] if one in played] == played


def test_input_that_is_wrong_is_refused_in_a_sentence(
    engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = ("--playouts", "5,10", "--games", "10")
    assert main(line(tmp_path, *usual)) == 0
    capsys.readouterr()
    kept = games(tmp_path)
    for more, message in (
        (("--playouts", "10,5"), "expected two or more, ascending"),
        (("--playouts", "10"), "expected two or more, ascending"),
        (("--playouts", "a..b"), "expected whole numbers above 0"),
        (("--playouts", "0..8"), "expected whole numbers above 0"),
        (("--playouts", "1.5,3"), "expected whole numbers above 0"),
        ((*usual, "--time", "1"), "expected --time SECONDS with --threads, and only there"),
        ((*usual, "--games", "0"), "expected from 2"),
        ((*usual, "--error", "-1"), "expected one above 0"),
        ((*usual, "--batch", "3"), "expected an even number of games"),
        ((*usual, "--board", "11"), "expected 4 to 10 squares"),
        ((*usual, "--board", "8"), "board 8, expected 6 as it was begun with"),
        ((*usual, "--seed", "2"), "seed 2, expected 1 as it was begun with"),
        ((*usual, "--seed", "-2"), "expected a number from 0"),
        ((*usual, "--workers", "0"), "expected at least 1"),
        ((*usual, "--set", "warmth=1"), "no parameter is called 'warmth', expected one of"),
        ((*usual, "--set", "exploration=100"), "expected a value from"),
        ((*usual, "--engine", str(tmp_path / "none")), "expected one built by 'cargo build --release'"),
        ((*usual, "--engine", str(Path(__file__))), "expected an engine that runs here"),
        ((*usual, "--engine", "/bin/true"), "expected a list of parameters"),
    ):
        assert main(line(tmp_path, *more)) == 2, more
        error = capsys.readouterr().err.splitlines()[-1]
        assert error.startswith("tuning: ") and message in error, error
    assert games(tmp_path) == kept
