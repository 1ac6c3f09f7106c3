"""Games as numpy arrays: those of files and those of self-play, and samples for training."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from quiver import _native
from quiver.dtypes import GAME, PLY, SHARE

Index = slice | Sequence[int] | npt.NDArray[np.integer]
"""Chooses samples: a slice of them, or their numbers."""


@dataclass(frozen=True, repr=False)
class Games:
    """Games as arrays, and their samples for training.

    Each ply is two samples: sample 2 * i is the queen move of ply i, sample 2 * i + 1 its arrow. `planes`, `policy`
    and `values` give the samples that they are asked for, by default all. Their board is the square board of all
    games, of `cells` = size * size squares; square (x, y) is cell `size * y + x`, and actions are those of
    `quiver.State`.
    """

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

    def __repr__(self) -> str:
        return f"<Games: {len(self)} games, {len(self.plies)} plies, {len(self.queen_shares)} visit shares>"

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

    @cached_property
    def size(self) -> int:
        """The side of the board. Raises ValueError if not all games have the same square board."""
        starts = map(_native.Position, self.starts)
        sizes = {(start.width, start.height) for start in starts}
        if len(sizes) != 1 or len({*(size := sizes.pop())}) != 1:
            raise ValueError(f"games that start from {self.starts}: expected one square board")
        return size[0]

    def samples(self) -> npt.NDArray[np.int64]:
        """Return the numbers of the samples with a policy: the search chose there, and its visits are known."""
        queens, arrows = (np.unique(shares["ply"]) for shares in (self.queen_shares, self.arrow_shares))
        return np.sort(np.concatenate([2 * queens.astype(np.int64), 2 * arrows.astype(np.int64) + 1]))

    def planes(self, samples: Index = slice(None)) -> npt.NDArray[np.int8]:
        """Return what the side that acts sees, as shape (samples, 4, size, size), 0 or 1 at [sample, plane, y, x].

        The planes are those of `quiver.State.observation`: the acting side's amazons, the other side's, burnt
        squares, and the amazon that is about to shoot.
        """
        plies, half = self._split(samples)
        amazons, burnt, at = self._boards
        rows, own = np.arange(len(plies)), self.plies["mover"][plies]
        planes = np.zeros((len(plies), 4, 256), np.int8)
        for plane, side in ((0, own), (1, 1 - own)):
            for squares in amazons[plies, side].T:
                planes[rows, plane, squares] = 1
        planes[:, 2] = burnt[self.plies["game"][plies]] < at[plies][:, None]
        start, end, _ = self.plies["squares"][plies].T
        shot = half == 1
        planes[rows[shot], 0, start[shot]] = 0
        planes[rows[shot][:, None], [[0, 3]], end[shot][:, None]] = 1
        # Square 255 stands for an amazon that a side lacks.
        return planes.reshape(-1, 4, 16, 16)[:, :, : self.size, : self.size]

    def policy(self, samples: Index = slice(None)) -> npt.NDArray[np.float32]:
        """Return the visit shares of the search, as shape (samples, cells * cells + cells); they sum to 1.

        The rows of samples without visit shares are 0: see `samples`.
        """
        plies, half = self._split(samples)
        cells = self.size**2
        policy = np.zeros((len(plies), cells * cells + cells), np.float32)
        for number, shares in enumerate((self.queen_shares, self.arrow_shares)):
            wanted = np.flatnonzero(half == number)
            first, last = (np.searchsorted(shares["ply"], plies[wanted], side) for side in ("left", "right"))
            counts = last - first
            # The shares of one ply stand side by side.
            rows = np.repeat(wanted, counts)
            found = shares[np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
            start, end = self._cell(found["squares"]).T
            policy[rows, cells * start + end if number == 0 else cells * cells + end] = found["share"]
        return policy / np.maximum(policy.sum(1, keepdims=True), 1e-9)

    def values(self, samples: Index = slice(None), *, mix: float = 0.0) -> npt.NDArray[np.float32]:
        """Return the chance that the side that acts wins, as shape (samples,): the game's result, 0 or 1.

        `mix` is the share of the search's value, from 0 to 1; the rest is the result. A result or a value that the
        file does not say is nan where it counts.
        """
        plies, _ = self._split(samples)
        rows = self.plies[plies]
        winner = self.games["winner"][rows["game"]]
        result = np.where(winner < 0, np.nan, winner == rows["mover"])
        # A part that does not count may be nan.
        value = np.zeros(len(rows), np.float32)
        if mix > 0:
            value += mix * rows["value"]
        return value if mix == 1 else value + np.float32(1 - mix) * result.astype(np.float32)

    def _split(self, samples: Index) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the plies of samples, and 0 for a queen move or 1 for an arrow."""
        return np.divmod(np.arange(2 * len(self.plies))[samples], 2)

    def _cell(self, squares: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        return self.size * (squares.astype(np.int64) // 16) + squares % 16

    @cached_property
    def _boards(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The amazons before each ply, the ply at which each square of a game burns, and each ply's place in its game.

        Their shapes are (plies, 2, 4), (games, 256) and (plies,).
        """
        starts = [_native.Position(fen) for fen in self.starts]
        begun = np.full((len(starts), 2, 4), 255)
        first = np.full((len(starts), 256), 1 << 14, np.int16)
        for number, start in enumerate(starts):
            for side in (0, 1):
                squares = start.amazons(side)
                begun[number, side, : len(squares)] = squares
            y, x = np.nonzero(start.planes()[2])
            first[number, 16 * y + x] = -1
        amazons, burnt = begun[self.games["start"]], first[self.games["start"]]
        at = np.arange(len(self.plies)) - self.games["first"][self.plies["game"]].astype(np.int64)
        burnt[self.plies["game"], self.plies["squares"][:, 2]] = at
        before = np.empty((len(self.plies), 2, 4), np.uint8)
        for place in range(int(self.games["plies"].max(initial=0))):
            # This ply of all games that last so long.
            games = np.flatnonzero(self.games["plies"] > place)
            plies = self.games["first"][games] + place
            before[plies] = amazons[games]
            rows = self.plies[plies]
            own = amazons[games, rows["mover"]]
            moved = np.where(own == rows["squares"][:, :1], rows["squares"][:, 1:2], own)
            amazons[games, rows["mover"]] = moved
        return before, burnt, at


def read_games(path: str | os.PathLike[str], *, size: int = 10) -> Games:
    """Read the games of a file in any format that Quiver knows, plain or packed by gzip.

    The formats are SGF, GGF, Botzone logs, match records and lists of moves, whose start is that of a board of
    side `size` if it fits. A last line of a record that is not whole is left out, since a match may be writing
    it. All games are replayed; one that breaks the rules raises a
    `ValueError` that names its line.
    """
    return _games(_native.read_games(os.fspath(path), size))


def selfplay(
    board: int | _native.Position,
    games: int,
    playouts: int,
    seed: int = 1,
    concurrency: int = 1,
    *,
    first: int = 0,
    random_plies: int | None = None,
    blunders: float = 0.01,
) -> Games:
    """Play games of the engine against itself, `concurrency` at a time, and return what `quiver selfplay` writes.

    `board` is the side of a board, 6, 8 or 10, or the position that openings begin from. A game begins with
    `random_plies` random plies (by default 2 to 8, drawn for each game) and has `playouts` playouts a search.
    `blunders` is the chance that a random move replaces the search's choice. The games have the numbers from `first`
    on. A game depends on its number, the seed and the settings alone. Ctrl-C raises KeyboardInterrupt once the games in
    progress have ended.
    """
    start = _native.Position.start(board) if isinstance(board, int) else board
    played = _native.selfplay(
        start,
        first=first,
        games=games,
        playouts=playouts,
        seed=seed,
        concurrency=concurrency,
        random_plies=random_plies,
        blunders=blunders,
    )
    return _games(played)


def selfplay_batches(
    board: int | _native.Position,
    games: int,
    playouts: int,
    *,
    batch: int = 1000,
    **settings: Any,  # noqa: ANN401
) -> Iterator[Games]:
    """Yield the games of `selfplay` in batches, for more games than memory holds, with its other arguments."""
    if batch < 1:
        raise ValueError(f"batch = {batch}: expected at least 1")
    begun = settings.pop("first", 0)
    for first in range(begun, begun + games, batch):
        count = min(batch, begun + games - first)
        yield selfplay(board, count, playouts, first=first, **settings)


def _games(tables: "_native._Tables") -> Games:
    return Games(
        json.loads(tables["about"]) or {},
        tables["players"],
        tables["starts"],
        np.frombuffer(tables["games"], GAME),
        np.frombuffer(tables["plies"], PLY),
        np.frombuffer(tables["queen_shares"], SHARE),
        np.frombuffer(tables["arrow_shares"], SHARE),
    )
