"""Which batches of which trials are played next, where several trials are open."""

from dataclasses import dataclass, field

from tuning.matches.record import Outcome
from tuning.tuners.study import OpenTrial, Study

MOST_OPEN = 5
"""The share of all full trials that may be open is one in so many: `tuning simulate` chose it."""


@dataclass
class Search:
    """A study as far as it has come in this run."""

    study: Study
    games: int
    """Games to search with."""
    per_batch: int
    most_open: int = 0
    """Trials that may be open; 0 for a fifth of the full trials that the games are enough for."""
    _open: dict[int, OpenTrial] = field(default_factory=dict)
    _flying: dict[int, set[int]] = field(default_factory=dict)
    """The batches that are being played, by the number of their trial."""

    def __post_init__(self) -> None:
        """Choose how many trials may be open."""
        full = self.games // (self.study.batches * self.per_batch)
        self.most_open = self.most_open or max(full // MOST_OPEN, 1)
        self._ended = self.study.games

    def ask(self) -> tuple[OpenTrial, int] | None:
        """Return a batch to play; None if none is wanted now.

        A new trial comes first, then a second batch of a trial that is open: a trial that is ended early wastes the
        batches that were begun ahead.
        """
        idle = [
            number for number, flying in self._flying.items() if not flying and self._next(number) is not None
        ]
        reserved = len(self._open) * self.study.batches * self.per_batch
        if not idle and len(self._open) < self.most_open and self._ended + reserved < self.games:
            trial = self.study.begin()
            number = trial.trial.number
            self._open[number], self._flying[number] = trial, set()
        wanted = [number for number in self._open if self._next(number) is not None]
        if not wanted:
            return None
        number = min(wanted, key=lambda one: len(self._flying[one]))
        batch = self._next(number)
        assert batch is not None
        self._flying[number].add(batch)
        return self._open[number], batch

    def tell(self, trial: OpenTrial, batch: int, outcome: Outcome) -> bool:
        """Take in a batch; return whether it ended its trial."""
        number = trial.trial.number
        if trial.over:
            return False
        self._flying[number].discard(batch)
        self.study.add(trial, batch, outcome)
        if trial.over:
            self._ended += trial.total.standing.games
            del self._open[number], self._flying[number]
        return trial.over

    def _next(self, number: int) -> int | None:
        """Return the first batch of a trial that is neither played nor being played."""
        trial = self._open[number]
        taken = self._flying[number] | trial.waiting.keys()
        batch = next(one for one in range(trial.counted, self.study.batches + 1) if one not in taken)
        return batch if batch < self.study.batches else None
