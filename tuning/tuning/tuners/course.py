"""The course of an SPSA run: which questions are open, and the place that the answers have led to.

Answers are applied in the order of their questions' numbers, and question k is asked at the place after the answers up
to k - `lag`. So several batches are in flight at a time, and yet everything follows from the seed and the records.
"""

import numpy as np

from tuning.matches.statistics import Standing
from tuning.tuners.spsa import Question, Spsa

GAIN_IN_FLIGHT = 10.0
"""The last gain times the games in flight, at most: with more, places overshoot what is best."""

SHARE_OPEN = 5
"""At most one in this many of all questions may be open at a time."""


def most_open(spsa: Spsa, per_batch: int) -> int:
    """Return how many questions may be open: each is asked at a place that misses the others' answers.

    `reports/search.md` has what more cost in a simulation.
    """
    return max(min(spsa.steps // SHARE_OPEN, int(GAIN_IN_FLIGHT / (spsa.r_end * per_batch))), 1)


class Course:
    """A run of SPSA as far as it has come."""

    def __init__(self, spsa: Spsa, lag: int) -> None:
        """Begin at the start, with at most `lag` open questions."""
        self.spsa = spsa
        self.places: list[np.ndarray] = [spsa.start()]
        """The start, and the place after each answer."""
        self._lag = lag
        self._asked = 0
        self._waiting: dict[int, Standing] = {}

    @property
    def told(self) -> int:
        """Answers applied."""
        return len(self.places) - 1

    def ask(self) -> Question | None:
        """Return another question; None if none is to be asked now."""
        if self._asked == self.spsa.steps or self._asked - self.told >= self._lag:
            return None
        self._asked += 1
        return self._question(self._asked - 1)

    def tell(self, number: int, answer: Standing) -> None:
        """Take in the answer to a question, and move by all answers that are next in order."""
        self._waiting[number] = answer
        while self.told in self._waiting:
            question = self._question(self.told)
            self.places.append(self.spsa.moved(self.places[-1], question, self._waiting.pop(self.told)))

    def _question(self, number: int) -> Question:
        return self.spsa.question(self.places[max(number + 1 - self._lag, 0)], number)
