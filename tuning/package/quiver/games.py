"""Games from files and from self-play as numpy arrays, and training samples of these games."""

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
"""A selection of training samples: a slice, or the numbers of the samples."""


@dataclass(frozen=True, repr=False, eq=False)
class Games:
    """Games as arrays, and training samples of these games.

    Each ply has two samples: sample 2 * i is the queen move of ply i, and sample 2 * i + 1 is its
    arrow. `planes`, `policy` and `values` return arrays for the given samples, by default for all.
    For `planes` and `policy`, the boards of all games must be square and of the same size. A board
    has `cells` = size * size squares; square (x, y) is cell `size * y + x`. `quiver.State`
    describes the actions in `policy`.
    """

    about: dict[str, Any]
    """The header of a match record as a dictionary; empty for games in other formats."""
    players: list[tuple[str | None, str | None]]
    """For each game the names of the first and the second player; None for an unknown name."""
    starts: list[str]
    """The different start positions of the games, as FEN."""
    games: np.ndarray
    """The games, an array of type `GAME`."""
    plies: np.ndarray
    """The plies of all games in order, an array of type `PLY`."""
    queen_shares: np.ndarray
    """Visit shares (`SHARE`) of each ply's most visited queen moves; only self-play has them."""
    arrow_shares: np.ndarray
    """Visit shares of the most visited arrows after each ply's queen move, only for self-play."""

    def __len__(self) -> int:
        return len(self.games)

    def __repr__(self) -> str:
        return f"<Games: {len(self)} games, {len(self.plies)} plies, {len(self.queen_shares)} visit shares>"

    def plies_of(self, game: int) -> np.ndarray:
        """Return the plies of the game with this index."""
        first = int(self.games["first"][game])
        return self.plies[first : first + int(self.games["plies"][game])]

    def moves(self, game: int) -> list[_native.Move]:
        """Return the moves of the game with this index."""
        return [_native.Move.from_squares(*squares) for squares in self.plies_of(game)["squares"].tolist()]

    def positions(self, game: int) -> list[_native.Position]:
        """Return the position before each ply of the game `game`, and the final position."""
        positions = [_native.Position(self.starts[self.games["start"][game]])]
        for move in self.moves(game):
            positions.append(positions[-1].play(move))
        return positions

    @cached_property
    def size(self) -> int:
        """The number of squares along a side of the board.

        Raises ValueError if a board is not square or if the boards of the games differ in size.
        """
        starts = map(_native.Position, self.starts)
        sizes = {(start.width, start.height) for start in starts}
        if len(sizes) != 1 or len({*(size := sizes.pop())}) != 1:
            raise ValueError(f"games that start from {self.starts}: expected one square board")
        return size[0]

    def samples(self) -> npt.NDArray[np.int64]:
        """Return the numbers of all samples with visit shares, in ascending order."""
        queens, arrows = (np.unique(shares["ply"]) for shares in (self.queen_shares, self.arrow_shares))
        return np.sort(np.concatenate([2 * queens.astype(np.int64), 2 * arrows.astype(np.int64) + 1]))

    def planes(self, samples: Index = slice(None)) -> npt.NDArray[np.int8]:
        """Return the input planes of samples: zeros and ones of shape (samples, 4, size, size).

        The axes are sample, plane, y and x. `quiver.State.observation` describes the planes.
        """
        plies, half = self._plies_and_halves(samples)
        boards = np.unpackbits(self._boards[plies], axis=1, count=3 * self.size**2)
        planes = np.zeros((len(plies), 4, self.size, self.size), np.int8)
        planes[:, :3] = boards.reshape(-1, 3, self.size, self.size)
        shot = np.flatnonzero(half)
        (y, to_y), (x, to_x) = np.divmod(self.plies["squares"][plies[shot], :2].T, 16)
        planes[shot, 0, y, x] = 0
        planes[shot, 0, to_y, to_x] = planes[shot, 3, to_y, to_x] = 1
        return planes

    def policy(self, samples: Index = slice(None)) -> npt.NDArray[np.float32]:
        """Return the visit shares of samples, an array of shape (samples, cells * cells + cells).

        The shares of a sample sum to 1. They are all 0 for a sample without visit shares.
        """
        plies, half = self._plies_and_halves(samples)
        cells = self.size**2
        policy = np.zeros((len(plies), cells * cells + cells), np.float32)
        for number, shares in enumerate((self.queen_shares, self.arrow_shares)):
            wanted = np.flatnonzero(half == number)
            first, last = (np.searchsorted(shares["ply"], plies[wanted], side) for side in ("left", "right"))
            counts = last - first
            # The array `shares` is sorted by ply, so the shares of one ply are adjacent.
            rows = np.repeat(wanted, counts)
            chosen = shares[np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
            origin, target = self._cell(chosen["squares"]).T
            policy[rows, cells * origin + target if number == 0 else cells * cells + target] = chosen["share"]
        return policy / np.maximum(policy.sum(1, keepdims=True), 1e-9)

    def values(self, samples: Index = slice(None), *, mix: float = 0.0) -> npt.NDArray[np.float32]:
        """Return value labels of samples: an array of shape (samples,) of numbers from 0 to 1.

        A label is `mix` times the search's value plus (1 - `mix`) times the game's result, both for
        the side to act. A label is nan if it needs a value or a result that the file does not have.
        """
        if not 0 <= mix <= 1:
            raise ValueError(f"mix = {mix}: expected a number from 0 to 1")
        plies, _ = self._plies_and_halves(samples)
        rows = self.plies[plies]
        winner = self.games["winner"][rows["game"]]
        result = np.where(winner < 0, np.nan, winner == rows["mover"])
        # A search value may be nan, so values are not added if their weight `mix` is 0.
        value = np.zeros(len(rows), np.float32)
        if mix > 0:
            value += mix * rows["value"]
        return value if mix == 1 else value + np.float32(1 - mix) * result.astype(np.float32)

    def _plies_and_halves(self, samples: Index) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the ply index of each sample, and 0 for a queen move or 1 for an arrow."""
        return np.divmod(np.arange(2 * len(self.plies))[samples], 2)

    def _cell(self, squares: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        return self.size * (squares.astype(np.int64) // 16) + squares % 16

    @cached_property
    def _boards(self) -> npt.NDArray[np.uint8]:
        """The planes of the position before each ply, packed into bits, of shape (plies, bytes)."""
        width = -(-3 * self.size**2 // 8)
        positions = (position for game in range(len(self)) for position in self.positions(game)[:-1])
        boards = [np.packbits(position.planes()) for position in positions]
        return np.array(boards, np.uint8).reshape(-1, width)


def read_games(path: str | os.PathLike[str], *, size: int = 10) -> Games:
    """Read the games of a file in any format that Quiver reads, plain or compressed by gzip.

    The formats are SGF, GGF, Botzone logs, match records and lists of moves. A list without a FEN
    begins at the first start position from which all moves of the list are legal; positions with a
    board of side `size` are tried first. An incomplete last line of a match record is ignored,
    because the match may still be running. All games are replayed; a game that breaks the rules
    raises a `ValueError` with the number of the line on which the game begins.
    """
    _native.Position.start(size)  # Raises ValueError for a size without a start position.
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
    """Play games of the engine against itself, `concurrency` at a time, as `quiver selfplay` does.

    `board` is a start position, or the side of a board: 6, 8 or 10. A game begins with
    `random_plies` random plies (by default 2 to 8, drawn for each game). Then each move is searched
    with `playouts` playouts. `blunders` is the probability that a random move replaces the search's
    choice. The games are numbered from `first` on. A game depends only on its number, the seed and
    the settings. Ctrl-C raises KeyboardInterrupt after the games in progress have ended.
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
    """Play `games` games; yield `batch` games at a time. `settings` are passed to `selfplay`."""
    if batch < 1 or games < 0:
        raise ValueError(f"batch = {batch}, games = {games}: expected batches from 1 and games from 0")
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
