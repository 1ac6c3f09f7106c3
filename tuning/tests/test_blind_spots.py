"""Blind spots: which positions are some, and their files as the engine reads them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conftest import Refused, Run

from tuning.blind_spots import WIDE, Board, blind_spot, examine, gain
from tuning.matches.engine import Engine
from tuning.provenance import ROOT

START = "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1"


def test_legal_moves_agree_with_reference_counts() -> None:
    lines = (ROOT / "src" / "training" / "positions" / "perft.txt").read_text(encoding="utf-8").splitlines()
    counted = 0
    for line in lines:
        fen, *counts = line.split(";")
        if counts and "#" not in fen:
            board = Board.read(fen)
            assert board.legal_moves() == int(counts[0].split()[1]), fen
            assert board.fen.split()[:2] == fen.split()[:2]
            counted += 1
    assert counted > 5


def search(moves: Sequence[str], settings: Mapping[str, object]) -> dict[str, Any]:
    """Search so that c1-c2/c1 has few visits, and is better by 0.1 once a search looks at it."""
    if moves:
        return {"rootInfo": {"winrate": 0.4 if moves[-1] == "c1-c2/c1" else 0.5}}
    infos = [
        {"move": "c1-c2/d2", "visits": 995, "winrate": 0.5},
        {"move": "c1-c2/c1", "visits": 5, "winrate": 0.45},
    ]
    if settings == WIDE[0]:
        infos = [infos[1] | {"visits": 600, "winrate": 0.6}, infos[0] | {"visits": 400}]
    return {"moveInfos": infos, "rootInfo": {"winrate": 0.5}, "proven": False, "playouts": 1000}


def test_overlooked_better_move_is_a_blind_spot() -> None:
    row = {"game": 3, "ply": 0, "start": START, "moves": []} | (examine(search, [], {"wide": WIDE[0]}) or {})
    spot = blind_spot(row, 0.05)
    assert spot is not None
    assert (spot["id"], spot["solutions"], spot["theme"]) == ("8-blind-3-0", ["c1-c2/c1"], "which-arrow")
    assert (spot["phase"], spot["legal"]) == ("opening", 1232)
    assert blind_spot(row, 0.2) is None
    mean, error, differs = gain([row, {**row, "judged": {}, "chosen": {"wide": row["choice"]}}], "wide")
    assert (round(mean, 9), differs) == (0.05, 1) and 0.097 < error < 0.099
    row["visits"]["c1-c2/c1"] = 20
    assert blind_spot(row, 0.05) is None


def test_collection_goes_on_and_the_engine_reads_it(engine: Engine, run: Run, tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    players = ["match", "--a", "quiver", "--b", "quiver", "--board", "6", "--playouts", "20"]
    engine.ask(*players, "--games", "4", "--random-plies", "2", "--record", str(games))
    command = ["blind-spots", "--board", 6, "--games", games, "--out", "six.jsonl", "--playouts", 300]
    command += ["--compare", "exploration=1,fpu_reduction=0.1"]
    said = run(*command, "--positions", 12)
    assert "exploration=1,fpu_reduction=0.1: gain " in said and " positions" in said
    journal = Path("six.jsonl.journal").read_bytes().splitlines(keepends=True)
    assert len(journal) == 12
    Path("six.jsonl.journal").write_bytes(b"".join(journal[:8]) + journal[8][:20])
    run(*command, "--positions", 12, "--workers", 2)
    assert Path("six.jsonl.journal").read_bytes() == b"".join(journal)
    row = next(row for row in map(json.loads, journal) if row["choice"] and len(row["judged"]) > 1)
    better = next(move for move in row["judged"] if move != row["choice"])
    row["judged"] |= {row["choice"]: 0.1, better: 0.9}
    row["visits"][better] = None
    with Path("six.jsonl.journal").open("a") as file:
        file.write(f"{json.dumps(row)}\n")
    assert "six.jsonl: " in run(*command, "--positions", 12)
    suite = ["suite", "quiver", "--board", "6", "--playouts", "20", "--positions", "six.jsonl", "--json"]
    asked = json.loads(engine.ask(*suite))
    assert better in Path("six.jsonl").read_text() and asked


def test_bad_input_of_a_collection_is_refused(engine: Engine, refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "no.jsonl").write_text("x\ny\n")
    refused("no.jsonl", "blind-spots", "--games", "no.jsonl", "--out", "out.jsonl")
    refused("missing.jsonl", "blind-spots", "--games", "missing.jsonl", "--out", "out.jsonl")
    refused("--margin", "blind-spots", "--games", "no.jsonl", "--out", "out.jsonl", "--margin", 2)
