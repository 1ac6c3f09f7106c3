"""Outcomes of pairs: their figures are those of `quiver elo`, infinite where one has no bound."""

import math

import pytest

from tuning.matches.engine import Engine
from tuning.matches.outcome import Outcome, Sprt


def test_figures_are_those_of_the_engine(engine: Engine) -> None:
    # What fastchess expects of three outcomes: a pair without draws, or a game with them.
    standing = Outcome((96, 111, 136))
    assert (standing.games, standing.wins, str(standing)) == (686, 383, "+41 +-30")
    assert standing.elo == pytest.approx(40.70, abs=0.01)
    assert Sprt(0.5, 2.5).test((21184, 40708, 21404))["llr"] == pytest.approx(-1.57, abs=0.01)
    for pairs, verdict in (((0, 0, 0), None), ((0, 0, 400), "H1"), ((400, 0, 0), "H0")):
        assert Sprt(0, 10).test(pairs)["verdict"] == verdict


def test_what_says_nothing_breaks_nothing(engine: Engine) -> None:
    none, all_won = Outcome(), Outcome((0, 0, 10))
    assert (none.games, none.elo, none.error) == (0, 0, math.inf)
    assert (all_won.elo, all_won.error) == (math.inf, math.inf)
    assert str(all_won).startswith("all won, above +") and all_won.interval[1] == math.inf
    assert str(Outcome((3, 0, 0))).startswith("all lost, below -") and none.interval == (-math.inf, math.inf)
    # Near a score of 1 an error to both sides has no bound.
    few = Outcome((0, 1, 1))
    assert few.error == math.inf and few.interval[0] < few.elo < few.interval[1] < 2000
    assert str(few) == "{:+.0f} ({:+.0f} to {:+.0f})".format(few.elo, *few.interval)
