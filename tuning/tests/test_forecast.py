"""Forecasts of sequential tests, against tests that are simulated to their end."""

import numpy as np
import pytest

from tuning.matches.forecast import _expected, games_left

BOUND = 2.944


def walked(drift: float, variance: float, begin: float, rng: np.random.Generator) -> float:
    """Return the mean steps of walks from `begin` until they leave -BOUND to BOUND."""
    place, steps = np.full(2000, begin), np.zeros(2000)
    walking = np.abs(place) < BOUND
    while walking.any():
        steps[walking] += 1
        place[walking] += rng.normal(drift, variance**0.5, int(walking.sum()))
        walking = np.abs(place) < BOUND
    return float(steps.mean())


def test_a_walk_takes_as_long_as_expected() -> None:
    rng, variance = np.random.default_rng(1), 0.01
    for drift in (0.0, 0.005, -0.005, 0.02):
        for begin in (0.0, 1.5):
            expected = _expected(drift, variance, BOUND - begin, BOUND + begin)
            assert walked(drift, variance, begin, rng) == pytest.approx(expected, rel=0.15)


def test_a_test_is_forecast_before_it_begins() -> None:
    rng, wide = np.random.default_rng(2), (0.0, 60.0)
    score = 1 / (1 + 10 ** (-60 / 400))
    variance = 4 * (score - 0.5) ** 2
    drifts = rng.normal(0, variance / 2, 60)
    mean = np.mean([walked(drift, variance, 0.0, rng) for drift in drifts])
    assert games_left(*wide, BOUND, 0.0, 0) == pytest.approx(mean, rel=0.25)
    # A narrower test takes longer by the square; a ratio near its bound is soon done.
    assert games_left(0, 10, BOUND, 0.0, 0) / games_left(0, 5, BOUND, 0.0, 0) == pytest.approx(0.25, rel=0.05)
    assert games_left(0, 10, BOUND, 0.0, 0) > 5000
    assert games_left(0, 10, BOUND, 2.5, 4000) < 0.4 * games_left(0, 10, BOUND, 0.0, 4000)
    assert games_left(0, 10, BOUND, -BOUND, 4000) == 0
