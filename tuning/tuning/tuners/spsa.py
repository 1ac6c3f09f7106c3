"""Simultaneous perturbation stochastic approximation (SPSA) for tuning engines.

The method is by J. C. Spall, "Implementation of the simultaneous perturbation algorithm for
stochastic optimization", IEEE Transactions on Aerospace and Electronic Systems 34 (1998). In
iteration k, the perturbation is c_k = c / k^0.101 and the gain is a_k = a / (A + k)^0.602, where A
is a tenth of the number of iterations. As J. Kiiski proposed for engines, the two perturbed
settings play each other, and each parameter has its own c and a. In the last iteration, c_k is the
step that the engine lists for the parameter, and a_k / c_k^2 is `r_end`: the fraction of the
perturbation by which a won game moves the parameter. A lost game moves the parameter back as far.

Iteration k plays batch k, a number of games between two perturbed settings. The outcomes of batches
change the parameter values in the order of the batches. Batch k perturbs the values that result
from batches up to k - `lag`. So up to `lag` batches are in flight, but the result depends only on
the seed and the outcomes. Perturbed integers are rounded up or down at random, without bias.
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

MAX_GAIN_IN_FLIGHT = 10.0
"""The largest product of `r_end` and games in flight. Above it, values overshoot the optimum."""

RANDOM_BLOCK_BATCHES = 256
"""The number of batches in a block. Each block of batches has its own random generator."""

Steps = TypeVar("Steps", float, np.ndarray)
"""The number of an SPSA iteration, counted from 1, or an array of such numbers."""

IN_FLIGHT_DIVISOR = 5
"""A run may have 1 / `IN_FLIGHT_DIVISOR` of its batches in flight, and always at least one."""


def max_batches_in_flight(steps: int, r_end: float, per_batch: int) -> int:
    """Return how many batches may be in flight (`reports/scale.md` shows their effect on Elo)."""
    return max(min(steps // IN_FLIGHT_DIVISOR, int(MAX_GAIN_IN_FLIGHT / (r_end * per_batch))), 1)


class Spsa:
    """A run of SPSA. It requests batches of games. In a batch, two perturbed settings play."""

    def __init__(
        self, parameters: Sequence[Parameter], steps: int, r_end: float, batch: Batch, lag: int = 1
    ) -> None:
        """Begin a run of `steps` batches with the template `batch`. At most `lag` are in flight."""
        self.parameters, self.steps, self.r_end, self.lag = parameters, steps, r_end, lag
        self._batch = batch._replace(group="spsa", recorded=False)
        self.iterates = [np.array([p.default for p in parameters])]
        """The values of the parameters at the start of the run, and after each batch."""
        self._changes_per_win: deque[np.ndarray] = deque()
        """For each batch in flight, the change of the parameters if its first side wins a game."""
        blocks, shape = range(-(-steps // RANDOM_BLOCK_BATCHES)), (2, RANDOM_BLOCK_BATCHES, len(parameters))
        draws = [np.random.default_rng([batch.seed, block]).random(shape) for block in blocks]
        self._random_numbers = np.concatenate(draws, axis=1)
        self._names = [p.name for p in parameters]
        self._lows, self._highs, self._steps, self._whole = (
            np.array([getattr(p, name) for p in parameters]) for name in ("low", "high", "step", "whole")
        )

    @property
    def counted_batches(self) -> int:
        return len(self.iterates) - 1

    @property
    def values(self) -> dict[str, float]:
        """The current values of the parameters, rounded as the engine reads them."""
        pairs = zip(self.parameters, self.iterates[-1].tolist(), strict=True)
        return {p.name: float(p.text(value)) for p, value in pairs}

    @property
    def remaining_work(self) -> float:
        return self.steps - self.counted_batches

    def ask(self, limit: int) -> list[Batch]:
        first = self.counted_batches + len(self._changes_per_win)
        last = min(first + limit, self.steps, self.counted_batches + self.lag)
        points = [self.iterates[max(number + 1 - self.lag, 0)] for number in range(first, last)]
        if not points:
            return []
        batches, changes = self.batches_at(np.array(points), first)
        self._changes_per_win.extend(changes)
        return batches

    def tell(self, batch: Batch, outcome: Outcome) -> None:
        point = self.iterates[-1] + self._changes_per_win.popleft() * (2 * outcome.wins - outcome.games)
        self.iterates.append(np.minimum(np.maximum(point, self._lows), self._highs))

    @property
    def outcome_summary(self) -> str:
        values = ", ".join(f"{name} {value:.3g}" for name, value in self.values.items())
        return f"{self.counted_batches * self._batch.games:,} of {self.steps * self._batch.games:,} games; {values}"

    def perturbation_factor(self, step: Steps) -> Steps:
        """Return the perturbation at `step`, divided by the perturbation in the last iteration."""
        return (self.steps / step) ** GAMMA

    def gain(self, step: Steps) -> Steps:
        """Return the fraction of a perturbation by which a game won at `step` moves a parameter."""
        stable = STABLE * self.steps
        return (
            self.r_end
            * ((stable + self.steps) / (stable + step)) ** ALPHA
            / self.perturbation_factor(step) ** 2
        )

    @property
    def chance_drift(self) -> tuple[float, float]:
        """Return how far chance moves a parameter, and the slope in Elo that moves it equally far.

        The first number is a distance from the start value, in steps of the parameter: 95 % of runs
        end within this distance if all settings are equally strong. The slope is in Elo per step:
        if each step adds this much Elo, the added strength moves the parameter equally far.
        """
        steps, games = np.arange(1, self.steps + 1), self._batch.games
        away = self.perturbation_factor(steps)
        changes = self.gain(steps) * away
        by_chance = 1.96 * math.sqrt(games * (changes**2).sum())
        # Near a score of 0.5, (wins - losses) / games grows by this number for each Elo.
        surplus = math.log(10) / 800
        return by_chance, by_chance / float((games * changes * 2 * away * surplus).sum())

    def batches_at(self, points: np.ndarray, first: int) -> tuple[list[Batch], np.ndarray]:
        """Return a batch for each row of `points`, and how a won game changes the row's values."""
        signs, rounding = self._random_numbers[:, first : first + len(points)]
        steps = np.arange(first + 1, first + 1 + len(points))[:, None]
        away = np.where(signs < 0.5, -1, 1) * self._steps * self.perturbation_factor(steps)
        values = np.clip([points + away, points - away], self._lows, self._highs)
        values = np.where(self._whole, np.clip(np.floor(values + rounding), self._lows, self._highs), values)
        sides = ([tuple(zip(self._names, row, strict=True)) for row in side] for side in values.tolist())
        batches = map(self._batch.between, *sides, range(first, first + len(points)))
        return list(batches), self.gain(steps) * away
