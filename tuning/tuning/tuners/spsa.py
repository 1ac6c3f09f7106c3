"""Simultaneous perturbation stochastic approximation (SPSA) for tuning engines.

The method is by J. C. Spall, "Implementation of the simultaneous perturbation algorithm for
stochastic optimization", IEEE Transactions on Aerospace and Electronic Systems 34 (1998). Its gains
in step k are a_k = a / (A + k)^0.602 and c_k = c / k^0.101, where A is a tenth of the number of
steps. As in J. Kiiski's form for engines, the two perturbed settings play each other, and each
parameter has its own gains. They are given by their values in the last step: the perturbation c_k
is the step that the engine lists for the parameter, and a_k / c_k^2 is `r_end`. A game won moves
the parameter by this fraction of its perturbation, and a game lost moves it back by the same
amount.

A step consists of one batch of games, called a question, with the outcome as its answer. Answers
are applied in the order of their questions' numbers. Question k perturbs the values after the
answers up to k - `lag`. So several batches are in flight, but the result depends only on the seed
and the outcomes. Perturbed values of integer parameters are rounded at random, so that their means
are exact.
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
"""The largest last gain times games in flight; above it, values overshoot the best ones."""

BLOCK_QUESTIONS = 256
"""This many consecutive questions get their perturbations from one random generator."""

Steps = TypeVar("Steps", float, np.ndarray)
"""The number of a step of SPSA, counted from 1, or an array of such numbers."""

SHARE_OPEN = 5
"""At most one in this many of a run's questions may be open (without an answer) at a time."""


def most_open(steps: int, r_end: float, per_batch: int) -> int:
    """Return how many questions may be open at a time (`reports/scale.md` shows the effect)."""
    return max(min(steps // SHARE_OPEN, int(GAIN_IN_FLIGHT / (r_end * per_batch))), 1)


class Spsa:
    """The state of an SPSA run. It asks questions: batches between two perturbed settings."""

    def __init__(
        self, knobs: Sequence[Parameter], steps: int, r_end: float, batch: Batch, lag: int = 1
    ) -> None:
        """Begin a run of `steps` batches like `batch`, of which at most `lag` are in flight."""
        self.knobs, self.steps, self.r_end, self.lag = knobs, steps, r_end, lag
        self._batch = batch._replace(series="spsa", recorded=False)
        self.places = [np.array([knob.default for knob in knobs])]
        """The values of the parameters: at the start, and after each answer."""
        self._moves: deque[np.ndarray] = deque()
        """For each open question, by how much a game that is won changes the parameters."""
        self._block, self._random_numbers = -1, np.empty(0)
        """The current block of questions and its random numbers, which perturb the values."""
        self._names = [knob.name for knob in knobs]
        self._lows, self._highs, self._steps, self._whole = (
            np.array([getattr(knob, name) for knob in knobs]) for name in ("low", "high", "step", "whole")
        )

    @property
    def told(self) -> int:
        """The number of answers that have changed the values so far."""
        return len(self.places) - 1

    @property
    def values(self) -> dict[str, float]:
        """The current values of the parameters, rounded as the engine reads them."""
        pairs = zip(self.knobs, self.places[-1].tolist(), strict=True)
        return {knob.name: float(knob.text(value)) for knob, value in pairs}

    @property
    def left(self) -> float:
        return self.steps - self.told

    def ask(self, limit: int) -> list[Batch]:
        first = self.told + len(self._moves)
        end_of_block = (first // BLOCK_QUESTIONS + 1) * BLOCK_QUESTIONS
        last = min(first + limit, self.steps, self.told + self.lag, end_of_block)
        places = [self.places[max(number + 1 - self.lag, 0)] for number in range(first, last)]
        if not places:
            return []
        batches, moves = self.questions(np.array(places), first)
        self._moves.extend(moves)
        return batches

    def tell(self, batch: Batch, outcome: Outcome) -> None:
        """Change the values of the parameters by the outcome of the oldest open question."""
        place = self.places[-1] + self._moves.popleft() * (2 * outcome.wins - outcome.games)
        self.places.append(np.minimum(np.maximum(place, self._lows), self._highs))

    @property
    def summary(self) -> str:
        values = ", ".join(f"{name} {value:.3g}" for name, value in self.values.items())
        return f"{self.told * self._batch.games:,} of {self.steps * self._batch.games:,} games; {values}"

    def widening(self, step: Steps) -> Steps:
        """Return by which factor a step's perturbations are larger than those of the last step."""
        return (self.steps / step) ** GAMMA

    def gain(self, step: Steps) -> Steps:
        """Return the fraction of its perturbation that a game won in a step adds to a parameter."""
        stable = STABLE * self.steps
        return self.r_end * ((stable + self.steps) / (stable + step)) ** ALPHA / self.widening(step) ** 2

    @property
    def chance(self) -> tuple[float, float]:
        """Return how far chance alone moves a parameter, and the slope that moves it equally far.

        The first number is half of the 95 % interval of a parameter's last value if all settings
        are equally strong, in steps of the parameter. The slope is in Elo for each such step.
        """
        steps, games = np.arange(1, self.steps + 1), self._batch.games
        away = self.widening(steps)
        moves = self.gain(steps) * away
        by_chance = 1.96 * math.sqrt(games * (moves**2).sum())
        # Near a score of one half, one Elo increases wins minus losses by this fraction of the
        # games.
        surplus = math.log(10) / 800
        return by_chance, by_chance / float((games * moves * 2 * away * surplus).sum())

    def questions(self, places: np.ndarray, first: int) -> tuple[list[Batch], np.ndarray]:
        """Return a batch for each row of `places`, and by how much each game won moves the row."""
        block, begin = divmod(first, BLOCK_QUESTIONS)
        if block != self._block:
            rng = np.random.default_rng([self._batch.seed, block])
            self._block, self._random_numbers = block, rng.random((2, BLOCK_QUESTIONS, len(self.knobs)))
        signs, share = self._random_numbers[:, begin : begin + len(places)]
        steps = np.arange(first + 1, first + 1 + len(places))[:, None]
        away = np.where(signs < 0.5, -1, 1) * self._steps * self.widening(steps)
        asked = np.clip([places + away, places - away], self._lows, self._highs)
        # The value of an integer parameter is rounded up or down at random, which preserves its
        # mean.
        asked = np.where(self._whole, np.clip(np.floor(asked + share), self._lows, self._highs), asked)
        sides = ([tuple(zip(self._names, one, strict=True)) for one in side] for side in asked.tolist())
        batches = map(self._batch.between, *sides, range(first, first + len(places)))
        return list(batches), self.gain(steps) * away
