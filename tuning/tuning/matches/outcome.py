"""Outcomes of paired games: `quiver match` counts them, `quiver elo` computes Elo, its error and the test.

A pair is the two games of an opening with colours exchanged. There are no draws.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tuning.errors import reading
from tuning.matches.batch import Batch
from tuning.matches.engine import Engine

Pairs = tuple[int, int, int]
"""Pairs of which no game, one game, both games were won."""


@lru_cache(maxsize=4096)
def _figures(engine: Engine, pairs: Pairs, *words: str) -> dict[str, Any]:
    return json.loads(engine.ask("elo", ",".join(map(str, pairs)), "--json", *words))


@dataclass(frozen=True)
class Outcome:
    """The games of one side against another, counted."""

    pairs: Pairs = (0, 0, 0)
    faults: int = 0
    """Games that ended otherwise than by the rules: a crash, a stall, lateness."""
    plies: int = 0
    playouts: tuple[int, int] = (0, 0)
    seconds: tuple[float, float] = (0.0, 0.0)
    """CPU time of either side, as `playouts` are those of either side."""

    @property
    def games(self) -> int:
        return 2 * sum(self.pairs)

    @property
    def wins(self) -> int:
        return self.pairs[1] + 2 * self.pairs[2]

    @property
    def score(self) -> float:
        """The share of games won; one half before the first."""
        return self.wins / self.games if self.games else 0.5

    @property
    def figures(self) -> dict[str, Any]:
        """The figures of `quiver elo`; null where one has no bound."""
        return _figures(Engine.current, self.pairs)["score"]

    @property
    def row(self) -> dict[str, Any]:
        """The figures of a match as a row of a result; null where one has no bound.

        The 95 % interval in Elo has bounds after few games too, where half its width (`elo_error`) has none.
        """
        told = self.figures
        low, high = told["elo_interval"] or (None, None)
        elo = {"elo": told["elo"], "elo_error": told["elo_error"], "elo_low": low, "elo_high": high}
        return {
            "games": self.games,
            "wins": self.wins,
            "pairs": list(self.pairs),
            **{name: value if value is None else round(value, 2) for name, value in elo.items()},
            "plies": self.plies,
            "faults": self.faults,
            "playouts": list(self.playouts),
            "cpu_seconds": [round(one, 3) for one in self.seconds],
        }

    def __add__(self, other: "Outcome") -> "Outcome":
        sums = [
            tuple(map(sum, zip(ours, theirs, strict=True))) if isinstance(ours, tuple) else ours + theirs
            for ours, theirs in zip(vars(self).values(), vars(other).values(), strict=True)
        ]
        return Outcome(*sums)

    def __str__(self) -> str:
        return elo(self.row)


def elo(row: Mapping[str, Any]) -> str:
    """Return the difference in Elo of a match with its 95 % interval, by its row in a result."""
    if row.get("elo") is None:
        bound = row.get("elo_low") if row["wins"] else row.get("elo_high")
        return "" if bound is None else f"{'above' if row['wins'] else 'below'} {bound:+.0f}"
    error = row.get("elo_error")
    # Near a score of 1 an error to both sides has no bound.
    if error is None:
        return f"{row['elo']:+.0f} ({row['elo_low']:+.0f} to {row['elo_high']:+.0f})"
    return f"{row['elo']:+.0f} +-{error:.0f}"


def error_of(games: int) -> float:
    """Return half of the 95 % interval in Elo of a score near one half, if all games were independent."""
    return 1.96 * 0.5 / math.sqrt(games) * 400 / math.log(10) / 0.25


@dataclass(frozen=True)
class Sprt:
    """The test of `quiver match --sprt`: whether the difference looks like `elo1` rather than `elo0`."""

    elo0: float
    elo1: float

    def test(self, pairs: Pairs) -> dict[str, Any]:
        """Return "llr", its "bounds", and the "verdict": "H1", "H0", or None while the test is open."""
        return _figures(Engine.current, pairs, "--sprt", f"{self.elo0},{self.elo1}")["sprt"]


def read_outcome(text: str, batch: Batch) -> Outcome:
    """Read what `quiver match --json` says when all games of a batch are on record."""
    with reading(f"quiver match of {batch.series}, batch {batch.number}", f"{batch.games} games"):
        told = json.loads(text)
        if told["games"] != batch.games:
            raise ValueError(f"{told['games']} games")
        sides = told["players"]
        seconds = tuple(side["moves"] * (side["mean_time"] or 0.0) for side in sides)
        speeds = (side["playouts_per_second"] or 0.0 for side in sides)
        playouts = tuple(round(speed * time) for speed, time in zip(speeds, seconds, strict=True))
        plies = round(told["games"] * told["mean_plies"])
        return Outcome(tuple(told["score"]["pairs"]), told["faults"], plies, playouts, seconds)
