"""A synthetic strength: Elo falls by the square of the steps that settings are away from the best."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tuning.matches.parameters import Parameter
from tuning.matches.statistics import Standing
from tuning.tuners.knobs import Knob

REACH = 5
"""Steps from the start to the best value of a parameter, at most; it can be varied twice as far."""


@dataclass(frozen=True)
class Surface:
    """A strength over some parameters, each with a step of 1 and a start of 0."""

    best: np.ndarray
    fall: float
    """Elo lost one step away from the best, in one parameter."""

    @classmethod
    def drawn(cls, rng: np.random.Generator, parameters: int, fall: float) -> "Surface":
        """Return a surface whose best is drawn evenly."""
        return cls(rng.uniform(-REACH, REACH, parameters), fall)

    @property
    def knobs(self) -> list[Knob]:
        """Its parameters, as tuners see them."""
        bound = 2.0 * REACH
        return [
            Knob(Parameter(f"p{one}", False, 0.0, -bound, bound, 1.0, ""), 0.0, -bound, bound)
            for one in range(len(self.best))
        ]

    def elo(self, place: np.ndarray) -> float:
        """Return the strength at a place, in Elo; 0 at the best."""
        return -self.fall * float(np.sum((place - self.best) ** 2))

    def played(
        self, one: Mapping[str, float], other: Mapping[str, float], games: int, rng: np.random.Generator
    ) -> Standing:
        """Return what games between two settings come to; those of a pair are independent."""
        sides = [self.elo(np.array(list(side.values()))) for side in (one, other)]
        score = 1 / (1 + 10 ** ((sides[1] - sides[0]) / 400))
        lost, split, won = np.bincount(rng.binomial(2, score, games // 2), minlength=3).tolist()
        return Standing((lost, split, won))
