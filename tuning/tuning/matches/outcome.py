"""Outcomes of paired games, as `quiver match` counts them, and their statistics.

A pair is the two games of an opening with colours exchanged. There are no draws. The statistics are those of
`quiver elo`, which a test compares: an outcome of a cluster is judged thousands of times a second, where a process
each time would cost more than the games.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, ClassVar, NamedTuple

from tuning.errors import reading

Pairs = tuple[int, int, int]
"""Pairs of which no game, one game, both games were won."""

QUANTILE = NormalDist().inv_cdf(0.975)


class Figures(NamedTuple):
    """The statistics of an outcome, in Elo; None where a figure has no bound."""

    elo: float | None = None
    elo_error: float | None = None
    """Half of the 95 % interval."""
    elo_low: float | None = None
    elo_high: float | None = None
    """The 95 % interval by Wilson and by the variance of the pairs, which has bounds after few games too."""
    los: float | None = None
    """The likelihood of superiority."""


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

    @cached_property
    def figures(self) -> Figures:
        if not self.games:
            return Figures()
        games, count, score = self.games, sum(self.pairs), self.score
        spread = (
            sum(n * (share - score) ** 2 for n, share in zip(self.pairs, (0, 0.5, 1), strict=True)) / count
        )
        # Pairs that all ended alike have no variance, and their games are taken for independent.
        error = math.sqrt(spread / count or score * (1 - score) / games)
        interval = _wilson(score, score * (1 - score) / error**2 if error else games)
        los = NormalDist().cdf((score - 0.5) / (error or 0.5 / math.sqrt(games)))
        elo, low, high = (one if math.isfinite(one) else None for one in map(elo_of, (score, *interval)))
        within = None if low is None or high is None else (high - low) / 2
        return Figures(elo, within, low, high, los)

    @property
    def row(self) -> dict[str, Any]:
        """The figures of a match as a row of a result; null where one has no bound."""
        told = {name: value for name, value in self.figures._asdict().items() if name != "los"}
        return {
            "games": self.games,
            "wins": self.wins,
            "pairs": list(self.pairs),
            **{name: value if value is None else round(value, 2) for name, value in told.items()},
            "plies": self.plies,
            "faults": self.faults,
            "playouts": list(self.playouts),
            "cpu_seconds": [round(one, 3) for one in self.seconds],
        }

    def __add__(self, other: "Outcome") -> "Outcome":
        (a, b, c), (d, e, f) = self.pairs, other.pairs
        playouts = self.playouts[0] + other.playouts[0], self.playouts[1] + other.playouts[1]
        seconds = self.seconds[0] + other.seconds[0], self.seconds[1] + other.seconds[1]
        pairs = a + d, b + e, c + f
        return Outcome(pairs, self.faults + other.faults, self.plies + other.plies, playouts, seconds)

    def __str__(self) -> str:
        return elo(self.row)


def elo_of(score: float) -> float:
    """Return the difference in Elo at a score out of 1; infinite at 0, 1 and beyond."""
    if not 0 < score < 1:
        return math.inf if score >= 1 else -math.inf
    return 400 * math.log10(score / (1 - score))


def _wilson(share: float, n: float) -> tuple[float, float]:
    """Return the 95 % interval of a chance by the share of successes in `n` trials (Wilson 1927)."""
    z = QUANTILE**2 / n
    middle = (share + z / 2) / (1 + z)
    half = math.sqrt(z * share * (1 - share) + z * z / 4) / (1 + z)
    return middle - half if share else 0.0, middle + half if share < 1 else 1.0


def elo(row: Mapping[str, Any]) -> str:
    """Return the difference in Elo of a match with its 95 % interval, by its row in a result."""
    if row.get("elo") is None:
        bound = row.get("elo_low") if row["wins"] else row.get("elo_high")
        return "" if bound is None else f"{'above' if row['wins'] else 'below'} {bound:+.0f}"
    error = row.get("elo_error")
    # Reports of earlier versions have rows without an error, near a score of 1.
    if error is None:
        return f"{row['elo']:+.0f} ({row['elo_low']:+.0f} to {row['elo_high']:+.0f})"
    return f"{row['elo']:+.0f} +-{error:.0f}"


def error_of(games: int) -> float:
    """Return half of the 95 % interval in Elo of a score near one half, if all games were independent."""
    return QUANTILE * 0.5 / math.sqrt(games) * 400 / math.log(10) / 0.25


@dataclass(frozen=True)
class Sprt:
    """The test of `quiver match --sprt`: whether the difference looks like `elo1` rather than `elo0`.

    The log-likelihood ratio compares the likeliest distributions of pairs whose mean is the score that either
    hypothesis expects (M. Van den Bergh, support_MLE_multinomial.pdf on cantate.be/Fishtest, proposition 1.1).
    """

    elo0: float
    elo1: float

    bound: ClassVar[float] = math.log(0.95 / 0.05)
    """The ratio at which H1 is accepted, and below whose negative H0 is: both errors are 5 %."""

    def ratio(self, pairs: Pairs) -> float:
        """Return the log-likelihood ratio; 0 before the first pair."""
        if not any(pairs):
            return 0.0
        # Outcomes never seen are mixed in with a weight of a thousandth of a pair.
        weights, scores = [count or 1e-3 for count in pairs], (0.0, 0.5, 1.0)
        means = [1 / (1 + 10 ** (-elo / 400)) for elo in (self.elo0, self.elo1)]
        (x0, s0), (x1, s1) = [(_multiplier([one - mean for one in scores], weights), mean) for mean in means]
        logs = [math.log1p(x0 * (one - s0)) - math.log1p(x1 * (one - s1)) for one in scores]
        return sum(weight * log for weight, log in zip(weights, logs, strict=True))

    def verdict(self, pairs: Pairs) -> str | None:
        """Return "H1" or "H0" once one is accepted; None while the test is open."""
        ratio = self.ratio(pairs)
        return None if abs(ratio) < self.bound else "H1" if ratio > 0 else "H0"


def _multiplier(distances: list[float], weights: list[float]) -> float:
    """Return the root x of sum(weight * distance / (1 + x * distance)), which is one of a square polynomial."""
    every, total, terms = sum(distances), sum(weights), list(zip(weights, distances, strict=True))
    a = math.prod(distances)
    b = sum(weight / total * distance * (every - distance) for weight, distance in terms)
    c = sum(weight / total * distance for weight, distance in terms)
    slope = math.sqrt(b * b - 4 * a * c)
    # The form that subtracts no two numbers of nearly the same size.
    return 2 * c / (slope - b) if b < 0 else -(slope + b) / (2 * a)


def read_outcome(text: str, games: int) -> Outcome:
    """Read what `quiver match --json` says when all games of a batch are on record."""
    with reading("quiver match", f"{games} games"):
        told = json.loads(text)
        if told["games"] != games:
            raise ValueError(f"{told['games']} games")
        sides = told["players"]
        seconds = tuple(side["moves"] * (side["mean_time"] or 0.0) for side in sides)
        speeds = (side["playouts_per_second"] or 0.0 for side in sides)
        playouts = tuple(round(speed * time) for speed, time in zip(speeds, seconds, strict=True))
        plies = round(told["games"] * told["mean_plies"])
        return Outcome(tuple(told["score"]["pairs"]), told["faults"], plies, playouts, seconds)
