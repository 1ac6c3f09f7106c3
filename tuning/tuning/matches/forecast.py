"""Forecasts how many games a sequential test still takes. The forecast decides nothing.

The log-likelihood ratio is taken for a random walk between its two bounds. Its variance for a game follows from the
distance of the two hypotheses; its drift is unknown, and the games so far say something about it.
"""

import math
from statistics import NormalDist

POINTS = 9
"""Drifts that the forecast is averaged over."""


def games_left(elo0: float, elo1: float, bound: float, ratio: float, games: int) -> float:
    """Return the expected number of games until `ratio`, which is the ratio after `games`, leaves -bound to bound."""
    if abs(ratio) >= bound:
        return 0.0
    scores = [1 / (1 + 10 ** (-elo / 400)) for elo in (elo0, elo1)]
    # Of a game, whose score varies by 1/4.
    variance = 4 * (scores[1] - scores[0]) ** 2
    # The drift is variance / 2 where elo1 is true, -variance / 2 where elo0 is.
    precision = 4 / variance**2 + games / variance
    drift = NormalDist(ratio / variance / precision, precision**-0.5)
    shares = [(point + 0.5) / POINTS for point in range(POINTS)]
    times = [_expected(drift.inv_cdf(share), variance, bound - ratio, bound + ratio) for share in shares]
    return sum(times) / POINTS


def _expected(drift: float, variance: float, up: float, down: float) -> float:
    """Return the expected steps of a random walk until it is `up` above or `down` below its start."""
    if drift < 0:
        drift, up, down = -drift, down, up
    bend = 2 * drift / variance
    if bend * (up + down) < 1e-6:
        return up * down / variance
    above = math.expm1(-bend * down) / math.expm1(-bend * (up + down))
    return (above * (up + down) - down) / drift
