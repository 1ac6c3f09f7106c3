"""Plays what is asked for: series of batches until their errors are small enough, or the questions of a tuner.

The result of a series is decided batch by batch in the order of their numbers, whatever order they end in and however
many are played at a time: the same games stop it at the same place on any machine.
"""

import math
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Protocol

from tuning.errors import InputError
from tuning.matches.batch import Batch, Side, Terms
from tuning.matches.executor import Executor
from tuning.matches.outcome import Outcome, Sprt
from tuning.matches.progress import Progress, say
from tuning.matches.state import State


@dataclass(frozen=True)
class Stop:
    """The end of a series: from `least` to `most` games, by the test or the error in Elo that is wanted."""

    least: int
    most: int
    error: float | None = None
    """Half the width of the 95 % interval."""
    sprt: Sprt | None = None

    def __post_init__(self) -> None:
        """Refuse a stop that no series can reach."""
        if not 2 <= self.least <= self.most:
            raise InputError(f"{self.least} to {self.most} games: expected from 2 on, ascending")
        if self.error is not None and self.error <= 0:
            raise InputError(f"an error of {self.error:g} Elo: expected one above 0")

    def missing(self, outcome: Outcome) -> int:
        """Return how many games are still to be played, as far as one can tell; 0 when none is."""
        games = outcome.games
        if games >= self.most:
            return 0
        if self.sprt is not None:
            if self.sprt.test(outcome.pairs)["verdict"] is not None:
                return max(self.least - games, 0)
            wanted = self.most
        elif games < self.least:
            return self.least - games
        elif self.error is None or not 0 < outcome.wins < games or outcome.error <= self.error:
            # If every game ended alike, more games cannot make the error finite.
            return 0
        else:
            wanted = games * (outcome.error / self.error) ** 2
        return max(math.ceil(min(wanted, self.most)) - games, 2)


@dataclass
class Series:
    """Games between two sides, as many as its stop asks for; its name is also its folder."""

    name: str
    a: Side
    b: Side
    terms: Terms
    stop: Stop
    per_batch: int
    counted: Outcome = field(default_factory=Outcome)
    _next: int = 0
    _ahead: dict[int, Outcome | None] = field(default_factory=dict)
    """Batches from the next one on that are being played, or have been before an earlier one."""

    @property
    def missing(self) -> int:
        """Games still to play, as far as one can tell."""
        return self.stop.missing(self.counted)

    @property
    def cost(self) -> float:
        """About how long the missing games take, in the unit of the sides."""
        return self.missing * (self.a.cost + self.b.cost)

    def ask(self) -> Batch | None:
        """Return a batch that is wanted beyond those being played, if there is one."""
        if len(self._ahead) * self.per_batch >= self.missing:
            return None
        number = self._next + len(self._ahead)
        self._ahead[number] = None
        return self.batch(number)

    def batch(self, number: int) -> Batch:
        return Batch(self.a, self.b, self.terms, self.per_batch, number)

    def tell(self, number: int, outcome: Outcome) -> None:
        """Take in a batch, and count what is in order."""
        self._ahead[number] = outcome
        while self.missing and (one := self._ahead.get(self._next)):
            self.counted += one
            del self._ahead[self._next]
            self._next += 1


class Asker(Protocol):
    """Decides what to play next by what was played."""

    @property
    def left(self) -> float:
        """The work that is left, in a unit of its own."""

    def ask(self) -> tuple[str, Batch] | None:
        """Return a batch to play, with its series; None if none is wanted now."""

    def tell(self, series: str, batch: Batch, outcome: Outcome) -> str:
        """Take in a batch, in the order in which batches end; return what it comes to, in words."""


class Matches:
    """Asks for all games of several series, earlier ones first."""

    def __init__(self, everything: Sequence[Series]) -> None:
        self.everything = {one.name: one for one in everything}

    @property
    def left(self) -> float:
        return sum(one.cost for one in self.everything.values())

    def ask(self) -> tuple[str, Batch] | None:
        asked = ((name, one.ask()) for name, one in self.everything.items())
        return next(((name, batch) for name, batch in asked if batch), None)

    def tell(self, series: str, batch: Batch, outcome: Outcome) -> str:
        one = self.everything[series]
        before = one.missing
        one.tell(batch.number, outcome)
        told = f"{one.name}: {one.counted} Elo after {one.counted.games:,} games"
        if before and not one.missing:
            say(told)
        return told


def play(asker: Asker, state: State, executor: Executor) -> None:
    """Play what is asked for, on all cores, until nothing more is; games on disk are read instead of played."""
    playing: dict[Future[None], tuple[str, Batch]] = {}
    wanted, progress = None, None
    while True:
        busy = sum(batch.cores for _, batch in playing.values())
        while busy < executor.cores and (wanted := wanted or asker.ask()):
            known = state.outcome(*wanted)
            if known is None:
                if busy and busy + wanted[1].cores > executor.cores:
                    break
                if progress is None:
                    say(f"plays on {executor.cores} cores ({executor.place})")
                    progress = Progress(asker.left)
                playing[executor.submit(state.job(*wanted))] = wanted
                busy += wanted[1].cores
            else:
                asker.tell(*wanted, known)
            wanted = None
        if not playing:
            return
        for future in wait(playing, return_when=FIRST_COMPLETED).done:
            series, batch = playing.pop(future)
            future.result()
            outcome = state.outcome(series, batch)
            if outcome is None:
                path = state.path(series, batch.number)
                raise InputError(f"{path}: the engine ended before its {batch.games} games, expected all")
            before = asker.left
            told = asker.tell(series, batch, outcome)
            progress.at(max(before - asker.left, 0), asker.left, told)
