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
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tuning.matches.batch import Batch
from tuning.matches.outcome import Outcome
from tuning.matches.parameters import Parameter

ALPHA, GAMMA, STABLE = 0.602, 0.101, 0.1

GAIN_IN_FLIGHT = 10.0
"""The last gain times the games in flight, at most: with more, places overshoot what is best."""

BLOCK = 256
"""Questions that one generator of random numbers serves."""

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
        self._batch = replace(batch, series="spsa", recorded=False)
        self.places = [np.array([knob.default for knob in knobs])]
        """The start, and the place after each answer."""
        self._asked = 0
        self._block, self._chance = -1, np.empty(0)
        """The random numbers of a block of questions."""
        self._directions: dict[int, np.ndarray] = {}
        """The signs of the perturbations of open questions."""
        self._names = [knob.name for knob in knobs]
        self._lows, self._highs, self._steps = (
            np.array([getattr(knob, end) for knob in knobs]) for end in ("low", "high", "step")
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

    def ask(self) -> Batch | None:
        if self._asked == self.steps or self._asked - self.told >= self.lag:
            return None
        number, self._asked = self._asked, self._asked + 1
        directions, batch = self.question(self.places[max(number + 1 - self.lag, 0)], number)
        self._directions[number] = directions
        return batch

    def tell(self, batch: Batch, outcome: Outcome) -> None:
        """Move by the answer to the next question."""
        step, directions = self.told + 1, self._directions.pop(self.told)
        surplus = 2 * outcome.wins - outcome.games
        place = self.places[-1] + self.gain(step) * self.perturbation(step) * directions * surplus
        self.places.append(np.minimum(np.maximum(place, self._lows), self._highs))

    @property
    def said(self) -> str:
        values = ", ".join(f"{name} {value:.3g}" for name, value in self.values.items())
        return f"{self.told * self._batch.games:,} of {self.steps * self._batch.games:,} games; {values}"

    def perturbation(self, step: int) -> np.ndarray:
        """Return how far either setting is from the place, at a step counted from 1."""
        return self._steps * (self.steps / step) ** GAMMA

    def gain(self, step: int) -> float:
        """Return by how much of its perturbation a game moves a parameter, at a step counted from 1."""
        stable = STABLE * self.steps
        a = ((stable + self.steps) / (stable + step)) ** ALPHA
        c = (self.steps / step) ** GAMMA
        return self.r_end * a / c**2

    @property
    def chance(self) -> tuple[float, float]:
        """Return what hides a parameter's best value.

        The first number is the 95 % interval of its end, in its steps, if no setting were better than another. The
        second is the slope, in Elo a step, that moves it as far.
        """
        steps, games = np.arange(1, self.steps + 1), self._batch.games
        away = (self.steps / steps) ** GAMMA
        moves = np.array([self.gain(step) for step in steps.tolist()]) * away
        by_chance = 1.96 * math.sqrt(games * (moves**2).sum())
        # A difference of one Elo near a score of one half wins so many games more than it loses.
        surplus = math.log(10) / 800
        return by_chance, by_chance / float((games * moves * 2 * away * surplus).sum())

    def question(self, place: np.ndarray, number: int) -> tuple[np.ndarray, Batch]:
        """Return the match of this number, counted from 0, around a place, and the signs of its perturbation."""
        block, place_in_it = divmod(number, BLOCK)
        if block != self._block:
            rng = np.random.default_rng([self._batch.seed, block])
            self._block, self._chance = block, rng.random((BLOCK, 2, len(self.knobs)))
        signs, share = self._chance[place_in_it]
        directions = np.where(signs < 0.5, -1, 1)
        away = directions * self.perturbation(number + 1)
        rounding = share.tolist()
        plus, minus = (
            tuple(zip(self._names, map(_rounded, self.knobs, at, rounding), strict=True))
            for at in ((place + away).tolist(), (place - away).tolist())
        )
        return directions, self._batch.between(plus, minus, number)


def _rounded(knob: Parameter, value: float, share: float) -> float:
    """Return a value that the engine can be told: within the ends, of a whole parameter one of the two beside it."""
    value = knob.clipped(value)
    return float(knob.text(knob.clipped(math.floor(value + share) if knob.whole else value)))
