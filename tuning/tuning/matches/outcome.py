"""Outcomes of paired games, as `quiver match` counts them, and their statistics in Elo.

A pair is the two games of an opening, between which the players exchange sides. There are no draws.
`quiver elo` computes the same statistics, and a test compares the results. A run on a cluster
needs statistics thousands of times a second, too often to start `quiver elo` for each of them.
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
"""The numbers of pairs in which the first side won no game, one game and both games."""

NORMAL_QUANTILE_97_5 = NormalDist().inv_cdf(0.975)


class EloStatistics(NamedTuple):
    """Estimates of the Elo by which the first side is stronger. An infinite estimate is None."""

    elo: float | None = None
    elo_error: float | None = None
    """Half the width of the 95 % interval of `elo`."""
    elo_low: float | None = None
    elo_high: float | None = None
    """The upper end of the 95 % interval of `elo`, by Wilson's formula with the pairs' variance."""
    los: float | None = None
    """The likelihood of superiority: the probability that the first side is stronger."""


@dataclass(frozen=True)
class Outcome:
    """The counts that sum up games between two sides, such as wins, faults and playouts."""

    pairs: Pairs = (0, 0, 0)
    faults: int = 0
    """The number of games that a player lost by a fault, such as a crash or a late answer."""
    plies: int = 0
    playouts: tuple[int, int] = (0, 0)
    seconds: tuple[float, float] = (0.0, 0.0)
    """The CPU time in seconds of the first side, and of the second side."""

    @property
    def games(self) -> int:
        return 2 * sum(self.pairs)

    @property
    def wins(self) -> int:
        return self.pairs[1] + 2 * self.pairs[2]

    @property
    def score(self) -> float:
        """The fraction of games that the first side won; 0.5 if there are no games."""
        return self.wins / self.games if self.games else 0.5

    @cached_property
    def elo_statistics(self) -> EloStatistics:
        if not self.games:
            return EloStatistics()
        games, count, score = self.games, sum(self.pairs), self.score
        spread = (
            sum(n * (value - score) ** 2 for n, value in zip(self.pairs, (0, 0.5, 1), strict=True)) / count
        )
        # If all pairs have the same score, their variance is 0. Then treat games as independent.
        error = math.sqrt(spread / count or score * (1 - score) / games)
        interval = _wilson(score, score * (1 - score) / error**2 if error else games)
        los = NormalDist().cdf((score - 0.5) / (error or 0.5 / math.sqrt(games)))
        elo, low, high = (x if math.isfinite(x) else None for x in map(elo_of, (score, *interval)))
        within = None if low is None or high is None else (high - low) / 2
        return EloStatistics(elo, within, low, high, los)

    @property
    def row(self) -> dict[str, Any]:
        """The counts and Elo statistics as a row of a result in JSON. An infinite Elo is null."""
        statistics = {name: value for name, value in self.elo_statistics._asdict().items() if name != "los"}
        return {
            "games": self.games,
            "wins": self.wins,
            "pairs": list(self.pairs),
            **{name: value if value is None else round(value, 2) for name, value in statistics.items()},
            "plies": self.plies,
            "faults": self.faults,
            "playouts": list(self.playouts),
            "cpu_seconds": [round(seconds, 3) for seconds in self.seconds],
        }

    def __add__(self, other: "Outcome") -> "Outcome":
        (a, b, c), (d, e, f) = self.pairs, other.pairs
        playouts = self.playouts[0] + other.playouts[0], self.playouts[1] + other.playouts[1]
        seconds = self.seconds[0] + other.seconds[0], self.seconds[1] + other.seconds[1]
        pairs = a + d, b + e, c + f
        return Outcome(pairs, self.faults + other.faults, self.plies + other.plies, playouts, seconds)

    def __str__(self) -> str:
        return elo_text(self.row)


def elo_of(score: float) -> float:
    """Return the Elo difference at which this score (0 to 1) is expected; infinite at 0 and 1."""
    if not 0 < score < 1:
        return math.inf if score >= 1 else -math.inf
    return 400 * math.log10(score / (1 - score))


def _wilson(fraction: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a probability, if `fraction` of `n` trials were successes."""
    z = NORMAL_QUANTILE_97_5**2 / n
    middle = (fraction + z / 2) / (1 + z)
    half = math.sqrt(z * fraction * (1 - fraction) + z * z / 4) / (1 + z)
    return middle - half if fraction else 0.0, middle + half if fraction < 1 else 1.0


def elo_text(row: Mapping[str, Any]) -> str:
    if row.get("elo") is None:
        bound = row.get("elo_low") if row["wins"] else row.get("elo_high")
        return "" if bound is None else f"{'above' if row['wins'] else 'below'} {bound:+.0f}"
    return f"{row['elo']:+.0f} +-{row['elo_error']:.0f}"


def elo_error_of(games: int) -> float:
    """Return half the 95 % interval in Elo after `games` independent games with a score of 0.5."""
    return NORMAL_QUANTILE_97_5 * 0.5 / math.sqrt(games) * 400 / math.log(10) / 0.25


@dataclass(frozen=True)
class Sprt:
    """The sequential probability ratio test between two hypotheses on the Elo difference.

    A hypothesis states the mean score of a game. Of all distributions of pairs with this mean
    score, the test takes the one that makes the counts of pairs most likely. The likelihood of
    the counts under this distribution is the likelihood of the hypothesis (M. Van den Bergh,
    support_MLE_multinomial.pdf on cantate.be/Fishtest, prop. 1.1).
    """

    elo0: float
    elo1: float

    bound: ClassVar[float] = math.log(0.95 / 0.05)
    """The test accepts H1 at this log-likelihood ratio, and H0 at -`bound`. Error rates are 5 %."""

    def ratio(self, pairs: Pairs) -> float:
        """Return the log-likelihood ratio of H1 to H0 for these counts of pairs; 0 if all are 0."""
        if not any(pairs):
            return 0.0
        # A kind of pair that never occurred gets the weight of a thousandth of a pair.
        weights, scores = [count or 1e-3 for count in pairs], (0.0, 0.5, 1.0)
        means = [1 / (1 + 10 ** (-elo / 400)) for elo in (self.elo0, self.elo1)]
        (x0, s0), (x1, s1) = [
            (_lagrange_multiplier([score - mean for score in scores], weights), mean) for mean in means
        ]
        logs = [math.log1p(x0 * (score - s0)) - math.log1p(x1 * (score - s1)) for score in scores]
        return sum(weight * log for weight, log in zip(weights, logs, strict=True))

    def verdict(self, pairs: Pairs) -> str | None:
        """Return the accepted hypothesis, "H1" or "H0", or None while the test is undecided."""
        ratio = self.ratio(pairs)
        return None if abs(ratio) < self.bound else "H1" if ratio > 0 else "H0"


def _lagrange_multiplier(distances: list[float], weights: list[float]) -> float:
    """Return the Lagrange multiplier x that makes sum(weight * distance / (1 + x * distance)) 0."""
    every, total, terms = sum(distances), sum(weights), list(zip(weights, distances, strict=True))
    a = math.prod(distances)
    b = sum(weight / total * distance * (every - distance) for weight, distance in terms)
    c = sum(weight / total * distance for weight, distance in terms)
    slope = math.sqrt(b * b - 4 * a * c)
    # x is a root of a x^2 + b x + c, in a form that does not subtract nearly equal numbers.
    return 2 * c / (slope - b) if b < 0 else -(slope + b) / (2 * a)


def read_outcome(text: str, games: int) -> Outcome:
    """Parse the output of `quiver match --json` for a batch. The match must have `games` games."""
    with reading("quiver match", f"{games} games"):
        report = json.loads(text)
        if report["games"] != games:
            raise ValueError(f"{report['games']} games")
        sides = report["players"]
        seconds = tuple(side["moves"] * (side["mean_time"] or 0.0) for side in sides)
        speeds = (side["playouts_per_second"] or 0.0 for side in sides)
        playouts = tuple(round(speed * time) for speed, time in zip(speeds, seconds, strict=True))
        plies = round(report["games"] * report["mean_plies"])
        return Outcome(tuple(report["score"]["pairs"]), report["faults"], plies, playouts, seconds)
