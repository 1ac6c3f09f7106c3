"""Files of games as arrays: files made by hand, and those that the engine writes."""

import json
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import DATA
from quiver import MANNERS, Move, Position, read_games

START = "Q1/1q w - - 0 1"
SELFPLAY = (DATA / "journals" / "games-2.bin").read_bytes()
"""Three games, which begin with six random plies each."""


def line(fields: dict[str, object]) -> bytes:
    content = json.dumps(fields, separators=(",", ":"))[:-1].encode()
    return content + f',"crc":"{zlib.crc32(content):08x}"}}\n'.encode()


def record(path: Path, tail: bytes = b"") -> Path:
    player = {"entrant": 0, "name": "a", "spec": "random", "version": "1", "seed": 3}
    game = {
        "game": 4,
        "pair": 2,
        "players": [player, {**player, "name": "b"}],
        "start": START,
        "opening": ["a2-b2/a2"],
        "moves": ["b1-a1/b1"],
        "times": [0.25],
        "values": [0.75],
        "proven": [0],
        "playouts": [None],
        "winner": 1,
        "reason": "no-move",
    }
    path.write_bytes(b'{"contest":{"seed":1}}\n' + line(game) + tail)
    return path


def test_a_record_becomes_arrays(tmp_path: Path) -> None:
    read = read_games(record(tmp_path / "match.jsonl", tail=b'{"game":5,"win'))
    assert (read.about, read.starts, read.players) == ({"seed": 1}, [START], [("a", "b")])
    assert read.games.tolist() == [(4, 1, 0, 0, 0, 2, 0)]
    assert read.plies["mover"].tolist() == [0, 1]
    assert read.plies["squares"].tolist() == [[16, 17, 16], [1, 0, 1]]
    assert read.plies["kind"].tolist() == [1, 0]
    assert read.plies["proven"].tolist() == [False, True]
    assert np.isnan(read.plies["value"][0])
    assert read.of(0)["seconds"].tolist()[1] == 0.25
    assert read.moves(0) == [Move("a2-b2/a2"), Move("b1-a1/b1")]
    assert read.positions(0)[0] == Position(START)
    assert read.positions(0)[-1].winner == 1


def test_selfplay_becomes_arrays(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    file = tmp_path / "games" / "games-00.bin"
    file.write_bytes(SELFPLAY + b"\x40\x00")
    for path in (file, file.parent):
        read = read_games(path)
        assert read.about["seed"] == 1
        assert read.games["number"].tolist() == [0, 1, 2]
        assert read.plies["kind"].tolist()[:8] == [1, 1, 1, 1, 1, 1, 0, 0]
        assert read.plies["proven"].sum() == 23
        assert np.isnan(read.plies["value"][0])
        assert read.plies["value"].tolist()[-4:] == [0, 1, 0, 1]
        assert read.queen_shares["squares"][:2].tolist() == [[16, 67], [5, 65]]
        assert read.queen_shares["share"][0] == pytest.approx(0.6, abs=1e-4)
        assert read.arrow_shares["ply"][:2].tolist() == [6, 7]
        assert read.arrow_shares["squares"][0].tolist() == [68, 68]


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = record(tmp_path / "match.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"winner":1', b'"winner":0'))
    with pytest.raises(ValueError, match=r"match\.jsonl, line 2: the line was changed"):
        read_games(path)
    path = tmp_path / "games.bin"
    data = bytearray(SELFPLAY)
    data[-5] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"byte .*expected a file of whole games"):
        read_games(path)
    for content in (b"", b"notes\n", b"[]\n", b"\xff\xfe", b'{"selfplay":{"format":1}}\n'):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"games\.bin.*expected"):
            read_games(path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_games(tmp_path / "nowhere")


def test_other_formats_are_read(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[18]SZ[10]PB[one]PW[two];B[djddgd])")
    read = read_games(path)
    assert (len(read), read.players, read.about) == (1, [("one", "two")], {})
    assert (read.games["winner"][0], MANNERS[read.games["manner"][0]]) == (-1, "unfinished")
    assert read.moves(0) == [Move("d1-d7/g7")]
    log = read_games(DATA / "judge_logs" / "illegal-move.json")
    assert MANNERS[log.games["manner"][0]] == "forfeit"
    moves = tmp_path / "moves.txt"
    moves.write_text("c1-c5/f5\n")
    assert read_games(moves, size=8).starts == [Position.start(8).fen]


def test_files_that_the_engine_writes_are_read(program: Callable[..., str], tmp_path: Path) -> None:
    ours = tmp_path / "match.jsonl"
    program("match", "--a", "random", "--b", "greedy", "--board", "6", "--games", "2", "--record", str(ours))
    read = read_games(ours)
    assert sorted(read.games["number"].tolist()) == [0, 1]
    assert len(read.plies) == read.games["plies"].sum()
    assert [read.positions(game)[-1].winner for game in range(2)] == read.games["winner"].tolist()
    folder = tmp_path / "selfplay"
    program("selfplay", "--games", "2", "--playouts", "20", "--board", "6", "--out", str(folder))
    read = read_games(folder)
    assert len(read) == 2
    assert (read.plies["value"][read.plies["kind"] == 0] >= 0).all()
    shares = np.bincount(read.queen_shares["ply"], read.queen_shares["share"])
    assert (shares[shares > 0] <= 1.001).all()
    for extension in ("sgf", "ggf", "json", "txt", "jsonl"):
        other = tmp_path / f"games.{extension}"
        program("convert", str(folder), str(other))
        again = read_games(other)
        assert [again.moves(game) for game in range(2)] == [read.moves(game) for game in range(2)]
        assert again.games["winner"].tolist() == read.games["winner"].tolist()
