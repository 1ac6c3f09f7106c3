"""Simultaneous perturbation stochastic approximation, as engines are tuned with it: pure arithmetic, no games.

J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic optimization", IEEE Transactions
on Aerospace and Electronic Systems 34 (1998), with its gains a_k = a / (A + k)^0.602, c_k = c / k^0.101, A a tenth of
the steps; in the form that J. Kiiski gave it for engines: the two perturbed settings play each other, and every
parameter has gains of its own, told by where they end: the perturbation of the last step is the step that the engine
lists, and `r_end` is its a / c^2: each game won more than lost moves the parameter by so much of its perturbation.

A step is taken as soon as a batch of pairs at one perturbation has been played. Answers are applied in the order of
their questions' numbers, and question k is asked at the place after the answers up to k - `lag`. So several batches are
in flight at a time, and yet everything follows from the seed and the records. Where a parameter is whole, both
perturbed values are rounded at random, so that their means are exact.
"""

import math
from collections import deque
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from tuning.matches.batch import Batch
from tuning.matches.outcome import Outcome
from tuning.matches.parameters import Parameter

ALPHA, GAMMA, STABLE = 0.602, 0.101, 0.1

GAIN_IN_FLIGHT = 10.0
"""The last gain times the games in flight, at most: with more, places overshoot what is best."""

BLOCK = 256
"""Questions that one generator of random numbers serves."""

Steps = TypeVar("Steps", float, np.ndarray)
"""The numbers of one step or of several, counted from 1."""

SHARE_OPEN = 5
"""At most one in this many of all questions may be open at a time."""


def most_open(steps: int, r_end: float, per_batch: int) -> int:
    """Return how many questions may be open: each is asked at a place that misses the others' answers.

    `reports/scale.md` has what more cost in a simulation.
    """
    return max(min(steps // SHARE_OPEN, int(GAIN_IN_FLIGHT / (r_end * per_batch))), 1)


class Spsa:
    """A run as far as it has come: questions and moves follow from the seed, the place and a question's number.

    A question is a batch between two perturbed settings.
    """

    def __init__(
        self, knobs: Sequence[Parameter], steps: int, r_end: float, batch: Batch, lag: int = 1
    ) -> None:
        """Begin a run of `steps` batches like this one at the start of the knobs, at most `lag` of them open."""
        self.knobs, self.steps, self.r_end, self.lag = knobs, steps, r_end, lag
        self._batch = batch._replace(series="spsa", recorded=False)
        self.places = [np.array([knob.default for knob in knobs])]
        """The start, and the place after each answer."""
        self._moves: deque[np.ndarray] = deque()
        """What a game that is won moves the place by, for each open question."""
        self._block, self._chance = -1, np.empty(0)
        """The random numbers of a block of questions."""
        self._names = [knob.name for knob in knobs]
        self._lows, self._highs, self._steps, self._whole = (
            np.array([getattr(knob, name) for knob in knobs]) for name in ("low", "high", "step", "whole")
        )

    @property
    def told(self) -> int:
        """Answers applied."""
        return len(self.places) - 1

    @property
    def values(self) -> dict[str, float]:
        """The place as the engine is told it."""
        pairs = zip(self.knobs, self.places[-1].tolist(), strict=True)
        return {knob.name: float(knob.text(value)) for knob, value in pairs}

    @property
    def left(self) -> float:
        return self.steps - self.told

    def ask(self, room: int) -> list[Batch]:
        first = self.told + len(self._moves)
        last = min(first + room, self.steps, self.told + self.lag, (first // BLOCK + 1) * BLOCK)
        places = [self.places[max(number + 1 - self.lag, 0)] for number in range(first, last)]
        if not places:
            return []
        batches, moves = self.questions(np.array(places), first)
        self._moves.extend(moves)
        return batches

    def tell(self, batch: Batch, outcome: Outcome) -> None:
        """Move by the answer to the next question."""
        place = self.places[-1] + self._moves.popleft() * (2 * outcome.wins - outcome.games)
        self.places.append(np.minimum(np.maximum(place, self._lows), self._highs))

    @property
    def said(self) -> str:
        values = ", ".join(f"{name} {value:.3g}" for name, value in self.values.items())
        return f"{self.told * self._batch.games:,} of {self.steps * self._batch.games:,} games; {values}"

    def widening(self, step: Steps) -> Steps:
        """Return by how much perturbations are larger than at the end, at a step counted from 1."""
        return (self.steps / step) ** GAMMA

    def gain(self, step: Steps) -> Steps:
        """Return by how much of its perturbation a game moves a parameter, at a step counted from 1."""
        stable = STABLE * self.steps
        return self.r_end * ((stable + self.steps) / (stable + step)) ** ALPHA / self.widening(step) ** 2

    @property
    def chance(self) -> tuple[float, float]:
        """Return what hides a parameter's best value.

        The first number is the 95 % interval of its end, in its steps, if no setting were better than another. The
        second is the slope, in Elo a step, that moves it as far.
        """
        steps, games = np.arange(1, self.steps + 1), self._batch.games
        away = self.widening(steps)
        moves = self.gain(steps) * away
        by_chance = 1.96 * math.sqrt(games * (moves**2).sum())
        # A difference of one Elo near a score of one half wins so many games more than it loses.
        surplus = math.log(10) / 800
        return by_chance, by_chance / float((games * moves * 2 * away * surplus).sum())

    def questions(self, places: np.ndarray, first: int) -> tuple[list[Batch], np.ndarray]:
        """Return the matches around these places, a row each, and what a game that is won there moves each place by.

        Their numbers are those from `first` on, counted from 0, all of one block.
        """
        block, begin = divmod(first, BLOCK)
        if block != self._block:
            rng = np.random.default_rng([self._batch.seed, block])
            self._block, self._chance = block, rng.random((2, BLOCK, len(self.knobs)))
        signs, share = self._chance[:, begin : begin + len(places)]
        steps = np.arange(first + 1, first + 1 + len(places))[:, None]
        away = np.where(signs < 0.5, -1, 1) * self._steps * self.widening(steps)
        asked = np.clip([places + away, places - away], self._lows, self._highs)
        # A whole parameter has one of the two values beside its own, so that the mean is its own.
        asked = np.where(self._whole, np.clip(np.floor(asked + share), self._lows, self._highs), asked)
        sides = ([tuple(zip(self._names, one, strict=True)) for one in side] for side in asked.tolist())
        batches = map(self._batch.between, *sides, range(first, first + len(places)))
        return list(batches), self.gain(steps) * away
