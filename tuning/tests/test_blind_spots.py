"""Tests of `blind-spots`: which positions it collects, and that `quiver suite` reads its output."""

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

quiver = pytest.importorskip("quiver", reason="the Python package is not installed")
from tuning.commands import blind_spots  # noqa: E402
from tuning.commands.blind_spots import WIDE_SEARCHES, blind_spot, examine, mean_gain  # noqa: E402

START = quiver.Position.start(8)
CHOSEN_MOVE, BETTER_MOVE = quiver.Move("c1-c2/d2"), quiver.Move("c1-c2/c1")


def simulated_search(position, settings, visits=5):
    """Simulate a search. Only a wide search finds `BETTER_MOVE`, 0.1 better than `CHOSEN_MOVE`."""
    if position != START:
        return SimpleNamespace(value=0.4 if position == START.play(BETTER_MOVE) else 0.5)
    candidates = [(CHOSEN_MOVE, 995, 0.5), (BETTER_MOVE, visits, 0.45)]
    if settings == WIDE_SEARCHES[0]:
        candidates = [(BETTER_MOVE, 600, 0.6), (CHOSEN_MOVE, 400, 0.5)]
    listed = [SimpleNamespace(move=move, visits=visits, value=value) for move, visits, value in candidates]
    return SimpleNamespace(best=candidates[0][0], candidates=listed, value=0.5, proven=False, playouts=1000)


def test_overlooked_better_move_is_a_blind_spot():
    row = {"game": 3, "ply": 0, "start": START.fen, "moves": []}
    row |= examine(simulated_search, START, {"wide": WIDE_SEARCHES[0]}) or {}
    spot = blind_spot(row, 0.05)
    assert spot is not None
    assert (spot["id"], spot["solutions"], spot["theme"]) == ("8-blind-3-0", ["c1-c2/c1"], "which-arrow")
    assert (spot["phase"], spot["legal"]) == ("opening", START.count_moves())
    assert blind_spot(row, 0.2) is None
    mean, error, differs = mean_gain([row, {**row, "judged": {}, "chosen": {"wide": row["choice"]}}], "wide")
    assert (round(mean, 9), differs) == (0.05, 1) and 0.097 < error < 0.099
    row["visits"]["c1-c2/c1"] = 20
    assert blind_spot(row, 0.05) is None
    seen = examine(partial(simulated_search, visits=10), START, {})
    assert seen is not None and seen["judged"] == {}


def test_collection_goes_on_and_the_engine_reads_it(engine, run, refused, tmp_path, monkeypatch):
    games = tmp_path / "games.jsonl"
    players = ["match", "--a", "quiver", "--b", "quiver", "--board", "6", "--playouts", "20"]
    engine.output_of(*players, "--games", "4", "--random-plies", "2", "--record", str(games))
    command = ["blind-spots", "--games", games, "--out", "six.jsonl", "--playouts", 300]
    command += ["--compare", "exploration=1,fpu_reduction=0.1"]
    output = run(*command, "--positions", 12)
    assert "exploration=1,fpu_reduction=0.1: gain " in output and " positions" in output
    journal = Path("six.jsonl.journal").read_bytes().splitlines(keepends=True)
    assert len(journal) == 13
    Path("six.jsonl.journal").write_bytes(b"".join(journal[:8]) + journal[8][:20])
    run(*command, "--positions", 12, "--workers", 2)
    assert Path("six.jsonl.journal").read_bytes() == b"".join(journal)
    row = next(row for row in map(json.loads, journal[1:]) if row["choice"] and len(row["judged"]) > 1)
    better = next(move for move in row["judged"] if move != row["choice"])
    row["judged"] |= {row["choice"]: 0.1, better: 0.9}
    row["visits"][better] = None
    with Path("six.jsonl.journal").open("a") as file:
        file.write(f"{json.dumps(row)}\n")
    assert "six.jsonl: " in run(*command, "--positions", 12)
    refused("six.jsonl.journal: has playouts = 300, expected the same settings", *command, "--playouts", 30)
    refused("six.jsonl.journal: has set = {}, expected", *command, "--set", "reuse=0")
    with games.open("a") as file:
        file.write("\n")
    refused("six.jsonl.journal: has games = ", *command)
    suite = ["suite", "quiver", "--board", "6", "--playouts", "20", "--positions", "six.jsonl", "--json"]
    asked = json.loads(engine.output_of(*suite))
    assert better in Path("six.jsonl").read_text() and asked
    # If the search proves all positions, there is no gain to compare.
    monkeypatch.setattr(blind_spots, "examine", lambda *_: None)
    assert "0 blind spots in 0 positions" in run(*command, "--out", "none.jsonl")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--games", "no.jsonl"), "--games: no.jsonl, line 1: "),
        (("--games", "missing.jsonl"), "--games: missing.jsonl: "),
        (("--games", "no.jsonl", "--margin", 2), "--margin"),
        (("--games", "no.jsonl", "--set", "warmth=1"), "settings warmth=1: no parameter"),
    ],
)
def test_bad_input_of_a_collection_is_refused(words, message, refused):
    Path("no.jsonl").write_text("x\ny\n")
    refused(message, "blind-spots", *words, "--out", "out.jsonl")
