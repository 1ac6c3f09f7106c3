"""Readers of records and self-play files, on files made by hand."""

import json
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from tuning.errors import InputError
from tuning.games import read_games

START = "Q1/1q w - - 0 1"


def line(fields: dict[str, object]) -> bytes:
    content = json.dumps(fields, separators=(",", ":"))[:-1].encode()
    return content + f',"crc":"{zlib.crc32(content):08x}"}}\n'.encode()


def record(path: Path, tail: bytes = b"") -> Path:
    game = {
        "game": 4,
        "winner": 1,
        "start": START,
        "opening": ["a2-b2/a2"],
        "moves": ["b1-a1/b1"],
        "times": [0.25],
        "values": [0.75],
        "proven": [0],
    }
    path.write_bytes(b'{"contest":{"seed":1}}\n' + line(game) + tail)
    return path


def selfplay(path: Path, tail: bytes = b"") -> Path:
    content = struct.pack("<IBB", 7, 0, 2)
    content += struct.pack("<BBBBH", 16, 17, 16, 1, 0) + bytes([0, 0])
    content += struct.pack("<BBBBH", 1, 0, 1, 4, 65535)
    content += struct.pack("<BBBH", 1, 1, 0, 32768) + struct.pack("<BBH", 1, 1, 65535)
    framed = struct.pack("<I", len(content)) + content
    framed += struct.pack("<I", zlib.crc32(framed))
    header = json.dumps({"selfplay": {"format": 2, "start": START}}).encode()
    path.write_bytes(header + b"\n" + framed + tail)
    return path


def test_a_record_becomes_arrays(tmp_path: Path) -> None:
    read = read_games(record(tmp_path / "match.jsonl", tail=b'{"game":5,"win'))
    assert read.starts == [START]
    assert read.games.tolist() == [(4, 1, 0, 0, 2, 0)]
    assert read.plies["mover"].tolist() == [0, 1]
    assert read.plies["squares"].tolist() == [[16, 17, 16], [1, 0, 1]]
    assert read.plies["kind"].tolist() == [1, 0]
    assert read.plies["proven"].tolist() == [False, True]
    assert np.isnan(read.plies["value"][0])
    assert read.of(0)["seconds"].tolist()[1] == 0.25


def test_selfplay_becomes_arrays(tmp_path: Path) -> None:
    read = read_games(selfplay(tmp_path / "games-00.bin", tail=b"\x40\x00"))
    assert read.games["number"].tolist() == [7]
    assert read.plies["kind"].tolist() == [1, 0]
    assert read.plies["proven"].tolist() == [False, True]
    assert np.isnan(read.plies["value"][0])
    assert read.plies["value"][1] == 1
    assert read.queen_shares["squares"].tolist() == [[1, 0]]
    assert read.queen_shares["share"][0] == pytest.approx(0.5, abs=1e-4)
    assert read.arrow_shares["ply"].tolist() == [1]
    assert read.arrow_shares["squares"].tolist() == [[1, 1]]


def test_what_is_damaged_is_refused(tmp_path: Path) -> None:
    path = record(tmp_path / "match.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"winner":1', b'"winner":0'))
    with pytest.raises(InputError, match=r"line 2: .*checksum does not hold"):
        read_games(path)
    path = selfplay(tmp_path / "games.bin")
    data = bytearray(path.read_bytes())
    data[-6] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"byte .*: expected a whole game"):
        read_games(path)
    for content in (b"", b"notes\n", b"[]\n", b'{"selfplay":{"format":1}}\n'):
        path.write_bytes(content)
        with pytest.raises(InputError, match="expected a match record or a self-play file"):
            read_games(path)


def test_what_the_engine_writes_is_read(tmp_path: Path) -> None:
    """Files of the engine under test, where `QUIVER` names one."""
    import os
    import subprocess

    if "QUIVER" not in os.environ:
        pytest.skip("QUIVER names no engine")
    engine = os.environ["QUIVER"]
    ours = str(tmp_path / "match.jsonl")
    match = ["match", "--a", "random", "--b", "greedy", "--board", "6", "--games", "2", "--record", ours]
    subprocess.run([engine, *match], check=True, capture_output=True)
    read = read_games(Path(ours))
    assert sorted(read.games["number"].tolist()) == [0, 1]
    assert len(read.plies) == read.games["plies"].sum()
    folder = tmp_path / "selfplay"
    made = ["selfplay", "--games", "2", "--playouts", "20", "--board", "6", "--out", str(folder)]
    subprocess.run([engine, *made], check=True, capture_output=True)
    read = read_games(folder / "games-00.bin")
    assert len(read.games) == 2
    assert len(read.queen_shares) > 0
    assert (read.plies["value"][read.plies["kind"] == 0] >= 0).all()
