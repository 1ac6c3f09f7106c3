"""What pairs of games say: Elo with its error, and the sequential test. There are no draws.

A pair is the two games of an opening with colours changed; it is what errors are computed from, since its games
depend on each other. The figures are those of `quiver match`, whose formulas these are; here they are wanted for games
gathered from many matches.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

QUANTILE = 1.959963985
"""Half the width of a 95 % interval, in standard errors."""

Pairs = tuple[int, int, int]
"""Pairs of which nothing, one game, both games were won."""


def elo_of(score: float) -> float:
    """Return the Elo difference of a score between 0 and 1; infinite at the ends."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Return the score that an Elo difference makes likely."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True)
class Standing:
    """Where one side stands against another after some pairs."""

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
    def deviation(self) -> float:
        """The score's standard error, by the variance of pairs; 0 where every game ended alike or there is none.

        Where all pairs were split their variance is 0 and says nothing: then the games are taken for independent.
        """
        if not self.games:
            return 0.0
        shares = np.array(self.pairs) / sum(self.pairs)
        variance = float(shares @ (np.array([0, 0.5, 1]) - self.score) ** 2) / sum(self.pairs)
        return math.sqrt(variance or self.score * (1 - self.score) / self.games)

    @property
    def elo(self) -> float:
        """The difference in Elo."""
        return elo_of(self.score)

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval in Elo; infinite where it has no bound."""
        reach = QUANTILE * self.deviation
        if reach == 0:
            return math.inf
        return (elo_of(self.score + reach) - elo_of(self.score - reach)) / 2

    @property
    def superiority(self) -> float:
        """The likelihood that this side is the stronger one."""
        deviation = self.deviation or 0.5 / math.sqrt(max(self.games, 1))
        return 0.5 * math.erfc(-(self.score - 0.5) / deviation / math.sqrt(2))

    def __add__(self, other: "Standing") -> "Standing":
        """Return the standing after both lots of pairs."""
        lost, split, won = (ours + theirs for ours, theirs in zip(self.pairs, other.pairs, strict=True))
        return Standing((lost, split, won))

    def __str__(self) -> str:
        """Return the difference with its error."""
        if not math.isfinite(self.elo):
            return "no game lost" if self.score > 0.5 else "no game won"
        error = f"{self.error:.0f}" if math.isfinite(self.error) else "?"
        return f"{self.elo:+.0f} +-{error}"


@dataclass(frozen=True)
class Sprt:
    """The test of `quiver match --sprt`: whether the difference looks like `elo1` rather than `elo0`."""

    elo0: float
    elo1: float
    risk: float = 0.05
    """Of either error."""

    @property
    def bound(self) -> float:
        """The log-likelihood ratio beyond which, up or down, there is a verdict."""
        return math.log((1 - self.risk) / self.risk)

    def ratio(self, pairs: Pairs) -> float:
        """Return the log-likelihood ratio of the two hypotheses after these pairs.

        Each is represented by the likeliest distribution of pairs with its mean. Outcomes never seen count for a
        thousandth of a pair.
        """
        if not any(pairs):
            return 0.0
        weights = np.array([count or 1e-3 for count in pairs])
        shares = weights / weights.sum()
        outcomes = np.array([0, 0.5, 1])
        logs = []
        for mean in (score_of(self.elo0), score_of(self.elo1)):
            away = outcomes - mean
            # The multiplier lies between the poles; a hair inside them the sum has opposite signs.
            low, high = -1 / (1 - mean), 1 / mean
            hair = 1e-9 * (high - low)
            root = brentq(lambda x, away=away: shares @ (away / (1 + x * away)), low + hair, high - hair)
            logs.append(np.log1p(root * away))
        return float(weights @ (logs[0] - logs[1]))

    def verdict(self, pairs: Pairs) -> bool | None:
        """Return whether `elo1` is accepted (True) or `elo0` (False); None where that is still open."""
        ratio = self.ratio(pairs)
        return None if abs(ratio) < self.bound else ratio > 0
