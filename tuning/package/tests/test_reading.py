"""Tests of reading files of games, both hand-made files and files that the engine wrote."""

import json
import zlib

import numpy as np
import pytest
from conftest import DATA
from quiver import MANNERS, Move, Position, read_games

JOURNALS = DATA / "journals"
SELFPLAY = JOURNALS / "selfplay.jsonl"
"""A record of three self-play games with random plies, blunders and visit shares."""


def record(path, tail=b""):
    """Write a record of a game: 4 opening plies, then 14 moves. The last move's value is proven."""
    header, first, *_ = (JOURNALS / "record-1.jsonl").read_bytes().splitlines(keepends=True)
    game = json.loads(first) | {"times": [0.25] * 14, "values": [0.75] * 14, "proven": [13]}
    del game["crc"]
    content = json.dumps(game, separators=(",", ":"))[:-1].encode()
    path.write_bytes(header + content + b',"crc":"%08x"}\n' % zlib.crc32(content) + tail)
    return path


def test_a_record_becomes_arrays(tmp_path):
    read = read_games(record(tmp_path / "match.jsonl", tail=b'{"game":5,"win'))
    start = "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w - - 0 1"
    assert (read.about["seed"], read.starts, read.players) == (3, [start], [("random", "greedy")])
    assert read.games.tolist() == [(0, 1, 0, 0, 0, 18, 0)]
    assert read.plies["mover"].tolist() == [0, 1] * 9
    assert read.plies["squares"][4].tolist() == [66, 49, 50]
    assert read.plies["kind"].tolist() == [1] * 4 + [0] * 14
    assert np.flatnonzero(read.plies["proven"]).tolist() == [17]
    assert np.isnan(read.plies["value"][:4]).all()
    assert read.plies_of(0)["seconds"].tolist()[4:] == [0.25] * 14
    assert read.moves(0)[4] == Move("c5-b4/c4")
    assert read.positions(0)[0] == Position(start)
    assert read.positions(0)[-1].winner == 1


def test_selfplay_becomes_arrays():
    read = read_games(SELFPLAY)
    assert read.about["seed"] == 1
    assert read.games["number"].tolist() == [0, 1, 2]
    assert read.plies["kind"].tolist()[:8] == [1, 1, 1, 1, 1, 1, 0, 2]
    assert read.plies["proven"].sum() == 16
    assert np.isnan(read.plies["value"][0])
    assert read.plies["value"].tolist()[-4:] == [0, 1, 0, 1]
    assert read.queen_shares["squares"][:2].tolist() == [[16, 67], [5, 65]]
    assert read.queen_shares["share"][0] == pytest.approx(0.5, abs=1e-4)
    assert read.arrow_shares["ply"][:2].tolist() == [6, 8]
    assert read.arrow_shares["squares"][0].tolist() == [68, 68]


def test_damaged_files_are_refused(tmp_path):
    path = record(tmp_path / "match.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"winner":1', b'"winner":0'))
    with pytest.raises(ValueError, match=r"match\.jsonl, line 2: the line was changed"):
        read_games(path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_games(tmp_path / "nowhere")


def test_other_formats_are_read(tmp_path):
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


def test_files_that_the_engine_writes_are_read(program, tmp_path):
    ours = tmp_path / "match.jsonl"
    program("match", "--a", "random", "--b", "greedy", "--board", "6", "--games", "2", "--record", str(ours))
    read = read_games(ours)
    assert sorted(read.games["number"].tolist()) == [0, 1]
    assert len(read.plies) == read.games["plies"].sum()
    assert [read.positions(game)[-1].winner for game in range(2)] == read.games["winner"].tolist()
    games = tmp_path / "selfplay.jsonl"
    program("selfplay", "--games", "2", "--playouts", "20", "--board", "6", "--out", str(games))
    read = read_games(games)
    assert len(read) == 2
    assert (read.plies["value"][read.plies["kind"] == 0] >= 0).all()
    shares = np.bincount(read.queen_shares["ply"], read.queen_shares["share"])
    assert (shares[shares > 0] <= 1.001).all()
    for extension in ("sgf", "json", "txt", "jsonl"):
        other = tmp_path / f"games.{extension}"
        program("convert", str(games), str(other))
        again = read_games(other)
        assert [again.moves(game) for game in range(2)] == [read.moves(game) for game in range(2)]
        assert again.games["winner"].tolist() == read.games["winner"].tolist()
