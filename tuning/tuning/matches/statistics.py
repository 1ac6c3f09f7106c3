"""Elo with its error, and the sequential test, from pairs of games: `quiver elo` computes them.

A pair is the two games of an opening with colours exchanged. There are no draws.
"""

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tuning.matches.engine import Engine

Pairs = tuple[int, int, int]
"""Pairs of which no game, one game, both games were won."""


@lru_cache(maxsize=4096)
def _figures(engine: Engine, pairs: Pairs, *words: str) -> dict[str, Any]:
    """Return the figures that `quiver elo` computes from these pairs."""
    return json.loads(engine.ask("elo", ",".join(map(str, pairs)), "--json", *words))


@dataclass(frozen=True)
class Standing:
    """The results of one side against another after some pairs."""

    pairs: Pairs = (0, 0, 0)

    @property
    def games(self) -> int:
        """Games played."""
        return 2 * sum(self.pairs)

    @property
    def wins(self) -> int:
        """Games won."""
        return self.pairs[1] + 2 * self.pairs[2]

    @property
    def score(self) -> float:
        """The share of games won; one half before the first."""
        return self.wins / self.games if self.games else 0.5

    @property
    def score_error(self) -> float:
        """Half the width of the score's 95 % interval; 0 where it has no bound."""
        return self._figure("score_error") or 0.0

    @property
    def elo(self) -> float:
        """The difference in Elo; infinite where one side won every game."""
        elo = self._figure("elo")
        if elo is None:
            return math.copysign(math.inf, self.score - 0.5) if self.games else 0.0
        return elo

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval in Elo; infinite where it has no bound."""
        error = self._figure("elo_error")
        return math.inf if error is None else error

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval in Elo, which has bounds after few games too; infinite at the end of one-sided games."""
        low, high = self._figure("elo_interval") or (None, None)
        return -math.inf if low is None else low, math.inf if high is None else high

    @property
    def superiority(self) -> float:
        """The likelihood that this side is the stronger one; one half before the first game."""
        likelihood = self._figure("los")
        return 0.5 if likelihood is None else likelihood

    def _figure(self, name: str) -> Any:  # noqa: ANN401 (a value of JSON)
        return _figures(Engine.current(), self.pairs)["score"][name]

    def __add__(self, other: "Standing") -> "Standing":
        """Return the sum of both results."""
        lost, split, won = (ours + theirs for ours, theirs in zip(self.pairs, other.pairs, strict=True))
        return Standing((lost, split, won))

    def __str__(self) -> str:
        """Return the difference with its error."""
        if not math.isfinite(self.elo):
            low, high = self.interval
            return f"all won, above {low:+.0f}" if self.score > 0.5 else f"all lost, below {high:+.0f}"
        if math.isfinite(self.error):
            return f"{self.elo:+.0f} +-{self.error:.0f}"
        # Near a score of 1 an error to both sides has no bound.
        return "{:+.0f} ({:+.0f} to {:+.0f})".format(self.elo, *self.interval)


@dataclass(frozen=True)
class Sprt:
    """The test of `quiver match --sprt`: whether the difference looks like `elo1` rather than `elo0`."""

    elo0: float
    elo1: float

    @property
    def bound(self) -> float:
        """The log-likelihood ratio beyond which, up or down, there is a decision."""
        return self._test((0, 0, 0))["bounds"][1]

    def ratio(self, pairs: Pairs) -> float:
        """Return the log-likelihood ratio of the two hypotheses after these pairs."""
        return self._test(pairs)["llr"]

    def verdict(self, pairs: Pairs) -> bool | None:
        """Return True if `elo1` is accepted, False if `elo0` is; None while the test is open."""
        return {"H1": True, "H0": False, None: None}[self._test(pairs)["verdict"]]

    def _test(self, pairs: Pairs) -> dict[str, Any]:
        return _figures(Engine.current(), pairs, "--sprt", f"{self.elo0},{self.elo1}")["sprt"]
