"""Pairs, Elo and the sequential test, as the engine computes them."""

import json
import math

import pytest

from tuning.matches.engine import Engine
from tuning.matches.outcome import Outcome, Sprt


def test_published_values_are_met(engine: Engine) -> None:
    # What fastchess expects of three outcomes: a pair without draws, or a game with them.
    standing = Outcome((96, 111, 136))
    assert standing.elo == pytest.approx(40.70, abs=0.01)
    assert standing.error == pytest.approx(30.43, abs=0.01)
    assert standing.figures["los"] == pytest.approx(0.9960, abs=5e-5)
    assert Sprt(0.5, 2.5).test((21184, 40708, 21404))["llr"] == pytest.approx(-1.57, abs=0.01)
    assert Sprt(0, 2).test((57030, 106593, 57433))["llr"] == pytest.approx(-2.59, abs=0.01)


def test_what_says_nothing_breaks_nothing(engine: Engine) -> None:
    none, all_won, even = Outcome(), Outcome((0, 0, 10)), Outcome((0, 10, 0))
    assert (none.games, none.elo, none.error) == (0, 0, math.inf)
    assert (all_won.elo, all_won.error) == (math.inf, math.inf) and all_won.figures["los"] > 0.9999
    # Every pair split: the games' own variance stands in.
    assert (even.elo, even.figures["score_error"]) == (0, pytest.approx(1.959963985 * 0.5 / math.sqrt(20)))
    assert str(all_won).startswith("all won, above +") and all_won.interval[1] == math.inf
    assert str(Outcome((3, 0, 0))).startswith("all lost, below -") and none.interval == (-math.inf, math.inf)
    # A score of 92.5 % in 40 games, where an error to both sides has no bound.
    near = Outcome((0, 6, 34))
    assert str(near).startswith("+436 +-") or str(near).startswith("+436 (+")
    few = Outcome((0, 1, 1))
    assert few.error == math.inf and few.interval[0] < few.elo < few.interval[1] < 2000
    assert str(few) == "{:+.0f} ({:+.0f} to {:+.0f})".format(few.elo, *few.interval)
    for pairs, verdict in (((0, 0, 0), None), ((0, 0, 400), "H1"), ((400, 0, 0), "H0"), ((0, 1000, 0), "H0")):
        assert Sprt(0, 10).test(pairs)["verdict"] == verdict


def test_the_engine_counts_alike(engine: Engine) -> None:
    """A match of unequal sides, by the engine's summary and by ours."""
    line = "match --a quiver --b greedy --games 40 --board 6 --playouts 30 --seed 3 --json"
    told = json.loads(engine.ask(*line.split()))
    standing = Outcome(tuple(told["score"]["pairs"]))
    assert (standing.wins, standing.games) == (told["score"]["wins"], told["games"])
    assert standing.elo == pytest.approx(told["score"]["elo"])
    assert standing.error == pytest.approx(told["score"]["elo_error"])
    assert standing.figures["los"] == pytest.approx(told["score"]["los"])


def test_the_engine_tests_alike(engine: Engine) -> None:
    line = "match --a quiver --b greedy --games 60 --board 6 --playouts 30 --seed 3 --json --sprt 0,200"
    told = json.loads(engine.ask(*line.split()))
    # A game that was under way at the verdict is in the score and not in the test: the pairs are the test's own.
    assert Sprt(0, 200).test(tuple(told["sprt"]["pairs"]))["llr"] == pytest.approx(
        told["sprt"]["llr"], abs=1e-6
    )
