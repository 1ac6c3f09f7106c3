"""Reads and counts the record of a batch, as `quiver match` writes it."""

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tuning.errors import InputError
from tuning.matches.batch import Batch
from tuning.matches.statistics import Standing


@dataclass(frozen=True)
class Outcome:
    """Games counted."""

    standing: Standing = field(default_factory=Standing)
    faults: int = 0
    """Games that ended otherwise than by the rules: a crash, a stall, lateness."""
    plies: int = 0
    playouts: tuple[int, int] = (0, 0)
    """Made by either side."""
    seconds: tuple[float, float] = (0.0, 0.0)
    """Used by either side."""

    def __add__(self, other: "Outcome") -> "Outcome":
        """Return all these games counted together."""
        return Outcome(
            self.standing + other.standing,
            self.faults + other.faults,
            self.plies + other.plies,
            (self.playouts[0] + other.playouts[0], self.playouts[1] + other.playouts[1]),
            (self.seconds[0] + other.seconds[0], self.seconds[1] + other.seconds[1]),
        )


def read_record(path: Path, batch: Batch) -> Outcome | None:
    """Count the games of a record; None where there are none yet, or not all.

    What the record says of the players is not looked at here: the engine refuses to go on from a record of other
    players, and a whole record got its name from a batch that was played by it.
    """
    games: dict[int, dict[str, Any]] = {}
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}, expected a record of games") from error
    try:
        for number, line in enumerate(lines, 1):
            # A line without its end was cut short; the engine plays that game again.
            if number == len(lines):
                break
            fields = _checked(line)
            # The engine repeats the header where an earlier version wrote the first.
            if number == 1 or "contest" in fields:
                if fields["contest"]["seed"] != batch.seed:
                    raise InputError(_broken(path, 1, f"seed {fields['contest']['seed']}", f"{batch.seed}"))
            elif fields["game"] in games:
                raise InputError(_broken(path, number, f"game {fields['game']} again", "each game once"))
            else:
                games[fields["game"]] = fields
        if len(games) < batch.games:
            return None
        return _count([games[game] for game in range(batch.games)])
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise InputError(_broken(path, number, f"{error!r}", "a line of a match record")) from error


def _checked(line: bytes) -> dict[str, Any]:
    """Return the fields of a line whose checksum fits; lines of earlier versions have none."""
    content, mark, checksum = line.rpartition(b',"crc":"')
    if mark and checksum != b'%08x"}' % zlib.crc32(content):
        raise ValueError("the line was changed: its checksum does not fit")
    return json.loads(line)


def _count(games: list[dict[str, Any]]) -> Outcome:
    pairs = [0, 0, 0]
    won = [game["players"][game["winner"]]["entrant"] == 0 for game in games]
    for first, second in zip(won[::2], won[1::2], strict=True):
        pairs[first + second] += 1
    playouts, seconds = [0, 0], [0.0, 0.0]
    for game in games:
        begins = (game["start"].split()[1] == "b") + len(game["opening"])
        for ply, (made, time) in enumerate(zip(game["playouts"], game["times"], strict=True)):
            mover = game["players"][(begins + ply) % 2]["entrant"]
            playouts[mover] += made or 0
            seconds[mover] += time
    return Outcome(
        Standing((pairs[0], pairs[1], pairs[2])),
        sum(game["reason"] not in ("no-move", "proven") for game in games),
        sum(len(game["opening"]) + len(game["moves"]) for game in games),
        (playouts[0], playouts[1]),
        (seconds[0], seconds[1]),
    )


def _broken(path: Path, line: int, got: str, expected: str) -> str:
    return (
        f"{path}, line {line}: {got}, expected {expected}; move the file away and its games are played again"
    )
