"""Series of batches, each played until its error is small enough.

The result of a series is decided batch by batch in the order of their numbers, whatever order they end in and however
many are played at a time: the same games stop it at the same place on any machine.
"""

import math
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from tuning.errors import InputError
from tuning.matches.batch import Batch, Side, Terms
from tuning.matches.executor import Executor, Job
from tuning.matches.progress import Progress
from tuning.matches.record import Outcome
from tuning.matches.state import State
from tuning.matches.statistics import Sprt, Standing


@dataclass(frozen=True)
class Stop:
    """When a series ends."""

    least: int
    most: int
    """Games, whatever they say."""
    error: float | None = None
    """Half the width of the 95 % interval that is wanted, in Elo."""
    sprt: Sprt | None = None

    def __post_init__(self) -> None:
        """Refuse a stop that no series can reach."""
        if not 2 <= self.least <= self.most:
            raise InputError(
                f"{self.least} to {self.most} games: expected from 2, and no fewer at most than at least"
            )
        if self.error is not None and self.error <= 0:
            raise InputError(f"an error of {self.error:g} Elo: expected one above 0")

    def missing(self, standing: Standing) -> int:
        """Return how many games are still to be played, as far as one can tell; 0 when none is."""
        games = standing.games
        if games >= self.most:
            return 0
        if self.sprt is not None:
            if self.sprt.verdict(standing.pairs) is not None:
                return max(self.least - games, 0)
            wanted = self.most
        elif games < self.least:
            return self.least - games
        elif self.error is None or not 0 < standing.wins < games:
            # If every game ended alike, more games cannot make the error finite.
            return 0
        elif standing.error <= self.error:
            return 0
        else:
            wanted = games * (standing.error / self.error) ** 2
        return max(math.ceil(min(wanted, self.most)) - games, 2)


@dataclass
class Series:
    """Games between two sides, as many as its stop asks for."""

    name: str
    """Also its folder."""
    a: Side
    b: Side
    stop: Stop
    per_batch: int
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    """By number of the batch; those beyond the first gap are not counted yet."""
    counted: Outcome = field(default_factory=Outcome)
    _next: int = 0

    @property
    def missing(self) -> int:
        """Games still to play, as far as one can tell."""
        return self.stop.missing(self.counted.standing)

    @property
    def cost(self) -> float:
        """About how long a game takes, in the unit of its sides."""
        return self.a.cost + self.b.cost

    def batch(self, number: int, terms: Terms) -> Batch:
        """Return the batch of this number."""
        return Batch(self.a, self.b, terms, self.per_batch, number)

    def add(self, number: int, outcome: Outcome) -> None:
        """Take in a batch, and count what is in order."""
        self.outcomes[number] = outcome
        while self.missing and self._next in self.outcomes:
            self.counted += self.outcomes[self._next]
            self._next += 1

    def to_play(self, playing: set[int]) -> int | None:
        """Return the number of a batch that is wanted beyond those being played, if there is one."""
        ahead = playing | {number for number in self.outcomes if number >= self._next}
        if len(ahead) * self.per_batch >= self.missing:
            return None
        number = self._next
        while number in ahead:
            number += 1
        return number


Key = TypeVar("Key")


class Asker(Protocol[Key]):
    """Decides what to play next by what was played: a tuner."""

    def ask(self) -> tuple[Key, str, Batch] | None:
        """Return a batch to play with its series and the asker's own key; None if none is wanted now."""

    def tell(self, key: Key, outcome: Outcome, fresh: bool) -> None:
        """Take in a batch, in the order in which batches end; `fresh` if it was played just now."""


def play_asked(asker: Asker[Key], state: State, executor: Executor) -> None:
    """Play what a tuner asks for, on all cores, until it asks for nothing more."""
    playing: dict[Future[None], tuple[Key, str, Batch]] = {}
    while True:
        while len(playing) < executor.cores and (wanted := asker.ask()) is not None:
            key, name, batch = wanted
            known = state.outcome(name, batch)
            if known is not None:
                asker.tell(key, known, False)
            else:
                playing[executor.submit(job(name, batch, state))] = wanted
        if not playing:
            return
        for future in wait(playing, return_when=FIRST_COMPLETED).done:
            key, name, batch = playing.pop(future)
            future.result()
            asker.tell(key, whole(name, batch, state), True)


def job(name: str, batch: Batch, state: State) -> Job:
    """Return the job that plays a batch of a series."""
    parameters = state.engine.parameters(batch.terms.board)
    return Job(batch.command(parameters), state.path(name, batch.number), batch.cores)


def whole(name: str, batch: Batch, state: State) -> Outcome:
    """Return the outcome of a batch that has just been played."""
    outcome = state.outcome(name, batch)
    if outcome is None:
        path = state.path(name, batch.number)
        raise InputError(f"{path}: the engine ended before its {batch.games} games, expected all of them")
    return outcome


def load(series: Series, state: State, terms: Terms) -> None:
    """Take in what is on disk."""
    folder = state.path(series.name, 0).parent
    for path in sorted(folder.glob("*.jsonl")):
        number = int(path.stem) if path.stem.isdigit() else -1
        if number < 0 or path != state.path(series.name, number):
            raise InputError(f"{path}: expected only records of batches there; move it away")
        outcome = state.outcome(series.name, series.batch(number, terms))
        if outcome is not None:
            series.add(number, outcome)


def play(
    everything: list[Series],
    terms: Terms,
    state: State,
    executor: Executor,
    progress: Progress,
    on_done: Callable[[Series], None] = lambda _: None,
) -> None:
    """Play all series until their stops are satisfied, earlier ones first; call `on_done` after each."""
    for series in everything:
        load(series, state, terms)
    playing: dict[Future[None], tuple[Series, Batch]] = {}
    progress.begin(everything, executor)
    while True:
        busy = sum(batch.cores for _, batch in playing.values())
        for series in everything:
            while busy < executor.cores:
                ours = {batch.number for one, batch in playing.values() if one is series}
                number = series.to_play(ours)
                if number is None:
                    break
                batch = series.batch(number, terms)
                if busy and busy + batch.cores > executor.cores:
                    break
                future = executor.submit(job(series.name, batch, state))
                playing[future] = (series, batch)
                busy += batch.cores
        if not playing:
            return
        for future in wait(playing, return_when=FIRST_COMPLETED).done:
            series, batch = playing.pop(future)
            future.result()
            before = series.missing
            series.add(batch.number, whole(series.name, batch, state))
            last = bool(before and not series.missing)
            progress.played(series, batch.games, last)
            if last:
                on_done(series)
