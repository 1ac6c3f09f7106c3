"""Games of match records and self-play files, as numpy arrays.

`src/contest/record.md` and `src/training/schema.md` describe the files.

    >>> from tuning.games import read_games
    >>> read = read_games(Path("selfplay-8/games-00.bin"))
    >>> best = read.plies[read.plies["kind"] == 0]
    >>> best["value"].mean()
"""

import json
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tuning.errors import InputError

GAME = np.dtype(
    [
        ("number", "<u4"),
        ("winner", "u1"),
        ("begins", "u1"),
        ("first", "<u4"),
        ("plies", "<u2"),
        ("start", "<u4"),
    ]
)
"""A game: its number; the winner and the side that moves first (0 first player, 1 second); the index of its first
ply and how many there are; the index of its start in `starts`."""

PLY = np.dtype(
    [
        ("game", "<u4"),
        ("mover", "u1"),
        ("squares", "u1", 3),
        ("kind", "u1"),
        ("proven", "?"),
        ("value", "<f4"),
        ("seconds", "<f4"),
    ]
)
"""A ply: the index of its game; the mover (0 or 1); from, to and arrow, each `16 * y + x` from 0 at a1; the kind (0 a
player's choice, 1 a ply of the opening, 2 a deliberate blunder); whether the value is proven; the mover's chance of
winning from 0 to 1, and the seconds used, nan where the file does not say."""

SHARE = np.dtype([("ply", "<u4"), ("squares", "u1", 2), ("share", "<f4")])
"""A visit share: the index of the ply; from and to of a queen move, or the arrow twice; the share of the visits."""

HEADER = b'{"selfplay":'
LONGEST = 1 << 16


@dataclass(frozen=True)
class Games:
    """The games of a file."""

    about: dict[str, Any]
    """The header of the file."""
    starts: list[str]
    """The positions that games begin with, as FEN."""
    games: np.ndarray
    """Of type `GAME`."""
    plies: np.ndarray
    """Of type `PLY`, game after game."""
    queen_shares: np.ndarray
    """Of type `SHARE`: the most visited queen moves; empty for a record."""
    arrow_shares: np.ndarray
    """Of type `SHARE`: the most visited arrows after the queen move played; empty for a record."""

    def of(self, game: int) -> np.ndarray:
        """Return the plies of the game with this index."""
        first = int(self.games["first"][game])
        return self.plies[first : first + int(self.games["plies"][game])]


class _Builder:
    def __init__(self, about: dict[str, Any]) -> None:
        self.about = about
        self.starts: dict[str, int] = {}
        self.games: list[tuple[Any, ...]] = []
        self.plies: list[tuple[Any, ...]] = []
        self.queen_shares: list[tuple[Any, ...]] = []
        self.arrow_shares: list[tuple[Any, ...]] = []

    def game(self, number: int, winner: int, start: str, plies: int) -> int:
        """Add a game whose plies follow; return the side that begins."""
        begins = int(start.split()[1] == "b")
        place = self.starts.setdefault(start, len(self.starts))
        self.games.append((number, winner, begins, len(self.plies), plies, place))
        return begins

    def built(self) -> Games:
        arrays = [
            np.array(rows, dtype=kind)
            for rows, kind in (
                (self.games, GAME),
                (self.plies, PLY),
                (self.queen_shares, SHARE),
                (self.arrow_shares, SHARE),
            )
        ]
        return Games(self.about, list(self.starts), *arrays)


def read_games(path: Path) -> Games:
    """Read a match record or a self-play file; a last line or record that is not whole is left out.

    Raises `InputError` where the file is neither, or damaged.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}, expected a file of games") from error
    begin = data[: data.find(b"\n") + 1]
    try:
        about = json.loads(begin)
        kind = next(iter(about))
    except (ValueError, TypeError, StopIteration) as error:
        raise InputError(f"{path}: expected a match record or a self-play file") from error
    if kind == "contest":
        return _record(path, about["contest"], data[len(begin) :])
    if kind == "selfplay" and about["selfplay"].get("format") == 2:
        return _selfplay(path, about["selfplay"], data[len(begin) :], len(begin))
    raise InputError(f"{path}: begins with '{kind}', expected a match record or a self-play file of format 2")


def square(name: str) -> int:
    """Return the square of this name: `16 * y + x`."""
    return 16 * (int(name[1:]) - 1) + ord(name[0]) - ord("a")


def _record(path: Path, about: dict[str, Any], data: bytes) -> Games:
    builder = _Builder(about)
    # What stands behind the last line end was cut short.
    for number, line in enumerate(data.split(b"\n")[:-1], 2):
        try:
            content, found, checksum = line.rpartition(b',"crc":"')
            if found and f"{zlib.crc32(content):08x}" != checksum[:8].decode():
                raise ValueError("its checksum does not hold")
            fields = json.loads(line)
            opening, moves = fields["opening"], fields["moves"]
            begins = builder.game(
                fields["game"], fields["winner"], fields["start"], len(opening) + len(moves)
            )
            blanks = [None] * len(opening)
            times, values = blanks + fields["times"], blanks + fields["values"]
            proven = {len(opening) + ply for ply in fields.get("proven", [])}
            for ply, text in enumerate(opening + moves):
                squares = [square(part) for part in text.replace("/", "-").split("-")]
                builder.plies.append(
                    (
                        len(builder.games) - 1,
                        (begins + ply) % 2,
                        squares,
                        int(ply < len(opening)),
                        ply in proven,
                        np.nan if values[ply] is None else values[ply],
                        np.nan if times[ply] is None else times[ply],
                    )
                )
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise InputError(
                f"{path}, line {number}: {error!r}, expected a line of a match record"
            ) from error
    return builder.built()


def _selfplay(path: Path, about: dict[str, Any], data: bytes, offset: int) -> Games:
    builder = _Builder(about)
    at = 0
    while at < len(data):
        damaged = f"{path}, byte {offset + at}: expected a whole game"
        if len(data) < at + 4:
            break
        (length,) = struct.unpack_from("<I", data, at)
        if length > LONGEST:
            raise InputError(damaged)
        end = at + 4 + length + 4
        if len(data) < end:
            break
        (checksum,) = struct.unpack_from("<I", data, end - 4)
        if checksum != zlib.crc32(data[at : end - 4]):
            raise InputError(damaged)
        try:
            _selfplay_game(builder, about["start"], data[at + 4 : end - 4])
        except (struct.error, IndexError) as error:
            raise InputError(damaged) from error
        at = end
    return builder.built()


def _selfplay_game(builder: _Builder, start: str, content: bytes) -> None:
    number, winner, count = struct.unpack_from("<IBB", content)
    begins = builder.game(number, winner, start, count)
    at = 6
    for ply in range(count):
        *squares, flags, value = struct.unpack_from("<BBBBH", content, at)
        kind = flags & 3
        index = len(builder.plies)
        chance = np.nan if kind == 1 else value / 65535
        builder.plies.append(
            (len(builder.games) - 1, (begins + ply) % 2, squares, kind, bool(flags & 4), chance, np.nan)
        )
        at += 6
        for shares, form in ((builder.queen_shares, "<BBH"), (builder.arrow_shares, "<BH")):
            listed = content[at]
            at += 1
            for _ in range(listed):
                *where, share = struct.unpack_from(form, content, at)
                shares.append((index, where if len(where) == 2 else where * 2, share / 65535))
                at += struct.calcsize(form)
    if at != len(content):
        raise IndexError(at)
