"""Files of games as numpy arrays."""

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from quiver import _native
from quiver.dtypes import GAME, PLY, SHARE


@dataclass(frozen=True)
class Games:
    """The games of a file."""

    about: dict[str, Any]
    """The header of a match record; empty for other formats."""
    players: list[tuple[str | None, str | None]]
    """The names of the players of each game, first player first."""
    starts: list[str]
    """The positions that games begin with, as FEN."""
    games: np.ndarray
    """Of type `GAME`."""
    plies: np.ndarray
    """Of type `PLY`, game after game."""
    queen_shares: np.ndarray
    """Of type `SHARE`: the most visited queen moves. Records of self-play alone have visit shares."""
    arrow_shares: np.ndarray
    """Of type `SHARE`: the most visited arrows after the queen move played."""

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self.games)

    def of(self, game: int) -> np.ndarray:
        """Return the plies of the game with this index."""
        first = int(self.games["first"][game])
        return self.plies[first : first + int(self.games["plies"][game])]

    def moves(self, game: int) -> list[_native.Move]:
        """Return the moves of the game with this index."""
        return [_native.Move.from_squares(*squares) for squares in self.of(game)["squares"].tolist()]

    def positions(self, game: int) -> list[_native.Position]:
        """Return the positions of the game with this index: one before each ply, and the last."""
        positions = [_native.Position(self.starts[self.games["start"][game]])]
        for move in self.moves(game):
            positions.append(positions[-1].play(move))
        return positions


def read_games(path: str | os.PathLike[str], *, size: int = 10) -> Games:
    """Read the games of a file in any format that Quiver knows, plain or packed by gzip.

    The formats are SGF, GGF, Botzone logs, match records and lists of moves, whose start is that of a board of
    side `size` if it fits. A last line of a record that is not whole is left out, since a match may be writing
    it. All games are replayed; one that breaks the rules raises a
    `ValueError` that names its line.
    """
    tables = _native.read_games(os.fspath(path), size)
    return Games(
        json.loads(tables["about"]) or {},
        tables["players"],
        tables["starts"],
        np.frombuffer(tables["games"], GAME),
        np.frombuffer(tables["plies"], PLY),
        np.frombuffer(tables["queen_shares"], SHARE),
        np.frombuffer(tables["arrow_shares"], SHARE),
    )
