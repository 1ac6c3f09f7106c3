"""Plays what is asked for: series of batches until their errors are small enough, or the questions of a tuner.

The result of a series is decided batch by batch in the order of their numbers, whatever order they end in and however
many are played at a time: the same games stop it at the same place on any machine.
"""

import gc
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tuning.matches.batch import Batch
from tuning.matches.executor import Executor
from tuning.matches.outcome import Outcome, Sprt
from tuning.matches.progress import Progress, say
from tuning.matches.state import State
from tuning.matches.worker import Job


@dataclass
class Series:
    """Games between two sides: from `least` to `most`, by the test or the error in Elo that is wanted."""

    first: Batch
    """The batch of number 0; the others differ in their numbers alone."""
    least: int
    most: int
    error: float | None = None
    """Half the width of the 95 % interval."""
    sprt: Sprt | None = None
    counted: Outcome = field(default_factory=Outcome)
    _asked: int = 0
    _told: int = 0

    @property
    def missing(self) -> int:
        """Games still to play, as far as one can tell; 0 when none is."""
        games, wins, wanted = self.counted.games, self.counted.wins, float(self.most)
        if games >= self.most:
            return 0
        if self.sprt is not None:
            if self.sprt.verdict(self.counted.pairs) is not None:
                return max(self.least - games, 0)
        elif games < self.least:
            return self.least - games
        elif self.error is None or not 0 < wins < games:
            # If every game ended alike, more games cannot make the error finite.
            return 0
        else:
            excess = (self.counted.figures.elo_error or math.inf) / self.error
            if excess <= 1:
                return 0
            wanted = games * excess**2
        return max(math.ceil(min(wanted, self.most)) - games, 2)

    @property
    def left(self) -> float:
        """About how long the missing games take, in the unit of the sides."""
        return self.missing * (self.first.a.cost + self.first.b.cost)

    def ask(self, room: int) -> list[Batch]:
        """Return up to `room` batches that are wanted beyond those being played."""
        first, size = self._asked, self.first.games
        self._asked = max(min(first + room, self._told + -(-self.missing // size)), first)
        # The last batch has the games that are left, in whole pairs.
        most = self.most + self.most % 2
        return [
            self.first._replace(number=number, games=min(size, most - number * size))
            for number in range(first, self._asked)
        ]

    def tell(self, batch: Batch, outcome: Outcome) -> None:
        """Count the next batch, unless enough are counted."""
        before, self._told = self.missing, self._told + 1
        if before:
            self.counted += outcome
        if before and not self.missing:
            say(self.said)

    @property
    def said(self) -> str:
        """What the games have come to, in words."""
        return f"{self.first.series}: {self.counted} Elo after {self.counted.games:,} games"


class Asker(Protocol):
    """Decides what to play next by what was played."""

    @property
    def left(self) -> float:
        """The work that is left, in a unit of its own."""

    def ask(self, room: int) -> list[Batch]:
        """Return up to `room` batches to play; none if none is wanted now."""

    def tell(self, batch: Batch, outcome: Outcome) -> None:
        """Take in a batch, in the order in which they were asked for."""

    @property
    def said(self) -> str:
        """What the batches have come to, in words."""


def play(askers: Sequence[Asker], state: State, executor: Executor) -> None:
    """Play what is asked for, by earlier askers first, on all cores, until nothing more is.

    Batches whose outcomes are on the disk are not played again.
    """
    # The usual collections would look through all open batches again and again.
    gc.set_threshold(100_000)
    open_batches: list[tuple[Asker, deque[Batch]]] = [(asker, deque()) for asker in askers]
    ended: dict[tuple[str, int], Outcome] = {}
    progress = Progress(sum(asker.left for asker in askers))

    def ask(room: int) -> list[Batch]:
        for asker, batches in open_batches:
            if room > 0 and (found := asker.ask(room)):
                batches.extend(found)
                return found
        return []

    def tell() -> str:
        said = ""
        for asker, batches in open_batches:
            told = False
            while batches and batches[0].key in ended:
                asker.tell(batches[0], ended.pop(batches.popleft().key))
                told = True
            said = asker.said if told else said
        return said

    say(f"plays {executor.cores} games at a time ({executor.place})")
    while True:
        jobs: list[Job] = []
        room = executor.room
        while asked := ask(room - len(jobs)):
            for batch in asked:
                if (known := state.known.get(batch.key)) is None:
                    jobs.append(state.job(batch))
                else:
                    ended[batch.key] = known
            tell()
        executor.submit(jobs)
        if executor.is_idle:
            return
        found: dict[tuple[str, int], Outcome] = {}
        for job, outcome in executor.wait():
            assert isinstance(job.work, Batch) and isinstance(outcome, Outcome)
            found[job.work.key] = outcome
        if found:
            state.note(found)
            ended |= found
            said = tell()
            progress.at(sum(asker.left for asker in askers), said)
