"""Blind spots: positions where a search overlooks a better move, and what other settings choose there.

The usual search chooses a move. Wider searches and the settings to be compared propose others, and a search of the
answers judges each move. The position is a blind spot if a proposed move is better by a margin and had less than a
hundredth of the visits.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from tuning.matches.engine import Engine

WIDE = (
    {"exploration": 1.3},
    {"policy_queen_temperature": 2.5, "policy_arrow_temperature": 1.4},
)
"""Settings of the searches that propose moves: twice the exploration, and priors half as sure."""

PROPOSED = 2
"""Moves that a wider search proposes beside its choice."""

LEAD = 0.03
"""A wider search proposes moves whose value there is above that of the usual choice by this."""

Search = Callable[[Sequence[str], Mapping[str, object]], dict[str, Any]]
"""Searches the position after these moves with these settings, and returns the engine's JSON."""


@dataclass
class Board:
    """A position that moves are played on: what stands on each square, and the letter of the side to move."""

    size: int
    squares: dict[tuple[int, int], str]
    mover: str = "Q"

    @classmethod
    def read(cls, fen: str) -> "Board":
        rows, mover = fen.split()[:2]
        lines = [re.findall(r"\d+|\D", row) for row in rows.split("/")]
        squares = {}
        for y, line in enumerate(reversed(lines)):
            x = 0
            for piece in line:
                if piece.isdigit():
                    x += int(piece)
                else:
                    squares[x, y] = piece
                    x += 1
        return cls(len(lines), squares, "Q" if mover == "w" else "q")

    def play(self, move: str) -> None:
        origin, target, arrow = (
            (ord(text[0]) - ord("a"), int(text[1:]) - 1) for text in re.split("[-/]", move)
        )
        self.squares[target] = self.squares.pop(origin)
        self.squares[arrow] = "*"
        self.mover = "q" if self.mover == "Q" else "Q"

    @property
    def fen(self) -> str:
        def row(y: int) -> str:
            text = "".join(self.squares.get((x, y), " ") for x in range(self.size))
            return re.sub(" +", lambda gap: str(len(gap[0])), text)

        rows = "/".join(row(y) for y in reversed(range(self.size)))
        return f"{rows} {'w' if self.mover == 'Q' else 'b'} - - 0 1"

    @property
    def open_share(self) -> float:
        """The share of the squares, empty at the start, that are still empty."""
        at_start = self.size**2 - sum(piece != "*" for piece in self.squares.values())
        return (self.size**2 - len(self.squares)) / at_start

    def legal_moves(self) -> int:
        amazons = [square for square, piece in self.squares.items() if piece == self.mover]
        return sum(
            len(list(self._reach(target, amazon)))
            for amazon in amazons
            for target in self._reach(amazon, amazon)
        )

    def _reach(self, origin: tuple[int, int], left: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """Yield the squares in a queen's reach, where the amazon has left a square."""
        for dx, dy in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
            x, y = origin[0] + dx, origin[1] + dy
            while min(x, y) >= 0 and max(x, y) < self.size and ((x, y) not in self.squares or (x, y) == left):
                yield x, y
                x, y = x + dx, y + dy


def search_by(engine: Engine, board: int, playouts: int, common: Mapping[str, object]) -> Search:
    def search(moves: Sequence[str], settings: Mapping[str, object]) -> dict[str, Any]:
        words = [
            "analyze",
            "--json",
            "--board",
            str(board),
            "--playouts",
            str(playouts),
            "--moves",
            " ".join(moves),
        ]
        for name, value in {**common, **settings}.items():
            words += ["--set", f"{name}={value}"]
        return json.loads(engine.ask(*words))

    return search


def examine(
    search: Search, moves: Sequence[str], compared: Mapping[str, Mapping[str, object]]
) -> dict[str, Any] | None:
    """Return the usual choice of a position, the choices of the compared settings, and the judged values of all.

    None if the winner is proven there. Visits are of the usual search, None where a move is not among its twenty first.
    """
    usual = search(moves, {})
    if usual["proven"] or not usual["moveInfos"]:
        return None
    choice = usual["moveInfos"][0]["move"]
    found = {choice}
    for settings in WIDE:
        wide = search(moves, settings)
        infos = wide["moveInfos"]
        found.add(infos[0]["move"])
        values = {one["move"]: one["winrate"] for one in infos if 200 * one["visits"] > wide["playouts"]}
        least = values.get(choice, wide["rootInfo"]["winrate"]) + LEAD
        better = [
            move for move in sorted(values, key=values.__getitem__, reverse=True) if values[move] > least
        ]
        found.update(better[:PROPOSED])
    chosen = {name: search(moves, settings)["moveInfos"][0]["move"] for name, settings in compared.items()}
    found.update(chosen.values())
    judged = {}
    if len(found) > 1:
        for move in sorted(found):
            judged[move] = 1 - search([*moves, move], {})["rootInfo"]["winrate"]
    visits = {one["move"]: one["visits"] for one in usual["moveInfos"]}
    return {
        "choice": choice,
        "chosen": chosen,
        "value": usual["rootInfo"]["winrate"],
        "playouts": usual["playouts"],
        "judged": judged,
        "visits": {move: visits.get(move) for move in sorted(found)},
    }


def blind_spot(row: Mapping[str, Any], margin: float) -> dict[str, Any] | None:
    """Return an examined position as a test position of `quiver suite`; None if it is no blind spot."""
    judged, choice = row["judged"], row["choice"]
    solutions = sorted(move for move in judged if judged[move] >= judged[choice] + margin)
    # A move that is not among the twenty most visited has few visits.
    if not any((row["visits"][move] or 0) < row["playouts"] / 100 for move in solutions):
        return None
    board = Board.read(row["start"])
    for move in row["moves"]:
        board.play(move)
    share = board.open_share
    phases = ((0.8, "opening"), (0.55, "middle"), (0.35, "late"), (0.0, "endgame"))
    best, chosen = (re.split("[-/]", move) for move in (max(solutions, key=judged.__getitem__), choice))
    same = sum(a == b for a, b in zip(best[:2], chosen[:2], strict=True)) if best[0] == chosen[0] else 0
    common = {"playouts": row["playouts"]}
    return {
        "id": f"{board.size}-blind-{row['game']}-{row['ply']}",
        "task": "best",
        "phase": next(name for least, name in phases if share >= least),
        "theme": ("which-amazon", "which-square", "which-arrow")[same],
        "position": board.fen,
        "moves": row["moves"],
        "solutions": sorted(solutions, key=_order),
        "legal": board.legal_moves(),
        "searches": [
            common | {"move": choice, "value": judged[choice], "visits": row["visits"][choice]},
            common | {"move": "-".join(best[:2]) + "/" + best[2], "value": max(judged.values())},
        ],
    }


def gain(rows: Sequence[Mapping[str, Any]], name: str) -> tuple[float, float, int]:
    """Return what compared settings gain by their choices, half of the 95 % interval, and how often they differ."""
    gains = [
        row["judged"][row["chosen"][name]] - row["judged"][row["choice"]] if row["judged"] else 0.0
        for row in rows
    ]
    error = 1.96 * stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else math.inf
    return fmean(gains), error, sum(row["chosen"][name] != row["choice"] for row in rows)


def _order(move: str) -> list[tuple[int, str]]:
    """Return the key by which the engine sorts moves: from, to, arrow, each by row and then by column."""
    return [(int(text[1:]), text[0]) for text in re.split("[-/]", move)]
