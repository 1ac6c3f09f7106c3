"""Simultaneous perturbation stochastic approximation, as engines are tuned with it: pure arithmetic, no games.

J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic optimization", IEEE Transactions
on Aerospace and Electronic Systems 34 (1998), with its gains a_k = a / (A + k)^0.602, c_k = c / k^0.101, A a tenth of
the steps; in the form that J. Kiiski gave it for engines: the two perturbed settings play each other, and every
parameter has gains of its own, told by where they end: the perturbation of the last step is the step that the engine
lists, and `r_end` is its a / c^2: each game won more than lost moves the parameter by so much of its perturbation.

A step is taken as soon as a batch of pairs at one perturbation has been played. Other batches are being played
meanwhile, at perturbations of earlier places; each moves the place by the gain of its own number. Where a parameter is
whole, both perturbed values are rounded at random, so that their means are exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tuning.matches.statistics import Standing
from tuning.tuners.knobs import Knob

ALPHA, GAMMA, STABLE = 0.602, 0.101, 0.1


@dataclass(frozen=True)
class Question:
    """A match between two perturbed settings."""

    number: int
    plus: dict[str, float]
    minus: dict[str, float]
    directions: tuple[int, ...]


@dataclass(frozen=True)
class Spsa:
    """The arithmetic of a run: questions and moves follow from the seed, the place and the number of a question."""

    knobs: Sequence[Knob]
    steps: int
    """Batches in all: gains depend on how far the run has come."""
    r_end: float
    seed: int

    def start(self) -> np.ndarray:
        """Return where it begins."""
        return np.array([knob.start for knob in self.knobs])

    def perturbation(self, step: int) -> np.ndarray:
        """Return how far either setting is from the place, at a step counted from 1."""
        ends = np.array([knob.parameter.step for knob in self.knobs])
        return ends * (self.steps / step) ** GAMMA

    def gain(self, step: int) -> float:
        """Return by how much of its perturbation a game moves a parameter, at a step counted from 1."""
        stable = STABLE * self.steps
        a = ((stable + self.steps) / (stable + step)) ** ALPHA
        c = (self.steps / step) ** GAMMA
        return self.r_end * a / c**2

    def question(self, place: np.ndarray, number: int) -> Question:
        """Return the match of this number, counted from 0, around a place."""
        rng = np.random.default_rng([self.seed, number])
        directions = rng.choice((-1, 1), len(self.knobs))
        share = rng.random(len(self.knobs))
        away = directions * self.perturbation(number + 1)
        sides = [
            {
                knob.name: _rounded(knob, value, r)
                for knob, value, r in zip(self.knobs, values, share, strict=True)
            }
            for values in ((place + away).tolist(), (place - away).tolist())
        ]
        return Question(number, sides[0], sides[1], tuple(directions.tolist()))

    def moved(self, place: np.ndarray, question: Question, answer: Standing) -> np.ndarray:
        """Return the place after the answer to a question."""
        step = question.number + 1
        surplus = 2 * answer.wins - answer.games
        place = place + self.gain(step) * self.perturbation(step) * np.array(question.directions) * surplus
        return np.array([knob.clipped(value) for knob, value in zip(self.knobs, place.tolist(), strict=True)])


def _rounded(knob: Knob, value: float, share: float) -> float:
    """Return a value that the engine can be told: within the ends, of a whole parameter one of the two beside it."""
    value = knob.clipped(value)
    if knob.parameter.whole:
        value = float(np.floor(value + share))
    return float(knob.parameter.text(knob.clipped(value)))
