"""The course of an SPSA run: which questions are open, and the place that the answers have led to.

Answers are applied in the order in which they arrive. The journal keeps this order, so that an interrupted run goes on
from the same place with the same open questions:

    {"asked": 3}    question 3 was asked at the place that the lines above lead to
    {"told": 1}     the answer to question 1 moved the place; the games themselves are in the records
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tuning.errors import InputError
from tuning.matches.statistics import Standing
from tuning.tuners.spsa import Question, Spsa

GAIN_IN_FLIGHT = 10.0
"""The last gain times the games in flight, at most: with more, places overshoot what is best."""

SHARE_OPEN = 5
"""At most one in this many of all questions may be open at a time."""

Answer = Callable[[Question], Standing]
"""Returns the answer to a question that was answered before."""


def most_open(spsa: Spsa, per_batch: int) -> int:
    """Return how many questions may be open: each is asked at a place that misses the others' answers.

    `tuning simulate` shows what more would cost.
    """
    return max(min(spsa.steps // SHARE_OPEN, int(GAIN_IN_FLIGHT / (spsa.r_end * per_batch))), 1)


class Course:
    """A run of SPSA as far as it has come."""

    def __init__(self, spsa: Spsa, most_open: int, journal: Path | None = None) -> None:
        """Begin at the start, with at most `most_open` open questions; write a journal if a file is named."""
        self.spsa = spsa
        self.place = spsa.start()
        self.open: dict[int, Question] = {}
        self._most_open = most_open
        self.told = 0
        self._asked = 0
        self._journal = journal
        self.places: list[np.ndarray] = [self.place]
        """The start, and the place after each answer."""

    @property
    def begun(self) -> bool:
        """Whether there is a journal to resume."""
        return self._journal is not None and self._journal.exists()

    @property
    def done(self) -> bool:
        """Whether every question is answered."""
        return self.told == self.spsa.steps

    def ask(self) -> Question | None:
        """Return another question; None if none is to be asked now."""
        if self._asked == self.spsa.steps or len(self.open) >= self._most_open:
            return None
        self._note("asked", self._asked)
        return self._ask(self._asked)

    def tell(self, number: int, answer: Standing) -> None:
        """Move by the answer to an open question."""
        self._note("told", number)
        self._move(number, answer)

    def resume(self, answer: Answer) -> None:
        """Go on from the journal, if there is one."""
        path = self._journal
        if path is None or not self.begun:
            return
        lines = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines[:-1], 1):
            try:
                ((event, which),) = json.loads(line).items()
                if event == "asked" and which == self._asked < self.spsa.steps:
                    self._ask(which)
                elif event == "told" and which in self.open:
                    self._move(which, answer(self.open[which]))
                else:
                    raise ValueError(line.decode())
            except (ValueError, AttributeError, TypeError) as error:
                raise InputError(
                    f"{path}, line {number}: {error}, expected a question asked or told in order; restore the file, "
                    "or name another --state"
                ) from error
        # A line that was cut short describes nothing that was begun.
        path.write_bytes(b"".join(line + b"\n" for line in lines[:-1]))

    def _ask(self, number: int) -> Question:
        self.open[number] = question = self.spsa.question(self.place, number)
        self._asked = number + 1
        return question

    def _move(self, number: int, answer: Standing) -> None:
        self.place = self.spsa.moved(self.place, self.open.pop(number), answer)
        self.told += 1
        self.places.append(self.place)

    def _note(self, event: str, number: int) -> None:
        if self._journal is not None:
            with self._journal.open("a", encoding="utf-8") as file:
                file.write(json.dumps({event: number}) + "\n")
